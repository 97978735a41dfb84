//! Infos: ordered pairs of key and value (MPI-5.0 §10).

use crate::mpi::error::{Class, Result};
use parking_lot::Mutex;

/// The longest key and value, without the null byte of C.
pub const MAX_KEY: usize = 255;
pub const MAX_VALUE: usize = 1023;

/// An info object.
#[derive(Default)]
pub struct Info(Mutex<Vec<(Vec<u8>, Vec<u8>)>>);

impl Info {
    pub fn new(pairs: Vec<(Vec<u8>, Vec<u8>)>) -> Info {
        Info(Mutex::new(pairs))
    }

    /// A copy that goes its own way.
    pub fn duplicate(&self) -> Info {
        Info(Mutex::new(self.0.lock().clone()))
    }

    /// Sets `key` to `value`, in its old place if it has one.
    pub fn set(&self, key: &[u8], value: &[u8]) -> Result {
        check_key(key)?;
        if value.len() > MAX_VALUE {
            let words = format!("value has {} bytes; at most {MAX_VALUE} fit", value.len());
            return Err(Class::INFO_VALUE.because(words));
        }
        let mut pairs = self.0.lock();
        match pairs.iter_mut().find(|(known, _)| known == key) {
            Some(pair) => pair.1 = value.to_vec(),
            None => pairs.push((key.to_vec(), value.to_vec())),
        }
        Ok(())
    }

    /// The value of `key`.
    pub fn value(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        check_key(key)?;
        let pairs = self.0.lock();
        Ok(pairs.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone()))
    }

    /// Takes `key` out.
    pub fn delete(&self, key: &[u8]) -> Result {
        check_key(key)?;
        let mut pairs = self.0.lock();
        let Some(index) = pairs.iter().position(|(known, _)| known == key) else {
            let key = String::from_utf8_lossy(key);
            return Err(Class::INFO_NOKEY.because(format!("the info holds no key `{key}`")));
        };
        pairs.remove(index);
        Ok(())
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.0.lock().len()
    }

    /// The key at place `n`.
    pub fn key(&self, n: i32) -> Result<Vec<u8>> {
        let pairs = self.0.lock();
        let key = usize::try_from(n).ok().and_then(|n| pairs.get(n)).map(|(key, _)| key.clone());
        key.ok_or_else(|| {
            Class::ARG.because(format!("n is {n}; the info holds {} keys, from 0", pairs.len()))
        })
    }
}

fn check_key(key: &[u8]) -> Result {
    if key.is_empty() || key.len() > MAX_KEY {
        let words = format!("key has {} bytes; it must have 1 to {MAX_KEY}", key.len());
        return Err(Class::INFO_KEY.because(words));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_places() {
        let info = Info::default();
        for (key, value) in [("b", "1"), ("a", "2"), ("b", "3")] {
            info.set(key.as_bytes(), value.as_bytes()).expect("fine");
        }
        assert_eq!(info.len(), 2);
        assert_eq!(info.key(0), Ok(b"b".to_vec()));
        assert_eq!(info.value(b"b"), Ok(Some(b"3".to_vec())));
        info.delete(b"b").expect("there");
        assert_eq!(info.key(0), Ok(b"a".to_vec()));
        assert!(info.delete(b"b").is_err());
        assert!(info.key(1).is_err());
    }

    #[test]
    fn keys_and_values_have_limits() {
        let info = Info::default();
        assert!(info.set(&[b'k'; MAX_KEY], &[b'v'; MAX_VALUE]).is_ok());
        assert!(info.set(&[b'k'; MAX_KEY + 1], b"").is_err());
        assert!(info.set(b"", b"").is_err());
        assert!(info.set(b"k", &[b'v'; MAX_VALUE + 1]).is_err());
    }
}
