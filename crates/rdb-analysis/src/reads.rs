//! Which servers read a file, and what stands in the way of others.

use rdb_format::{Dialect, FileVersion, ServerVersion, TypeCode, Vendor};

use crate::check::Usage;
use crate::{Checked, FileFacts};

/// Something that stands in the way of a server that is to read a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The version of the format is newer than any it reads, or of the other family.
    Version(FileVersion),
    /// Values of a type that it does not know.
    Type(TypeCode, Usage),
    /// Function libraries, which it does not know.
    Functions(u64),
    /// Hash templates, which it does not know.
    Templates(u64),
    /// Values of a module type: it must have the module loaded.
    Module(String, Usage),
    /// Data of a module beside the keys: it must have the module loaded.
    ModuleAux(String),
}

/// The first releases that read each version of the format, by vendor, oldest first.
const REDIS: [((u16, u16), u32); 12] = [
    ((1, 0), 1),
    ((2, 4), 2),
    ((2, 6), 6),
    ((3, 2), 7),
    ((4, 0), 8),
    ((5, 0), 9),
    ((7, 0), 10),
    ((7, 2), 11),
    ((7, 4), 12),
    ((8, 6), 13),
    ((8, 8), 14),
    ((8, 10), 15),
];

/// The newest version with Redis' numbers that this server reads, and whether it reads Valkey's own.
fn newest_read(server: ServerVersion) -> (u32, bool) {
    match server.vendor {
        // Valkey keeps to what it shares with Redis 7.2 (`rdb-version-check strict`).
        Vendor::Valkey => (11, server.major >= 9),
        Vendor::Redis => {
            let line = (server.major, server.minor);
            let known = REDIS.iter().rev().find(|(first, _)| line >= *first);
            (known.map_or(1, |(_, number)| *number), false)
        }
    }
}

/// The version of the format that a type came with.
pub(crate) const fn version_of(code: TypeCode) -> u32 {
    match code.0 {
        9..=12 => 2,
        13 => 4,
        14 => 7,
        5..=7 => 8,
        15 => 9,
        16..=19 => 10,
        20 | 21 => 11,
        22..=25 => 12,
        26 => 13,
        27 | 28 | 33 => 14,
        29..=32 => 15,
        _ => 1,
    }
}

/// What stands in the way of this server. Faults do too; they are in [`Checked`].
#[must_use]
pub fn obstacles(server: ServerVersion, facts: &FileFacts, checked: &Checked) -> Vec<Obstacle> {
    let Some(version) = facts.version else { return Vec::new() };
    let (newest, reads_valkey) = newest_read(server);
    let mut found = Vec::new();
    let is_read = match version.dialect {
        Dialect::Redis => version.number <= newest,
        Dialect::Valkey => reads_valkey && !version.is_newer_than_known(),
    };
    if !is_read {
        found.push(Obstacle::Version(version));
    }
    let is_own = |code: TypeCode| version.dialect == Dialect::Valkey && code.0 >= 22 && reads_valkey;
    for (code, usage) in &checked.types {
        // The first form of modules was given up with Redis 7.0.
        let is_given_up = *code == TypeCode::MODULE_PRE_GA && newest >= 10;
        if (version_of(*code) > newest && !is_own(*code)) || is_given_up {
            found.push(Obstacle::Type(*code, usage.clone()));
        }
    }
    if !facts.functions.is_empty() && newest < 10 {
        found.push(Obstacle::Functions(facts.functions.len() as u64));
    }
    if facts.hash_templates > 0 && newest < 15 {
        found.push(Obstacle::Templates(facts.hash_templates));
    }
    found.extend(checked.modules.iter().map(|(name, usage)| Obstacle::Module(name.clone(), usage.clone())));
    found.extend(facts.module_aux.iter().map(|aux| Obstacle::ModuleAux(aux.module.clone())));
    found.dedup();
    found
}

/// The first release of a vendor that reads the file, if it has the modules loaded.
#[must_use]
pub fn lowest_reader(vendor: Vendor, facts: &FileFacts, checked: &Checked) -> Option<ServerVersion> {
    let releases: Vec<_> = match vendor {
        Vendor::Redis => {
            REDIS.iter().map(|((major, minor), _)| ServerVersion::redis(*major, *minor, 0)).collect()
        }
        Vendor::Valkey => vec![ServerVersion::valkey(7, 2, 0), ServerVersion::valkey(9, 0, 0)],
    };
    releases.into_iter().find(|server| {
        let found = obstacles(*server, facts, checked);
        found.iter().all(|found| matches!(found, Obstacle::Module(..) | Obstacle::ModuleAux(_)))
    })
}

#[cfg(test)]
mod tests {
    use rdb_parser::Limits;
    use rdb_synth::RdbBuilder;

    use super::*;
    use crate::{Source, check};

    fn look(file: &[u8]) -> (FileFacts, Checked) {
        let looked = check(&mut Source::Whole(file), Limits::default(), &(), &mut |_| Ok(()));
        let (facts, _, checked) = looked.unwrap();
        (facts, checked)
    }

    #[test]
    fn versions_types_and_functions() {
        let listpack = b"\x07\x07\0\0\0\0\0\xff";
        let file =
            RdbBuilder::redis(11).function2("#!lua name=x\n").select_db(0).key(20, "s", listpack).eof();
        let (facts, checked) = look(&file);
        let found = obstacles(ServerVersion::redis(6, 2, 5), &facts, &checked);
        assert!(
            matches!(
                found[..],
                [
                    Obstacle::Version(_),
                    Obstacle::Type(TypeCode::SET_LISTPACK, Usage { count: 1, .. }),
                    Obstacle::Functions(1)
                ]
            ),
            "{found:?}"
        );
        assert_eq!(obstacles(ServerVersion::redis(7, 2, 0), &facts, &checked), []);
        assert_eq!(obstacles(ServerVersion::valkey(8, 0, 1), &facts, &checked), []);
        assert_eq!(lowest_reader(Vendor::Redis, &facts, &checked), Some(ServerVersion::redis(7, 2, 0)));
        assert_eq!(lowest_reader(Vendor::Valkey, &facts, &checked), Some(ServerVersion::valkey(7, 2, 0)));
    }

    #[test]
    fn each_family_reads_its_own() {
        let (facts, checked) = look(&RdbBuilder::redis(12).select_db(0).key(0, "s", b"\x01x").eof());
        assert_eq!(lowest_reader(Vendor::Redis, &facts, &checked), Some(ServerVersion::redis(7, 4, 0)));
        assert_eq!(lowest_reader(Vendor::Valkey, &facts, &checked), None);
        let (facts, checked) = look(&RdbBuilder::valkey(80).select_db(0).key(0, "s", b"\x01x").eof());
        assert_eq!(lowest_reader(Vendor::Redis, &facts, &checked), None);
        assert_eq!(lowest_reader(Vendor::Valkey, &facts, &checked), Some(ServerVersion::valkey(9, 0, 0)));
    }
}
