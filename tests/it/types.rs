//! Each kind of text, by a small sample: its type, its preview and its outline, as a reader gets them.
//!
//! `SNAPSHOTS=overwrite cargo test --test it types` writes the snapshots anew.

use std::path::Path;

use crate::sandbox::{EPOCH, Sandbox, id_in};

#[track_caller]
fn check(sample: &str, kind: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let text = std::fs::read(root.join("samples").join(sample)).unwrap();
    let s = Sandbox::new();
    let call = s.toolaria(["--tool", "sample", "--max-result-chars", "1200", "--excerpt-max-chars", "1190"]);
    let preview = call.env("SOURCE_DATE_EPOCH", EPOCH).stdin(&text).run().success();
    assert!(preview.contains(&format!("; type={kind}; ")), "{preview}");
    let outline = s.toolaria(["fetch", &id_in(&preview), "outline"]).run().success();
    // The store's path is as long as the test's folder; all else is the same everywhere.
    let preview = preview.replace(&*s.store().to_string_lossy(), "STORE");
    snapbox::assert_data_eq!(
        format!("{preview}\n{outline}"),
        snapbox::Data::read_from(&root.join("snapshots").join(format!("{sample}.txt")), None).raw()
    );
}

macro_rules! samples {
    ($($name:ident: $sample:literal is $kind:literal;)*) => {
        $(#[test] fn $name() { check($sample, $kind); })*
    };
}

samples! {
    json: "orders.json" is "json";
    ndjson: "service.ndjson" is "ndjson";
    html: "guide.html" is "html";
    xml: "report.xml" is "xml";
    markdown: "manual.md" is "markdown";
    csv: "stations.csv" is "csv";
    tsv: "planets.tsv" is "tsv";
    diff: "change.diff" is "diff";
    code: "gate.rs" is "code";
    log: "server.log" is "log";
    text: "letter.txt" is "text";
    binary: "program.bin" is "binary";
}
