//! `toolaria cat ID`: a stored text, byte for byte.

use std::io::{Read, Write};
use std::process::ExitCode;

use super::output::Output;
use super::spec::Opts;
use super::{Context, Failure, complain, some_ids};
use crate::error::Error;
use crate::store::ledger::{self, Event};
use crate::text::show::thousands;

pub(super) fn run(context: &Context, opts: Opts) -> Result<ExitCode, Failure> {
    let ids = some_ids(&opts, "cat")?;
    let settings = context.settings(&opts)?;
    let (store, _) = context.open(&settings)?;
    let blobs: Vec<_> = ids.iter().map(|id| store.find(id, context.clock)).collect::<Result<_, _>>()?;
    let mut output = Output::stdout()?;
    let mut buf = vec![0; 256 << 10];
    for blob in blobs {
        blob.renew();
        // No chars: what goes into a pipe does not go into a context.
        ledger::append(blob.dir(), &Event { event: "fetch", detail: "cat", chars: 0, session: None }, context.now);
        let mut text = blob.raw(0);
        loop {
            let n = text.read(&mut buf).map_err(|source| Error::Io { doing: "read", path: blob.path(), source })?;
            if n == 0 {
                break;
            }
            output.write_all(&buf[..n]).map_err(Error::Output)?;
        }
        if blob.meta().not_stored > 0 {
            complain(&format!("the last {} bytes of {} were NOT stored", thousands(blob.meta().not_stored), blob.id()));
        }
    }
    Ok(ExitCode::SUCCESS)
}
