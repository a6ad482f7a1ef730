//! A real server on a snapshot: on a socket in a folder of its own, ended when it is dropped.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

pub(crate) struct Server {
    process: Child,
    folder: TempDir,
}

impl Server {
    /// Starts `redis-server` on this file, which it must load.
    pub(crate) fn loading(dump: &Path) -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::copy(dump, folder.path().join("dump.rdb")).unwrap();
        let process = Command::new("redis-server")
            .current_dir(folder.path())
            .args(["--port", "0", "--unixsocket", "socket", "--save", "", "--dir", ".", "--logfile", "log"])
            .args(["--daemonize", "no", "--appendonly", "no"])
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server must be installed: apt-get install redis-server");
        let mut server = Self { process, folder };
        let start = Instant::now();
        while server.ask("PING") != Some("+PONG".to_owned()) {
            let has_ended = server.process.try_wait().unwrap().is_some();
            assert!(!has_ended && start.elapsed() < Duration::from_secs(60), "{}", server.log());
            sleep(Duration::from_millis(20));
        }
        server
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// The answer to a command of one line in database 0.
    pub(crate) fn ask(&self, command: &str) -> Option<String> {
        self.ask_in("0", command)
    }

    /// The first line of the answer to a command of one line; of a bulk string, the string.
    pub(crate) fn ask_in(&self, db: &str, command: &str) -> Option<String> {
        let mut stream = UnixStream::connect(self.folder.path().join("socket")).ok()?;
        stream.write_all(format!("SELECT {db}\r\n{command}\r\n").as_bytes()).ok()?;
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim_end() != "+OK" {
            return Some(line);
        }
        line.clear();
        reader.read_line(&mut line).ok()?;
        let line = line.trim_end().to_owned();
        let Some(len) = line.strip_prefix('$') else { return Some(line) };
        let mut text = vec![0; len.parse().ok()?];
        std::io::Read::read_exact(&mut reader, &mut text).ok()?;
        String::from_utf8(text).ok()
    }

    /// How many keys the server has in all databases, those that expired included.
    pub(crate) fn keys(&self) -> u64 {
        let keyspace = self.ask("INFO keyspace").unwrap();
        let counts = keyspace.lines().filter_map(|line| line.split_once("keys=")?.1.split(',').next());
        counts.map(|count| count.parse::<u64>().unwrap()).sum()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It holds nothing that anybody wants.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
