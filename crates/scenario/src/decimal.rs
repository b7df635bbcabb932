//! Decimal arithmetic as far as quantities need it, so that `42ms` is the same double as the literal `0.042`.
//!
//! A result has at most 28 significant digits, ties to even: the rule of Python's `decimal`, by which scenarios have been named.

const DIGITS_MAX: usize = 28;

/// A decimal number: its digits, the first not zero, times a power of ten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    is_negative: bool,
    digits: Vec<u8>,
    exponent: i32,
}

impl Decimal {
    /// Reads `[+-]digits[.digits][e[+-]digits]`, in ASCII; the caller has checked the form.
    pub(crate) fn read(text: &str) -> Decimal {
        let unsigned = text.trim_start_matches(['+', '-']);
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = whole.bytes().chain(fraction.bytes()).map(|digit| digit - b'0').skip_while(|&digit| digit == 0).collect();
        let exponent: i32 = exponent.parse().expect("at most four digits");
        Decimal { is_negative: text.starts_with('-'), digits, exponent: exponent - fraction.len() as i32 }
    }

    /// The same times `factor` and ten to the `power`.
    pub(crate) fn scaled(self, factor: u32, power: i32) -> Decimal {
        let mut carry = 0;
        let mut digits = Vec::with_capacity(self.digits.len() + 10);
        for digit in self.digits.iter().rev() {
            carry += u64::from(*digit) * u64::from(factor);
            digits.push((carry % 10) as u8);
            carry /= 10;
        }
        while carry > 0 {
            digits.push((carry % 10) as u8);
            carry /= 10;
        }
        digits.reverse();
        Decimal { digits, exponent: self.exponent + power, ..self }.rounded()
    }

    fn rounded(mut self) -> Decimal {
        let Some(dropped) = self.digits.len().checked_sub(DIGITS_MAX).filter(|&count| count > 0) else {
            return self;
        };
        let rest = self.digits.split_off(DIGITS_MAX);
        self.exponent += dropped as i32;
        let is_tie = rest[0] == 5 && rest[1..].iter().all(|&digit| digit == 0);
        let is_odd = self.digits[DIGITS_MAX - 1] % 2 == 1;
        if rest[0] < 5 || (is_tie && !is_odd) {
            return self;
        }
        for digit in self.digits.iter_mut().rev() {
            *digit = (*digit + 1) % 10;
            if *digit != 0 {
                return self;
            }
        }
        self.digits.insert(0, 1); // All nines: the digits behind are zeros now.
        self
    }

    /// The nearest double; infinite when it is too large.
    pub(crate) fn nearest(&self) -> f64 {
        let sign = if self.is_negative { "-" } else { "" };
        let digits: String = self.digits.iter().map(|&digit| char::from(b'0' + digit)).collect();
        format!("{sign}0{digits}e{}", self.exponent).parse().expect("a decimal number")
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    fn times(text: &str, factor: u32, power: i32) -> f64 {
        Decimal::read(text).scaled(factor, power).nearest()
    }

    #[test]
    fn a_shift_of_the_point_is_exact() {
        assert_eq!([times("42", 1, -3), times("33.3", 1, 6), times(".5", 1, 0), times("7.", 1, -9)], [0.042, 33.3e6, 0.5, 7e-9]);
        assert_eq!([times("1.1", 60, 0), times("3", 1_073_741_824, 0), times("2e-2", 3600, 0)], [66.0, 3_221_225_472.0, 72.0]);
    }

    #[test]
    fn more_than_28_digits_are_rounded_with_ties_to_even() {
        let digits = |text: &str| Decimal::read(text).scaled(1, 0).digits;
        assert_eq!(digits("12345678901234567890123456785"), Decimal::read("1234567890123456789012345678").digits);
        assert_eq!(digits("12345678901234567890123456795"), Decimal::read("1234567890123456789012345680").digits);
        assert_eq!(digits("12345678901234567890123456785000001"), Decimal::read("1234567890123456789012345679").digits);
        assert_eq!(times("99999999999999999999999999999", 1, -29), 1.0);
    }

    #[test]
    fn zero_keeps_its_sign_and_the_largest_are_infinite() {
        assert!(times("-0", 1, 0).is_sign_negative() && times("0.000", 1, 0) == 0.0);
        assert!(times("1e999", 1, 0).is_infinite());
    }
}
