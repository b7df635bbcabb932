//! Compiles picoquic, and picotls beside it, from the folder that `WINDTUNNEL_SOURCE` names: their own files and settings, and one file of ours.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// picotls's `core`, `minicrypto` and `openssl`, as its CMakeLists.txt lists them.
const PICOTLS: &[&str] = &[
    "lib/hpke.c",
    "lib/picotls.c",
    "lib/pembase64.c",
    "lib/cifra.c",
    "lib/cifra/x25519.c",
    "lib/cifra/chacha20.c",
    "lib/cifra/aes128.c",
    "lib/cifra/aes256.c",
    "lib/cifra/random.c",
    "lib/minicrypto-pem.c",
    "lib/uecc.c",
    "lib/asn1.c",
    "lib/ffx.c",
    "lib/openssl.c",
    "deps/micro-ecc/uECC.c",
    "deps/cifra/src/aes.c",
    "deps/cifra/src/blockwise.c",
    "deps/cifra/src/chacha20.c",
    "deps/cifra/src/chash.c",
    "deps/cifra/src/curve25519.c",
    "deps/cifra/src/drbg.c",
    "deps/cifra/src/hmac.c",
    "deps/cifra/src/gcm.c",
    "deps/cifra/src/gf128.c",
    "deps/cifra/src/modes.c",
    "deps/cifra/src/poly1305.c",
    "deps/cifra/src/sha256.c",
    "deps/cifra/src/sha512.c",
];
const PICOTLS_INCLUDES: &[&str] = &["include", "deps/cifra/src/ext", "deps/cifra/src", "deps/micro-ecc"];

fn main() {
    println!("cargo:rerun-if-env-changed=WINDTUNNEL_SOURCE");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=c");
    let picoquic = PathBuf::from(env::var_os("WINDTUNNEL_SOURCE").expect("WINDTUNNEL_SOURCE names picoquic's folder"));
    let picotls = picoquic.parent().expect("it is not the root").join("picotls");
    for folder in [&picoquic, &picotls] {
        println!("cargo:rerun-if-changed={}", folder.display());
    }
    let text = read(&picoquic.join("picoquic/picoquic.h"));
    let version =
        text.split("#define PICOQUIC_VERSION \"").nth(1).and_then(|rest| rest.split('"').next()).expect("picoquic.h says its version");
    println!("cargo:rustc-env=PICOQUIC_VERSION={version}");

    let mut build = cc::Build::new();
    // As their CMakeLists.txt compile a release.
    build.std("gnu11").opt_level(3).warnings(false).define("NDEBUG", None).define("PTLS_WITHOUT_FUSION", None).define("_GNU_SOURCE", None);
    for flag in ["-fno-signed-zeros", "-fno-trapping-math"] {
        build.flag_if_supported(flag);
    }
    build.include(picoquic.join("picoquic"));
    build.includes(PICOTLS_INCLUDES.iter().map(|folder| picotls.join(folder)));
    build.files(listed(&picoquic).into_iter().map(|file| picoquic.join(file)));
    build.files(PICOTLS.iter().map(|file| picotls.join(file)));
    build.file("c/end.c");
    build.compile("picoquic");
    println!("cargo:rustc-link-lib=crypto");
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The files of picoquic's core library, as its CMakeLists.txt lists them.
fn listed(picoquic: &Path) -> Vec<String> {
    let text = read(&picoquic.join("CMakeLists.txt"));
    let list = text.split("set(PICOQUIC_LIBRARY_FILES").nth(1).and_then(|rest| rest.split(')').next());
    list.expect("CMakeLists.txt lists PICOQUIC_LIBRARY_FILES").split_whitespace().map(str::to_owned).collect()
}
