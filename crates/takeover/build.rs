//! Compiles what takes the system's functions over.

fn main() {
    println!("cargo:rerun-if-changed=src/system.c");
    compile::Build::new()
        .file("src/system.c")
        .flag("-std=gnu11")
        .flag("-fvisibility=hidden")
        .warnings_into_errors(true)
        .compile("takeover");
}
