//! Throughput of each stage, and of the whole, on generated profiles of real shape.
//!
//! See `benches/README.md` for how to run them.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use cg_preprocess::callgrind::{self, ReadOptions};
use cg_preprocess::io::Source;
use cg_preprocess::io::Target;
use cg_preprocess::profile::{Profile, ProfileBuilder, ProfileOptions};
use cg_preprocess::run::{self, convert};
use cg_preprocess::webgrind::{self, Version, WriteOptions};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;

mod generate;
#[path = "../tests/common/random.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod random;

use random::Random;

/// Generated profiles by name.
fn profiles() -> [(&'static str, Vec<u8>); 2] {
    [
        ("xdebug", generate::xdebug(200_000, 500, 1)),
        ("valgrind", generate::valgrind(10_000, 1)),
    ]
}

fn read(text: &[u8], line_by_line: bool, options: &ProfileOptions) -> ProfileBuilder {
    let mut builder = ProfileBuilder::new(options.clone());
    let mut reading = ReadOptions::default();
    reading.line_by_line = line_by_line;
    callgrind::read(text, "bench", &reading, &mut builder).expect("a sound profile");
    builder
}

fn load(text: &[u8], options: &ProfileOptions) -> Profile {
    let builder = read(text, false, options);
    builder.finish().expect("a sound profile")
}

fn write(profile: &Profile, version: Version) -> Vec<u8> {
    let mut file = Vec::new();
    webgrind::write(profile, &WriteOptions::new(version), &mut file).expect("a profile that fits");
    file
}

fn options(version: Version) -> ProfileOptions {
    let mut options = ProfileOptions::default();
    options.invocations = version == Version::V4;
    options
}

fn stages(criterion: &mut Criterion) {
    for (name, text) in profiles() {
        let text: &'static [u8] = text.leak();
        let mut group = criterion.benchmark_group(name);
        group.measurement_time(Duration::from_secs(3));
        group.sample_size(20);
        group.throughput(Throughput::Bytes(text.len() as u64));

        // What `wc -l` does: the least that any reader can take.
        group.bench_function("lines", |bencher| {
            bencher.iter(|| memchr::memchr_iter(b'\n', black_box(text)).count());
        });
        // Parsing and summing, which happen in one pass; and line by line, to compare.
        for (way, line_by_line) in [("read", false), ("read-line-by-line", true)] {
            group.bench_function(way, |bencher| {
                bencher.iter(|| read(text, line_by_line, &options(Version::V7)));
            });
        }
        group.bench_function("read-and-link", |bencher| {
            bencher.iter(|| read(text, false, &options(Version::V4)));
        });
        // What is worked out once everything has been read.
        group.bench_function("aggregate", |bencher| {
            bencher.iter_batched(
                || read(text, false, &options(Version::V7)),
                |builder| builder.finish().expect("a sound profile"),
                BatchSize::LargeInput,
            );
        });
        for version in [Version::V7, Version::V4] {
            let profile = load(text, &options(version));
            group.bench_function(BenchmarkId::new("write", version.number()), |bencher| {
                bencher.iter(|| write(&profile, version));
            });
            group.bench_function(BenchmarkId::new("whole", version.number()), |bencher| {
                bencher.iter(|| write(&load(text, &options(version)), version));
            });
        }
        group.finish();
    }
}

/// Converts a compressed input, and only decompresses it with the same library.
fn compressed(criterion: &mut Criterion) {
    let directory = tempfile::tempdir().expect("a directory for temporary files");
    let input = directory.path().join("xdebug.cg.gz");
    let text = generate::xdebug(2_000_000, 500, 1);
    compress(&text, &input).expect("a directory that can be written");
    let output = Target::File(directory.path().join("out.pre"));

    let mut group = criterion.benchmark_group("gzip");
    group.measurement_time(Duration::from_secs(5));
    group.sample_size(10);
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("inflate", |bencher| {
        bencher.iter(|| inflate(&input).expect("sound data"));
    });
    group.bench_function("convert", |bencher| {
        let inputs = [Source::File(input.clone())];
        let mut options = run::ConvertOptions::default();
        options.format = run::Format::V7;
        bencher.iter(|| convert(&inputs, &output, &options).expect("a sound profile"));
    });
    group.finish();
}

fn compress(text: &[u8], path: &Path) -> io::Result<()> {
    let mut file = GzEncoder::new(File::create(path)?, Compression::default());
    file.write_all(text)?;
    file.finish()?.sync_all()
}

fn inflate(path: &Path) -> io::Result<u64> {
    let file = BufReader::with_capacity(128 << 10, File::open(path)?);
    let mut sink = BufWriter::with_capacity(512 << 10, io::sink());
    io::copy(&mut MultiGzDecoder::new(file), &mut sink)
}

/// Writes the profiles to the files that `benches/compare.sh` takes, if a directory is named.
fn save() -> bool {
    let Some(directory) = std::env::var_os("SAVE_PROFILES") else {
        return false;
    };
    let directory = Path::new(&directory);
    let large = [
        ("xdebug.cg", generate::xdebug(6_000_000, 500, 1)),
        ("valgrind.cg", generate::valgrind(60_000, 1)),
    ];
    for (name, text) in large {
        fs::write(directory.join(name), text).expect("a directory that can be written");
    }
    true
}

fn all(criterion: &mut Criterion) {
    if !save() {
        stages(criterion);
        compressed(criterion);
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
