//! Lists in nodes: 14 and 18.

use crate::enc::{StrForm, put_len, put_str};
use crate::packed::Listpack;

/// One node of a type 18 list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuicklistNode {
    /// One element, verbatim.
    Plain(Vec<u8>),
    /// A finished listpack.
    Packed(Vec<u8>),
    /// A container number of the caller's choice.
    Other(u64, Vec<u8>),
}

impl QuicklistNode {
    /// A packed node of these elements.
    pub fn of<T: AsRef<[u8]>>(elements: &[T]) -> Self {
        Self::Packed(Listpack::of(elements).finish())
    }
}

/// Type 14: finished ziplists.
pub fn quicklist<T: AsRef<[u8]>>(ziplists: &[T], form: StrForm) -> Vec<u8> {
    super::list(ziplists, form)
}

/// Type 18: nodes, each with its container number.
pub fn quicklist_2(nodes: &[QuicklistNode], form: StrForm) -> Vec<u8> {
    let mut out = Vec::new();
    put_len(&mut out, nodes.len() as u64);
    for node in nodes {
        let (container, bytes) = match node {
            QuicklistNode::Plain(bytes) => (1, bytes),
            QuicklistNode::Packed(bytes) => (2, bytes),
            QuicklistNode::Other(container, bytes) => (*container, bytes),
        };
        put_len(&mut out, container);
        put_str(&mut out, bytes, form);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::hex;

    #[test]
    fn both_containers() {
        let nodes = [QuicklistNode::of(&["a"]), QuicklistNode::Plain(b"big".to_vec())];
        assert_eq!(
            quicklist_2(&nodes, StrForm::Plain),
            hex("02 02 0a 0a 00 00 00 01 00 81 61 02 ff 01 03 62 69 67")
        );
    }
}
