//! Outputs: a file that appears whole or not at all, or standard output.

use std::fmt;
use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, SpooledTempFile};

/// Where the output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Stdout => f.write_str("standard output"),
            Target::File(path) => path.display().fmt(f),
        }
    }
}

/// What binary formats are written to.
pub(crate) trait WriteSeek: Write + Seek {}
impl<T: Write + Seek> WriteSeek for T {}

/// How much of an output that cannot seek is held in memory; the rest goes to a temporary file.
const SPOOL: usize = 8 << 20;

impl Target {
    /// Writes with `fill`, which may seek; nothing appears at the target unless it succeeds.
    pub(crate) fn write<T, E: From<io::Error>>(
        &self,
        fill: impl FnOnce(&mut dyn WriteSeek) -> Result<T, E>,
    ) -> Result<T, E> {
        match self {
            Target::File(path) if is_regular_or_new(path) => replace(path, fill),
            _ => {
                let mut spool = BufWriter::new(SpooledTempFile::new(SPOOL));
                let result = fill(&mut spool)?;
                let mut spool = spool.into_inner().map_err(io::IntoInnerError::into_error)?;
                spool.rewind()?;
                let mut output = self.open()?;
                io::copy(&mut spool, &mut output)?;
                output.flush()?;
                Ok(result)
            }
        }
    }

    fn open(&self) -> io::Result<Box<dyn Write>> {
        Ok(match self {
            Target::Stdout => Box::new(io::stdout().lock()),
            Target::File(path) => Box::new(File::options().write(true).open(path)?),
        })
    }
}

fn is_regular_or_new(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file()) || !path.exists()
}

/// Writes beside `path`, then renames over it.
fn replace<T, E: From<io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut dyn WriteSeek) -> Result<T, E>,
) -> Result<T, E> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = Builder::new();
    builder.prefix(".cg-preprocess-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(Permissions::from_mode(0o666));
    }
    let mut file = BufWriter::new(builder.tempfile_in(folder)?);
    let result = fill(&mut file)?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(result)
}
