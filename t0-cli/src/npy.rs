//! NumPy files as raw bytes: what goes into a buffer and comes out of it.

use npyz::{DType, Endianness, NpyHeader, Order};
use std::io;

/// An array: its element descriptor, shape and bytes in row order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// NumPy's element descriptor, such as `<f4`.
    pub descriptor: String,
    /// Its dimensions.
    pub shape: Vec<u64>,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

fn invalid(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// Whether a descriptor, whatever its byte order, is that of plain numbers.
fn is_number(descriptor: &str) -> bool {
    let plain = descriptor.trim_start_matches(['<', '>', '|', '=']);
    matches!(
        plain,
        "b1" | "i1" | "i2" | "i4" | "i8" | "u1" | "u2" | "u4" | "u8" | "f2" | "f4" | "f8" | "c8" | "c16"
    )
}

fn no_number(descriptor: &str) -> io::Error {
    invalid(&format!(
        "elements of dtype `{descriptor}` are no numbers a kernel knows; save booleans, integers of 8 to 64 bits, floats of 16 to 64 \
         bits or complex numbers of those (bf16 as .view(numpy.uint16))"
    ))
}

/// What begins every `.npy` file; the format's version, then the header's length follow.
const MAGIC: &[u8] = b"\x93NUMPY";

/// Where the header ends, if the file tells (NumPy's "npy format": a length of 2 bytes in version 1, of 4 in later ones).
fn header_end(file: &[u8]) -> Option<usize> {
    let at = MAGIC.len() + 2;
    let len = match file.get(MAGIC.len())? {
        1 => u16::from_le_bytes(file.get(at..at + 2)?.try_into().ok()?).into(),
        _ => u32::from_le_bytes(file.get(at..at + 4)?.try_into().ok()?),
    };
    let begin = at + if file[MAGIC.len()] == 1 { 2 } else { 4 };
    begin.checked_add(usize::try_from(len).ok()?)
}

/// Refuses a file that is none of NumPy's, or ends within its header.
fn whole_header(file: &[u8]) -> io::Result<()> {
    let begins = file.starts_with(MAGIC) || !file.is_empty() && MAGIC.starts_with(file);
    if !begins {
        return Err(invalid(
            "it is no .npy file (it does not begin with \\x93NUMPY); save it with numpy.save",
        ));
    }
    let have = file.len();
    match header_end(file) {
        Some(end) if end <= have => Ok(()),
        Some(end) => Err(invalid(&format!(
            "the file ends within the header, which has {end} bytes: {have} are there; save it again"
        ))),
        None => Err(invalid(&format!(
            "the file ends within the header: {have} bytes are there; save it again"
        ))),
    }
}

/// The element descriptor of a header, when it is a text that is no number.
fn unknown(file: &[u8]) -> Option<String> {
    let header = String::from_utf8_lossy(file.get(MAGIC.len() + 4..header_end(file)?)?);
    let value = header.split_once("'descr':")?.1.trim_start();
    let descriptor = value.strip_prefix('\'')?.split_once('\'')?.0;
    (!is_number(descriptor)).then(|| descriptor.to_owned())
}

impl Array {
    /// Reads a `.npy` file.
    ///
    /// Errors: another format, big-endian or Fortran-ordered data, elements that are no plain numbers, missing bytes or
    /// more than the shape says.
    pub fn read(mut file: Vec<u8>) -> io::Result<Array> {
        let mut rest = &file[..];
        whole_header(rest)?;
        let header = NpyHeader::from_reader(&mut rest).map_err(|e| match unknown(&file) {
            Some(descriptor) => no_number(&descriptor),
            None => e,
        })?;
        let DType::Plain(elem) = header.dtype() else {
            return Err(invalid("the array has structured elements; save plain numbers"));
        };
        let size = elem
            .num_bytes()
            .ok_or_else(|| invalid("the array's elements are too large"))?;
        let descriptor = elem.to_string();
        if !is_number(&descriptor) {
            return Err(no_number(&descriptor));
        }
        if elem.endianness() == Endianness::Big && size > 1 {
            return Err(invalid("the array is big-endian; save it as little-endian"));
        }
        if header.order() == Order::Fortran && header.shape().len() > 1 {
            return Err(invalid(
                "the array is in Fortran order; save numpy.ascontiguousarray of it",
            ));
        }
        let want = header.shape().iter().try_fold(size as u64, |n, &d| n.checked_mul(d));
        let want =
            want.ok_or_else(|| invalid("the array has more bytes than there are addresses; the file is damaged"))?;
        let bytes = usize::try_from(want).ok().and_then(|n| rest.get(..n));
        let bytes = bytes.ok_or_else(|| {
            invalid(&format!(
                "the file ends within the array: {} of its {want} bytes are there; save it again",
                rest.len()
            ))
        })?;
        if bytes.len() < rest.len() {
            return Err(invalid(&format!(
                "{} bytes follow the {} of the array; the file is damaged, save it again",
                rest.len() - bytes.len(),
                bytes.len()
            )));
        }
        let shape = header.shape().to_vec();
        // In place: arrays can be as large as memory.
        let before = file.len() - rest.len();
        file.drain(..before);
        Ok(Array {
            descriptor,
            shape,
            bytes: file,
        })
    }
}

/// What stands before the bytes in a `.npy` file (format version 1.0, padded to a multiple of 64 bytes).
pub fn header(descriptor: &str, shape: &[u64]) -> Vec<u8> {
    let all: String = shape.iter().map(|d| format!("{d}, ")).collect();
    let mut header = format!(
        "{{'descr': '{descriptor}', 'fortran_order': False, 'shape': ({}), }}",
        if shape.len() == 1 {
            all.trim_end()
        } else {
            all.trim_end_matches(", ")
        }
    );
    const BEFORE: usize = 10; // magic, version, header length
    let padded = (BEFORE + header.len() + 1).next_multiple_of(64) - BEFORE;
    header += &" ".repeat(padded - 1 - header.len());
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_back() {
        for shape in [vec![], vec![6], vec![2, 3], vec![0, 4]] {
            let elements: u64 = shape.iter().product();
            let bytes = (0..elements * 4).map(|i| i as u8).collect();
            let array = Array {
                descriptor: "<f4".to_owned(),
                shape,
                bytes,
            };
            let file = [header(&array.descriptor, &array.shape), array.bytes.clone()].concat();
            assert_eq!((file.len() - array.bytes.len()) % 64, 0);
            assert_eq!(Array::read(file.clone()).unwrap(), array);
            // npyz's own reader agrees about the numbers.
            let numbers: Vec<f32> = npyz::NpyFile::new(&file[..]).unwrap().into_vec().unwrap();
            let expected: Vec<f32> = array
                .bytes
                .chunks(4)
                .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
                .collect();
            assert_eq!(numbers, expected);
        }
    }

    #[test]
    fn unusable_arrays_are_named() {
        let file = |descr: &str, order: &str, shape: &str, bytes: usize| {
            let header = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n");
            let mut file = b"\x93NUMPY\x01\x00".to_vec();
            file.extend((header.len() as u16).to_le_bytes());
            file.extend(header.as_bytes());
            file.extend(vec![0; bytes]);
            Array::read(file).unwrap_err().to_string()
        };
        assert!(file("'>f4'", "False", "(2,)", 8).contains("big-endian"));
        assert!(file("'<f4'", "True", "(2, 2)", 16).contains("Fortran"));
        let short = file("'<f4'", "False", "(2,)", 7);
        assert!(
            short.starts_with("the file ends within the array: 7 of its 8 bytes are there"),
            "{short}"
        );
        assert!(file("[('a', '<f4')]", "False", "(2,)", 8).contains("structured"));
        assert!(file("'<f4'", "False", "(2,)", 9).contains("1 bytes follow the 8 of the array"));
        for descr in ["'|S3'", "'<U4'", "'<M8[ns]'", "'<f16'", "'|V2'", "'<c32'", "'|O'"] {
            let e = file(descr, "False", "(0,)", 0);
            assert!(e.contains("no numbers a kernel knows"), "{descr}: {e}");
        }
        let read = |file: &[u8]| Array::read(file.to_vec()).unwrap_err().to_string();
        assert!(read(b"hello").starts_with("it is no .npy file"));
        assert!(read(b"").starts_with("it is no .npy file"));
        let whole = [header("<f4", &[1]), vec![0; 4]].concat();
        for cut in 1..header("<f4", &[1]).len() {
            let e = read(&whole[..cut]);
            assert!(e.starts_with("the file ends within the header"), "{cut}: {e}");
            assert!(
                e.contains(&format!("{cut} are there")) || e.contains(&format!("{cut} bytes are there")),
                "{e}"
            );
        }
    }
}
