//! From a C file to a shared library in the cache: what is there already is not made again.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Output};

use sha2::{Digest, Sha256};

use crate::abi::ABI;
use crate::diagnostics;
use crate::dialect::{FLAGS, FLAGS_OF_FILE, HEADERS, NAMED, NAMES, PASTES, SHIM, WITHOUT};
use crate::error::GuestError;

/// Where and with what files are compiled.
#[derive(Clone, Debug)]
pub struct Workshop {
    /// The folder that keeps what was made; made when it is not there.
    pub cache: PathBuf,
    /// The C compiler's command.
    pub compiler: String,
}

/// The parameters of `cong_control`: up to Linux 6.9, and since.
const FORMS: [u32; 2] = [4, 2];

/// A file of the user's, and everything that belongs to it.
struct Sources {
    /// The file first, then modules whose functions it uses.
    units: Vec<PathBuf>,
    /// Every file with its content.
    contents: Vec<(PathBuf, Vec<u8>)>,
}

impl Sources {
    fn read(file: &Path) -> Result<Sources, GuestError> {
        let mut sources = Sources { units: vec![file.to_owned()], contents: Vec::new() };
        let mut next = 0;
        while next < sources.units.len() {
            let unit = sources.units[next].clone();
            sources.add(&unit, file)?;
            next += 1;
        }
        Ok(sources)
    }

    /// A file and the files that it includes in quotes. Beside the header `x.h` stands the module `x.c`: it is part of the library.
    fn add(&mut self, path: &Path, file: &Path) -> Result<(), GuestError> {
        if self.contents.iter().any(|(known, _)| known == path) {
            return Ok(());
        }
        let read = fs::read(path).map_err(|error| GuestError::new(file, format!("{} cannot be read: {error}", path.display())))?;
        let included: Vec<PathBuf> = quoted(&String::from_utf8_lossy(&read)).map(|name| path.with_file_name(name)).collect();
        self.contents.push((path.to_owned(), read));
        for header in included.into_iter().filter(|header| header.is_file()) {
            let module = header.with_extension("c");
            if header.extension() == Some(OsStr::new("h")) && module.is_file() && !self.units.contains(&module) {
                self.units.push(module);
            }
            self.add(&header, file)?;
        }
        Ok(())
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.contents[0].1).into_owned()
    }

    /// Flags for the shim: what none of the files asks for.
    fn without(&self) -> Vec<&'static str> {
        let has = |word: &str| self.contents.iter().any(|(_, text)| text.windows(word.len()).any(|part| part == word.as_bytes()));
        let unused = |word: &str| !has(PASTES) && !has(word);
        WITHOUT.into_iter().filter(|(word, _)| unused(word)).map(|(_, flag)| flag).collect()
    }

    /// Writes copies into a folder, to be compiled against something else: units by their numbers, `unit_0.c` the file itself,
    /// each of which begins by saying what the user calls it; what they include by its own name.
    fn copy(&self, into: &Path) -> std::io::Result<()> {
        let home = self.units[0].parent().unwrap_or(Path::new(""));
        for (path, content) in &self.contents {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let (place, head) = match self.units.iter().position(|unit| unit == path) {
                Some(number) => {
                    (PathBuf::from(format!("unit_{number}.c")), format!("#line 1 \"{}\"\n", name.replace(['"', '\\', '\n'], "_")))
                }
                // What lies above the file is not found there either, which the compiler says.
                None => match path.strip_prefix(home) {
                    Ok(inner) if inner.components().all(|part| matches!(part, Component::Normal(_))) => (inner.to_owned(), String::new()),
                    _ => continue,
                },
            };
            let at = into.join(place);
            fs::create_dir_all(at.parent().unwrap_or(into))?;
            fs::write(at, [head.as_bytes(), content].concat())?;
        }
        Ok(())
    }

    /// Leaves copies in the cache beside the library.
    fn keep(&self, workshop: &Workshop, file: &Path, key: &str) -> Result<(), GuestError> {
        let place = workshop.cache.join(format!("{key}.source"));
        if place.is_dir() {
            return Ok(());
        }
        let bench = Bench::new(workshop, file, key)?;
        self.copy(&bench.0).map_err(|error| unwritable(workshop, file, &error))?;
        match fs::rename(&bench.0, &place) {
            // Another process was faster: what it left is the same.
            Err(error) if !place.is_dir() => Err(unwritable(workshop, file, &error)),
            _ => Ok(()),
        }
    }
}

/// The names of files that a text includes in quotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start().strip_prefix('"')?;
        rest.split_once('"').map(|(name, _)| name)
    })
}

/// Some letters that stand for all these bytes.
fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A folder for what is half done, gone when this is.
struct Bench(PathBuf);

impl Bench {
    fn new(workshop: &Workshop, file: &Path, key: &str) -> Result<Bench, GuestError> {
        use std::sync::atomic::{AtomicU64, Ordering};
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let place = workshop.cache.join(format!("{key}.{}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
        fs::create_dir_all(&place).map_err(|error| unwritable(workshop, file, &error))?;
        Ok(Bench(place))
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // What is left is never read: its name is of this process alone.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn unwritable(workshop: &Workshop, file: &Path, error: &std::io::Error) -> GuestError {
    GuestError::new(file, format!("{} cannot be written: {error}; give a writable cache", workshop.cache.display()))
}

/// A shared library in the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// What tells it from every other: sixteen hexadecimal digits over the content of the file, of what belongs to it, and what built it.
    pub key: String,
    /// Where it is.
    pub library: PathBuf,
}

/// A copy of a shared library in the cache: what happens to the file later changes nothing.
pub(crate) fn copied(file: &Path, workshop: &Workshop) -> Result<Made, GuestError> {
    let content = fs::read(file).map_err(|error| GuestError::new(file, format!("cannot be read: {error}")))?;
    let name = file.file_name().unwrap_or_default().as_encoded_bytes();
    let key = digest([b"library".as_slice(), &ABI.to_le_bytes(), name, &content]);
    let library = workshop.cache.join(format!("{key}.so"));
    if !library.is_file() {
        let bench = Bench::new(workshop, file, &key)?;
        let copy = bench.0.join("made.so");
        fs::write(&copy, &content).and_then(|()| fs::rename(&copy, &library)).map_err(|error| unwritable(workshop, file, &error))?;
    }
    Ok(Made { key, library })
}

/// The shared library that `file` makes.
pub(crate) fn compiled(file: &Path, workshop: &Workshop) -> Result<Made, GuestError> {
    let sources = Sources::read(file)?;
    let text = sources.text();
    if !text.contains("tcp_congestion_ops") {
        let what = "defines no tcp_congestion_ops: a controller in C is a file as it would stand in the kernel's net/ipv4";
        return Err(GuestError::new(file, what));
    }
    let version = version(file, workshop)?;
    let recipe = recipe();
    let mut parts = vec![version.as_bytes(), recipe.as_bytes()];
    for (path, content) in &sources.contents {
        parts.extend([path.file_name().unwrap_or_default().as_encoded_bytes(), content]);
    }
    let key = digest(parts);
    let made = workshop.cache.join(format!("{key}.so"));
    if made.is_file() {
        sources.keep(workshop, file, &key)?;
        return Ok(Made { key, library: made });
    }
    let headers = headers(file, workshop)?;
    let bench = Bench::new(workshop, file, &key)?;
    // Of the two forms of this hook only the file knows which it has.
    let forms = if text.contains("cong_control") { &FORMS[..] } else { &FORMS[..1] };
    let without = sources.without();
    let mut outcome = Ok(());
    for &form in forms {
        outcome = Job { file, workshop, headers: &headers, bench: &bench.0, form, without: &without }.run(&sources.units);
        let is_other_form = outcome.as_ref().is_err_and(|error: &GuestError| error.what.contains("incompatible pointer"));
        if !is_other_form {
            break;
        }
    }
    outcome?;
    sources.keep(workshop, file, &key)?;
    fs::rename(bench.0.join("made.so"), &made).map_err(|error| unwritable(workshop, file, &error))?;
    Ok(Made { key, library: made })
}

/// All that we add to a file.
fn recipe() -> String {
    let flags = FLAGS.iter().chain(&FLAGS_OF_FILE).copied().chain(WITHOUT.iter().flat_map(|(word, flag)| [*word, *flag]));
    digest(HEADERS.iter().flat_map(|(name, text)| [*name, *text]).chain(NAMES).chain([NAMED, SHIM]).chain(flags).map(str::as_bytes))
}

/// What the compiler calls itself.
fn version(file: &Path, workshop: &Workshop) -> Result<String, GuestError> {
    let said = Command::new(&workshop.compiler).arg("--version").output().ok().filter(|output| output.status.success());
    said.map(|output| format!("{} {}", workshop.compiler, String::from_utf8_lossy(&output.stdout)))
        .ok_or_else(|| GuestError::new(file, format!("needs a C compiler, and {} does not start: install gcc or clang", workshop.compiler)))
}

/// The folder with our headers.
fn headers(file: &Path, workshop: &Workshop) -> Result<PathBuf, GuestError> {
    let key = recipe();
    let place = workshop.cache.join(format!("headers-{key}"));
    if place.is_dir() {
        return Ok(place);
    }
    let bench = Bench::new(workshop, file, &key)?;
    let write = |name: &str, text: &str| {
        let at = bench.0.join(name);
        fs::create_dir_all(at.parent().unwrap_or(&bench.0)).and_then(|()| fs::write(at, text))
    };
    let written = HEADERS.into_iter().chain(NAMES.map(|name| (name, NAMED))).try_for_each(|(name, text)| write(name, text));
    written.and_then(|()| write("shim.c", SHIM)).map_err(|error| unwritable(workshop, file, &error))?;
    match fs::rename(&bench.0, &place) {
        // Another process was faster: what it made is the same.
        Err(error) if !place.is_dir() => Err(unwritable(workshop, file, &error)),
        _ => Ok(place),
    }
}

/// One attempt.
struct Job<'a> {
    file: &'a Path,
    workshop: &'a Workshop,
    headers: &'a Path,
    bench: &'a Path,
    form: u32,
    without: &'a [&'static str],
}

impl Job<'_> {
    fn run(&self, units: &[PathBuf]) -> Result<(), GuestError> {
        let mut objects = vec![self.shim()?];
        for (number, unit) in units.iter().enumerate() {
            let object = self.bench.join(format!("{number}.o"));
            let mut command = self.compiler(&object);
            command.args(FLAGS_OF_FILE).arg(format!("-DKBUILD_MODNAME=\"{}\"", stem(unit)));
            command.args((number > 0).then_some("-DWT_KERNEL_COMPANION"));
            self.do_or_say(command.arg(unit))?;
            objects.push(object);
        }
        let mut link = Command::new(&self.workshop.compiler);
        link.args(["-shared", "-Wl,-z,defs", "-o"]).arg(self.bench.join("made.so")).args(objects);
        self.do_or_say(&mut link)
    }

    /// A compiler that leaves an object.
    fn compiler(&self, object: &Path) -> Command {
        let mut command = Command::new(&self.workshop.compiler);
        command.args(FLAGS).arg(format!("-DWT_KERNEL_CONG_CONTROL={}", self.form)).arg("-I").arg(self.headers);
        command.args(["-c", "-o"]).arg(object);
        command
    }

    /// The shim's object, the same for all files that ask for the same.
    fn shim(&self) -> Result<PathBuf, GuestError> {
        let version = version(self.file, self.workshop)?;
        let recipe = recipe();
        let parts = [version.as_str(), &recipe].into_iter().chain(self.without.iter().copied());
        let key = digest(parts.map(str::as_bytes));
        let place = self.workshop.cache.join(format!("shim-{key}-{}.o", self.form));
        if !place.is_file() {
            let object = self.bench.join("shim.o");
            self.do_or_say(self.compiler(&object).args(self.without).arg(self.headers.join("shim.c")))?;
            fs::rename(&object, &place).map_err(|error| unwritable(self.workshop, self.file, &error))?;
        }
        Ok(place)
    }

    /// Runs a compiler; its errors in the user's words.
    fn do_or_say(&self, command: &mut Command) -> Result<(), GuestError> {
        let wrong = |what: String| GuestError::new(self.file, what);
        let output = command.env("LC_ALL", "C").output();
        let output = output.map_err(|error| wrong(format!("{} does not start: {error}", self.workshop.compiler)))?;
        if output.status.success() {
            return Ok(());
        }
        Err(self.refusal(&output))
    }

    fn refusal(&self, output: &Output) -> GuestError {
        let said = String::from_utf8_lossy(&output.stderr);
        let headers = self.headers.display().to_string();
        let errors = diagnostics::errors(&said, |file| !file.starts_with(&headers));
        let unknown: BTreeSet<&str> =
            said.lines().filter_map(|line| line.split_once("undefined reference to ")).map(|(_, name)| name).collect();
        let what = match (errors.first(), unknown.is_empty()) {
            (Some(first), _) if errors.len() > 1 => format!("does not compile: {first} (and {} more)", errors.len() - 1),
            (Some(first), _) => format!("does not compile: {first}"),
            (None, false) => format!("uses what is not there: {}", unknown.into_iter().collect::<Vec<_>>().join(", ")),
            (None, true) => format!("does not compile: {}", said.lines().next().unwrap_or("the compiler does not say why")),
        };
        let compiler = if errors.is_empty() { said.lines().map(str::to_owned).collect() } else { errors };
        GuestError { compiler, ..GuestError::new(self.file, what) }
    }
}

/// A file's name as a module's.
fn stem(unit: &Path) -> String {
    let stem = unit.file_stem().unwrap_or_default().to_string_lossy();
    stem.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect()
}
