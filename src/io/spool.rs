//! Spool copies, for inputs and outputs that cannot seek but must be read or written in any
//! order.

use std::env;
use std::io::{self, Read, Seek, SeekFrom, Write};

use tempfile::SpooledTempFile;

use crate::shown::text::printable_path;

/// How much is held in memory; more goes to a file without a name in the system's folder for
/// temporary files.
const IN_MEMORY: usize = 8 << 20;

/// A copy of an input or output, gone when it is dropped.
#[derive(Debug)]
pub(crate) struct Spool(SpooledTempFile);

impl Spool {
    pub fn new() -> Self {
        Spool(SpooledTempFile::new(IN_MEMORY))
    }
}

impl Read for Spool {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.0.read(room)
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(|error| {
            // Otherwise it would look as if the input or output were at fault.
            let folder = env::temp_dir();
            let text = format!("no temporary file in {}: {error}", printable_path(&folder));
            io::Error::new(error.kind(), text)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for Spool {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_large_does_not_stay_in_memory() {
        let mut temporary = Spool::new();
        let piece = vec![b'x'; 1 << 20];
        for written in 1..=10 {
            temporary.write_all(&piece).unwrap();
            assert_eq!(temporary.0.is_rolled(), written > 8);
        }
        temporary.rewind().unwrap();
        let mut all = Vec::new();
        temporary.read_to_end(&mut all).unwrap();
        assert!(all == piece.repeat(10));
    }
}
