//! The header and its twin in Rust: a C compiler says where the fields of the header are.

mod common;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn the_header_and_its_twin_have_every_field_in_the_same_place() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("abi");
    fs::create_dir_all(&folder).unwrap();
    let mut program = String::from("#include <stdio.h>\n#include <stddef.h>\n#include \"windtunnel.h\"\nint main(void)\n{\n");
    let mut expected = format!("abi {}\n", guest::ABI);
    program.push_str("\tprintf(\"abi %u\\n\", WT_ABI);\n");
    for (name, size, fields) in guest::layout() {
        writeln!(program, "\tprintf(\"{name} %zu\\n\", sizeof(struct {name}));").unwrap();
        writeln!(expected, "{name} {size}").unwrap();
        for (field, place) in fields {
            writeln!(program, "\tprintf(\"{name}.{field} %zu\\n\", offsetof(struct {name}, {field}));").unwrap();
            writeln!(expected, "{name}.{field} {place}").unwrap();
        }
    }
    program.push_str("\treturn 0;\n}\n");
    let (source, built) = (folder.join("layout.c"), folder.join("layout"));
    fs::write(&source, program).unwrap();
    fs::write(folder.join("windtunnel.h"), guest::HEADER).unwrap();
    let strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];
    assert!(Command::new("cc").args(strict).arg(&source).arg("-o").arg(&built).status().unwrap().success());
    let said = Command::new(&built).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&said.stdout), expected);
}

/// A field that is new in the header and not in its twin would move no other: every word between two fields must be one of ours.
#[test]
fn the_twin_has_every_field_of_the_header() {
    let mut inside = None;
    let mut declared = std::collections::BTreeMap::<String, usize>::new();
    let text = guest::HEADER.split("*/").map(|part| part.split("/*").next().unwrap_or_default()).collect::<String>();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("struct ").and_then(|rest| rest.strip_suffix(" {")) {
            inside = Some(name.to_owned());
        } else if line == "};" {
            inside = None;
        } else if let Some(name) = inside.as_ref().filter(|_| line.ends_with(';')) {
            *declared.entry(name.clone()).or_default() += 1;
        }
    }
    let ours = guest::layout().into_iter().map(|(name, _, fields)| (name.to_owned(), fields.len())).collect();
    assert_eq!(declared, ours);
}
