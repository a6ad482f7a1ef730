//! stub
use rdb_format::*;
use rdb_parser::*;
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Basis {
    Exact,
    Expected,
    Assumed,
}
pub struct SizeModel;
pub struct Pricer<'m>(&'m SizeModel, TypeCode, u64);
pub struct Estimate {
    pub memory_bytes: u64,
    pub allocated_bytes: u64,
    pub encoding: Encoding,
    pub basis: Basis,
}
impl<'m> Pricer<'m> {
    pub fn new(m: &'m SizeModel, _: Limits) -> Self {
        Pricer(m, TypeCode(0), 0)
    }
    pub fn start(&mut self, _k: &[u8], _e: Option<i64>, _v: FileVersion) {}
    pub fn finish(&mut self) -> Estimate {
        Estimate { memory_bytes: 64, allocated_bytes: 64, encoding: Encoding::Raw, basis: Basis::Assumed }
    }
    pub fn fault(&self) -> Option<Fault> {
        None
    }
}
impl<'a> ValueVisitor<'a> for Pricer<'_> {}
