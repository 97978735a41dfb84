//! Results, for people as a table and for programs as JSON; the same run writes the same bytes.

use ftmpi_base::json::quoted;
use std::fmt::Write;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Whole(u64),
    Real(f64),
    Text(String),
    List(Vec<Value>),
}

/// Names and values, in order.
#[derive(Clone, Debug, Default)]
pub struct Report(Vec<(&'static str, Value)>);

impl Report {
    pub fn add(&mut self, name: &'static str, value: impl Into<Value>) {
        self.0.push((name, value.into()));
    }

    /// One object on one line.
    pub fn json(&self) -> String {
        let fields =
            self.0.iter().map(|(name, value)| format!("{}:{}", quoted(name), value.json()));
        format!("{{{}}}\n", fields.collect::<Vec<_>>().join(","))
    }

    /// One line for each name.
    pub fn table(&self) -> String {
        let width = self.0.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let mut text = String::new();
        for (name, value) in &self.0 {
            let name = name.replace('_', " ");
            writeln!(text, "{name:width$}  {}", value.plain()).expect("a string takes all");
        }
        text
    }
}

impl Value {
    fn json(&self) -> String {
        match self {
            Value::Whole(whole) => whole.to_string(),
            Value::Real(real) if real.is_finite() => real.to_string(),
            Value::Real(_) => "null".into(),
            Value::Text(text) => quoted(text),
            Value::List(list) => {
                format!("[{}]", list.iter().map(Value::json).collect::<Vec<_>>().join(","))
            }
        }
    }

    fn plain(&self) -> String {
        match self {
            Value::Whole(whole) => whole.to_string(),
            Value::Real(real) => {
                let is_close = real.abs() < 0.01 || (0.99..1.0).contains(&real.abs());
                let digits = if is_close { 6 } else { 3 };
                format!("{real:.digits$}")
            }
            Value::Text(text) => text.clone(),
            Value::List(list) => {
                /// People read the first ones, and the last.
                const MOST: usize = 16;
                let plain =
                    |list: &[Value]| list.iter().map(Value::plain).collect::<Vec<_>>().join(" ");
                match list.split_last() {
                    Some((last, rest)) if list.len() > MOST => {
                        let (first, last) = (plain(&rest[..MOST - 1]), last.plain());
                        format!("{first} ... {last} ({} in all: --json)", list.len())
                    }
                    _ => plain(list),
                }
            }
        }
    }
}

impl From<u64> for Value {
    fn from(whole: u64) -> Value {
        Value::Whole(whole)
    }
}

impl From<usize> for Value {
    fn from(whole: usize) -> Value {
        Value::Whole(whole as u64)
    }
}

impl From<u32> for Value {
    fn from(whole: u32) -> Value {
        Value::Whole(u64::from(whole))
    }
}

impl From<f64> for Value {
    fn from(real: f64) -> Value {
        Value::Real(real)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_string())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(list: Vec<T>) -> Value {
        Value::List(list.into_iter().map(Into::into).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_a_table_or_json() {
        let mut report = Report::default();
        report.add("who", "a \"b\"\n");
        report.add("times", vec![0.5, f64::NAN]);
        report.add("hops_made", 12u32);
        let json = "{\"who\":\"a \\\"b\\\"\\n\",\"times\":[0.5,null],\"hops_made\":12}\n";
        assert_eq!(report.json(), json);
        assert!(report.table().contains("hops made  12\n"));
        report.add("all", (0..1000u32).collect::<Vec<_>>());
        assert!(report.table().contains("13 14 ... 999 (1000 in all: --json)\n"));
        assert!(report.json().contains(",13,14,15,16,"));
    }
}
