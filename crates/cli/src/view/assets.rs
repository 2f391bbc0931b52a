//! The page, as bytes inside the program. No request reads from disk.

/// A file of the page.
pub struct Asset {
    /// Path in the address, without the leading slash.
    pub path: &'static str,
    pub media_type: &'static str,
    pub bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The file at a path of an address; `/` is the page itself.
pub fn find(path: &str) -> Option<&'static Asset> {
    let name = match path.strip_prefix('/')? {
        "" => "index.html",
        name => name,
    };
    ASSETS.iter().find(|asset| asset.path == name)
}
