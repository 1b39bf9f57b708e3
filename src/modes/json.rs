//! `json`
use super::Show;
use crate::answer::Answer;
use crate::error::Result;
use crate::store::blob::Blob;
/// x
pub fn json(blob: &Blob, _q: &str, _show: &Show) -> Result<Answer> {
    Ok(Answer::new("json", blob.id(), "", Box::new(|_| String::new())))
}
