//! Where the memory of the server that wrote a file went, and what a fresh one will use.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rdb_format::ObjectType;
use rdb_memory::{KeyCounts, Keyspace, SizeModel, TableSizes};

use crate::{Basis, FileFacts, GroupKey, LoadedTally, ModuleName, Tally, regroup};

/// Where the memory of a server goes, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// What the file says the server used when it was saved (`used-mem`).
    pub used_mem: Option<u64>,
    /// What the allocator holds for the keys of each type, the largest first.
    pub data: Vec<TypeShare>,
    /// The tables that find keys and expiries, sized as after a load.
    pub tables: TableSizes,
    /// How many databases have tables.
    pub databases: u64,
    /// How many cluster slots have tables of their own; 0 where databases have one for all slots.
    pub slots: u64,
    /// How many function libraries there are.
    pub libraries: u64,
    /// Function libraries: their source, and what the server keeps around it.
    pub functions_bytes: u64,
    /// What an empty server of that release uses.
    pub base_bytes: u64,
    /// What the keys take in a server that has just loaded them.
    pub loaded: LoadedTally,
}

/// What the keys of one type take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeShare {
    /// What `TYPE` answers.
    pub object_type: ObjectType,
    /// For module values: the module type.
    pub module: Option<ModuleName>,
    /// The least certain basis among these keys.
    pub basis: Basis,
    /// How many keys.
    pub keys: u64,
    /// What the allocator holds for them.
    pub allocated_bytes: u64,
}

impl TypeShare {
    /// The word that `TYPE` answers.
    #[must_use]
    pub fn type_word(&self) -> &str {
        self.module.as_ref().map_or(self.object_type.as_str(), ModuleName::as_str)
    }
}

impl Account {
    /// The account of file number `file`. `slots` has its keys by slot, if the server keeps them so.
    #[must_use]
    pub fn of(
        file: u32,
        facts: &FileFacts,
        groups: &[(GroupKey, Tally)],
        slots: Option<&Keyspace>,
        loaded: LoadedTally,
        model: &SizeModel,
    ) -> Self {
        let mut by_db = Keyspace::default();
        for (key, tally) in groups.iter().filter(|(key, _)| key.file == file) {
            let expires = tally.keys.saturating_sub(tally.keys_without_ttl);
            by_db.add(key.db, 0, KeyCounts { keys: tally.keys, expires });
        }
        let keyspace = slots.unwrap_or(&by_db);
        let idle = if facts.slots == 0 { keyspace.idle_slot_tables(model) } else { TableSizes::default() };
        let of_file = groups.iter().filter(|(key, _)| key.file == file).map(|(key, tally)| TypeShare {
            object_type: key.object_type,
            module: key.module,
            basis: key.basis,
            keys: tally.keys,
            allocated_bytes: tally.allocated_bytes,
        });
        let functions = facts.functions.iter().map(|function| model.library_bytes(function.code_bytes));
        Self {
            used_mem: facts.aux_number("used-mem"),
            data: by_type(of_file),
            tables: keyspace.tables(model) + idle,
            databases: by_db.databases().len() as u64,
            slots: if model.has_slot_tables() { keyspace.tables_count(model) } else { 0 },
            libraries: facts.functions.len() as u64,
            functions_bytes: functions.fold(0, u64::saturating_add),
            base_bytes: model.base_bytes(),
            loaded,
        }
    }

    /// The account of several servers together. What they used is known if all of them say it.
    #[must_use]
    pub fn sum<'a>(accounts: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let sum_of = |part: fn(&Self) -> u64| accounts.clone().map(part).fold(0, u64::saturating_add);
        let used_mem =
            accounts.clone().try_fold(0u64, |sum, account| Some(sum.saturating_add(account.used_mem?)));
        Self {
            used_mem,
            data: by_type(accounts.clone().flat_map(|account| account.data.iter().copied())),
            tables: accounts.clone().map(|account| account.tables).sum(),
            databases: sum_of(|account| account.databases),
            slots: sum_of(|account| account.slots),
            libraries: sum_of(|account| account.libraries),
            functions_bytes: sum_of(|account| account.functions_bytes),
            base_bytes: sum_of(|account| account.base_bytes),
            loaded: accounts.map(|account| account.loaded).fold(LoadedTally::default(), |mut sum, loaded| {
                sum += loaded;
                sum
            }),
        }
    }

    /// What the allocator holds for all keys.
    #[must_use]
    pub fn data_bytes(&self) -> u64 {
        self.data.iter().fold(0, |sum, share| sum.saturating_add(share.allocated_bytes))
    }

    /// How many keys there are.
    #[must_use]
    pub fn keys(&self) -> u64 {
        self.data.iter().fold(0, |sum, share| sum.saturating_add(share.keys))
    }

    /// The sum of what is accounted for.
    #[must_use]
    pub fn explained_bytes(&self) -> u64 {
        self.data_bytes().saturating_add(self.beside_data())
    }

    /// What `used-mem` says beyond that: client buffers, replication backlog, slack of grown values.
    /// Negative when more is accounted for than was used.
    #[must_use]
    pub fn unexplained_bytes(&self) -> Option<i64> {
        let used = i64::try_from(self.used_mem?).ok()?;
        used.checked_sub(i64::try_from(self.explained_bytes()).ok()?)
    }

    /// `used_memory` of a fresh server that has loaded all keys, expired or not.
    #[must_use]
    pub fn fresh_bytes(&self) -> u64 {
        self.loaded.bytes.saturating_add(self.beside_data())
    }

    /// What tables of a live server may take beyond those of a loaded one: the same again, for twice as many
    /// buckets.
    #[must_use]
    pub fn doubled_bytes(&self) -> u64 {
        self.tables.bucket_bytes
    }

    /// The same while old and new buckets stand side by side.
    #[must_use]
    pub fn rehashing_bytes(&self) -> u64 {
        self.tables.bucket_bytes.saturating_mul(2)
    }

    fn beside_data(&self) -> u64 {
        self.tables.total().saturating_add(self.functions_bytes).saturating_add(self.base_bytes)
    }
}

/// One share for each type, the largest first.
fn by_type(shares: impl Iterator<Item = TypeShare>) -> Vec<TypeShare> {
    let mut types = BTreeMap::<(ObjectType, Option<ModuleName>), TypeShare>::new();
    for share in shares {
        types
            .entry((share.object_type, share.module))
            .and_modify(|sum| {
                sum.basis = sum.basis.max(share.basis);
                sum.keys = sum.keys.saturating_add(share.keys);
                sum.allocated_bytes = sum.allocated_bytes.saturating_add(share.allocated_bytes);
            })
            .or_insert(share);
    }
    let mut types: Vec<_> = types.into_values().collect();
    types.sort_by_key(|share| (Reverse(share.allocated_bytes), share.object_type, share.module));
    types
}

/// What the values of one module type come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleShare {
    /// The module type.
    pub module: ModuleName,
    /// The least certain basis among its keys.
    pub basis: Basis,
    /// Its sums.
    pub tally: Tally,
}

/// The module types among these groups, in the order of their names.
#[must_use]
pub fn modules(groups: &[(GroupKey, Tally)]) -> Vec<ModuleShare> {
    let mut modules = Vec::<ModuleShare>::new();
    for ((module, basis), tally) in regroup(groups, |key| (key.module, key.basis)) {
        let Some(module) = module else { continue };
        match modules.last_mut().filter(|last| last.module == module) {
            Some(last) => {
                last.basis = last.basis.max(basis);
                last.tally += tally;
            }
            None => modules.push(ModuleShare { module, basis, tally }),
        }
    }
    modules
}
