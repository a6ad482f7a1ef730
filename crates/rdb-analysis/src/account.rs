//! Where the memory of the server that wrote a file went.

use rdb_memory::{KeyCounts, Keyspace, SizeModel};

use crate::{FileFacts, GroupKey, Tally};

/// Where the memory of a server goes, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    /// What the file says the server used when it was saved (`used-mem`).
    pub used_mem: Option<u64>,
    /// What the allocator holds for the keys.
    pub data_bytes: u64,
    /// The tables that find keys and expiries, sized as after a load.
    pub tables_bytes: u64,
    /// Function libraries, as their source.
    pub functions_bytes: u64,
    /// What an empty server of that release uses.
    pub base_bytes: u64,
}

impl Account {
    /// The account of file number `file`. `slots` has its keys by slot, if the server keeps them so.
    #[must_use]
    pub fn of(
        file: u32,
        facts: &FileFacts,
        groups: &[(GroupKey, Tally)],
        slots: Option<&Keyspace>,
        model: &SizeModel,
    ) -> Self {
        let mut by_db = Keyspace::default();
        let mut data_bytes = 0u64;
        for (key, tally) in groups.iter().filter(|(key, _)| key.file == file) {
            let expires = tally.keys.saturating_sub(tally.keys_without_ttl);
            by_db.add(key.db, 0, KeyCounts { keys: tally.keys, expires });
            data_bytes = data_bytes.saturating_add(tally.allocated_bytes);
        }
        let functions_bytes =
            facts.functions.iter().fold(0u64, |sum, function| sum.saturating_add(function.code_bytes));
        let keyspace = slots.unwrap_or(&by_db);
        let mut tables_bytes = keyspace.tables(model).total();
        if facts.slots == 0 {
            tables_bytes = tables_bytes.saturating_add(keyspace.idle_slot_tables(model).total());
        }
        Self {
            used_mem: facts.aux_number("used-mem"),
            data_bytes,
            tables_bytes,
            functions_bytes,
            base_bytes: model.base_bytes(),
        }
    }

    /// The sum of what is accounted for.
    #[must_use]
    pub const fn explained_bytes(&self) -> u64 {
        self.data_bytes
            .saturating_add(self.tables_bytes)
            .saturating_add(self.functions_bytes)
            .saturating_add(self.base_bytes)
    }

    /// What `used-mem` says beyond that: client buffers, replication backlog, slack of grown values.
    /// Negative when more is accounted for than was used.
    #[must_use]
    pub fn unexplained_bytes(&self) -> Option<i64> {
        let used = i64::try_from(self.used_mem?).ok()?;
        used.checked_sub(i64::try_from(self.explained_bytes()).ok()?)
    }
}
