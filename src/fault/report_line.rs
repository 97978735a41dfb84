//! Failures as lines of JSON, for `ftrun --report`.

use crate::chronicle::{Cure, Incident};
use ftmpi_base::json::quoted;
use ftmpi_machine::berths::Relocation;
use std::time::Duration;

/// The line about one failure.
pub fn line(incident: &Incident) -> String {
    let micros = |time: Duration| time.as_micros().to_string();
    let since_death = |time: Option<Duration>| {
        time.map_or("null".to_string(), |time| micros(time.saturating_sub(incident.died)))
    };
    let outcome = match (incident.cure, incident.committed) {
        (Cure::End, _) => "job ended",
        (Cure::Continue, _) => "others went on",
        (Cure::Recover, Some(_)) => "recovered",
        (Cure::Recover, None) => "not recovered",
    };
    let generation =
        incident.committed.map_or("null".to_string(), |(_, number)| number.to_string());
    let fields = [
        ("rank", incident.member.seat.to_string()),
        ("incarnation", incident.member.incarnation.to_string()),
        ("at_us", micros(incident.died)),
        ("cause", quoted(&incident.cause)),
        ("words", quoted(&incident.words)),
        ("ordered", incident.order.as_deref().map_or("null".to_string(), quoted)),
        ("noticed_by", quoted(incident.source)),
        ("mode", quoted(incident.mode)),
        ("outcome", quoted(outcome)),
        ("generation", generation),
        ("detection_us", since_death(incident.recorded)),
        ("first_notice_us", since_death(incident.noticed.map(|(first, _)| first))),
        ("last_notice_us", since_death(incident.noticed.map(|(_, last)| last))),
        ("agreement_us", since_death(incident.agreed)),
        ("respawn_us", since_death(incident.respawned)),
        ("total_us", since_death(incident.committed.map(|(at, _)| at))),
    ];
    let process = incident.process.map(|process| ("process", process.to_string()));
    object(fields.into_iter().chain(process).chain(place(incident)))
}

/// The line about a node without a rank that has failed.
pub fn lost_spare(node: usize, at: Duration) -> String {
    let rank = "null".to_string();
    object([("rank", rank), ("at_us", at.as_micros().to_string()), ("node", node.to_string())])
}

/// The node of the failure and the ranks that moved, on a simulated machine.
fn place(incident: &Incident) -> Vec<(&'static str, String)> {
    let Some(node) = incident.node else { return Vec::new() };
    let mut fields = vec![("node", node.to_string())];
    let Some(Relocation { method, moves, collisions, .. }) = &incident.relocation else {
        return fields;
    };
    let moves = moves.iter().map(|step| format!("[{},{},{}]", step.rank, step.from, step.to));
    let method = method.map_or("none".to_string(), |method| method.to_string());
    fields.extend([
        ("substitution", quoted(&method)),
        ("moves", format!("[{}]", moves.collect::<Vec<_>>().join(","))),
        ("collisions_before", collisions[0].to_string()),
        ("collisions_after", collisions[1].to_string()),
    ]);
    fields
}

/// The line about a takeover: this host goes on with the job.
pub fn takeover_line(host: &str, at: Duration) -> String {
    object([
        ("rank", "null".to_string()),
        ("at_us", at.as_micros().to_string()),
        ("cause", quoted("takeover")),
        ("words", quoted(&takeover_words(host))),
    ])
}

/// The sentence about a takeover.
pub fn takeover_words(host: &str) -> String {
    format!("the coordinator is lost; host {host} goes on with the job")
}

/// The failure that a line is about: equal for two lines about one failure, whatever else they say.
pub fn subject(line: &str) -> &str {
    match line.split_once(",\"at_us\"") {
        Some((subject, _)) if !subject.ends_with("null") => subject,
        _ => line,
    }
}

/// An object of these fields, whose values are JSON already.
pub fn object(fields: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let fields = fields.into_iter().map(|(name, value)| format!("\"{name}\":{value}"));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftmpi_base::Member;

    #[test]
    fn lines_about_one_failure_have_one_subject() {
        let life = |incarnation| {
            let member = Member { seat: 3, incarnation };
            Incident::new(member, Duration::from_micros(5), Cure::Recover, "rebuild")
        };
        let (early, next) = (line(&life(1)), line(&life(2)));
        let late = line(&Incident { died: Duration::from_micros(6), ..life(1) });
        assert!(early != late && subject(&early) == subject(&late));
        assert_ne!(subject(&early), subject(&next));
        let [first, second] = [1, 2].map(|at| takeover_line("b", Duration::from_micros(at)));
        assert_ne!(subject(&first), subject(&second), "each takeover is told");
        assert_eq!(
            first,
            "{\"rank\":null,\"at_us\":1,\"cause\":\"takeover\",\"words\":\"the coordinator is \
             lost; host b goes on with the job\"}"
        );
    }

    #[test]
    fn a_line_is_json_whatever_the_words_are() {
        let member = Member { seat: 3, incarnation: 1 };
        let mut incident =
            Incident::new(member, Duration::from_micros(500), Cure::Recover, "rebuild");
        incident.order = Some("call:3".into());
        incident.recorded = Some(Duration::from_micros(530));
        assert_eq!(
            line(&incident),
            "{\"rank\":3,\"incarnation\":1,\"at_us\":500,\"cause\":\"\",\"words\":\"\",\
             \"ordered\":\"call:3\",\"noticed_by\":\"host\",\"mode\":\"rebuild\",\
             \"outcome\":\"not recovered\",\"generation\":null,\"detection_us\":30,\
             \"first_notice_us\":null,\"last_notice_us\":null,\"agreement_us\":null,\
             \"respawn_us\":null,\"total_us\":null}"
        );
        incident.committed = Some((Duration::from_micros(900), 4));
        let line = line(&incident);
        assert!(
            line.contains("\"recovered\",\"generation\":4") && line.ends_with("\"total_us\":400}")
        );
        incident.process = Some(2);
        assert!(super::line(&incident).ends_with("\"total_us\":400,\"process\":2}"));
    }
}
