# The only front door: continuous integration and people use the same recipes.
# Needs Python >= 3.10 (with venv), a Rust toolchain (with rustfmt and clippy), make, git and a C compiler.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := build
MAKEFLAGS += --no-builtin-rules

PYTHON ?= python3
UV_VERSION := 0.13.9
VENV := $(CURDIR)/.venv
BIN := $(VENV)/bin
# One interpreter for maturin, cargo and clippy, or each of them rebuilds the bindings of the one before.
CARGO := PYO3_PYTHON=$(BIN)/python CARGO_INCREMENTAL=0 cargo
# What is measured and shipped is compiled with the profile that `make profile` made, if this compiler made it.
PROFILED := .ci/with-profile
export UV_PYTHON_DOWNLOADS := never
# Byte code is kept in .venv whatever the caller's environment says: a process that compiles all that it imports takes one or two CPU seconds longer,
# and tests, suites and reports start many.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(VENV)/pycache

RUST_SOURCES := Cargo.toml Cargo.lock $(shell find crates -name '*.rs' -not -path '*/tests/*' -o -name Cargo.toml)
DEPS := .venv/.stamp-deps
CHECKERS := .venv/.stamp-checkers
WHEELS := .venv/.stamp-wheels
DEMO := build/demo
# `fast` compiles an edit in seconds (no optimisation across crates); what is measured and shipped is `release`.
PROFILE ?= release
CORE := .venv/.stamp-core-$(PROFILE)
LOADED := polars, pydantic, typer.main, yaml, jinja2.loaders, matplotlib.font_manager, matplotlib.backends.backend_svg, matplotlib.backends.backend_pdf

.PHONY: build deps checkers rust-tests test test-python test-kernel test-live test-s3 test-stacks packetdrill test-kills kernel kernel-segments segments-redraw test-rust lint lint-rust lint-python lint-js lighthouse fuzz bench gate-power gate-plans campaign-cost ns3 profile golden playground playground-page algorithm declarations docs site validation validation-kernel agreement agreement-6.12 agreement-live wheel local-wheel test-wheel names release demo clean

build: $(CORE)

# uv reads the lock, pip installs from it: pip finds the index the way it is configured here, and checks every hash.
# Nothing is compiled in advance: most of what is installed here is never imported.
define install
	$(BIN)/uv export --quiet --frozen --python $(BIN)/python --no-emit-project $(1) --output-file $@.txt > /dev/null
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r $@.txt
	touch $@
endef

$(DEPS): uv.lock
	$(PYTHON) -c 'import sys; sys.exit("Python >= 3.10 is needed; set PYTHON=..." if sys.version_info < (3, 10) else 0)'
	echo 'installing locked dependencies into .venv'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	$(call install,--no-default-groups --group build --extra report --extra sql)

deps: $(DEPS)

$(CHECKERS): $(DEPS)
	echo 'installing what checks it into .venv'
	$(call install,--only-group dev)

$(WHEELS): $(DEPS)
	echo 'installing what links and checks a wheel into .venv'
	$(call install,--only-group wheel)

# Python sources are used in place; only the core and the package's metadata need building. Whoever asks for another profile than the one there is gets it.
$(CORE): $(DEPS) pyproject.toml $(RUST_SOURCES) $(wildcard data/profile/*)
	echo 'building the core ($(PROFILE))'
	# Most of the compilation has one thread: what the first suite run and the first report would compile of Python is compiled beside it.
	{ $(BIN)/python -m compileall -q python/windtunnel; $(BIN)/python -c 'import $(LOADED)'; } > /dev/null 2>&1 & loaded=$$!; \
	$(if $(filter release,$(PROFILE)),$(PROFILED)) env VIRTUAL_ENV=$(VENV) PATH=$(BIN):$$PATH CARGO_INCREMENTAL=$(if $(filter fast,$(PROFILE)),1,0) PYO3_PYTHON=$(BIN)/python \
	  $(BIN)/maturin develop --profile $(PROFILE) --locked --group build > .venv/maturin.log 2>&1 || { cat .venv/maturin.log; exit 1; }; \
	wait $$loaded || true
	rm -f .venv/.stamp-core*
	touch $@

# pytest comes last, so that its closing line ends the output. Several tests of Rust are one long run, which leaves a core to the linters.
test:
	$(MAKE) --no-print-directory build $(CHECKERS)
	mkdir -p build
	$(MAKE) --no-print-directory lint > build/lint.log 2>&1 & lint=$$!; \
	trap 'kill $$lint 2> /dev/null || true' EXIT; \
	$(MAKE) --no-print-directory test-rust; \
	wait $$lint || { cat build/lint.log; exit 1; }
	$(MAKE) --no-print-directory test-python

# What checks the project, in .venv.
checkers: $(CHECKERS)

# Each file's tests stay in one process.
test-python: $(CORE) $(CHECKERS)
	$(BIN)/python -m pytest -q -n $$(nproc) --dist loadfile --durations 25 --durations-min 3

# The distribution's Linux becomes a kernel in the user's cache, of several the oldest; what is there already is not built again. SOURCES names others:
# the newest build, the last here, is the one that is used when none is named.
SOURCES ?=
kernel: $(CORE)
	.ci/kernel-source
	for source in $(or $(SOURCES),$$(ls -v /usr/src/linux-source-*.tar.* | sed -n 1p)); do $(BIN)/windtunnel kernel build --source $$source; done

# What needs a kernel. Without one it is built, or where that cannot be, the tests are skipped and say so. Guests have a clock of their own: they run beside each other.
test-kernel: $(CORE) $(CHECKERS)
	$(BIN)/windtunnel kernel list --json | grep -q version || ! .ci/kernel-source || $(MAKE) --no-print-directory kernel
	$(BIN)/python -m pytest -q -m kernel -n $$(nproc) --dist loadfile tests/kernel

# What needs network namespaces and AF_PACKET on this machine. Where they are not allowed, the tests are skipped and say what is missing. What failed on a
# busy machine is tried once more: these runs are in real time.
test-live: $(CORE) $(CHECKERS)
	$(BIN)/python -m pytest -q -m live tests/live || $(BIN)/python -m pytest -q -m live --last-failed tests/live

# Results in an object store, against a real server that is built here by Go (the package golang-go, or https://go.dev): three minutes the first time.
VERSITYGW ?= $(VENV)/bin/versitygw
test-s3: $(CORE) $(CHECKERS)
	test -x $(VERSITYGW) || GOBIN=$(dir $(VERSITYGW)) go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
	VERSITYGW=$(VERSITYGW) $(BIN)/python -m pytest -q tests/s3

# What the TCP of 6.1 and of 6.12 does segment by segment (data/kernel-segments/recorded, recorded-6.12): three CPU minutes; what is there already is not made again.
kernel-segments: $(CORE)
	$(BIN)/windtunnel kernel record-segments --kernel 6.1
	$(BIN)/windtunnel kernel record-segments --kernel 6.12 --out data/kernel-segments/recorded-6.12

# The list of what still differs from it.
segments-redraw: $(DEPS)
	SEGMENTS=redraw $(CARGO) test --quiet --locked -p windtunnel-packetdrill --test recorded_segments
	git --no-pager diff --stat -- data/kernel-segments

# Every whole stack, built and run through what holds for any, and what it costs. Beside what builds quinn this needs cmake, a C++ compiler and libclang.
test-stacks: $(CORE)
	$(BIN)/windtunnel stacks build
	$(BIN)/windtunnel stacks build --null-cipher
	$(BIN)/python -m windtunnel.battery.results docs/reference/stacks.md

# A suite run of real experiments, killed at fifty random moments and finished; a campaign with fifty faults of every kind, and with each kind of fault
# fifty times: what is left is what an undisturbed run leaves. Some ten CPU minutes; what is killed is forked from a process that has loaded everything.
test-kills: $(CORE) $(CHECKERS)
	$(BIN)/python -m pytest -q -m kills -s tests/python/test_kill.py tests/python/test_campaign.py tests/python/test_campaign_faults.py

# The bindings are an extension module: they link into Python only, and the Python tests exercise them.
# Compiled, not run.
rust-tests: $(DEPS)
	$(CARGO) test --no-run --quiet --locked --workspace --exclude windtunnel-py

test-rust: $(DEPS)
	$(CARGO) test --quiet --locked --workspace --exclude windtunnel-py

lint: lint-rust lint-python

lint-rust: $(DEPS)
	git ls-files -z -co --exclude-standard '*.rs' | xargs -0 -I{} sh -c 'test ! -f "$$1" || printf "%s\0" "$$1"' - {} | xargs -0 rustfmt --check --edition 2021
	$(CARGO) clippy --quiet --workspace --all-targets --locked -- -D warnings

lint-python: $(CORE) $(CHECKERS)
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check . || { $(BIN)/ruff format --check .; exit 1; }
	$(BIN)/mypy --no-error-summary
	$(BIN)/lint-imports > .venv/lint-imports.log || { cat .venv/lint-imports.log; exit 1; }
	$(BIN)/python -m windtunnel.backends.catalogue --check

# The scripts of the playground and of reports, by ESLint from npm: not a part of `make lint`, which needs no Node.
lint-js:
	npx --yes eslint@9 --config .ci/eslint.config.mjs python/windtunnel/playground/sources python/windtunnel/report/assets

# The site, the demo's report and the playground as Lighthouse from npm sees them (after `make site demo`; needs Node and Chromium): docs/reference/pages.md.
lighthouse: $(DEPS)
	$(BIN)/python .ci/lighthouse.py

# Random scenarios with everything in them: of each of eight kinds against the textbook event heap, of two more the core against itself
# with events that drop-tail can do without. Some 600 of each in `make test`, SCENARIOS here; a difference is said at once.
SCENARIOS ?= 10000
fuzz: $(DEPS)
	$(PROFILED) env SCENARIOS=$(SCENARIOS) $(CARGO) test --quiet --locked --release -p windtunnel-sim --test oracle -- --nocapture

# Packetdrill's public scripts against the stack: those of an installed Linux source of 6.12 or newer, and of the folders that PACKETDRILL names.
packetdrill: $(DEPS)
	folders="$$(.ci/packetdrill-scripts)" && PACKETDRILL="$$folders" $(CARGO) test --quiet --locked -p windtunnel-packetdrill --test suite -- --nocapture

bench: $(CORE) $(CHECKERS)
	$(PROFILED) env $(CARGO) bench --quiet --locked -p windtunnel-sim
	python3 benches/instructions.py
	python3 benches/foreign.py
	python3 benches/ratios.py
	$(BIN)/python benches/learning.py
	$(BIN)/python benches/many_flows.py

# What the gate's plan of two minutes sees: a pool of runs of seeded defects, and the page; half an hour.
gate-power: $(CORE)
	$(BIN)/python benches/gate_power.py

# What the gate's plans cost, both sides of three pairs run whole: PLAN=20min one of them, all when absent (an hour on two cores).
gate-plans: $(CORE)
	$(BIN)/python benches/gate_plans.py $(PLAN)

# Two local Dask workers beside the process pool, 2000 runs each, and the model of a thousand workers: docs/concepts/campaign-cost.md. Ten minutes.
campaign-cost: $(CORE) $(CHECKERS)
	$(BIN)/python benches/campaign.py

# The same scenarios here, on Linux 6.1 and in ns-3 (NS3=--install installs Debian's as root): what docs/comparisons/ns-3.md is made of.
ns3: $(CORE)
	$(BIN)/python benches/ns3.py $(NS3)

# What of the core is taken how often, from a training set of scenarios: the compiler lays the core out by that. Needs llvm-profdata of the
# compiler's LLVM (`rustup component add llvm-tools`, or the package llvm-NN). Anew when the compiler, a dependency or the way of an ACK changed.
profile:
	python3 benches/profile.py

# The core for a browser, and the page with it inside; what compiles it is downloaded. The page alone, with the core that it has, needs none of that.
playground: $(CORE)
	.ci/playground
	$(BIN)/python -m windtunnel.playground.making build/playground/web.wasm

playground-page: $(CORE)
	$(BIN)/python -m windtunnel.playground.making

golden:
	GOLDEN=redraw $(CARGO) test --quiet --locked -p windtunnel-sim --test golden
	GOLDEN=redraw $(CARGO) test --quiet --locked -p windtunnel-records --test named
	git --no-pager diff --stat -- tests crates

# What follows from a law that was added to the registry: the catalogue, its page and rows, its figure, its golden traces.
algorithm:
	$(MAKE) --no-print-directory build PROFILE=fast
	$(BIN)/python -m windtunnel.backends.catalogue
	$(BIN)/python .ci/algorithm_pages.py
	$(BIN)/python -m windtunnel.scenario.pages docs/algorithms
	$(BIN)/windtunnel algorithms --json > docs/reference/algorithms.json
	for page in docs/algorithms/*.md; do name=$$(basename $$page .md); \
	  test $$name = README || test -f docs/algorithms/figures/$$name.svg || $(BIN)/windtunnel algorithms $$name --plot docs/algorithms/figures/$$name.svg; done
	GOLDEN=redraw $(CARGO) test --quiet --locked -p windtunnel-sim --test golden
	git --no-pager diff --stat -- docs python tests

# What registers of claims take from the papers' suites: grids, repeats, measures. After an edit of a suite; a test says when it is due.
declarations: $(CORE)
	$(BIN)/python -m windtunnel.suites.readout

# docs/reference is generated, and the figures of pages by the commands that they show; guides, concepts and decisions are written by hand.
docs: $(CORE)
	mkdir -p docs/reference
	$(BIN)/windtunnel scenario schema > docs/reference/scenario.schema.json
	$(BIN)/python -m windtunnel.backends.catalogue
	$(BIN)/python -m windtunnel.scenario.pages docs/algorithms
	$(BIN)/windtunnel algorithms --json > docs/reference/algorithms.json
	$(BIN)/python -m windtunnel.metrics.page > docs/reference/metrics.md
	mkdir -p docs/algorithms/figures
	ls docs/algorithms | sed -n 's/\.md$$//p' | grep -v README | \
	  xargs -P $$(nproc) -I NAME $(BIN)/windtunnel algorithms NAME --plot docs/algorithms/figures/NAME.svg
	mkdir -p docs/queues/figures
	ls docs/queues | sed -n 's/\.md$$//p' | grep -v -e README -e ack-filter | \
	  xargs -P $$(nproc) -I NAME $(BIN)/windtunnel run --rate 50Mbit --rtt 40ms --queue 400 --duration 30s --aqm NAME \
	    --flow cubic --flow cubic,start=10s --flow cubic,start=20s --plot docs/queues/figures/NAME.svg > /dev/null
	$(BIN)/windtunnel run --rate 100Mbit --rtt 40ms --flow examples/c-controller/mine.c --flow cubic --plot docs/figures/own-controller.svg > /dev/null
	mkdir -p docs/concepts/figures
	grep -h '^windtunnel run .*--plot docs/' docs/concepts/*.md docs/queues/*.md | PATH=$(BIN):$$PATH sh -e > /dev/null
	export COLUMNS=100 TERM=dumb NO_COLOR=1; { \
	  echo '# Command line'; echo; echo 'Generated by `make docs`.'; \
	  for command in '' run read play 'suite list' 'suite run' 'suite diff' 'suite sensitivity' 'suite kernel' sweep search report serve claims sql pack advise agree gate measure fit algorithms queues doctor conform check new 'kernel build' 'kernel list' 'kernel test' 'kernel record-segments' 'kernel remove' 'stacks build' 'stacks list' 'stacks test' 'stacks remove' 'cache list' 'cache clean' scenario; do \
	    printf '\n## `%s`\n\n```text\n' "windtunnel$${command:+ $$command}"; \
	    $(BIN)/windtunnel $$command --help | sed 's/[[:space:]]*$$//' | cat -s; \
	    printf '```\n'; \
	  done; } > docs/reference/command-line.md

# The documentation as a site in build/site: pages, search, the references of Python and of the crate for Rust. A broken link or anchor ends it.
SITE := build/site
site: $(CORE) $(CHECKERS)
	$(BIN)/python -m sphinx -q -W --keep-going -c docs/site . $(SITE)
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --quiet --locked --no-deps -p windtunnel
	rm -rf $(SITE)/rust && cp -r target/doc $(SITE)/rust
	echo 'site: $(SITE)/index.html'

# A full run of the five papers, and the tables of what holds and what does not from it. What an earlier one ran is used again.
validation: $(CORE)
	$(BIN)/windtunnel suite run li07 leith08 open08 slac03 fast04 --out build/validation
	$(BIN)/python -m windtunnel.report.validation build/validation docs data/validation/kernel

# The claims that a kernel (`make kernel`) can judge as well, into the same folder: the cheapest first, within HOURS CPU hours, and figure 4 of 2007 whole,
# five more. What they measured is kept in data/validation, and the page's column for a kernel is written from it. HOURS=200 is all of it.
HOURS ?= 3
validation-kernel: $(CORE)
	$(BIN)/windtunnel suite kernel --kernel 6.1 --hours $(HOURS) --out build/validation
	$(BIN)/windtunnel suite kernel li07.fig4 --kernel 6.1 --out build/validation
	$(BIN)/python -m windtunnel.report.kernelcolumn build/validation docs data/validation/kernel

# The simulator against a kernel (`make kernel`), and the tables of that: 1 says that something differs, which the tables show.
agreement: $(CORE)
	$(BIN)/windtunnel agree --kernel 6.1 --out build/agreement || test $$? = 1
	$(BIN)/python -m windtunnel.agreement.tables build/agreement docs/validation/kernel.md

agreement-6.12: $(CORE)
	$(BIN)/windtunnel agree --kernel 6.12 --out build/agreement-6.12 || test $$? = 1
	$(BIN)/python -m windtunnel.agreement.tables build/agreement-6.12 docs/validation/kernel-6.12.md

# The same on this machine's own kernel, and parts of papers' experiments, in real time: three hours. LINUX_TCP is net/ipv4 of a kernel's sources, for what this kernel has no module of.
LINUX_TCP ?= /usr/src/linux-source-6.12/net/ipv4
OF_FILES = $(foreach name,$(1),$(LINUX_TCP)/tcp_$(name).c)
COMMA := ,
commas = $(subst $() ,$(COMMA),$(strip $(1)))
BY_FILES = $(foreach name,$(1),$(name)=$(LINUX_TCP)/tcp_$(name).c)
part = $(BIN)/windtunnel suite run $(2) --longest $(3) --seeds $(4) --backend sim --out build/papers/$(1)-sim --alg $(call commas,$(5) $(6)) || test $$? = 1; \
  $(BIN)/windtunnel suite run $(2) --longest $(3) --seeds $(4) --backend live --out build/papers/$(1)-live --alg $(call commas,$(5) $(call BY_FILES,$(6))) || test $$? = 1
agreement-live: $(CORE)
	$(BIN)/windtunnel agree --live --grid live-brief --alg $(call commas,reno cubic bbr $(call OF_FILES,htcp)) --out build/agreement-live || test $$? = 1
	$(call part,li07-10,li07.fig4 li07.fig11 --at rate=10 --at rtt=42,240s,3,reno cubic,htcp bic scalable)
	$(call part,li07-250,li07.fig4 li07.fig11 --at rate=250 --at rtt=42,240s,1,cubic,htcp scalable)
	$(call part,li07-12,li07.fig12,240s,1,,scalable)
	$(call part,slac03-1,slac03.fig4 --at site=UFL --at win=1MB --at period=30,130s,1,reno,bic htcp)
	$(call part,slac03-8,slac03.fig4 --at site=UFL --at win=8MB --at period=60,130s,1,,bic)
	$(BIN)/python -m windtunnel.agreement.live_page docs/validation/live.md build/agreement-live build/papers/*-sim build/papers/*-live

# For Python 3.10 and newer on any Linux with glibc 2.17 (2012): zig links against that one. auditwheel says whether the wheel keeps the promise of its name.
# Beside it the sources, of which pip builds the same where there is a Rust toolchain. TARGETS names other processors (`rustup target add`), whose wheels nothing here runs.
MANYLINUX := manylinux_2_17
TARGETS ?= $(shell uname -m)-unknown-linux-gnu
wheel: $(WHEELS)
	rm -rf dist
	for target in $(TARGETS); do \
	  $(PROFILED) env PATH=$(BIN):$$PATH CARGO_INCREMENTAL=0 $(BIN)/maturin build --quiet --release --locked --target $$target --zig \
	    --compatibility $(MANYLINUX) --interpreter $(BIN)/python --out dist > .venv/maturin.log 2>&1 || { cat .venv/maturin.log; exit 1; }; \
	done
	for wheel in dist/*.whl; do \
	  $(BIN)/python -m auditwheel show $$wheel > .venv/auditwheel.log; \
	  tr '\n' ' ' < .venv/auditwheel.log | grep -q 'consistent with the following platform tag: "$(MANYLINUX)_' || { cat .venv/auditwheel.log; exit 1; }; \
	done
	$(BIN)/maturin sdist --out dist 2> .venv/maturin.log || { cat .venv/maturin.log; exit 1; }
	.ci/wheel-of-this-commit mark || echo 'what it was made of is not committed: make demo does not take it'
	ls dist/*.whl dist/*.tar.gz

# The core that is built already, packed in seconds for this machine's own glibc: the wheel that continuous integration tests.
LOCAL_WHEEL := build/local-wheel
local-wheel: $(CORE)
	rm -rf $(LOCAL_WHEEL)
	$(PROFILED) env VIRTUAL_ENV=$(VENV) PATH=$(BIN):$$PATH CARGO_INCREMENTAL=0 PYO3_PYTHON=$(BIN)/python \
	  $(BIN)/maturin build --quiet --profile release --locked --skip-auditwheel --interpreter $(BIN)/python --out $(LOCAL_WHEEL) \
	  > .venv/maturin.log 2>&1 || { cat .venv/maturin.log; exit 1; }

# The wheel in dist/, or in FOLDER, installed into an empty virtual environment and used, with no compiler in reach.
FOLDER ?= dist
test-wheel:
	env -u PYTHONPYCACHEPREFIX PYTHON=$(PYTHON) .ci/wheel $(FOLDER)

# Whether the name is still free on the package indexes.
names: $(DEPS)
	.ci/names-are-free

# All of a release but its upload, which is rehearsed; PUBLISH= uploads, with the token in UV_PUBLISH_TOKEN.
PUBLISH ?= --dry-run
release:
	.ci/release-is-ready
	$(MAKE) --no-print-directory wheel
	$(MAKE) --no-print-directory test-wheel
	$(BIN)/uv publish $(PUBLISH) dist/*.whl dist/*.tar.gz

# The 2007 benchmark at the quick scale: its figures, its tables, its claims judged. What an earlier demo ran is used again.
# A wheel that was made of this commit is taken in place of a build: then no Rust toolchain is needed.
demo:
	if .ci/wheel-of-this-commit; then $(MAKE) --no-print-directory $(DEPS); else $(MAKE) --no-print-directory build; fi
	if wheel="$$(.ci/wheel-of-this-commit)"; then \
	  rm -rf build/wheel; export PYTHONPATH=$(CURDIR)/build/wheel; \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --target build/wheel "$$wheel"; \
	fi; \
	$(BIN)/python -m windtunnel suite run li07 --quick --out $(DEMO); \
	$(BIN)/python -m windtunnel report $(DEMO)

clean:
	rm -rf .venv target build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis .import_linter_cache
	find python -name '*.so' -delete -o -name __pycache__ -type d -prune -exec rm -rf {} +

ifndef VERBOSE
.SILENT:
endif
