//! The real server that tests load files into.

use std::process::{Command, Stdio};

use anyhow::{Context, bail};

/// Sees to it that there is a `redis-server`: on Debian and its like, root can have it installed.
pub(crate) fn ensure() -> anyhow::Result<()> {
    if is_there() {
        return Ok(());
    }
    println!("== redis-server: apt-get install redis-server");
    let apt = |arguments: &[&str]| -> anyhow::Result<()> {
        let status = Command::new("apt-get")
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive")
            // Tests start their own.
            .env("RUNLEVEL", "1")
            .status()
            .context(
                "redis-server is missing, and there is no apt-get to install it: install Redis 7.0 or later",
            )?;
        if !status.success() {
            bail!("redis-server is missing and could not be installed: install Redis 7.0 or later");
        }
        Ok(())
    };
    apt(&["update", "-qq"])?;
    apt(&["install", "-y", "-qq", "--no-install-recommends", "redis-server"])?;
    if is_there() { Ok(()) } else { bail!("redis-server is installed and does not start") }
}

fn is_there() -> bool {
    let status = Command::new("redis-server").arg("--version").stdout(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
