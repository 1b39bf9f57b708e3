//! Search quality over a folder with queries.jsonl (see search_eval.py beside it): hit@1, hit@5 and MRR, in all and for
//! the odd and the even files apart, and the same with each rule of the ranking turned off.
//!
//! usage: search_eval DIR [--ablate] [--miss] [--set RULE=VALUE]... [--show FILE QUERY]
#![allow(clippy::print_stdout, missing_docs)]

use std::collections::{BTreeMap, HashMap};
use std::fs;

use toolaria::search::{self, Options, Query, Weights};

macro_rules! rules {
    ($($name:ident)*) => {
        const RULES: &[&str] = &[$(stringify!($name)),*];
        fn get(weights: &Weights, rule: &str) -> f32 {
            match rule {
                $(stringify!($name) => weights.$name,)*
                _ => panic!("no rule {rule}"),
            }
        }
        fn set(weights: &mut Weights, rule: &str, value: f32) {
            match rule {
                $(stringify!($name) => weights.$name = value,)*
                _ => panic!("no rule {rule}"),
            }
        }
    };
}
rules!(derived prefix inside short alike chunk weak close length near near2 parent body same_line signal signal_unasked
    shape phrase similar shown asking general cause counted initials);

struct Case {
    file: String,
    query: String,
    good: Vec<u64>,
    even: bool,
}

#[derive(Default, Clone, Copy)]
struct Tally {
    n: f64,
    first: f64,
    five: f64,
    mrr: f64,
}

impl Tally {
    fn add(&mut self, rank: usize) {
        self.n += 1.0;
        self.first += f64::from(rank == 1);
        self.five += f64::from(rank > 0);
        self.mrr += if rank > 0 { 1.0 / rank as f64 } else { 0.0 };
    }
    fn show(&self) -> String {
        format!("{:.3} {:.3} {:.3}", self.first / self.n, self.five / self.n, self.mrr / self.n)
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let dir = &args[0];
    let mut weights = Weights::default();
    for pair in args.windows(2).filter(|w| w[0] == "--set") {
        let (rule, value) = pair[1].split_once('=').unwrap();
        set(&mut weights, rule, value.parse().unwrap());
    }
    if let Some(at) = args.iter().position(|a| a == "--show") {
        let text =
            fs::read(if args[at + 1].contains('/') { args[at + 1].clone() } else { format!("{dir}/{}", args[at + 1]) })
                .unwrap();
        let options = Options { weights, ..Options::default() };
        let start = std::time::Instant::now();
        let hits = search::search(&text[..], &args[at + 2], &options).unwrap();
        println!("{:?}: {} matching, terms {:?}, also {:?}", start.elapsed(), hits.matching, hits.terms, hits.also);
        for h in hits.hits {
            for (n, t) in &h.before {
                println!("      {n:>7}  {t:.150}");
            }
            println!(
                "{:.3} {:>7}x{} @{} {}{}",
                h.score,
                h.line,
                h.count,
                h.offset,
                if h.whole { "" } else { "~ " },
                h.text
            );
            for (n, t) in &h.after {
                println!("      {n:>7}  {t:.150}");
            }
        }
        return;
    }
    let queries = fs::read_to_string(format!("{dir}/queries.jsonl")).unwrap();
    let mut texts: HashMap<String, Vec<u8>> = HashMap::new();
    let mut files: BTreeMap<String, usize> = BTreeMap::new();
    let mut cases = Vec::new();
    let escapes = regex::bytes::Regex::new(r"\x1b\[[0-9;?]*[ -/]*[@-~]").unwrap();
    for line in queries.lines() {
        let q: serde_json::Value = serde_json::from_str(line).unwrap();
        let file = q["file"].as_str().unwrap().to_owned();
        let text = texts.entry(file.clone()).or_insert_with(|| fs::read(format!("{dir}/{file}")).unwrap());
        let good = match q["lines"].as_array() {
            Some(lines) => lines.iter().map(|l| l.as_u64().unwrap()).collect(),
            None => {
                let truth = regex::bytes::Regex::new(q["truth"].as_str().unwrap()).unwrap();
                let lines = text.split(|&b| b == b'\n').enumerate();
                lines
                    .filter(|(_, l)| truth.is_match(&escapes.replace_all(l, &b""[..])))
                    .map(|(k, _)| k as u64)
                    .collect()
            }
        };
        let next = files.len();
        let even = files.entry(file.clone()).or_insert(next).is_multiple_of(2);
        cases.push(Case { file, query: q["query"].as_str().unwrap().to_owned(), good, even });
    }
    let run = |weights: &Weights, miss: bool| {
        let mut tallies = [Tally::default(); 3];
        let options = Options { limit: 5, weights: weights.clone(), ..Options::default() };
        for c in &cases {
            let query = Query::weighed(&c.query, weights);
            let hits = search::search_with(&query, &texts[&c.file][..], &options).unwrap();
            let lines: Vec<u64> = hits.hits.iter().map(|h| h.line).collect();
            let rank = lines.iter().position(|l| c.good.contains(l)).map_or(0, |k| k + 1);
            tallies[0].add(rank);
            tallies[1 + usize::from(c.even)].add(rank);
            if miss && rank != 1 {
                let good: Vec<_> = c.good.iter().take(4).collect();
                println!(
                    "{rank} {} {} | {} | {lines:?} | {good:?}",
                    if c.even { "even" } else { "odd " },
                    c.file,
                    c.query
                );
            }
        }
        tallies
    };
    let show = |name: &str, t: [Tally; 3]| {
        println!("{name:<16} all {}   odd {}   even {}", t[0].show(), t[1].show(), t[2].show());
    };
    show("as it is", run(&weights, args.iter().any(|a| a == "--miss")));
    if args.iter().any(|a| a == "--scan") {
        // Each rule at a few values around its own, the others as they are.
        for rule in RULES {
            for factor in [0.0, 0.5, 0.75, 1.33, 2.0] {
                let mut other = weights.clone();
                let value = get(&weights, rule) * factor;
                set(&mut other, rule, value);
                show(&format!("{rule}={value:.2}"), run(&other, false));
            }
        }
    }
    if args.iter().any(|a| a == "--ablate") {
        for rule in RULES {
            let mut without = weights.clone();
            let off = if ["similar", "shown", "asking", "general", "flag"].contains(rule) { 1.0 } else { 0.0 };
            set(&mut without, rule, off);
            show(&format!("no {rule}"), run(&without, false));
        }
    }
}
