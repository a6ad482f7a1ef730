//! One run of the binary: bounded, watched and measured.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use rustix::io::Errno;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, getrlimit, kill_process, setrlimit, waitid,
};
use wait4::Wait4;

/// How long a run may take.
const MOST_TIME: Duration = Duration::from_secs(10);
/// How much address space it may have.
const MOST_BYTES: u64 = 512 << 20;

/// Runs that are under way, and when they began.
static RUNNING: Mutex<Option<HashMap<u32, Instant>>> = Mutex::new(None);

fn running<T>(change: impl FnOnce(&mut HashMap<u32, Instant>) -> T) -> T {
    let mut guard = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    change(guard.get_or_insert_default())
}

/// How a run ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
    pub took: Duration,
    /// The most memory it had, in bytes.
    pub peak: u64,
}

/// Bounds the address space of all runs from here on, and ends those that take too long.
pub(super) fn watch() -> anyhow::Result<()> {
    let limit = Rlimit { current: Some(MOST_BYTES), ..getrlimit(Resource::As) };
    setrlimit(Resource::As, limit).context("cannot limit memory")?;
    std::thread::spawn(|| {
        loop {
            std::thread::sleep(Duration::from_millis(200));
            // Under the lock a process that is listed was not waited for, so its number is its own.
            running(|all| {
                for (id, _) in all.iter().filter(|(_, began)| began.elapsed() > MOST_TIME) {
                    let pid = i32::try_from(*id).ok().and_then(Pid::from_raw);
                    let _ = pid.map(|pid| kill_process(pid, Signal::KILL));
                }
            });
        }
    });
    Ok(())
}

/// Runs the binary. Its outputs go into files, so that no pipe has to be emptied meanwhile.
pub(super) fn run(
    binary: &Path,
    folder: &Path,
    arguments: &[&str],
    stdin: Option<&Path>,
) -> anyhow::Result<Ended> {
    let mut stdout =
        File::options().create(true).truncate(true).read(true).write(true).open(folder.join(".out"))?;
    let mut stderr =
        File::options().create(true).truncate(true).read(true).write(true).open(folder.join(".err"))?;
    let mut command = Command::new(binary);
    command.current_dir(folder).args(arguments).args(["--no-progress"]);
    command.stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    // A pipe, as a shell makes it: a file on standard input could be looked at twice.
    let mut feeder = match stdin {
        Some(path) => {
            Some(Command::new("cat").arg(path).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?)
        }
        None => None,
    };
    match feeder.as_mut().and_then(|cat| cat.stdout.take()) {
        Some(pipe) => command.stdin(pipe),
        None => command.stdin(Stdio::null()),
    };
    let began = Instant::now();
    let mut child = command.spawn().context("cannot run the binary")?;
    drop(command);
    let id = child.id();
    running(|all| all.insert(id, began));
    // Its number stays its own until it is waited for in earnest, and the watcher no longer knows it then.
    let pid = i32::try_from(id).ok().and_then(Pid::from_raw).context("no process")?;
    while let Err(Errno::INTR) = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {}
    let took = began.elapsed();
    running(|all| all.remove(&id));
    let used = child.wait4().context("cannot wait")?;
    if let Some(mut cat) = feeder {
        let _ = cat.wait();
    }
    let read = |file: &mut File| -> anyhow::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    Ok(Ended {
        code: used.status.code(),
        stdout: read(&mut stdout)?,
        stderr: String::from_utf8_lossy(&read(&mut stderr)?).into_owned(),
        took,
        peak: used.rusage.maxrss,
    })
}
