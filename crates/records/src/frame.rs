//! A frame: columns of one length, in the schema's order and types.

use std::borrow::Cow;

use crate::schema::{FrameSchema, Kind};

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Doubles; NaN is null.
    Float64(Vec<f64>),
    /// 64-bit counts.
    UInt64(Vec<u64>),
    /// 32-bit numbers.
    UInt32(Vec<u32>),
    /// States.
    UInt8(Vec<u8>),
    /// Numbers of which -1 stands for none.
    Int32(Vec<i32>),
    /// Words.
    String(Vec<Cow<'static, str>>),
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its values; zeros and empty words where null.
    pub cells: Cells,
    /// Where it is null, but for doubles, whose nulls are NaN; none where nothing is.
    pub nulls: Option<Vec<bool>>,
}

/// A frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Its name.
    pub name: &'static str,
    /// Rows.
    pub height: usize,
    /// Its columns.
    pub columns: Vec<Column>,
}

impl Cells {
    /// Their type.
    pub fn kind(&self) -> Kind {
        match self {
            Cells::Float64(_) => Kind::Float64,
            Cells::UInt64(_) => Kind::UInt64,
            Cells::UInt32(_) => Kind::UInt32,
            Cells::UInt8(_) => Kind::UInt8,
            Cells::Int32(_) => Kind::Int32,
            Cells::String(_) => Kind::String,
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Cells::Float64(cells) => cells.len(),
            Cells::UInt64(cells) => cells.len(),
            Cells::UInt32(cells) => cells.len(),
            Cells::UInt8(cells) => cells.len(),
            Cells::Int32(cells) => cells.len(),
            Cells::String(cells) => cells.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn absent(kind: Kind, height: usize) -> Cells {
        match kind {
            Kind::Float64 => Cells::Float64(vec![f64::NAN; height]),
            Kind::UInt64 => Cells::UInt64(vec![0; height]),
            Kind::UInt32 => Cells::UInt32(vec![0; height]),
            Kind::UInt8 => Cells::UInt8(vec![0; height]),
            Kind::Int32 => Cells::Int32(vec![0; height]),
            Kind::String => Cells::String(vec!["".into(); height]),
        }
    }
}

impl From<Vec<f64>> for Cells {
    fn from(cells: Vec<f64>) -> Cells {
        Cells::Float64(cells)
    }
}

impl From<Vec<u64>> for Cells {
    fn from(cells: Vec<u64>) -> Cells {
        Cells::UInt64(cells)
    }
}

impl From<Vec<u32>> for Cells {
    fn from(cells: Vec<u32>) -> Cells {
        Cells::UInt32(cells)
    }
}

impl From<Vec<u8>> for Cells {
    fn from(cells: Vec<u8>) -> Cells {
        Cells::UInt8(cells)
    }
}

impl From<Vec<i32>> for Cells {
    fn from(cells: Vec<i32>) -> Cells {
        Cells::Int32(cells)
    }
}

impl From<Vec<Cow<'static, str>>> for Cells {
    fn from(cells: Vec<Cow<'static, str>>) -> Cells {
        Cells::String(cells)
    }
}

impl Column {
    /// A column without nulls, or of doubles.
    pub(crate) fn new(name: &'static str, cells: impl Into<Cells>) -> Column {
        Column { name, cells: cells.into(), nulls: None }
    }

    /// A column of values of which some are absent.
    pub(crate) fn with_nulls<T: Default>(name: &'static str, cells: impl Iterator<Item = Option<T>>) -> Column
    where
        Vec<T>: Into<Cells>,
    {
        let cells: Vec<Option<T>> = cells.collect();
        let nulls: Vec<bool> = cells.iter().map(Option::is_none).collect();
        let cells: Vec<T> = cells.into_iter().map(Option::unwrap_or_default).collect();
        Column { name, cells: cells.into(), nulls: nulls.contains(&true).then_some(nulls) }
    }

    /// Whether all of its rows are null, and it holds no doubles.
    pub fn is_absent(&self) -> bool {
        self.nulls.as_deref().is_some_and(|nulls| !nulls.contains(&false))
    }

    /// Whole numbers of which some are null, as doubles with NaN there; none for other columns.
    pub fn numbers_with_nulls(&self) -> Option<Vec<f64>> {
        fn doubles<T: Copy>(cells: &[T], nulls: &[bool], double: impl Fn(T) -> f64) -> Vec<f64> {
            cells.iter().zip(nulls).map(|(&cell, &null)| if null { f64::NAN } else { double(cell) }).collect()
        }
        let nulls = self.nulls.as_deref()?;
        match &self.cells {
            Cells::Float64(_) | Cells::String(_) => None,
            Cells::UInt64(cells) => Some(doubles(cells, nulls, |cell| cell as f64)),
            Cells::UInt32(cells) => Some(doubles(cells, nulls, f64::from)),
            Cells::UInt8(cells) => Some(doubles(cells, nulls, f64::from)),
            Cells::Int32(cells) => Some(doubles(cells, nulls, f64::from)),
        }
    }

    fn absent(name: &'static str, kind: Kind, height: usize) -> Column {
        let nulls = (kind != Kind::Float64 && height > 0).then(|| vec![true; height]);
        Column { name, cells: Cells::absent(kind, height), nulls }
    }
}

impl Frame {
    /// The frame of a schema: columns that are not given are null throughout, and further ones come last.
    pub(crate) fn new(schema: &FrameSchema, mut given: Vec<Column>) -> Frame {
        let height = given.first().map_or(0, |column| column.cells.len());
        let mut columns = Vec::with_capacity(schema.columns.len());
        for &(name, kind) in schema.columns {
            let column = match given.iter().position(|column| column.name == name) {
                Some(place) => given.remove(place),
                None => Column::absent(name, kind, height),
            };
            assert_eq!((column.cells.kind(), column.cells.len()), (kind, height), "{}.{name}", schema.name);
            columns.push(column);
        }
        assert!(given.is_empty() || schema.is_open, "{}: columns that are not part of the schema", schema.name);
        columns.extend(given);
        Frame { name: schema.name, height, columns }
    }

    /// A column of numbers as doubles, NaN where null; NaN throughout where there is no such column of numbers.
    pub fn numbers(&self, name: &str) -> Vec<f64> {
        let Some(column) = self.columns.iter().find(|column| column.name == name) else { return vec![f64::NAN; self.height] };
        column.numbers_with_nulls().unwrap_or_else(|| match &column.cells {
            Cells::Float64(cells) => cells.clone(),
            Cells::UInt64(cells) => cells.iter().map(|&cell| cell as f64).collect(),
            Cells::UInt32(cells) => cells.iter().map(|&cell| f64::from(cell)).collect(),
            Cells::UInt8(cells) => cells.iter().map(|&cell| f64::from(cell)).collect(),
            Cells::Int32(cells) => cells.iter().map(|&cell| f64::from(cell)).collect(),
            Cells::String(_) => vec![f64::NAN; self.height],
        })
    }

    /// A column of words, empty where null; none where there is no such column.
    pub fn words(&self, name: &str) -> &[Cow<'static, str>] {
        match self.columns.iter().find(|column| column.name == name).map(|column| &column.cells) {
            Some(Cells::String(words)) => words,
            _ => &[],
        }
    }
}
