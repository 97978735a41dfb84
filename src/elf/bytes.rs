//! Numbers and strings at places that may not be there.

use std::ffi::CStr;

/// Bytes that hold little-endian numbers and strings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    fn number<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.0.get(at..at.checked_add(N)?)?.try_into().ok()
    }

    pub fn u16(&self, at: usize) -> Option<u16> {
        self.number(at).map(u16::from_le_bytes)
    }

    pub fn u32(&self, at: usize) -> Option<u32> {
        self.number(at).map(u32::from_le_bytes)
    }

    pub fn u64(&self, at: usize) -> Option<u64> {
        self.number(at).map(u64::from_le_bytes)
    }

    /// All that follows `at`.
    pub fn from(&self, at: usize) -> Option<Bytes<'a>> {
        self.0.get(at..).map(Bytes)
    }

    /// The string that starts at `at` and ends with a zero byte.
    pub fn string(&self, at: u64) -> Option<String> {
        let text = CStr::from_bytes_until_nul(self.0.get(usize::try_from(at).ok()?..)?).ok()?;
        Some(text.to_string_lossy().into_owned())
    }
}
