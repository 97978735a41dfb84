//! A table as a picture and as data.

use super::plot::plain;
use super::svg::{Anchor, line, sheet, text};
use crate::report::Report;

#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    pub title: String,
    /// The first one names the columns.
    pub rows: Vec<Vec<String>>,
    /// The notes below, line by line.
    pub notes: Vec<String>,
}

/// The average width of a letter, and the height of a row.
const LETTER: f64 = 6.4;
const ROW: f64 = 22.0;
const LEFT: f64 = 20.0;
const GAP: f64 = 22.0;

impl Sheet {
    fn widths(&self) -> Vec<f64> {
        let columns = self.rows.first().map_or(0, Vec::len);
        let longest = |column: usize| {
            let letters = self.rows.iter().map(|row| row[column].chars().count());
            letters.max().unwrap_or(0) as f64 * LETTER + GAP
        };
        (0..columns).map(longest).collect()
    }

    pub fn svg(&self) -> String {
        let widths = self.widths();
        let longest = |lines: &[String]| {
            lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) as f64 * LETTER
        };
        let table: f64 = widths.iter().sum();
        let title = self.title.chars().count() as f64 * LETTER * 1.25;
        let width = table.max(longest(&self.notes)).max(title) + 2.0 * LEFT;
        let mut svg = text((LEFT, 24.0), Anchor::Start, " font-size=\"15\"", &self.title);
        let mut y = 30.0;
        for (row, at) in self.rows.iter().zip(0..) {
            y += ROW;
            let look = if at == 0 { " font-weight=\"bold\"" } else { "" };
            let mut x = LEFT;
            for (cell, width) in row.iter().zip(&widths) {
                svg += &text((x, y), Anchor::Start, look, cell);
                x += width;
            }
            let pen = if at == 0 { "#000000" } else { "#dddddd" };
            let under = format!(" stroke=\"{pen}\"");
            svg += &line((LEFT, y + 6.0), (LEFT + table, y + 6.0), &under);
        }
        for note in &self.notes {
            y += ROW;
            svg += &text((LEFT, y), Anchor::Start, " font-style=\"italic\"", note);
        }
        sheet(width, y + 16.0, &svg)
    }

    /// For people: columns below each other.
    pub fn text(&self) -> String {
        let widths = self.widths().into_iter().map(|width| ((width - GAP) / LETTER).round());
        let widths: Vec<usize> = widths.map(|letters| letters as usize).collect();
        let row = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
        };
        let notes: String = self.notes.iter().map(|note| format!("\n{note}\n")).collect();
        self.rows.iter().map(row).collect::<String>() + &notes
    }

    pub fn csv(&self) -> String {
        let row = |row: &Vec<String>| {
            row.iter().map(|cell| plain(cell)).collect::<Vec<_>>().join(",") + "\n"
        };
        self.rows.iter().map(row).collect()
    }

    pub fn report(&self) -> Report {
        let mut report = Report::default();
        report.add("title", self.title.as_str());
        report.add("rows", self.rows.clone());
        report
    }
}
