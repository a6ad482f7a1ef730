//! Dumps with the answers that a server gave for each of their keys.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::read::GzDecoder;
use rdb_format::ServerVersion;
use rdb_memory::{Allocator, Mode, Target};
use serde::Deserialize;
use serde_json::Value as Json;

/// A dump, the server that answered, and its answers.
pub(crate) struct Set {
    /// Where it is among the fixtures.
    pub(crate) name: String,
    pub(crate) dump: PathBuf,
    pub(crate) facts: Json,
    pub(crate) answers: Vec<Answer>,
}

/// What a server says of one key.
pub(crate) struct Answer {
    pub(crate) db: u64,
    pub(crate) key: Vec<u8>,
    pub(crate) object_type: String,
    /// After loading.
    pub(crate) encoding: String,
    /// `MEMORY USAGE key SAMPLES 0` after loading the dump.
    pub(crate) loaded: u64,
    /// The same before it was saved.
    pub(crate) built: Option<u64>,
}

#[derive(Deserialize)]
struct Row {
    db: u64,
    key_b64: String,
    r#type: String,
    encoding: String,
    #[serde(alias = "usage")]
    usage_loaded: u64,
    usage_built: Option<u64>,
}

/// All sets of the repository, in a fixed order.
pub(crate) fn of_fixtures(fixtures: &Path) -> anyhow::Result<Vec<Set>> {
    let mut sets = Vec::new();
    for kind in ["servers", "clusters", "cross", "modules"] {
        sets.extend(in_folder(&fixtures.join(kind))?);
    }
    sets.push(Set::new(
        "shop".to_owned(),
        fixtures.join("shop.rdb"),
        &fixtures.join("shop.json"),
        &fixtures.join("shop.keys.csv.gz"),
    )?);
    Ok(sets)
}

/// The sets in the folders of a folder, by name.
pub(crate) fn in_folder(parent: &Path) -> anyhow::Result<Vec<Set>> {
    let entries = fs::read_dir(parent).with_context(|| format!("cannot read {}", parent.display()))?;
    let mut folders = Vec::new();
    for entry in entries {
        let folder = entry?.path();
        if folder.join("server.json").exists() {
            folders.push(folder);
        }
    }
    folders.sort();
    folders.iter().map(|folder| Set::read(folder)).collect()
}

fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

impl Set {
    /// Reads a folder with `server.json`, `keys.csv` (or gzipped) and `dump.rdb` (or where the JSON says).
    fn read(folder: &Path) -> anyhow::Result<Self> {
        let part = |path: &Path| path.file_name().unwrap_or_default().display().to_string();
        let name = format!("{}/{}", folder.parent().map(part).unwrap_or_default(), part(folder));
        let zipped = folder.join("keys.csv.gz");
        let table = if zipped.exists() { zipped } else { folder.join("keys.csv") };
        let set = Self::new(name, folder.join("dump.rdb"), &folder.join("server.json"), &table)?;
        let elsewhere =
            set.facts.get("dump").and_then(Json::as_str).map(|path| folder.join("../..").join(path));
        Ok(Self { dump: elsewhere.unwrap_or_else(|| set.dump.clone()), ..set })
    }

    fn new(name: String, dump: PathBuf, facts: &Path, table: &Path) -> anyhow::Result<Self> {
        let facts = serde_json::from_slice(&bytes(facts)?)?;
        let mut text = bytes(table)?;
        if table.extension().is_some_and(|extension| extension == "gz") {
            let zipped = std::mem::take(&mut text);
            GzDecoder::new(zipped.as_slice()).read_to_end(&mut text)?;
        }
        let answers: anyhow::Result<Vec<_>> =
            csv::Reader::from_reader(text.as_slice()).deserialize().map(|row| Answer::new(row?)).collect();
        Ok(Self { name, dump, facts, answers: answers? })
    }

    fn text(&self, name: &str) -> &str {
        self.facts.get(name).and_then(Json::as_str).unwrap_or_default()
    }

    /// The server, its allocator and its settings.
    pub(crate) fn target(&self, mode: Mode) -> anyhow::Result<Target> {
        let server: ServerVersion = format!("{}-{}", self.text("vendor"), self.text("version")).parse()?;
        let mut target = Target::new(server);
        target.mode = mode;
        target.allocator = self.text("mem_allocator").parse()?;
        // Debian's build, which its allocator's name does not tell: see fixtures/README.md.
        if server == ServerVersion::redis(7, 0, 15) {
            target.allocator = Allocator::Jemalloc16;
        }
        for (name, value) in self.facts.get("config").and_then(Json::as_object).into_iter().flatten() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            target.config.set(name, &value)?;
        }
        Ok(target)
    }

    /// Bytes of `used_memory` that the dump brought. The shop's server was asked while it rehashed.
    pub(crate) fn growth(&self) -> Option<i64> {
        if self.name == "shop" {
            return None;
        }
        let used = |state: &str| self.facts.get("memory")?.get(state)?.get("used_memory")?.as_i64();
        Some(used("loaded")? - used("empty")?)
    }

    /// Redis 8.2.3, Valkey 9.1.2.
    pub(crate) fn server(&self) -> String {
        let vendor = if self.text("vendor") == "valkey" { "Valkey" } else { "Redis" };
        format!("{vendor} {}", self.text("version"))
    }
}

impl Answer {
    fn new(row: Row) -> anyhow::Result<Self> {
        Ok(Self {
            db: row.db,
            key: BASE64.decode(&row.key_b64).with_context(|| format!("key {:?}", row.key_b64))?,
            object_type: row.r#type,
            encoding: row.encoding,
            loaded: row.usage_loaded,
            built: row.usage_built,
        })
    }
}
