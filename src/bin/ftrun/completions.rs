//! `ftrun completions SHELL`: what a shell needs to complete a command line. The options come from
//! the text of `--help`.

use crate::shared::refusal::Refusal;
use crate::{calibrate, doctor, explore, help, shared};
use std::ffi::OsString;
use std::process::ExitCode;

/// The first word of a command line that asks for this.
pub(crate) const NAME: &str = "completions";

/// First words that are no program.
const COMMANDS: [&str; 4] = [explore::NAME, doctor::NAME, calibrate::NAME, NAME];

/// An option of the help text.
#[derive(Debug, Default, PartialEq, Eq)]
struct Listed {
    names: Vec<String>,
    /// What follows: the words to choose from, or none if it is anything.
    value: Option<Vec<String>>,
    about: String,
}

pub(crate) fn main(called: &str, words: &[OsString]) -> ExitCode {
    let options = options(&help::page(called));
    let text = match words {
        [shell] if shell == "bash" => bash(called, &options),
        [shell] if shell == "zsh" => zsh(called, &options),
        [shell] if shell == "fish" => fish(called, &options),
        _ => {
            let why = format!("for which shell? {called} {NAME} bash, zsh or fish");
            return Refusal::usage(why).say(called);
        }
    };
    shared::print(called, &text)
}

/// The options that the help text describes, each once.
fn options(page: &str) -> Vec<Listed> {
    let mut found: Vec<Listed> = Vec::new();
    let lines = page.lines().skip_while(|line| *line != "OPTIONS").skip(1);
    for line in lines.take_while(|line| line.is_empty() || line.starts_with(' ')) {
        let text = line.trim_start();
        match line.len() - text.len() {
            4 if text.starts_with('-') => found.push(listed(text)),
            22 => {
                let about = found.last_mut().map(|option| &mut option.about);
                about.into_iter().filter(|about| !about.contains(". ")).for_each(|about| {
                    about.push_str(if about.is_empty() { "" } else { " " });
                    about.push_str(text);
                });
            }
            _ => {}
        }
    }
    // Those without a description are named in a sentence that says that they have no effect.
    let mut once: Vec<Listed> = Vec::new();
    for mut option in found.into_iter().filter(|option| !option.about.is_empty()) {
        option.about = first_sentence(&option.about);
        match once.iter_mut().find(|known| known.names == option.names) {
            Some(known) => {
                let words = known.value.get_or_insert_default();
                words.extend(option.value.into_iter().flatten());
            }
            None => once.push(option),
        }
    }
    once
}

/// An option, from the line with which its description begins.
fn listed(line: &str) -> Listed {
    let (head, about) = match line.find("  ") {
        Some(end) => line.split_at(end),
        // A name that leaves one space before its description.
        None if line.len() > 18 && line[..18].ends_with(' ') => line.split_at(18),
        None => (line, ""),
    };
    let mut option = Listed { about: about.trim().to_string(), ..Listed::default() };
    for form in head.trim_end().split(", ") {
        let (name, value) = form.split_once([' ', '=']).unwrap_or((form, ""));
        option.names.push(name.trim_end_matches(['[', ']']).to_string());
        // What only may follow does so without a space.
        if !value.is_empty() && !form.contains("[=") {
            let is_word = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            let words = value.split('|').filter(is_word).map(str::to_string);
            option.value = Some(words.collect());
        }
    }
    option
}

fn first_sentence(text: &str) -> String {
    let end = [". ", ": "].iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    text[..end].trim_end_matches(['.', ':']).to_string()
}

/// The names of all options that have a value.
fn valued(options: &[Listed]) -> String {
    let valued = options.iter().filter(|option| option.value.is_some());
    valued.flat_map(|option| option.names.clone()).collect::<Vec<_>>().join("|")
}

fn bash(called: &str, options: &[Listed]) -> String {
    let all: Vec<&str> =
        options.iter().flat_map(|option| &option.names).map(String::as_str).collect();
    let mut cases = String::new();
    for option in options {
        if let Some(words) = option.value.as_ref().filter(|words| !words.is_empty()) {
            let (names, words) = (option.names.join("|"), words.join(" "));
            cases += &format!("        {names}) _{called}_take -W \"{words}\"; return ;;\n");
        }
    }
    let (valued, all, commands) = (valued(options), all.join(" "), COMMANDS.join(" "));
    format!(
        "# What completes a command line of {called}, for bash.
_{called}_take() {{
    mapfile -t COMPREPLY < <(compgen \"$@\" -- \"$word\")
}}
_{called}() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} at
    COMPREPLY=()
    for ((at = 1; at < COMP_CWORD; at++)); do
        case ${{COMP_WORDS[at]}} in
        {valued}) ((at++)) ;;
        -*) ;;
        *) _{called}_take -f; return ;;
        esac
    done
    case $before in
{cases}        {valued}) _{called}_take -f; return ;;
    esac
    case $word in
    -*) _{called}_take -W \"{all}\" ;;
    *) _{called}_take -f
       ((COMP_CWORD > 1)) || mapfile -t -O ${{#COMPREPLY[@]}} COMPREPLY < <(
           compgen -W \"{commands}\" -- \"$word\") ;;
    esac
}}
complete -o filenames -F _{called} {called}
"
    )
}

fn zsh(called: &str, options: &[Listed]) -> String {
    let mut text = format!("#compdef {called}\n_arguments \\\n");
    for option in options {
        let about = option.about.replace('\'', "’").replace('[', "(").replace(']', ")");
        let value = match &option.value {
            None => String::new(),
            Some(words) if words.is_empty() => ":value:_files".to_string(),
            Some(words) => format!(":value:({})", words.join(" ")),
        };
        for name in &option.names {
            text += &format!("    '{name}[{about}]{value}' \\\n");
        }
    }
    text += &format!("    '1:program:_files' '*::arguments:_files'\n# {}\n", COMMANDS.join(", "));
    text
}

fn fish(called: &str, options: &[Listed]) -> String {
    let mut text = format!("# What completes a command line of {called}, for fish.\n");
    for option in options {
        let about = option.about.replace('\\', "\\\\").replace('\'', "\\'");
        let value = match &option.value {
            None => String::new(),
            Some(words) if words.is_empty() => " -r -F".to_string(),
            Some(words) => format!(" -x -a '{}'", words.join(" ")),
        };
        for name in &option.names {
            let bare = name.trim_start_matches('-');
            let kind = match (name.starts_with("--"), bare.len()) {
                (true, _) => "-l",
                (false, 1) => "-s",
                (false, _) => "-o",
            };
            text += &format!("complete -c {called} {kind} {bare}{value} -d '{about}'\n");
        }
    }
    for command in COMMANDS {
        text += &format!("complete -c {called} -n __fish_is_first_arg -a {command}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_those_of_the_help_text() {
        let page = "NAME\n    x\n\nOPTIONS\n  Ranks\n    -n N, -np N       Run N ranks. More.\n\
                    \x20   --kind one|two\n                      Choose: it\n\
                    \x20                     matters.\n    --tight-name-here Tell all.\n\
                    \x20   --kind three      Or this.\n\nEXAMPLES\n    --none\n";
        let option = |names: &[&str], value: Option<&[&str]>, about: &str| Listed {
            names: names.iter().map(ToString::to_string).collect(),
            value: value.map(|words| words.iter().map(ToString::to_string).collect()),
            about: about.to_string(),
        };
        assert_eq!(
            options(page),
            [
                option(&["-n", "-np"], Some(&[]), "Run N ranks"),
                option(&["--kind"], Some(&["one", "two", "three"]), "Choose"),
                option(&["--tight-name-here"], None, "Tell all"),
            ]
        );
    }

    #[test]
    fn every_option_of_ours_has_a_name_and_a_description() {
        let options = options(&help::page("ftrun"));
        assert!(options.len() > 30, "{}", options.len());
        for option in options {
            assert!(option.names.iter().all(|name| name.starts_with('-')), "{option:?}");
            assert!(!option.about.is_empty(), "{option:?}");
        }
    }
}
