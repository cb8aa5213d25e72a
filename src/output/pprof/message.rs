//! The wire format of protocol buffers.

/// A message in the wire format of protocol buffers.
#[derive(Default)]
pub(super) struct Message(pub Vec<u8>);

impl Message {
    /// A message with these numbers as the fields 1, 2 and so on.
    pub fn of<const FIELDS: usize>(numbers: [u64; FIELDS]) -> Self {
        let fields = (1..).zip(numbers);
        fields.fold(Message::default(), |message, (field, number)| {
            message.number(field, number)
        })
    }

    /// Adds a number of variable length: 7 bits per byte, the lowest first.
    fn varint(mut self, mut number: u64) -> Self {
        while number > 0x7f {
            self.0.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.0.push(number.to_le_bytes()[0]);
        self
    }

    /// Adds a field that is a number.
    pub fn number(self, field: u64, number: u64) -> Self {
        self.varint(field << 3).varint(number)
    }

    /// Adds the tag and the length of a field. Its bytes must follow.
    pub fn head(self, field: u64, bytes: u64) -> Self {
        self.varint(field << 3 | 2).varint(bytes)
    }

    /// Adds a field that is a message.
    pub fn message(self, field: u64, message: &Message) -> Self {
        let mut all = self.head(field, message.0.len() as u64);
        all.0.extend(&message.0);
        all
    }

    /// Adds a field that is a list of numbers.
    pub fn packed(self, field: u64, numbers: impl Iterator<Item = u64> + Clone) -> Self {
        let bytes = |number: u64| u64::from((number | 1).ilog2() / 7 + 1);
        let all = self.head(field, numbers.clone().map(bytes).sum());
        numbers.fold(all, Message::varint)
    }
}
