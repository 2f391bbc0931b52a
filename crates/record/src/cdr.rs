//! The subset of CDR (OMG DDS-XTypes 1.3, 7.4.3; classic, little endian) that messages use: numbers, strings and lists.
//! Every number is aligned to its size, counted from after the four bytes that name the encoding.

/// Classic CDR, little endian, no options.
const ENCAPSULATION: [u8; 4] = [0, 1, 0, 0];

/// A message under construction; the memory is kept from message to message.
#[derive(Debug, Default)]
pub struct CdrWriter {
    bytes: Vec<u8>,
}

impl CdrWriter {
    /// Begins a new message.
    pub fn begin(&mut self) -> &mut Self {
        self.bytes.clear();
        self.bytes.extend(ENCAPSULATION);
        self
    }
    /// The message.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
    fn align(&mut self, size: usize) {
        let used = self.bytes.len() - ENCAPSULATION.len();
        self.bytes.resize(ENCAPSULATION.len() + used.next_multiple_of(size), 0);
    }
    pub fn u64(&mut self, value: u64) {
        self.align(8);
        self.bytes.extend(value.to_le_bytes());
    }
    pub fn f64(&mut self, value: f64) {
        self.u64(value.to_bits());
    }
    pub fn u32(&mut self, value: u32) {
        self.align(4);
        self.bytes.extend(value.to_le_bytes());
    }
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }
    /// With the zero at its end that CDR counts.
    pub fn string(&mut self, text: &str) {
        self.u32(text.len() as u32 + 1);
        self.bytes.extend(text.as_bytes());
        self.bytes.push(0);
    }
    /// A list of numbers, copied as a block where numbers are little endian anyway. ROS aligns a list's elements only if
    /// there are any to align.
    pub fn f64_list(&mut self, values: &[f64]) {
        self.u32(values.len() as u32);
        if values.is_empty() {
            return;
        }
        self.align(8);
        let start = self.bytes.len();
        self.bytes.resize(start + 8 * values.len(), 0);
        for (place, value) in self.bytes[start..].as_chunks_mut::<8>().0.iter_mut().zip(values) {
            *place = value.to_le_bytes();
        }
    }
    pub fn u32_list(&mut self, count: usize, values: impl IntoIterator<Item = u32>) {
        self.u32(count as u32);
        for value in values {
            self.bytes.extend(value.to_le_bytes());
        }
    }
    pub fn u8_list(&mut self, count: usize, values: impl IntoIterator<Item = u8>) {
        self.u32(count as u32);
        self.bytes.extend(values);
    }
}

/// A message being read. Every read says whether there was enough.
#[derive(Debug)]
pub struct CdrReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> CdrReader<'a> {
    pub fn new(message: &'a [u8]) -> Option<Self> {
        Some(CdrReader { bytes: message.strip_prefix(&ENCAPSULATION)?, at: 0 })
    }
    /// Whether everything was read.
    pub fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }
    fn take(&mut self, align: usize, count: usize) -> Option<&'a [u8]> {
        let start = self.at.next_multiple_of(align);
        let end = start.checked_add(count)?;
        let bytes = self.bytes.get(start..end)?;
        self.at = end;
        Some(bytes)
    }
    pub fn u64(&mut self) -> Option<u64> {
        self.take(8, 8)?.try_into().ok().map(u64::from_le_bytes)
    }
    pub fn f64(&mut self) -> Option<f64> {
        self.u64().map(f64::from_bits)
    }
    fn u32(&mut self) -> Option<u32> {
        self.take(4, 4)?.try_into().ok().map(u32::from_le_bytes)
    }
    /// The bytes of a list: its length is believed only if they are there.
    fn list(&mut self, size: usize) -> Option<&'a [u8]> {
        let count = self.u32()? as usize;
        if count == 0 { Some(&[]) } else { self.take(size, count.checked_mul(size)?) }
    }
    pub fn f64_list(&mut self) -> Option<Vec<f64>> {
        let bytes = self.list(8)?;
        Some(bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect())
    }
    pub fn u32_list(&mut self) -> Option<Vec<u32>> {
        let bytes = self.list(4)?;
        Some(bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect())
    }
    pub fn u8_list(&mut self) -> Option<Vec<u8>> {
        Some(self.list(1)?.to_vec())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut writer = CdrWriter::default();
        for length in 0..5_u8 {
            let numbers: Vec<f64> = (0..length).map(|i| f64::from(i) / 3.0).collect();
            let message = writer.begin();
            message.u8_list(length.into(), 0..length);
            message.f64(-0.0);
            message.u32_list(length.into(), (0..length).map(u32::from));
            message.f64_list(&numbers);
            message.u64(u64::MAX);
            let mut reader = CdrReader::new(writer.bytes()).unwrap();
            assert_eq!(reader.u8_list().unwrap(), (0..length).collect::<Vec<_>>());
            assert_eq!(reader.f64().unwrap().to_bits(), (-0.0_f64).to_bits());
            assert_eq!(reader.u32_list().unwrap(), (0..length).map(u32::from).collect::<Vec<_>>());
            assert_eq!(reader.f64_list().unwrap(), numbers);
            assert_eq!(reader.u64(), Some(u64::MAX));
            assert!(reader.is_at_end());
        }
    }

    #[test]
    fn lengths_are_not_believed() {
        let mut message = ENCAPSULATION.to_vec();
        message.extend(u32::MAX.to_le_bytes());
        assert_eq!(CdrReader::new(&message).unwrap().f64_list(), None);
        assert_eq!(CdrReader::new(&message).unwrap().u8_list(), None);
        assert!(CdrReader::new(&[0, 0, 0, 0]).is_none());
    }
}
