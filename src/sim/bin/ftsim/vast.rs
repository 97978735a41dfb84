//! `ftsim max --topology hashed`: the global maximum on networks too large to store their lists.

use ftmpi_cli::Words;
use ftmpi_sim::natural::hashed::Hashed;
use ftmpi_sim::natural::max::share_unknowing;
use ftmpi_sim::output::remark;
use ftmpi_sim::report::Report;
use std::time::Instant;

/// The most nodes, two numbers for each: more would need machines with more memory.
const MOST_NODES: u32 = 1 << 31;

/// Larger networks report their progress.
const MANY: u32 = 10_000_000;

pub(crate) fn max(mut words: Words) -> Result<String, String> {
    let nodes: u32 = words.number("nodes", 1 << 27)?;
    let neighbours = words.number("neighbours", 4)?;
    if !(2..=MOST_NODES).contains(&nodes) || neighbours == 0 || neighbours > 64 {
        return Err(format!(
            "--nodes {nodes} --neighbours {neighbours}: use 2 to {MOST_NODES} nodes, each with 1 \
             to 64 neighbours"
        ));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (seed, ticks) = (words.number("seed", 1)?, words.number("ticks", 100_000)?);
    let threads = words.number("threads", cores)?;
    if threads == 0 || threads > 256 {
        return Err(format!("--threads {threads}: use 1 to 256"));
    }
    let usual_time = words.number("at", 0)?;
    let deaths = words.all("kill");
    let deaths = deaths.iter().map(|text| dying(text, nodes, usual_time));
    let deaths = deaths.collect::<Result<_, String>>()?;
    let (is_json, is_quiet) = (words.has("json"), words.has("quiet"));
    words.done()?;
    let began = Instant::now();
    let watch = |tick, news| {
        if !is_quiet && nodes > MANY {
            let seconds = began.elapsed().as_secs_f64();
            remark("ftsim", &format!("tick {tick}: {news} have learned something, {seconds:.1} s"));
        }
    };
    let told = Hashed { nodes, neighbours, seed, deaths }.run(ticks, threads, watch);
    if !is_quiet {
        let memory = peak_megabytes().map(|peak| format!(", {peak:.0} MB")).unwrap_or_default();
        let seconds = began.elapsed().as_secs_f64();
        remark("ftsim", &format!("done after {seconds:.1} s{memory}"));
    }
    let spread = told.spread;
    let mut report = Report::default();
    report.add("network", format!("hashed({neighbours})"));
    report.add("nodes", nodes);
    report.add("seed", seed);
    report.add("ticks", told.learned.len());
    report.add("deaths", nodes as usize - spread.survivors);
    report.add("learned_by_tick", told.learned);
    report.add("survivors", spread.survivors);
    report.add("hops", spread.hops);
    report.add("unknowing", spread.unknowing);
    let dead = 1.0 - spread.survivors as f64 / f64::from(nodes);
    let expected = share_unknowing(dead, neighbours) * spread.survivors as f64;
    report.add("unknowing_expected", expected);
    Ok(if is_json { report.json() } else { report.table() })
}

/// Reads `10%`, `1000` or either with `@TICK`.
fn dying(text: &str, nodes: u32, usual_time: u64) -> Result<(u64, u32), String> {
    let no = || format!("--kill {text}: on hashed lists, use 10%, 1000 or 10%@5");
    let (who, at) = match text.split_once('@') {
        Some((who, at)) => (who, at.trim().parse().map_err(|_| no())?),
        None => (text, usual_time),
    };
    let count = match who.trim().strip_suffix('%') {
        None => who.trim().parse().map_err(|_| no())?,
        Some(percent) => {
            let percent: f64 = percent.trim().parse().map_err(|_| no())?;
            let share = Some(percent / 100.0).filter(|share| (0.0..=1.0).contains(share));
            (share.ok_or_else(no)? * f64::from(nodes)).round() as u32
        }
    };
    Ok((at, count))
}

/// The peak memory of this process.
fn peak_megabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes * 1024.0 / 1e6)
}
