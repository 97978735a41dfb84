//! What is said first on a connection.

/// What the worker answers that was looked for.
pub(super) const WELCOME: u8 = b'!';

/// What whoever connects says: whom it looks for, and who it is.
pub(super) const GREETING: usize = 24;

pub(super) fn greeting(to: u64, from: u64) -> [u8; GREETING] {
    let mut words = [0; GREETING];
    words[..SECRET].copy_from_slice(&secret(to));
    words[SECRET..].copy_from_slice(&from.to_le_bytes());
    words
}

/// Only those of the job can say this part of it.
const SECRET: usize = 16;

fn secret(to: u64) -> [u8; SECRET] {
    let mut words = [0; SECRET];
    words[..8].copy_from_slice(b"ftmpi 2\n");
    words[8..].copy_from_slice(&to.to_le_bytes());
    words
}

/// Who greets the worker `to` with this beginning; `Ok(None)`: that is not yet said.
pub(super) fn greeter(to: u64, said: &[u8]) -> Result<Option<u64>, ()> {
    let (secret, from) = said.split_at(said.len().min(SECRET));
    if !self::secret(to).starts_with(secret) {
        return Err(());
    }
    Ok(<[u8; 8]>::try_from(from).ok().map(u64::from_le_bytes))
}
