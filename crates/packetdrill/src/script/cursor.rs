//! A place in the text of a script.

/// The text from a place on, and the number of its line.
pub(super) struct Cursor<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Cursor<'a> {
        Cursor { rest: text, line: 1 }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    pub(super) fn line(&self) -> usize {
        self.line
    }

    pub(super) fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next `bytes`.
    pub(super) fn advance(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    /// What is left of the line.
    pub(super) fn take_line(&mut self) -> &'a str {
        self.advance(self.rest.find('\n').unwrap_or(self.rest.len()))
    }

    /// What comes before `end`, which is taken too.
    pub(super) fn take_until(&mut self, end: &str) -> Option<&'a str> {
        let found = self.rest.find(end)?;
        let text = self.advance(found);
        self.advance(end.len());
        Some(text)
    }

    /// Blanks, line ends and comments.
    pub(super) fn skip_blank(&mut self) {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.advance(blank);
            if self.rest.starts_with("//") {
                self.take_line();
            } else if self.rest.starts_with("/*") {
                if self.take_until("*/").is_none() {
                    self.advance(self.rest.len());
                }
            } else {
                return;
            }
        }
    }

    /// A packet: the line, and further ones while its options are open. Without comments.
    pub(super) fn take_packet(&mut self) -> String {
        let direction = self.advance(1);
        let mut text = direction.to_owned();
        loop {
            text += self.take_line().split("//").next().unwrap_or("");
            let opened = text[1..].matches('<').count();
            if opened <= text[1..].matches('>').count() || self.is_done() {
                return text;
            }
            text += " ";
            self.advance(1);
        }
    }

    /// What stands between this bracket and the one that closes it, without comments.
    pub(super) fn take_brackets(&mut self) -> Option<String> {
        let mut depth = 0;
        let mut quoted = false;
        let mut text = String::new();
        loop {
            if !quoted && self.rest.starts_with("//") {
                self.take_line();
                continue;
            }
            let sign = self.rest.chars().next()?;
            self.advance(sign.len_utf8());
            match sign {
                '"' => quoted = !quoted,
                '(' | '[' | '{' if !quoted => depth += 1,
                ')' | ']' | '}' if !quoted => depth -= 1,
                _ => {}
            }
            text.push(if sign == '\n' { ' ' } else { sign });
            if depth == 0 {
                return Some(text[1..text.len() - 1].to_owned());
            }
        }
    }
}
