//! How close the memory model comes to what servers answer: `docs/ACCURACY.md`, from the fixtures.

mod compare;
mod page;
pub(crate) mod sets;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use rdb_memory::Mode;

pub(crate) use compare::Comparison;
pub(crate) use page::table_of_sets;
pub(crate) use sets::Set;

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A set of answers and how the model fares with it.
pub(crate) struct Measured {
    pub(crate) set: Set,
    pub(crate) loaded: Comparison,
    /// Where the answers before the save are known.
    pub(crate) saved: Option<Comparison>,
}

impl Measured {
    /// Compares a set.
    pub(crate) fn new(set: Set) -> anyhow::Result<Self> {
        let compare = |mode| {
            Comparison::new(&set, mode).with_context(|| format!("cannot compare {} as {mode:?}", set.name))
        };
        let loaded = compare(Mode::Loaded)?;
        let saved = set.answers.iter().any(|answer| answer.built.is_some());
        let saved = saved.then(|| compare(Mode::Saved)).transpose()?;
        Ok(Self { set, loaded, saved })
    }
}

/// The text of the page.
fn render() -> anyhow::Result<String> {
    let fixtures = root().join("fixtures");
    let measured: anyhow::Result<Vec<_>> =
        sets::of_fixtures(&fixtures)?.into_iter().map(Measured::new).collect();
    Ok(page::render(&measured?))
}

/// Writes the page, or with `check` fails if it is not up to date.
pub(crate) fn run(check: bool) -> anyhow::Result<()> {
    let path = root().join("docs/ACCURACY.md");
    let text = render()?;
    if !check {
        return std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()));
    }
    if std::fs::read_to_string(&path).is_ok_and(|committed| committed == text) {
        return Ok(());
    }
    bail!("docs/ACCURACY.md is not what the fixtures say; run cargo xtask accuracy");
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_is_up_to_date() {
        super::run(true).unwrap();
    }
}
