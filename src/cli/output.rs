//! Standard output: unbuffered, every write checked, patient with a pipe that does not block.

use std::io::{self, ErrorKind, Write};

use rustix::event::{PollFd, PollFlags, poll};

use crate::error::Error;

/// Standard output, past the line buffer of `std`, whose last error would be lost.
#[derive(Debug)]
pub(super) struct Output(io::Stdout);

impl Output {
    /// Takes hold of standard output.
    pub(super) fn stdout() -> Result<Output, Error> {
        Ok(Output(io::stdout()))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match rustix::io::write(&self.0, bytes).map_err(io::Error::from) {
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
