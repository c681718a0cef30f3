//! Edges of a picture: `cargo run --release --example edges [-- IN.png OUT.png]`.
//!
//! Reads a PNG (grey or colour, 8 or 16 bits), writes a grey one. Without arguments: the picture that comes with the project, to
//! `target/edges.png`.

mod common;

use common::{finish, only_help, Outcome};
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use t0::prelude::*;
use t0_kernels::edges;

fn main() -> ExitCode {
    match only_help("[IN.png OUT.png]", 2) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => finish(run()),
        Err(text) => finish(Err(text.into())),
    }
}

fn run() -> Outcome {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut args = std::env::args().skip(1).map(PathBuf::from);
    let input = args.next().unwrap_or_else(|| project.join("examples/data/shapes.png"));
    let output = args.next().unwrap_or_else(|| project.join("target/edges.png"));
    let (width, height, grey) = read_grey(&input)?;

    let gpu = Gpu::open()?;
    println!("device: {}", gpu.describe());
    let q = gpu.queue()?;
    let x = gpu.upload_mat(height, width, &grey)?;
    let mut y = gpu.alloc_mat::<u8>(height, width)?;
    q.launch(edges { x: &x, y: &mut y })?;
    let got = y.to_vec()?;

    for r in 0..height {
        for c in 0..width {
            let expected = sobel(&grey, width, height, r, c);
            if got[r * width + c] != expected {
                let text = format!("edges: pixel ({c}, {r}) = {}, expected {expected}", got[r * width + c]);
                return Ok(Err(text));
            }
        }
    }
    write_grey(&output, width, height, &got)?;
    Ok(Ok(format!(
        "edges: {width} x {height} pixels exact, written to {}",
        output.display()
    )))
}

/// The same filter on the CPU.
fn sobel(p: &[u8], width: usize, height: usize, r: usize, c: usize) -> u8 {
    let at = |dr: isize, dc: isize| {
        let r = r.saturating_add_signed(dr).min(height - 1);
        let c = c.saturating_add_signed(dc).min(width - 1);
        i32::from(p[r * width + c])
    };
    let gx = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - (at(-1, -1) + 2 * at(0, -1) + at(1, -1));
    let gy = at(1, -1) + 2 * at(1, 0) + at(1, 1) - (at(-1, -1) + 2 * at(-1, 0) + at(-1, 1));
    ((gx * gx + gy * gy) as f32).sqrt() as u8
}

/// Reads a PNG as width, height and luma (Rec. 601 weights for colour; transparency is ignored).
fn read_grey(path: &Path) -> Result<(usize, usize, Vec<u8>), Box<dyn Error>> {
    let file = File::open(path).map_err(|e| format!("cannot open {}: {e}", path.display()))?;
    let mut decoder = png::Decoder::new(BufReader::new(file));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let fault = |e: png::DecodingError| format!("{} is not a readable PNG: {e}", path.display());
    let mut reader = decoder.read_info().map_err(fault)?;
    let size = reader
        .output_buffer_size()
        .ok_or("the picture is too large for this machine")?;
    let mut pixels = vec![0; size];
    let info = reader.next_frame(&mut pixels).map_err(fault)?;
    let channels = info.color_type.samples();
    let grey = pixels[..info.buffer_size()]
        .chunks_exact(channels)
        .map(|p| match channels {
            1 | 2 => p[0],
            _ => ((299 * u32::from(p[0]) + 587 * u32::from(p[1]) + 114 * u32::from(p[2])) / 1000) as u8,
        })
        .collect();
    Ok((info.width as usize, info.height as usize, grey))
}

fn write_grey(path: &Path, width: usize, height: usize, pixels: &[u8]) -> Result<(), Box<dyn Error>> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(|e| format!("cannot create {}: {e}", parent.display()))?;
    }
    let file = File::create(path).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), width as u32, height as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(())
}
