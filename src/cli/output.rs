//! Standard output: unbuffered, every write checked, patient with a pipe that does not block.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};

use crate::error::Error;

/// Standard output, past the line buffer of `std`, whose last error would be lost.
#[derive(Debug)]
pub(super) struct Output(File);

impl Output {
    /// Takes hold of standard output.
    pub(super) fn stdout() -> Result<Output, Error> {
        let fd = io::stdout().as_fd().try_clone_to_owned().map_err(Error::Output)?;
        Ok(Output(File::from(fd)))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes) {
                Err(e) if e.kind() == ErrorKind::WouldBlock => {
                    poll(&mut [PollFd::new(&self.0, PollFlags::OUT)], None)?;
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
