//! The directives of `redis.conf` that decide what a value costs.

use std::fmt;

/// Settings of a server, with the defaults that all releases share.
///
/// Names are those of Redis 7.2; [`ServerConfig::set`] also takes the `ziplist` names of releases before 7.0.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerConfig {
    /// `hash-max-listpack-entries`: hashes with more fields are hash tables. Default 512.
    pub hash_max_listpack_entries: u64,
    /// `hash-max-listpack-value`: hashes with a longer field or value (bytes) are hash tables. Default 64.
    pub hash_max_listpack_value: u64,
    /// `zset-max-listpack-entries`: sorted sets with more members are skiplists. Default 128.
    pub zset_max_listpack_entries: u64,
    /// `zset-max-listpack-value`: sorted sets with a longer member (bytes) are skiplists. Default 64.
    pub zset_max_listpack_value: u64,
    /// `set-max-intset-entries`: sets of integers with more members are no intsets. Default 512.
    pub set_max_intset_entries: u64,
    /// `set-max-listpack-entries` (Redis 7.2): sets with more members are hash tables. Default 128.
    pub set_max_listpack_entries: u64,
    /// `set-max-listpack-value` (Redis 7.2): sets with a longer member (bytes) are hash tables. Default 64.
    pub set_max_listpack_value: u64,
    /// `list-max-listpack-size`: elements per list node, or -1 to -5 for 4, 8, 16, 32, 64 KiB. Default -2.
    pub list_max_listpack_size: i64,
    /// `list-max-ziplist-entries` (Redis up to 3.0): lists with more elements are linked lists. Default 512.
    pub list_max_ziplist_entries: u64,
    /// `list-max-ziplist-value` (Redis up to 3.0): lists with a longer element are linked lists. Default 64.
    pub list_max_ziplist_value: u64,
    /// `list-compress-depth`: list nodes at either end that are not compressed; 0 compresses none. Default 0.
    pub list_compress_depth: u64,
    /// `stream-node-max-bytes`. Does not change what a load makes. Default 4096.
    pub stream_node_max_bytes: u64,
    /// `stream-node-max-entries`. Does not change what a load makes. Default 100.
    pub stream_node_max_entries: u64,
    /// `array-slice-size` (Redis 8.8): slots per slice of an array. Default 4096.
    pub array_slice_size: u64,
    /// `array-sparse-kmax` (Redis 8.8): elements that a slice may hold in its sparse form. Default 10.
    pub array_sparse_kmax: u64,
    /// `cluster-enabled`. Default no.
    pub cluster_enabled: bool,
    /// `maxmemory` in bytes, 0 for no limit. Default 0.
    pub maxmemory: u64,
    /// Whether `maxmemory-policy` looks at how keys are used (the `lru` and `lfu` policies; not Valkey's or
    /// Redis' `lrm`). Default no (`noeviction`).
    pub maxmemory_policy_needs_usage: bool,
}

impl Default for ServerConfig {
    /// The defaults compiled into Redis 4.0 to 8.10 and Valkey 7.2 to 9.1 (`src/config.c`).
    fn default() -> Self {
        Self {
            hash_max_listpack_entries: 512,
            hash_max_listpack_value: 64,
            zset_max_listpack_entries: 128,
            zset_max_listpack_value: 64,
            set_max_intset_entries: 512,
            set_max_listpack_entries: 128,
            set_max_listpack_value: 64,
            list_max_listpack_size: -2,
            list_max_ziplist_entries: 512,
            list_max_ziplist_value: 64,
            list_compress_depth: 0,
            stream_node_max_bytes: 4096,
            stream_node_max_entries: 100,
            array_slice_size: 4096,
            array_sparse_kmax: 10,
            cluster_enabled: false,
            maxmemory: 0,
            maxmemory_policy_needs_usage: false,
        }
    }
}

/// A directive that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    line: usize,
    directive: String,
    problem: String,
}

impl ConfigError {
    /// The line in the file, counted from 1; 0 when the directive came from elsewhere.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        write!(f, "{}: {}", self.directive, self.problem)
    }
}

impl std::error::Error for ConfigError {}

impl ServerConfig {
    /// Reads the text of a `redis.conf` or `valkey.conf`. Directives that do not bear on memory are skipped;
    /// a later directive wins over an earlier one, as in the servers. `include` is not followed.
    ///
    /// # Errors
    ///
    /// When a directive that does bear on memory has a value that the servers would not take.
    pub fn from_conf(text: &str) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let value = rest.trim().trim_matches(['"', '\'']);
            config.set(name, value).map_err(|error| ConfigError { line: index + 1, ..error })?;
        }
        Ok(config)
    }

    /// Sets one directive by its name in the configuration file. Returns whether it bears on memory.
    ///
    /// # Errors
    ///
    /// When the value is not one that the servers would take.
    pub fn set(&mut self, name: &str, value: &str) -> Result<bool, ConfigError> {
        let name = name.to_ascii_lowercase();
        let refuse = |problem: &str| ConfigError {
            line: 0,
            directive: name.clone(),
            problem: format!("{value:?} {problem}"),
        };
        let number = || value.parse::<u64>().map_err(|_| refuse("is no whole number"));
        let bytes = || parse_bytes(value).ok_or_else(|| refuse("is no size; write 64, 4kb or 1gb"));
        match name.as_str() {
            "hash-max-listpack-entries" | "hash-max-ziplist-entries" | "hash-max-zipmap-entries" => {
                self.hash_max_listpack_entries = number()?;
            }
            "hash-max-listpack-value" | "hash-max-ziplist-value" | "hash-max-zipmap-value" => {
                self.hash_max_listpack_value = bytes()?;
            }
            "zset-max-listpack-entries" | "zset-max-ziplist-entries" => {
                self.zset_max_listpack_entries = number()?;
            }
            "zset-max-listpack-value" | "zset-max-ziplist-value" => self.zset_max_listpack_value = bytes()?,
            "set-max-intset-entries" => self.set_max_intset_entries = number()?,
            "set-max-listpack-entries" => self.set_max_listpack_entries = number()?,
            "set-max-listpack-value" => self.set_max_listpack_value = bytes()?,
            "list-max-listpack-size" | "list-max-ziplist-size" => {
                self.list_max_listpack_size = value
                    .parse::<i64>()
                    .ok()
                    .filter(|&fill| fill >= -5)
                    .ok_or_else(|| refuse("is neither a number of elements nor -1 to -5"))?;
            }
            "list-max-ziplist-entries" => self.list_max_ziplist_entries = number()?,
            "list-max-ziplist-value" => self.list_max_ziplist_value = bytes()?,
            "list-compress-depth" => self.list_compress_depth = number()?,
            "stream-node-max-bytes" => self.stream_node_max_bytes = bytes()?,
            "stream-node-max-entries" => self.stream_node_max_entries = number()?,
            "array-slice-size" => {
                self.array_slice_size = number()?;
                if self.array_slice_size == 0 {
                    return Err(refuse("is too small"));
                }
            }
            "array-sparse-kmax" => self.array_sparse_kmax = number()?,
            "cluster-enabled" => {
                self.cluster_enabled = match value {
                    _ if value.eq_ignore_ascii_case("yes") => true,
                    _ if value.eq_ignore_ascii_case("no") => false,
                    _ => return Err(refuse("is neither yes nor no")),
                };
            }
            "maxmemory" => self.maxmemory = bytes()?,
            "maxmemory-policy" => {
                let policy = value.to_ascii_lowercase();
                self.maxmemory_policy_needs_usage = policy.ends_with("-lru") || policy.ends_with("-lfu");
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether small integers (0 to 9999) are objects that all keys share. Source: `OBJ_SHARED_INTEGERS`,
    /// `createStringObjectFromLongLongForValue` in `src/object.c` of Redis 5.0 to 8.0.
    #[must_use]
    pub(crate) fn shares_integers(&self) -> bool {
        self.maxmemory == 0 || !self.maxmemory_policy_needs_usage
    }
}

/// A size as `memtoull` in `src/util.c` reads it: `k`, `m`, `g` are decimal, `kb`, `mb`, `gb` binary.
fn parse_bytes(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" => 1000,
        "kb" => 1 << 10,
        "m" => 1_000_000,
        "mb" => 1 << 20,
        "g" => 1_000_000_000,
        "gb" => 1 << 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_configuration_file() {
        let config = ServerConfig::from_conf(
            "# comment\n\nport 6379\nHASH-max-ziplist-entries 40\nhash-max-listpack-value 24\n\
             list-max-listpack-size -1\nlist-compress-depth 1\nmaxmemory 2gb\nmaxmemory-policy allkeys-lru\n\
             cluster-enabled yes\nsave \"\"\nset-max-listpack-value \"40\"\n",
        )
        .unwrap();
        assert_eq!(config.hash_max_listpack_entries, 40);
        assert_eq!(config.hash_max_listpack_value, 24);
        assert_eq!(config.list_max_listpack_size, -1);
        assert_eq!(config.list_compress_depth, 1);
        assert_eq!(config.maxmemory, 2 << 30);
        assert_eq!(config.set_max_listpack_value, 40);
        assert!(config.cluster_enabled && !config.shares_integers());
        assert_eq!(ServerConfig::from_conf("port 1\n"), Ok(ServerConfig::default()));
    }

    #[test]
    fn errors_name_the_line() {
        for (text, want) in [
            (
                "port 1\nhash-max-listpack-entries many",
                "line 2: hash-max-listpack-entries: \"many\" is no whole number",
            ),
            (
                "list-max-ziplist-size -6",
                "line 1: list-max-ziplist-size: \"-6\" is neither a number of elements nor -1 to -5",
            ),
            ("\n\nmaxmemory 1tb", "line 3: maxmemory: \"1tb\" is no size; write 64, 4kb or 1gb"),
            ("cluster-enabled maybe", "line 1: cluster-enabled: \"maybe\" is neither yes nor no"),
        ] {
            assert_eq!(ServerConfig::from_conf(text).unwrap_err().to_string(), want);
        }
    }
}
