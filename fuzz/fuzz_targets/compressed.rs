//! gzip and zstd: what was compressed is read as if it had not been, and compressed data that are
//! broken do no harm.

#![no_main]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use cg_preprocess::io::Source;
use cg_preprocess::io::Target;
use cg_preprocess::run::{ConvertOptions, Format, convert};
use flate2::Compression;
use flate2::write::GzEncoder;
use libfuzzer_sys::fuzz_target;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

fuzz_target!(|data: &[u8]| {
    let Some((&[how, at], data)) = data.split_first_chunk() else {
        return;
    };
    let directory = tempfile::tempdir_in("/dev/shm").expect("a directory in memory");
    let directory = directory.path();
    if how & 7 == 7 {
        // As it is, after the first bytes of a member or a frame.
        let magic: &[u8] = if how & 8 == 0 {
            b"\x1f\x8b\x08\0\0\0\0\0\0\x03"
        } else {
            b"\x28\xb5\x2f\xfd"
        };
        let _ = converted(directory, &[magic, data].concat());
        return;
    }
    let (one, other) = data.split_at(data.len() * usize::from(at) / 256);
    let compress = |data: &[u8]| match how & 3 {
        0 => gzip(data, Compression::fast()),
        1 => gzip(data, Compression::none()),
        2 => compress_to_vec(data, CompressionLevel::Uncompressed),
        _ => compress_to_vec(data, CompressionLevel::Fastest),
    };
    let padding: &[u8] = if how & 6 == 0 { &[0; 3] } else { &[] };
    let compressed = [&compress(one), padding, &compress(other), padding].concat();
    assert_eq!(
        converted(directory, &compressed),
        converted(directory, data)
    );
});

fn gzip(data: &[u8], level: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(data).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

/// What a conversion writes, and its warnings. What errors say may differ by what was read first.
fn converted(directory: &Path, data: &[u8]) -> Option<(Vec<u8>, Vec<String>)> {
    let paths: [PathBuf; 2] = ["in", "out"].map(|name| directory.join(name));
    let [input, output] = &paths;
    fs::write(input, data).expect("memory takes it");
    let mut options = ConvertOptions::default();
    options.format = Format::V7;
    let report = convert(
        &[Source::File(input.clone())],
        &Target::File(output.clone()),
        &options,
    );
    let warnings = report.ok()?.warnings;
    let warnings = warnings.iter().map(|listed| listed.to_string());
    Some((
        fs::read(output).expect("it was written"),
        warnings.collect(),
    ))
}
