//! What a compiler says, about the user's files alone.

/// The errors of a compiler's output as `file:line: what`, of files that `is_own` knows. What goes wrong within our headers is said at
/// the place in the user's file where it begins.
pub(crate) fn errors(output: &str, is_own: impl Fn(&str) -> bool) -> Vec<String> {
    let lines: Vec<&str> = output.lines().collect();
    let mut found: Vec<String> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let Some(said) = Said::of(line).filter(|said| said.kind.ends_with("error")) else { continue };
        let place = if is_own(said.file) {
            Some((said.file, said.line))
        } else {
            let notes = lines[number + 1..].iter().map_while(|line| Said::of(line).filter(|said| said.kind == "note"));
            let before = lines[..number].iter().rev().map_while(|line| included_from(line));
            notes.map(|note| (note.file, note.line)).chain(before).find(|(file, _)| is_own(file))
        };
        let Some((file, line)) = place else { continue };
        let text = format!("{file}:{line}: {}", said.what);
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

/// One line of a compiler: `file:line:column: kind: what`.
struct Said<'a> {
    file: &'a str,
    line: &'a str,
    kind: &'a str,
    what: &'a str,
}

impl Said<'_> {
    fn of(line: &str) -> Option<Said<'_>> {
        let kinds = [": fatal error: ", ": error: ", ": note: "];
        let (at, kind) = kinds.into_iter().filter_map(|kind| line.find(kind).map(|at| (at, kind))).min()?;
        let mut place = line[..at].rsplitn(3, ':');
        let (column, row, file) = (place.next()?, place.next()?, place.next());
        // Without a column what seems to be the line is the end of the name.
        let (file, row) = match file {
            Some(file) if row.bytes().all(|byte| byte.is_ascii_digit()) => (file, row),
            _ => (&line[..at - column.len() - 1], column),
        };
        Some(Said { file, line: row, kind: kind.trim_matches([':', ' ']), what: &line[at + kind.len()..] })
    }
}

/// `In file included from file:line:` or `from file:line,`.
fn included_from(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix("In file included ").unwrap_or(line).trim_start().strip_prefix("from ")?;
    let rest = rest.trim_end_matches([',', ':']);
    let mut parts = rest.rsplitn(3, ':');
    let (last, middle, first) = (parts.next()?, parts.next()?, parts.next());
    match first {
        Some(file) if middle.bytes().all(|byte| byte.is_ascii_digit()) => Some((file, middle)),
        _ => Some((&rest[..rest.len() - last.len() - 1], last)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_our_headers_are_said_where_the_users_file_makes_them() {
        let output = "In file included from /h/linux/module.h:1,\n                 from mine.c:3:\n\
                      /h/windtunnel/module.h:61:91: error: 'X_charp' undeclared here (not in a function)\n\
                      /h/windtunnel/module.h:60:1: note: in expansion of macro 'module_param_named'\n\
                      mine.c:17:1: note: in expansion of macro 'module_param'\n\
                      mine.c:20:3: error: expected ';' before 'return'\n\
                      mine.c:20:3: error: expected ';' before 'return'\nmine.c:21:3: warning: unused\n";
        let found = errors(output, |file| file == "mine.c");
        assert_eq!(found, ["mine.c:17: 'X_charp' undeclared here (not in a function)", "mine.c:20: expected ';' before 'return'"]);
    }

    #[test]
    fn an_error_without_notes_is_said_at_the_inclusion() {
        let output =
            "In file included from /h/net/tcp.h:1,\n                 from mine.c:3:\n/h/windtunnel/tcp.h:61:9: fatal error: no room\n";
        assert_eq!(errors(output, |file| file == "mine.c"), ["mine.c:3: no room"]);
        assert_eq!(errors("mine.c:4: error: old\n", |file| file == "mine.c"), ["mine.c:4: old"]);
        assert_eq!(errors("collect2: error: ld returned 1 exit status\n", |file| file == "mine.c"), [""; 0]);
    }
}
