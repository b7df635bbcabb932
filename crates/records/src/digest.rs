//! The digest of records: SHA-256 over every column of every frame, with its name, type, nulls and values.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use crate::frame::{Cells, Column, Frame};
use crate::schema;

/// What of a column is hashed besides its name and type.
#[derive(Clone, Debug)]
pub enum Payload<'a> {
    /// Little-endian numbers, zeros where null.
    Numbers(Cow<'a, [u8]>),
    /// Words, empty where null.
    Words(Vec<Cow<'a, str>>),
}

/// A column as it is hashed.
#[derive(Clone, Debug)]
pub struct ColumnView<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// The name of its type.
    pub kind: Cow<'a, str>,
    /// Where it is null; none where nothing is.
    pub nulls: Option<Cow<'a, [bool]>>,
    /// Its values.
    pub payload: Payload<'a>,
}

/// A frame as it is hashed.
#[derive(Clone, Debug)]
pub struct FrameView<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// Rows.
    pub height: usize,
    /// Its columns.
    pub columns: Vec<ColumnView<'a>>,
}

/// The digest of frames in the schema's order, in hexadecimal.
///
/// Columns that the schema did not always have count where something was measured.
pub fn digest<'a>(frames: impl IntoIterator<Item = FrameView<'a>>) -> String {
    let mut total = Sha256::new();
    for frame in frames {
        total.update(format!("{}:{}\n", frame.name, frame.height));
        let later = schema::frame(&frame.name).map_or(&[][..], |schema| schema.later);
        for column in &frame.columns {
            if later.contains(&&*column.name) && column.is_null_throughout(frame.height) {
                continue;
            }
            total.update(format!("{}:{}\n", column.name, column.kind));
            total.update(bits(column.nulls.as_deref(), frame.height));
            match &column.payload {
                Payload::Numbers(bytes) => total.update(bytes),
                Payload::Words(words) => {
                    words.iter().for_each(|word| total.update((word.len() as u64).to_le_bytes()));
                    words.iter().for_each(|word| total.update(word.as_bytes()));
                }
            }
        }
    }
    total.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl ColumnView<'_> {
    fn is_null_throughout(&self, height: usize) -> bool {
        height == 0 || self.nulls.as_deref().is_some_and(|nulls| !nulls.contains(&false))
    }
}

/// A bit for each row, the first the highest of its byte: whether it is null.
fn bits(nulls: Option<&[bool]>, height: usize) -> Vec<u8> {
    match nulls {
        None => vec![0; height.div_ceil(8)],
        Some(nulls) => {
            nulls.chunks(8).map(|rows| (0..).zip(rows).fold(0, |byte, (row, &null)| byte | u8::from(null) << (7 - row))).collect()
        }
    }
}

fn little_endian<T: Copy, const N: usize>(cells: &[T], bytes: impl Fn(T) -> [u8; N]) -> Payload<'static> {
    let mut out = Vec::with_capacity(cells.len() * N);
    cells.iter().for_each(|&cell| out.extend_from_slice(&bytes(cell)));
    Payload::Numbers(out.into())
}

impl Column {
    fn view(&self) -> ColumnView<'_> {
        let mut nulls = self.nulls.as_deref().map(Cow::Borrowed);
        let payload = match &self.cells {
            Cells::Float64(cells) => {
                if cells.iter().any(|cell| cell.is_nan()) {
                    nulls = Some(cells.iter().map(|cell| cell.is_nan()).collect());
                }
                little_endian(cells, |cell| if cell.is_nan() { 0.0 } else { cell }.to_le_bytes())
            }
            Cells::UInt64(cells) => little_endian(cells, u64::to_le_bytes),
            Cells::UInt32(cells) => little_endian(cells, u32::to_le_bytes),
            Cells::UInt8(cells) => Payload::Numbers(Cow::Borrowed(cells)),
            Cells::Int32(cells) => little_endian(cells, i32::to_le_bytes),
            Cells::String(cells) => Payload::Words(cells.iter().map(|word| Cow::Borrowed(&**word)).collect()),
        };
        ColumnView { name: self.name.into(), kind: self.cells.kind().name().into(), nulls, payload }
    }
}

impl Frame {
    /// The frame as it is hashed.
    pub fn view(&self) -> FrameView<'_> {
        FrameView { name: self.name.into(), height: self.height, columns: self.columns.iter().map(Column::view).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::bits;

    #[test]
    fn nulls_are_bits_from_the_top_of_each_byte() {
        assert_eq!(bits(None, 9), [0, 0]);
        assert_eq!(bits(Some(&[true, false, false, false, false, false, false, true, true]), 9), [0b1000_0001, 0b1000_0000]);
    }
}
