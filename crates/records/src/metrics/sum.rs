//! A sum in the order in which totals over flows have always been made: blocks of 128 in 16 stripes each, added in pairs, as polars adds
//! a column.

const BLOCK: usize = 128;
const STRIPES: usize = 16;

/// The sum of `values`; those that do not fill a block come first, one by one.
pub(super) fn sum(values: &[f64]) -> f64 {
    let (rest, blocks) = values.split_at(values.len() % BLOCK);
    let of_blocks = if blocks.is_empty() { 0.0 } else { in_pairs(blocks) };
    of_blocks + rest.iter().sum::<f64>()
}

fn in_pairs(blocks: &[f64]) -> f64 {
    if blocks.len() == BLOCK {
        return of_block(blocks);
    }
    let (left, right) = blocks.split_at(blocks.len() / BLOCK / 2 * BLOCK);
    in_pairs(left) + in_pairs(right)
}

fn of_block(block: &[f64]) -> f64 {
    let mut stripes = [0.0; STRIPES];
    for row in block.chunks_exact(STRIPES) {
        stripes.iter_mut().zip(row).for_each(|(stripe, value)| *stripe += value);
    }
    let mut half = STRIPES / 2;
    while half > 0 {
        for place in 0..half {
            stripes[place] += stripes[half + place];
        }
        half /= 2;
    }
    stripes[0]
}

#[cfg(test)]
mod tests {
    use super::sum;

    #[test]
    fn every_value_is_added_once() {
        for count in [0, 1, 127, 128, 129, 384, 1000] {
            let values: Vec<f64> = (1..=count).map(f64::from).collect();
            assert_eq!(sum(&values), f64::from(count * (count + 1) / 2), "{count}");
        }
    }
}
