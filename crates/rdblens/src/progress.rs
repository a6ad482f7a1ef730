//! Progress on a terminal: bytes, rate and time left, on stderr, gone before the result appears.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use rdb_analysis::Progress;

/// A bar that shows how far the pass has come, or nothing.
pub(crate) struct Bar {
    bar: ProgressBar,
    keys: AtomicU64,
}

impl Bar {
    /// A bar over this many bytes, if it is wanted and somebody sees it.
    pub(crate) fn new(wanted: bool, bytes: Option<u64>) -> Self {
        let bar = if wanted && io::stderr().is_terminal() {
            let bar = match bytes {
                Some(bytes) => ProgressBar::new(bytes),
                None => ProgressBar::new_spinner(),
            };
            let template = match bytes {
                // At most 80 columns, or the line would break and stay.
                Some(_) => {
                    "{bar:16} {percent:>3} %  {bytes:>10}  {msg:>12} keys  {binary_bytes_per_sec}  {eta} left"
                }
                None => "{spinner} {bytes}  {msg} keys  {binary_bytes_per_sec}",
            };
            // The templates are fixed and valid; a bar in the default style is no harm either.
            bar.set_style(
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        } else {
            ProgressBar::hidden()
        };
        Self { bar, keys: AtomicU64::new(0) }
    }

    /// Takes the bar off the screen.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn advance(&self, bytes: u64, keys: u64) {
        if self.bar.is_hidden() {
            return;
        }
        let seen = self.keys.fetch_add(keys, Ordering::Relaxed) + keys;
        self.bar.set_message(seen.to_string());
        self.bar.inc(bytes);
    }
}
