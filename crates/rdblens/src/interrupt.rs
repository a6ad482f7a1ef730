//! What ends a run from outside: Ctrl-C and its like, and a file that is made shorter while it is mapped.
//!
//! A thread waits for the signals, so that nothing is done in a handler. Reading a page that a shorter file
//! no longer has raises `SIGBUS`, whose handler must not return: its thread waits for the other one to end the run.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Files that are being written, and go with the run if it does not end by itself.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes a file that is removed when the run is ended before [`complete`].
pub(crate) fn note(path: &Path) {
    unfinished().push(path.to_owned());
}

/// Puts a file in its place. A run that is ended meanwhile has it whole.
pub(crate) fn complete<T>(path: &Path, put: impl FnOnce() -> T) -> T {
    let mut files = unfinished();
    files.retain(|file| file != path);
    put()
}

/// Waits for signals from now on. Without any that can be waited for, they have their usual effect.
#[cfg(unix)]
pub(crate) fn watch() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use signal_hook::consts::{SIGBUS, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;

    // The handler of Rust's runtime, which looks for stack overflows, would be asked first and then give the
    // signal its usual effect: the next thread that reads such a page would be the end.
    // SAFETY: no thread has been started, and nobody has asked for the handler that is replaced.
    #[allow(unsafe_code)]
    unsafe {
        libc::signal(SIGBUS, libc::SIG_DFL);
    }
    // A file that may grow no more (`ulimit -f`) is a failure to write like a full disk, and told as one.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGBUS]) else { return };
    // Behind what `Signals` does, which wakes the thread below.
    // SAFETY: sleeping is all it does, and `nanosleep` is safe in a handler.
    #[allow(unsafe_code)]
    let _ = unsafe {
        signal_hook::low_level::register(SIGBUS, || {
            loop {
                std::thread::sleep(Duration::from_secs(1));
            }
        })
    };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            end(signal, signal == SIGBUS);
        }
    });
}

#[cfg(not(unix))]
pub(crate) fn watch() {}

/// Removes what is not complete and ends the process, as a shell expects it after that signal.
#[cfg(unix)]
fn end(signal: i32, input_shrank: bool) -> ! {
    use std::fs;
    use std::io::{self, Write};

    use crate::exit::Exit;

    // Held to the end: nobody puts a file in its place any more.
    let files = unfinished();
    for file in files.iter() {
        let _ = fs::remove_file(file);
    }
    if input_shrank {
        let message = "rdblens: an input file was made shorter while it was read; there is no result";
        let _ = writeln!(io::stderr(), "{message}");
        std::process::exit(Exit::Failed as i32);
    }
    std::process::exit(128 + signal)
}
