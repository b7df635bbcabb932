//! Reads a file with the crate `qlog` and prints what it has understood: the opening record, then an event a line. What it takes for an event of no
//! schema it knows ends it with an error, and so does a record that it cannot read.

use qlog::reader::{Event, QlogSeqReader};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give a file")?;
    let records = std::fs::read(&path)?.iter().filter(|&&byte| byte == 0x1e).count();
    let reader = QlogSeqReader::with_file(&path)?;
    println!("{}", serde_json::to_string(&reader.qlog)?);
    let mut events = 0;
    for event in reader {
        match event {
            Event::Qlog(event) => println!("{}", serde_json::to_string(&event)?),
            Event::Json(event) => return Err(format!("an event of no known schema: {event:?}").into()),
        }
        events += 1;
    }
    if events + 1 != records {
        return Err(format!("{events} events of {} records", records - 1).into());
    }
    Ok(())
}
