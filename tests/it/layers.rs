//! Arrows go down only: who may use whom, read from the sources.

use std::path::Path;

/// The layers from the bottom up; a module may use those of lower layers and of its own.
const LAYERS: &[&[&str]] = &[
    &["error", "order", "settings"],
    &["text"],
    &["store"],
    &["preview", "outline", "search", "pointer", "answer", "handle"],
    &["rescue", "modes", "process"],
    &["batch"],
    &["cli"],
];

fn layer(module: &str) -> usize {
    LAYERS.iter().position(|l| l.contains(&module)).unwrap_or_else(|| panic!("{module} is in no layer"))
}

fn sources(dir: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { sources(&path, found) } else { found.push(path) }
    }
}

#[test]
fn arrows_go_down_only() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut seen = 0;
    for file in files {
        let relative = file.strip_prefix(&src).unwrap();
        let module = relative.components().next().unwrap().as_os_str().to_string_lossy().replace(".rs", "");
        if ["lib", "main", "bin"].contains(&&*module) {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        // Tests may look further.
        let text = text.split("#[cfg(test)]").next().unwrap();
        for used in text.split("crate::").skip(1) {
            let names: Vec<&str> = match used.strip_prefix('{') {
                Some(list) => {
                    list.split('}').next().unwrap().split(',').map(|n| n.trim().split("::").next().unwrap()).collect()
                }
                None => vec![used.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap()],
            };
            for name in names.into_iter().filter(|n| !n.is_empty()) {
                assert!(
                    layer(name) <= layer(&module),
                    "{}: {module} uses {name}, which is above it",
                    relative.display()
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 100);
}
