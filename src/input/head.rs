//! A stream whose first bytes have been looked at.

use std::io::{self, BufRead, Read};

use super::content::{Content, LENGTH};

/// What begins some texts that were saved on Windows.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A stream that gives back the first bytes, which were read to tell what it is.
pub(super) struct Head<R> {
    head: [u8; LENGTH],
    /// What of the head has not been given back yet.
    at: usize,
    end: usize,
    content: Content,
    rest: R,
}

impl<R: Read> Head<R> {
    /// Reads the first bytes.
    pub fn read(mut rest: R) -> io::Result<Self> {
        let mut head = [0; LENGTH];
        let mut end = 0;
        while end < LENGTH {
            match rest.read(&mut head[end..]) {
                Ok(0) => break,
                Ok(count) => end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let is_marked = head[..end].starts_with(BYTE_ORDER_MARK);
        Ok(Head {
            head,
            at: if is_marked { BYTE_ORDER_MARK.len() } else { 0 },
            end,
            content: Content::of(&head[..end]),
            rest,
        })
    }
}

impl<R> Head<R> {
    /// What the stream is.
    pub fn content(&self) -> Content {
        self.content
    }

    /// The stream behind the first bytes.
    #[cfg(feature = "compression")]
    pub fn get_ref(&self) -> &R {
        &self.rest
    }

    /// The stream without its first bytes.
    pub fn into_inner(self) -> R {
        self.rest
    }
}

impl<R: Read> Read for Head<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let mut head = &self.head[self.at..self.end];
        if head.is_empty() {
            return self.rest.read(room);
        }
        let count = head.read(room)?;
        self.at += count;
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Head<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at < self.end {
            return Ok(&self.head[self.at..self.end]);
        }
        self.rest.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        if self.at < self.end {
            self.at += count;
        } else {
            self.rest.consume(count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(data: &[u8]) -> Vec<u8> {
        let mut head = Head::read(data).unwrap();
        let mut all = Vec::new();
        head.read_to_end(&mut all).unwrap();
        all
    }

    #[test]
    fn nothing_is_lost_but_the_byte_order_mark() {
        for text in ["", "a", "abcd", "abcde", "events: Ir\n"] {
            assert_eq!(through(text.as_bytes()), text.as_bytes());
            assert_eq!(
                through(format!("\u{feff}{text}").as_bytes()),
                text.as_bytes()
            );
        }
        assert_eq!(through(b"\xef\xbbx"), b"\xef\xbbx");
    }
}
