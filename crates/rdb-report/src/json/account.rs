//! Where the memory of a server went.

use rdb_analysis::{Account, TypeShare};
use serde::Serialize;

use super::keys::basis;
use super::tally::share;

#[derive(Serialize)]
pub(super) struct AccountDoc {
    used_mem_bytes: Option<u64>,
    data_bytes: u64,
    tables_bytes: u64,
    functions_bytes: u64,
    base_bytes: u64,
    explained_bytes: u64,
    unexplained_bytes: Option<i64>,
    data_by_type: Vec<TypeDoc>,
    key_tables_bytes: u64,
    expires_tables_bytes: u64,
    databases: u64,
    slots_with_tables: u64,
    function_libraries: u64,
    shares: SharesDoc,
    live_tables: LiveTablesDoc,
    loaded: LoadedDoc,
}

#[derive(Serialize)]
struct TypeDoc {
    r#type: String,
    is_module: bool,
    basis: &'static str,
    keys: u64,
    allocated_bytes: u64,
    share: f64,
}

/// Parts of what was used, or of what is explained if that is not known.
#[derive(Serialize)]
struct SharesDoc {
    data: f64,
    key_tables: f64,
    expires_tables: f64,
    functions: f64,
    base: f64,
    unexplained: Option<f64>,
}

#[derive(Serialize)]
struct LiveTablesDoc {
    doubled_extra_bytes: u64,
    rehashing_extra_bytes: u64,
}

#[derive(Serialize)]
struct LoadedDoc {
    used_memory_bytes: u64,
    data_bytes: u64,
    expired_keys: u64,
    expired_bytes: u64,
}

impl From<&Account> for AccountDoc {
    fn from(account: &Account) -> Self {
        let whole = account.used_mem.unwrap_or_else(|| account.explained_bytes());
        let of_type = |of: &TypeShare| TypeDoc {
            r#type: of.type_word().to_owned(),
            is_module: of.module.is_some(),
            basis: basis(of.basis),
            keys: of.keys,
            allocated_bytes: of.allocated_bytes,
            share: share(of.allocated_bytes, whole),
        };
        Self {
            used_mem_bytes: account.used_mem,
            data_bytes: account.data_bytes(),
            tables_bytes: account.tables.total(),
            functions_bytes: account.functions_bytes,
            base_bytes: account.base_bytes,
            explained_bytes: account.explained_bytes(),
            unexplained_bytes: account.unexplained_bytes(),
            data_by_type: account.data.iter().map(of_type).collect(),
            key_tables_bytes: account.tables.main_bytes,
            expires_tables_bytes: account.tables.expires_bytes,
            databases: account.databases,
            slots_with_tables: account.slots,
            function_libraries: account.libraries,
            shares: SharesDoc {
                data: share(account.data_bytes(), whole),
                key_tables: share(account.tables.main_bytes, whole),
                expires_tables: share(account.tables.expires_bytes, whole),
                functions: share(account.functions_bytes, whole),
                base: share(account.base_bytes, whole),
                unexplained: account.unexplained_bytes().map(|rest| {
                    let size = share(rest.unsigned_abs(), whole);
                    if rest < 0 { -size } else { size }
                }),
            },
            live_tables: LiveTablesDoc {
                doubled_extra_bytes: account.doubled_bytes(),
                rehashing_extra_bytes: account.rehashing_bytes(),
            },
            loaded: LoadedDoc {
                used_memory_bytes: account.fresh_bytes(),
                data_bytes: account.loaded.bytes,
                expired_keys: account.loaded.expired_keys,
                expired_bytes: account.loaded.expired_bytes,
            },
        }
    }
}
