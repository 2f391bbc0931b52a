//! Problem and solution files.
