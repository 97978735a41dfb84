//! Programs of others that some uses need.

use super::finding::{Finding, State, first_line};
use ftmpi_elf::{Kind, libraries};

/// A program: how it is asked for its version, what to know if it is there, and what is lacking
/// without it.
struct Tool {
    subject: &'static str,
    asked: &'static [&'static str],
    with: &'static str,
    without: &'static str,
}

const TOOLS: [Tool; 3] = [
    Tool {
        subject: "gdb",
        asked: &["gdb", "--version"],
        with: "",
        without: "not found: install it to look into ranks (docs/TOOLS.md)",
    },
    Tool {
        subject: "Slurm",
        asked: &["srun", "--version"],
        with: ": allocate one node, and call ftrun in it (`srun -N 1 -n 1 -c CORES ftrun …`)",
        without: "no srun: only needed on a cluster whose jobs it starts; on such a cluster, load \
                  its module or ask who runs it",
    },
    Tool {
        subject: "PMIx",
        asked: &["pmix_info", "--version"],
        with: ": not used, ftrun starts ranks itself",
        without: "no pmix_info: not needed, ftrun starts ranks itself; another MPI's launcher that \
                  needs it comes with it (Debian: `apt-get install libpmix-bin`)",
    },
];

pub(super) fn findings() -> Vec<Finding> {
    TOOLS.iter().map(finding).chain([ucx()]).collect()
}

/// The library that carries messages between hosts by networks that are faster than TCP.
fn ucx() -> Finding {
    const NAME: &str = "libucp.so.0";
    let found = std::env::current_exe().ok().and_then(|own| {
        let Ok(Kind::Elf(elf)) = ftmpi_elf::look(&own) else { return None };
        let search = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        Some(libraries::find(NAME, &own, &elf, &search)?.0)
    });
    match found {
        Some(path) => Finding::new(State::Good, "UCX", path.display().to_string()),
        None => {
            let words = format!(
                "no {NAME}: only needed on several hosts with InfiniBand or RoCE \
                 (docs/CLUSTERS.md); Debian: `apt-get install libucx0`"
            );
            Finding::new(State::Lacking, "UCX", words)
        }
    }
}

fn finding(tool: &Tool) -> Finding {
    match first_line(tool.asked[0], &tool.asked[1..]) {
        Some(version) => Finding::new(State::Good, tool.subject, version + tool.with),
        None => Finding::new(State::Lacking, tool.subject, tool.without),
    }
}
