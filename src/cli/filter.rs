//! `cmd | toolaria`: the main job on standard input.

use std::process::ExitCode;

use super::input::{Stdin, survive_file_size_limit, widen_pipe};
use super::output::Output;
use super::spec::Opts;
use super::{Context, Failure, complain, retention};
use crate::handle::tool_word;
use crate::rescue::{Gate, PreviewOptions, Request, rescue};
use crate::settings::{Key, Settings, matches};
use crate::store::meta::Source;
use crate::store::spill::Limits;
use crate::store::{Store, sweep};

pub(super) fn run(context: &Context, opts: Opts) -> Result<ExitCode, Failure> {
    if opts == Opts::default() && std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        let usage = "nothing is piped in; use it as `COMMAND | toolaria --tool NAME` (`toolaria --help` tells more)";
        return Err(Failure::Usage(usage.to_owned()));
    }
    let tool = tool_word(opts.tool.as_deref().unwrap_or("stdin"));
    let settings = context.settings(&opts)?;
    let source =
        Source { tool, label: opts.label.clone(), session: settings.text(Key::Session, None), ..Source::default() };
    let mut request = request(context, &settings, source);
    request.keep_out |= opts.no_store;
    let place = context.place(&settings);
    request.name_store = place.as_ref().is_ok_and(|p| p.named);
    let mut input = Stdin::new()?;
    let mut output = Output::stdout()?;
    let place = std::cell::Cell::new(Some(place));
    let open = || {
        survive_file_size_limit();
        widen_pipe();
        let place = place.take().unwrap_or_else(|| context.place(&settings))?;
        let store = Store::create(&place.root)?;
        if let Some(warning) = store.warning() {
            complain(warning);
        }
        Ok(store)
    };
    let outcome = rescue(&mut input, &mut output, &open, &request)?;
    if let Some(failure) = outcome.failure {
        complain(&format!("the text was not stored and is passed through whole: {failure}"));
    }
    if let Some(store) = outcome.store {
        sweep::sweep_if_due(&store, &retention(&settings), context.clock);
    }
    match input.stopped() {
        Some(signal) => Err(Failure::Signal(signal)),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Puts together what is to be done with a text, as the settings have it for its tool.
pub(super) fn request(context: &Context, settings: &Settings, source: Source) -> Request {
    let tool = Some(source.tool.as_str());
    let number = |key| settings.number(key, tool);
    let count = |key| settings.count(key, tool);
    let some = |n: u64| (n > 0).then_some(n);
    let mib = |key| some(number(key)).map(|n| n.saturating_mul(1 << 20));
    let kept_out = |pattern: &String| {
        matches(pattern, &source.tool) || source.command.as_ref().is_some_and(|command| matches(pattern, command))
    };
    Request {
        keep_out: settings.list(Key::KeepOut, tool).iter().any(kept_out),
        gate: Gate {
            max_chars: number(Key::MaxResultChars),
            max_bytes: some(number(Key::MaxResultBytes)),
            max_lines: some(number(Key::MaxResultLines)),
        },
        preview: PreviewOptions {
            excerpt_max: count(Key::ExcerptMaxChars),
            head_lines: count(Key::HeadLines),
            tail_lines: count(Key::TailLines),
            line_max: count(Key::LineMaxChars),
            signal_lines: count(Key::SignalLines),
            json_head_items: count(Key::JsonHeadItems),
            json_tail_items: count(Key::JsonTailItems),
        },
        limits: Limits { max_blob: mib(Key::MaxBlobMb), min_free: mib(Key::MinFreeMb) },
        now: context.now,
        name_store: false,
        source,
    }
}
