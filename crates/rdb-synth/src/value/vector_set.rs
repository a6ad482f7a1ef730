//! Vector sets: a module value of Redis 8 with a known order of its tagged values.

use super::{ModuleValue, module, module_id};
use crate::enc::StrForm;

/// How a vector set keeps its components.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantisation {
    /// f32 each.
    None,
    /// A signed byte each, with a range per vector.
    Int8,
    /// One bit each, in words of 8 bytes.
    Binary,
}

/// A vector set without any links between its elements.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorSet {
    /// Components per vector.
    pub dim: usize,
    /// How they are kept.
    pub quantisation: Quantisation,
    /// Most links of a node, the M of the graph.
    pub links: u16,
    /// Name, components and, for sets with attributes, attribute text.
    pub elements: Vec<(Vec<u8>, Vec<f32>, Vec<u8>)>,
    /// Whether elements carry attribute texts.
    pub attributes: bool,
}

impl VectorSet {
    /// The tagged values.
    pub fn values(&self) -> Vec<ModuleValue> {
        let quantisation = match self.quantisation {
            Quantisation::None => 0,
            Quantisation::Int8 => 1,
            Quantisation::Binary => 2,
        };
        let mut out = vec![
            ModuleValue::Unsigned(self.dim as u64),
            ModuleValue::Unsigned(self.elements.len() as u64),
            ModuleValue::Unsigned(quantisation | (u64::from(self.links) << 8)),
            ModuleValue::Unsigned(if self.attributes { 2 } else { 0 }),
        ];
        for (at, (name, components, attribute)) in self.elements.iter().enumerate() {
            out.push(ModuleValue::Text(name.clone()));
            if self.attributes {
                out.push(ModuleValue::Text(attribute.clone()));
            }
            let (bytes, length_and_range) = self.vector(components);
            out.push(ModuleValue::Text(bytes));
            let node = [at as u64 + 1, 1 << 24, 0, 2 * u64::from(self.links), 0, length_and_range];
            out.push(ModuleValue::Unsigned(node.len() as u64));
            out.extend(node.map(ModuleValue::Unsigned));
        }
        out
    }

    /// The value behind the key, type 7.
    pub fn finish(&self, form: StrForm) -> Vec<u8> {
        module(module_id("vectorset", 0), &self.values(), form)
    }

    fn vector(&self, components: &[f32]) -> (Vec<u8>, u64) {
        let length = components.iter().map(|c| c * c).sum::<f32>().sqrt();
        let unit: Vec<f32> = components.iter().map(|c| if length > 0.0 { c / length } else { *c }).collect();
        let mut range = 0.0;
        let bytes = match self.quantisation {
            Quantisation::None => unit.iter().flat_map(|c| c.to_le_bytes()).collect(),
            Quantisation::Int8 => {
                range = unit.iter().fold(0f32, |max, c| max.max(c.abs()));
                unit.iter()
                    .map(|c| if range > 0.0 { (c / range * 127.0).round() as i8 as u8 } else { 0 })
                    .collect()
            }
            Quantisation::Binary => unit
                .chunks(64)
                .flat_map(|word| {
                    let bits = word.iter().enumerate().filter(|(_, c)| **c > 0.0).map(|(bit, _)| 1u64 << bit);
                    bits.sum::<u64>().to_le_bytes()
                })
                .collect(),
        };
        (bytes, u64::from(length.to_bits()) | (u64::from(range.to_bits()) << 32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::hex;

    #[test]
    fn binary_set_of_a_real_server() {
        let set = VectorSet {
            dim: 4,
            quantisation: Quantisation::Binary,
            links: 16,
            elements: vec![(b"e".to_vec(), vec![1.0, -1.0, 1.0, -1.0], Vec::new())],
            attributes: false,
        };
        let bytes = set.finish(StrForm::Plain);
        let server = hex(
            "81 bd e7 2d a2 bb 1e b4 00 02 04 02 01 02 50 02 02 00 05 01 65 05 08 05 00 00 00 00 00 00 00 02 06 02 01
             02 80 01 00 00 00 02 00 02 20 02 00",
        );
        assert_eq!(bytes[..server.len()], server);
    }
}
