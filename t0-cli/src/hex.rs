//! Lines of hex bytes, as people and llvm-mc write them.

/// The bytes of a line such as `80 00 04 f4`, `800004f4`, `0x80,0x00` or `[0x80,0x00]`, in memory order.
///
/// Errors: what is not hex, or an odd number of digits.
pub fn parse_line(line: &str) -> Result<Vec<u8>, String> {
    let separator = |c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']');
    let mut bytes = Vec::new();
    for token in line.split(separator).filter(|t| !t.is_empty()) {
        let digits = token
            .strip_prefix("0x")
            .or_else(|| token.strip_prefix("0X"))
            .unwrap_or(token);
        if let Some(c) = digits.chars().find(|c| !c.is_ascii_hexdigit()) {
            return Err(format!(
                "`{c}` in `{token}` is no hex digit; write bytes such as `00 00 b0 bf`"
            ));
        }
        if digits.is_empty() || digits.len() % 2 != 0 {
            return Err(format!(
                "`{token}` has an odd number of hex digits; write two for each byte"
            ));
        }
        for pair in digits.as_bytes().chunks(2) {
            let digit = |c: u8| char::from(c).to_digit(16).unwrap_or(0) as u8;
            bytes.push(digit(pair[0]) << 4 | digit(pair[1]));
        }
    }
    if bytes.is_empty() {
        return Err("the line is empty; write the hex bytes of one instruction".to_owned());
    }
    Ok(bytes)
}

/// Bytes as hex digits in memory order.
pub fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_read() {
        for line in [
            "0000b0bf",
            "00 00 B0 bf",
            "0x00,0x00,0xb0,0xbf",
            "[0x00,0x00,0xb0,0xbf]",
            "\t0000 b0bf \r",
        ] {
            assert_eq!(parse_line(line).unwrap(), [0, 0, 0xb0, 0xbf], "{line}");
        }
    }

    #[test]
    fn what_is_no_hex_is_named() {
        assert!(parse_line("zz").unwrap_err().contains("`z`"));
        assert!(parse_line("abc").unwrap_err().contains("odd number"));
        assert!(parse_line("0x").unwrap_err().contains("odd number"));
        assert!(parse_line("  ").unwrap_err().contains("empty"));
        assert!(parse_line("é0").unwrap_err().contains("no hex digit"));
    }
}
