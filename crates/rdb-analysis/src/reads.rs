//! Which servers read a file, and what stands in the way of others.

use rdb_format::{Dialect, FileVersion, ServerVersion, TypeCode, Vendor};
use rdb_parser::{ErrorKind, Severity};

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
    /// Keys with metadata that it may not leave alone: it must have the module loaded that has defined it.
    Metadata(Usage),
    /// More databases than servers come with: it must be told to have so many.
    Databases(u64),
}

/// How many databases servers come with (`databases`).
const DATABASES: u64 = 16;

/// The module type that Redis has built in since 8.0.
const VECTOR_SET: &str = "vectorset";

/// The first releases that read each version of the format, oldest first, and 8.0, which brought vector sets.
const REDIS: [((u16, u16), u32); 13] = [
    ((1, 0), 1),
    ((2, 4), 2),
    ((2, 6), 6),
    ((3, 2), 7),
    ((4, 0), 8),
    ((5, 0), 9),
    ((7, 0), 10),
    ((7, 2), 11),
    ((7, 4), 12),
    ((8, 0), 12),
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

/// What stands in the way of this server, beside faults.
fn obstacles(server: ServerVersion, facts: &FileFacts, checked: &Checked) -> Vec<Obstacle> {
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
    let has_vectors = server.is_at_least(ServerVersion::redis(8, 0, 0));
    for (name, usage) in &checked.modules {
        if !(has_vectors && name == VECTOR_SET) {
            found.push(Obstacle::Module(name.clone(), usage.clone()));
        }
    }
    found.extend(facts.module_aux.iter().map(|aux| Obstacle::ModuleAux(aux.module.clone())));
    found.extend(checked.metadata.clone().map(Obstacle::Metadata));
    if checked.last_database >= DATABASES {
        found.push(Obstacle::Databases(checked.last_database.saturating_add(1)));
    }
    found.dedup();
    found
}

impl Obstacle {
    /// Whether the server would read the file if it were set up for it.
    #[must_use]
    pub fn is_a_matter_of_setup(&self) -> bool {
        match self {
            // Since it is in the server itself there is no such module for older ones.
            Self::Module(name, _) => name != VECTOR_SET,
            Self::ModuleAux(_) | Self::Metadata(_) | Self::Databases(_) => true,
            Self::Version(_) | Self::Type(..) | Self::Functions(_) | Self::Templates(_) => false,
        }
    }
}

/// What a server does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It reads it.
    Reads,
    /// It reads it if it is set up for it, which it does not come as.
    ReadsIfSetUp,
    /// It refuses it.
    Refuses,
    /// It most likely refuses it: newer ones do, for faults. Each release before them looks at something else.
    ProbablyRefuses,
}

/// What a server does with a file, and what stands in its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The server.
    pub server: ServerVersion,
    /// What it does.
    pub answer: Answer,
    /// For how many faults it refuses the file.
    pub faults: u64,
    /// How many faults that other servers refuse the file for it does not look at. It may answer wrongly or
    /// crash over them.
    pub overlooked: u64,
    /// What stands in its way beside faults.
    pub obstacles: Vec<Obstacle>,
}

/// How many faults a server before Redis 8.10 and Valkey 9 most likely refuses the file for.
fn faults_of_old(server: ServerVersion, checked: &Checked) -> u64 {
    let is_redis = server.vendor == Vendor::Redis;
    let is_7_0 = is_redis && (server.major, server.minor) == (7, 0);
    let takes = |kind: ErrorKind| match kind {
        // Asked of Redis 8.2.3 and 8.6.2, see `fixtures/faults.json`.
        ErrorKind::StreamLength { found: 1.., .. }
        | ErrorKind::StreamAdded { .. }
        | ErrorKind::StreamNodeEmpty
        | ErrorKind::GroupRead { .. }
        | ErrorKind::VectorDim(_) => is_redis,
        // Source: `rdbFunctionLoad` in `src/rdb.c` of Redis 7.0.
        ErrorKind::FunctionPreGa => is_7_0,
        _ => false,
    };
    let groups = checked.groups.iter().filter(|((severity, _), _)| *severity == Severity::Fatal);
    groups
        .filter(|(_, group)| !group.examples.iter().all(|error| takes(error.kind())))
        .map(|(_, group)| group.count)
        .sum()
}

/// What this server does with a file, if it has modules for these types loaded.
#[must_use]
pub fn verdict(server: ServerVersion, modules: &[String], facts: &FileFacts, checked: &Checked) -> Verdict {
    let has = |obstacle: &Obstacle| match obstacle {
        Obstacle::Module(name, _) | Obstacle::ModuleAux(name) => modules.contains(name),
        _ => false,
    };
    let mut obstacles = obstacles(server, facts, checked);
    obstacles.retain(|obstacle| !has(obstacle));
    let (is_measured, faults) = if server.is_at_least(ServerVersion::redis(8, 10, 0)) {
        (true, checked.refusals.redis)
    } else if server.is_at_least(ServerVersion::valkey(9, 0, 0)) {
        (true, checked.refusals.valkey)
    } else {
        (false, faults_of_old(server, checked))
    };
    let damage = checked.count(Severity::Fatal).saturating_add(checked.count(Severity::Deep));
    let overlooked = damage.saturating_sub(faults);
    let answer = if obstacles.iter().any(|obstacle| !obstacle.is_a_matter_of_setup()) {
        Answer::Refuses
    } else if faults > 0 {
        if is_measured { Answer::Refuses } else { Answer::ProbablyRefuses }
    } else if obstacles.is_empty() {
        Answer::Reads
    } else {
        Answer::ReadsIfSetUp
    };
    Verdict { server, answer, faults, overlooked, obstacles }
}

/// The first release of a vendor that reads a file like this one, if it is set up for it and nothing is wrong
/// with the file.
#[must_use]
pub fn lowest_reader(vendor: Vendor, facts: &FileFacts, checked: &Checked) -> Option<ServerVersion> {
    let releases: Vec<_> = match vendor {
        Vendor::Redis => {
            REDIS.iter().map(|((major, minor), _)| ServerVersion::redis(*major, *minor, 0)).collect()
        }
        Vendor::Valkey => vec![ServerVersion::valkey(7, 2, 0), ServerVersion::valkey(9, 0, 0)],
    };
    releases
        .into_iter()
        .find(|server| obstacles(*server, facts, checked).iter().all(Obstacle::is_a_matter_of_setup))
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
