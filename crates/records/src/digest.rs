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

/// The digest of records that are hashed a piece at a time: frames in the schema's order, of each its columns, of each column first where it is
/// null, then its values, both in pieces of any number of rows.
#[derive(Clone, Debug, Default)]
pub struct Hasher {
    total: Sha256,
    later: &'static [&'static str],
    /// Bits of rows that do not fill a byte yet, and how many.
    bits: u8,
    held: u32,
}

impl Hasher {
    /// A frame begins.
    pub fn frame(&mut self, name: &str, height: usize) {
        self.fill_byte();
        self.total.update(format!("{name}:{height}\n"));
        self.later = schema::frame(name).map_or(&[][..], |schema| schema.later);
    }

    /// A column of it begins; false if it does not count, for one that the schema did not always have counts where something was measured.
    pub fn column(&mut self, name: &str, kind: &str, is_absent: bool) -> bool {
        self.fill_byte();
        let counts = !(is_absent && self.later.contains(&name));
        if counts {
            self.total.update(format!("{name}:{kind}\n"));
        }
        counts
    }

    /// Where the column's next rows are null: a bit for each row, the first the highest of its byte.
    pub fn nulls(&mut self, rows: usize, nulls: Option<&[bool]>) {
        let Some(nulls) = nulls else { return self.no_nulls(rows) };
        let mut bytes = Vec::with_capacity(nulls.len() / 8 + 1);
        for &null in nulls {
            self.bits = self.bits << 1 | u8::from(null);
            self.held += 1;
            if self.held == 8 {
                bytes.push(self.bits);
                (self.bits, self.held) = (0, 0);
            }
        }
        self.total.update(bytes);
    }

    fn no_nulls(&mut self, rows: usize) {
        let filled = if self.held == 0 { 0 } else { rows.min(8 - self.held as usize) };
        self.bits <<= filled;
        self.held += filled as u32;
        let left = rows - filled;
        if self.held == 8 {
            self.fill_byte();
        }
        if left > 0 {
            self.total.update(vec![0; left / 8]);
            self.held = (left % 8) as u32;
        }
    }

    /// The values of its next rows; of words all rows at once.
    pub fn values(&mut self, values: &Payload<'_>) {
        self.fill_byte();
        match values {
            Payload::Numbers(bytes) => self.total.update(bytes),
            Payload::Words(words) => {
                words.iter().for_each(|word| self.total.update((word.len() as u64).to_le_bytes()));
                words.iter().for_each(|word| self.total.update(word.as_bytes()));
            }
        }
    }

    /// The last byte of a column's bits has zeros where there are no rows.
    fn fill_byte(&mut self) {
        if self.held > 0 {
            self.total.update([self.bits << (8 - self.held)]);
            (self.bits, self.held) = (0, 0);
        }
    }

    /// The digest, in hexadecimal.
    pub fn finish(mut self) -> String {
        self.fill_byte();
        self.total.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The digest of frames in the schema's order, in hexadecimal.
///
/// Columns that the schema did not always have count where something was measured.
pub fn digest<'a>(frames: impl IntoIterator<Item = FrameView<'a>>) -> String {
    let mut hasher = Hasher::default();
    for frame in frames {
        hasher.frame(&frame.name, frame.height);
        for column in &frame.columns {
            if hasher.column(&column.name, &column.kind, column.is_null_throughout(frame.height)) {
                hasher.nulls(frame.height, column.nulls.as_deref());
                hasher.values(&column.payload);
            }
        }
    }
    hasher.finish()
}

impl ColumnView<'_> {
    fn is_null_throughout(&self, height: usize) -> bool {
        height == 0 || self.nulls.as_deref().is_some_and(|nulls| !nulls.contains(&false))
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
    use sha2::{Digest, Sha256};

    use super::{Hasher, Payload};

    fn hashed(pieces: &[(usize, Option<&[bool]>)]) -> String {
        let mut hasher = Hasher::default();
        pieces.iter().for_each(|&(rows, nulls)| hasher.nulls(rows, nulls));
        hasher.values(&Payload::Numbers(b"x"[..].into()));
        hasher.finish()
    }

    fn plain(bytes: &[u8]) -> String {
        Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn nulls_are_bits_from_the_top_of_each_byte() {
        assert_eq!(hashed(&[(9, None)]), plain(&[0, 0, b'x']));
        let nine = [true, false, false, false, false, false, false, true, true];
        assert_eq!(hashed(&[(9, Some(&nine))]), plain(&[0b1000_0001, 0b1000_0000, b'x']));
    }

    #[test]
    fn pieces_of_any_length_give_the_bits_of_the_whole() {
        let rows: Vec<bool> = (0..45).map(|row| row % 3 == 0 && row < 20).collect();
        let whole = hashed(&[(45, Some(&rows))]);
        for cut in 0..45 {
            assert_eq!(hashed(&[(cut, Some(&rows[..cut])), (45 - cut, Some(&rows[cut..]))]), whole, "{cut}");
        }
        for cut in 20..45 {
            assert_eq!(hashed(&[(cut, Some(&rows[..cut])), (3.min(45 - cut), None), (45 - cut - 3.min(45 - cut), None)]), whole, "{cut}");
        }
    }
}
