//! Random matching between 2 to 8 ranks, checked by the receivers (see the program).
//!
//! `FTMPI_MATCHING_SEED=7 cargo test --release --test matching` replays that seed;
//! `FTMPI_MATCHING_RUNS=100` tries that many seeds.

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().expect("a number"))
}

#[test]
fn every_receive_gets_the_message_that_the_standard_gives_it() {
    let flags = ["-O2", "-Wall", "-Wextra", "-Wno-unused-function"];
    let program = support::c("matching.c").flags(&flags).build();
    let first = number("FTMPI_MATCHING_SEED").unwrap_or(1);
    for seed in first..first + number("FTMPI_MATCHING_RUNS").unwrap_or(6) {
        for ranks in [2, 3, 5, 8] {
            support::run(&program).ranks(ranks).args([seed.to_string()]).succeeds();
        }
    }
}
