//! What the members in one process have published, in one piece for other processes: the length of
//! each, in the order of their ranks, and then the data of each.

/// How long a bundle of so many members is that have so many bytes together.
pub(super) const fn bytes_of_bundle(members: usize, bytes: usize) -> usize {
    2 * members + bytes
}

/// A bundle in the making.
pub(super) struct Bundle(Vec<u8>);

impl Bundle {
    /// Of members whose data have these lengths, which are to be [added](Bundle::add).
    pub(super) fn of(lengths: impl Iterator<Item = usize>) -> Bundle {
        let length = |bytes: usize| u16::try_from(bytes).expect("data are short").to_ne_bytes();
        Bundle(lengths.flat_map(length).collect())
    }

    /// Room for the data of the next member.
    pub(super) fn add(&mut self, bytes: usize) -> &mut [u8] {
        let start = self.0.len();
        self.0.resize(start + bytes, 0);
        &mut self.0[start..]
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Where the data of each of so many members are in a bundle; `None`: it is none, as its process
/// has gone mad.
pub(super) fn parts(bundle: &[u8], members: usize) -> Option<Vec<&[u8]>> {
    let (lengths, mut rest) = bundle.split_at_checked(2 * members)?;
    let length = |bytes: &[u8]| usize::from(u16::from_ne_bytes([bytes[0], bytes[1]]));
    let part = |bytes: &[u8]| {
        let (part, others) = rest.split_at_checked(length(bytes))?;
        rest = others;
        Some(part)
    };
    lengths.chunks_exact(2).map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_bundled_is_found_again_and_what_is_no_bundle_is_not() {
        let data: [&[u8]; 3] = [b"one", b"", b"three"];
        let mut bundle = Bundle::of(data.iter().map(|data| data.len()));
        data.iter().for_each(|data| bundle.add(data.len()).copy_from_slice(data));
        assert_eq!(bundle.bytes().len(), bytes_of_bundle(3, 8));
        assert_eq!(parts(bundle.bytes(), 3), Some(data.to_vec()));
        assert_eq!(parts(bundle.bytes(), 8), None);
        assert_eq!(parts(&bundle.bytes()[..7], 3), None);
        assert_eq!(parts(&[], 1), None);
    }
}
