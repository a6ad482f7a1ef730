//! What a file says about itself beside its keys.

use rdb_analysis::FileFacts;
use rdb_format::Dialect;
use rdb_parser::ModuleAuxWhen;
use serde::Serialize;

use super::keys::escaped;

#[derive(Serialize)]
pub(super) struct FactsDoc<'a> {
    format: Option<FormatDoc>,
    server: Option<String>,
    saved_at_ms: Option<i64>,
    used_mem_bytes: Option<u64>,
    aux: Vec<AuxDoc>,
    databases: Vec<DbDoc>,
    functions: Vec<FunctionDoc>,
    module_aux: Vec<ModuleAuxDoc<'a>>,
    slots: u64,
    slot_keys: u64,
    slot_imports: u64,
    hash_templates: u64,
    lua_scripts: u64,
    unlisted: u64,
}

#[derive(Serialize)]
struct FormatDoc {
    magic: &'static str,
    version: u32,
}

#[derive(Serialize)]
struct AuxDoc {
    name: String,
    value: String,
    value_escaped: bool,
}

#[derive(Serialize)]
struct DbDoc {
    db: u64,
    announced_keys: u64,
    announced_expires: u64,
}

#[derive(Serialize)]
struct FunctionDoc {
    name: String,
    engine: String,
    code_bytes: u64,
}

#[derive(Serialize)]
struct ModuleAuxDoc<'a> {
    module: &'a str,
    encoding_version: u16,
    when: &'static str,
    serialized_bytes: u64,
}

impl<'a> From<&'a FileFacts> for FactsDoc<'a> {
    fn from(facts: &'a FileFacts) -> Self {
        let format = facts.version.map(|version| FormatDoc {
            magic: match version.dialect {
                Dialect::Redis => "REDIS",
                Dialect::Valkey => "VALKEY",
            },
            version: version.number,
        });
        let aux = facts.aux.iter().map(|field| {
            let (value, value_escaped) = escaped(&field.value);
            AuxDoc { name: escaped(&field.name).0, value, value_escaped }
        });
        let databases = facts.db_hints.iter().map(|(db, hint)| DbDoc {
            db: *db,
            announced_keys: hint.keys,
            announced_expires: hint.expires,
        });
        let functions = facts.functions.iter().map(|function| FunctionDoc {
            name: escaped(&function.name).0,
            engine: escaped(&function.engine).0,
            code_bytes: function.code_bytes,
        });
        let module_aux = facts.module_aux.iter().map(|aux| ModuleAuxDoc {
            module: &aux.module,
            encoding_version: aux.encoding_version,
            when: match aux.when {
                ModuleAuxWhen::BeforeKeys => "before_keys",
                ModuleAuxWhen::AfterKeys => "after_keys",
                ModuleAuxWhen::Other(_) => "other",
            },
            serialized_bytes: aux.serialized_bytes,
        });
        Self {
            format,
            server: facts.server().map(|server| server.to_string()),
            saved_at_ms: facts.saved_at_ms(),
            used_mem_bytes: facts.aux_number("used-mem"),
            aux: aux.collect(),
            databases: databases.collect(),
            functions: functions.collect(),
            module_aux: module_aux.collect(),
            slots: facts.slots,
            slot_keys: facts.slot_keys,
            slot_imports: facts.slot_imports,
            hash_templates: facts.hash_templates,
            lua_scripts: facts.lua_scripts,
            unlisted: facts.unlisted,
        }
    }
}
