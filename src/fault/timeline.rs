//! The calls of all ranks over time, for a viewer such as Perfetto or for a table: what `--trace`
//! writes into a file whose name ends in `.json` or `.csv`.

use ftmpi_base::Member;
use ftmpi_base::json::quoted;
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

/// What a timeline is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Chrome's trace events, which Perfetto shows.
    Events,
    /// One line for each call.
    Table,
}

impl Form {
    /// The form for a file of this name; none: it is no timeline.
    pub fn of(path: &str) -> Option<Form> {
        match Path::new(path).extension()?.to_str()? {
            "json" => Some(Form::Events),
            "csv" => Some(Form::Table),
            _ => None,
        }
    }

    /// What comes before the rows of a job of this name, to which several processes add.
    pub fn head(self, name: &str) -> String {
        let name = quoted(name);
        match self {
            Form::Table => TABLE_HEAD.to_string(),
            Form::Events => format!(
                "[\n{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\
                 \"args\":{{\"name\":{name}}}}}"
            ),
        }
    }
}

impl Form {
    /// The complete rows in a piece of a timeline, without what joins them.
    pub fn rows(self, text: &str) -> impl Iterator<Item = &str> {
        let is_events = self == Form::Events;
        let rows = text.split('\n').map(move |row| match is_events {
            true => row.strip_suffix(',').unwrap_or(row),
            false => row,
        });
        let is_row = move |row: &&str| match is_events {
            true => row.starts_with('{') && row.ends_with(LAST_OF_ROW),
            false => !row.is_empty(),
        };
        rows.filter(is_row)
    }

    /// A row with what joins it to others.
    pub fn joined(self, row: &str) -> String {
        match self {
            Form::Events => format!(",\n{row}"),
            Form::Table => format!("{row}\n"),
        }
    }

    /// The length of this piece up to its last complete row: more rows can follow there. A row that
    /// is written in part comes after that, and so does what ends a timeline.
    pub fn whole(self, text: &[u8]) -> usize {
        let line_before = |end: usize| text[..end].iter().rposition(|byte| *byte == b'\n');
        let mut end = text.len();
        if self == Form::Table {
            return line_before(end).map_or(0, |at| at + 1);
        }
        while end > 0 && !text[..end].ends_with(LAST_OF_ROW.as_bytes()) {
            end = match text[end - 1] {
                b',' | b'\n' => end - 1,
                _ => line_before(end).unwrap_or(0),
            };
        }
        end
    }
}

/// Each row of events ends with this, and no part of one does.
const LAST_OF_ROW: &str = "}}";

const TABLE_HEAD: &str = "rank,life,what,begin_ns,end_ns,class\n";

/// Makes the rows of what happens.
pub struct Timeline {
    form: Form,
    /// Who is in which call, and since when.
    inside: HashMap<Member, (String, Duration)>,
    is_begun: bool,
}

impl Timeline {
    pub fn new(form: Form) -> Timeline {
        Timeline { form, inside: HashMap::new(), is_begun: false }
    }

    /// A timeline to which several processes add: whoever has written its [head](Form::head) also
    /// writes its end.
    pub fn shared(form: Form) -> Timeline {
        Timeline { is_begun: true, ..Timeline::new(form) }
    }

    /// `who` enters a call.
    pub fn enters(&mut self, who: Member, call: &str, at: Duration) {
        self.inside.insert(who, (call.to_string(), at));
    }

    /// The call in which `who` is has ended with this error class.
    pub fn leaves(&mut self, who: Member, class: i32, at: Duration) -> String {
        let Some((call, begun)) = self.inside.remove(&who) else { return String::new() };
        self.row(who, &call, (begun, at), Some(class))
    }

    /// `who` has ended, perhaps within a call, which then has no end of its own.
    pub fn dies(&mut self, who: Member, what: &str, at: Duration) -> String {
        let mut text = self.leaves(who, -1, at);
        text += &self.happens(who, what, at);
        text
    }

    /// Something has happened to `who`, perhaps within a call, which goes on.
    pub fn happens(&mut self, who: Member, what: &str, at: Duration) -> String {
        self.row(who, what, (at, at), None)
    }

    /// Something has happened to the job.
    pub fn notes(&mut self, what: &str, at: Duration) -> String {
        match self.form {
            Form::Events => {
                let place = format!("\"pid\":0,\"tid\":0,\"ts\":{},\"args\":{{}}", micros(at));
                let what = quoted(what);
                self.form.joined(&format!("{{\"ph\":\"i\",\"s\":\"g\",\"name\":{what},{place}}}"))
            }
            Form::Table => {
                let (at, what) = (at.as_nanos(), what.replace('"', "\"\""));
                self.form.joined(&format!(",,\"{what}\",{at},{at},"))
            }
        }
    }

    /// What comes last.
    pub fn end(&mut self) -> String {
        match (self.form, self.is_begun) {
            (Form::Events, true) => "\n]\n".to_string(),
            (Form::Events, false) => "[]\n".to_string(),
            (Form::Table, _) => String::new(),
        }
    }

    fn row(
        &mut self, who: Member, what: &str, (begun, ended): (Duration, Duration),
        class: Option<i32>,
    ) -> String {
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        let Member { seat, incarnation } = who;
        if self.form == Form::Table {
            let head = if is_first { TABLE_HEAD } else { "" };
            let (begun, ended) = (begun.as_nanos(), ended.as_nanos());
            let class = class.map_or(String::new(), |class| class.to_string());
            let what = what.replace('"', "\"\"");
            return format!("{head}{seat},{incarnation},\"{what}\",{begun},{ended},{class}\n");
        }
        let (head, what) = (if is_first { "[\n" } else { ",\n" }, quoted(what));
        let (begun, took) = (micros(begun), micros(ended.saturating_sub(begun)));
        let place = format!("\"name\":{what},\"pid\":0,\"tid\":{seat},\"ts\":{begun}");
        match class {
            Some(class) => format!(
                "{head}{{\"ph\":\"X\",{place},\"dur\":{took},\
                 \"args\":{{\"life\":{incarnation},\"class\":{class}}}}}"
            ),
            None => format!(
                "{head}{{\"ph\":\"i\",\"s\":\"t\",{place},\"args\":{{\"life\":{incarnation}}}}}"
            ),
        }
    }
}

fn micros(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHO: Member = Member { seat: 3, incarnation: 1 };

    fn written(form: Form) -> String {
        let mut timeline = Timeline::new(form);
        let at = Duration::from_nanos;
        timeline.enters(WHO, "MPI_Send", at(1500));
        let mut text = timeline.leaves(WHO, 0, at(2750));
        timeline.enters(WHO, "MPI_Recv", at(3000));
        text += &timeline.dies(WHO, "death: \"9\"", at(4000));
        text += &timeline.leaves(WHO, 0, at(5000));
        text + &timeline.end()
    }

    #[test]
    fn events_are_an_array_of_calls_and_moments() {
        let events = written(Form::Events);
        let rows: Vec<&str> = events.lines().collect();
        assert_eq!(
            rows,
            [
                "[",
                "{\"ph\":\"X\",\"name\":\"MPI_Send\",\"pid\":0,\"tid\":3,\"ts\":1.5,\"dur\":1.25,\
                 \"args\":{\"life\":1,\"class\":0}},",
                "{\"ph\":\"X\",\"name\":\"MPI_Recv\",\"pid\":0,\"tid\":3,\"ts\":3,\"dur\":1,\
                 \"args\":{\"life\":1,\"class\":-1}},",
                "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"death: \\\"9\\\"\",\"pid\":0,\"tid\":3,\
                 \"ts\":4,\"args\":{\"life\":1}}",
                "]",
            ]
        );
        assert_eq!(Timeline::new(Form::Events).end(), "[]\n");
    }

    #[test]
    fn several_add_to_one_array_and_one_ends_it() {
        let at = Duration::from_nanos(3);
        let row = || Timeline::shared(Form::Events).happens(WHO, "generation 1", at);
        let text = Form::Events.head("a \"b\"") + &row() + &row();
        let text = text + &Timeline::shared(Form::Events).end();
        let commas = text.lines().filter(|line| line.ends_with("},")).count();
        assert!(text.starts_with("[\n{") && text.ends_with("}\n]\n") && commas == 2, "{text}");
        assert!(text.contains("{\"name\":\"a \\\"b\\\"\"}"), "{text}");
    }

    #[test]
    fn another_goes_on_with_the_rows_that_are_whole() {
        let at = Duration::from_nanos(3);
        for form in [Form::Events, Form::Table] {
            let mut timeline = Timeline::shared(form);
            let mut ends = vec![form.head("a").len()];
            let mut text = form.head("a");
            for number in 0..3 {
                timeline.enters(WHO, "MPI_Send", at);
                text += &match number {
                    0 => timeline.leaves(WHO, 0, at),
                    1 => timeline.happens(WHO, "generation 1", at),
                    _ => timeline.notes("b goes on", at),
                };
                ends.push(text.len());
            }
            assert_eq!(form.rows(&text).count(), 4, "{text}");
            let again: String = form.rows(&text).skip(1).map(|row| form.joined(row)).collect();
            assert_eq!(form.head("a") + &again, text);
            text += &timeline.end();
            for length in 0..=text.len() {
                let whole = ends.iter().rfind(|end| **end <= length).copied().unwrap_or(0);
                assert_eq!(form.whole(&text.as_bytes()[..length]), whole, "{}", &text[..length]);
            }
        }
    }

    #[test]
    fn a_table_has_a_line_for_each_call() {
        assert_eq!(
            written(Form::Table),
            "rank,life,what,begin_ns,end_ns,class\n3,1,\"MPI_Send\",1500,2750,0\n\
             3,1,\"MPI_Recv\",3000,4000,-1\n3,1,\"death: \"\"9\"\"\",4000,4000,\n"
        );
    }

    #[test]
    fn the_name_of_the_file_says_which_form_it_has() {
        assert_eq!(Form::of("a/trace.json"), Some(Form::Events));
        assert_eq!(Form::of("t.csv"), Some(Form::Table));
        assert_eq!(Form::of("/dev/null"), None);
    }
}
