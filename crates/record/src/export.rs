//! Recordings as tables.

use crate::{Reader, RecordError};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes `bodies.csv` (one row per body and state), `steps.csv` (one per step) and, if contacts were recorded,
/// `contacts.csv` (one per contact and step) into a folder, which is made if needed. Numbers read back bit for bit.
pub fn export_csv(reader: &mut Reader, folder: impl AsRef<Path>) -> Result<(), RecordError> {
    let folder = folder.as_ref();
    let open = |cause: io::Error| RecordError::Open { path: folder.to_owned(), cause };
    std::fs::create_dir_all(folder).map_err(open)?;
    bodies(reader, table(folder, "bodies.csv")?)?;
    steps(reader, table(folder, "steps.csv")?)?;
    if reader.contact_steps() > 0 {
        contacts(reader, table(folder, "contacts.csv")?)?;
    }
    Ok(())
}

fn table(folder: &Path, name: &str) -> Result<BufWriter<File>, RecordError> {
    let path = folder.join(name);
    match File::create(&path) {
        Ok(file) => Ok(BufWriter::new(file)),
        Err(cause) => Err(RecordError::Open { path, cause }),
    }
}

fn bodies(reader: &mut Reader, mut file: impl Write) -> Result<(), RecordError> {
    let names: Vec<String> = reader.header().bodies.iter().map(|name| quoted(name)).collect();
    writeln!(file, "step,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,asleep,quarantined")
        .map_err(RecordError::Write)?;
    for index in 0..reader.frames() {
        let frame = reader.frame(index)?;
        for (body, (name, (pose, velocity))) in names.iter().zip(frame.poses.iter().zip(&frame.velocities)).enumerate()
        {
            let mut row = format!("{},{:?},{name}", frame.step, frame.time);
            for value in pose.iter().chain(velocity) {
                row += &format!(",{value:?}");
            }
            // Empty where the recording does not tell.
            row += &match frame.flags.get(body) {
                Some(flags) => format!(",{},{}", u8::from(flags.asleep), u8::from(flags.quarantined)),
                None => ",,".to_owned(),
            };
            writeln!(file, "{row}").map_err(RecordError::Write)?;
        }
    }
    file.flush().map_err(RecordError::Write)
}

/// The columns are the fields of all reports, nested ones joined by points: `certificate.overlap.value`. Lists are one
/// column, their entries apart by a stroke.
fn steps(reader: &mut Reader, mut file: impl Write) -> Result<(), RecordError> {
    // A first step without contact has no velocity certificate, so the columns are known after a look at all.
    let mut columns: Vec<String> = Vec::new();
    for index in 0..reader.steps() {
        let mut fields = Vec::new();
        flatten("", &reader.step(index)?, &mut fields);
        // New ones come behind their neighbours.
        let mut at = 0;
        for (name, _) in fields {
            at = match columns.iter().position(|column| *column == name) {
                Some(known) => known + 1,
                None => {
                    columns.insert(at, name);
                    at + 1
                }
            };
        }
    }
    // A field that is null in one step and a table in another has no column of its own.
    let tables: BTreeSet<String> =
        columns.iter().flat_map(|c| c.match_indices('.').map(|(dot, _)| c[..dot].to_owned())).collect();
    columns.retain(|column| !tables.contains(column));
    writeln!(file, "{}", columns.join(",")).map_err(RecordError::Write)?;
    for index in 0..reader.steps() {
        let mut fields = Vec::new();
        flatten("", &reader.step(index)?, &mut fields);
        let value = |column: &String| match fields.iter().find(|(name, _)| name == column) {
            Some((_, value)) => value.clone(),
            None => String::new(),
        };
        writeln!(file, "{}", columns.iter().map(value).collect::<Vec<_>>().join(",")).map_err(RecordError::Write)?;
    }
    file.flush().map_err(RecordError::Write)
}

fn flatten(name: &str, value: &Value, fields: &mut Vec<(String, String)>) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                flatten(&name, value, fields);
            }
        }
        Value::Array(entries) => {
            let text = |entry: &Value| match entry {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            fields.push((name.to_owned(), quoted(&entries.iter().map(text).collect::<Vec<_>>().join("|"))));
        }
        Value::Null => fields.push((name.to_owned(), String::new())),
        Value::String(text) => fields.push((name.to_owned(), quoted(text))),
        other => fields.push((name.to_owned(), other.to_string())),
    }
}

fn contacts(reader: &mut Reader, mut file: impl Write) -> Result<(), RecordError> {
    let names: Vec<String> = reader.header().bodies.iter().map(|name| quoted(name)).collect();
    let titles = "step,time,first,second,state,x,y,z,nx,ny,nz,gap,rx,ry,rz,ux,uy,uz";
    writeln!(file, "{titles}").map_err(RecordError::Write)?;
    for index in 0..reader.contact_steps() {
        let contacts = reader.contacts(index)?;
        for i in 0..contacts.gaps.len() {
            let [a, b] = contacts.bodies[i].map(|body| names[body as usize].as_str());
            let mut row = format!("{},{:?},{a},{b},{}", contacts.step, contacts.time, contacts.states[i].name());
            let numbers = contacts.points[i].iter().chain(&contacts.normals[i]).chain([&contacts.gaps[i]]);
            for value in numbers.chain(&contacts.impulses[i]).chain(&contacts.velocities[i]) {
                row += &format!(",{value:?}");
            }
            writeln!(file, "{row}").map_err(RecordError::Write)?;
        }
    }
    file.flush().map_err(RecordError::Write)
}

/// RFC 4180: what holds a separator, a quote or a line end stands in quotes.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
