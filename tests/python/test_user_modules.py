"""Controllers from files on a kernel, without one: their names, their place in the plan, what a kernel's make complains of."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from controllers import RENO, Write, require_compiler

from windtunnel import foreign
from windtunnel.backends.linux import against, plan, store, usermodules
from windtunnel.backends.linux.complaints import complaint
from windtunnel.backends.linux.errors import KernelError
from windtunnel.scenario import Flow, Scenario, fill

PLACE = Path("/cache/building-x")


def scenario(*flows: Flow) -> Scenario:
    return Scenario(bottleneck={"rate": "10Mbit", "queue": 40}, flows=flows, rtt="42ms", duration="10s")


def test_each_set_of_parameters_is_a_module_under_a_name_of_its_own(written: Write) -> None:
    require_compiler()
    mine = foreign.make(written()).name
    flows = [Flow(algorithm=mine, parameters={"beta": beta}) for beta in (300, 900, 300)]
    orders = plan.make(scenario(*flows, Flow(algorithm=mine), Flow(algorithm="cubic", parameters={"beta": 0.5})))
    assert [(module.name, module.settings) for module in orders.modules] == [
        ("windtunnel_0000", (("beta", "300"),)),
        ("windtunnel_0001", (("beta", "900"),)),
        ("windtunnel_0002", ()),
    ]
    lines = orders.text.splitlines()
    assert [line for line in lines if line.startswith(("module ", "parameter "))] == [
        "module windtunnel_0000 mine.c",
        "parameter 0 beta=300",
        "module windtunnel_0001 mine.c",
        "parameter 1 beta=900",
        "module windtunnel_0002 mine.c",
    ]
    used = [line.split()[2] for line in lines if line.startswith("flow ")]
    assert used == ["windtunnel_0000", "windtunnel_0001", "windtunnel_0000", "windtunnel_0002", "cubic"]
    # What the kernel itself must have, and what goes to its command line.
    assert orders.algorithms == ("cubic",) and orders.arguments == ("tcp_cubic.beta=512",)
    # A module's name is that of its congestion control, which may have fifteen letters.
    assert all(len(module.name) == 15 for module in orders.modules)


def test_the_source_that_a_module_is_made_of_is_kept_with_what_it_includes(written: Write) -> None:
    require_compiler()
    text = RENO.replace("#include <net/tcp.h>", '#include <net/tcp.h>\n#include "deep/half.h"')
    Path(written("deep/half.h", "#define HALF 2\n"))
    made = foreign.make(written(text=text))
    kept = made.library.with_suffix(".source")
    assert (kept / "unit_0.c").read_text() == f'#line 1 "mine.c"\n{text}'
    assert (kept / "deep" / "half.h").read_text() == "#define HALF 2\n"
    # Copies that are gone come back when the file is named again.
    shutil.rmtree(kept)
    assert foreign.make(written(text=text)).name == made.name and (kept / "unit_0.c").is_file()


def test_a_kernel_without_what_modules_are_made_with_says_what_to_do(written: Write, tmp_path: Path) -> None:
    require_compiler()
    kernel = store.Kernel("6.1.192", "0" * 64, "old", ("cubic",), "/usr/src/linux.tar.xz", (), "cc", "2026", 1.0, tmp_path)
    assert not kernel.takes_modules and kernel.against_bytes() == 0
    with pytest.raises(
        KernelError, match=r"kernel old is too old .* build it again: windtunnel kernel build --source /usr/src/linux.tar.xz$"
    ):
        usermodules.made(kernel, foreign.make(written()).name)
    assert fill(scenario(Flow(algorithm="cubic"))).scenario is not None


COMPLAINTS = [
    (
        "a place in the user's file",
        ["mine.c: In function 'go':", "mine.c:31:9: error: implicit declaration of function 'mux' [-Werror]", "make[1]: *** [x] Error 1"],
        "mine.c:31: implicit declaration of function 'mux' [-Werror]",
    ),
    (
        "a header of the kernel's that the file uses wrongly",
        [
            "In file included from ./include/net/tcp.h:20,",
            "                 from mine.c:3:",
            "./include/linux/x.h:5:1: error: static assertion failed",
        ],
        "mine.c:3: static assertion failed",
    ),
    (
        "a macro of the kernel's",
        [
            "./include/linux/moduleparam.h:150:2: error: 'add' undeclared",
            "mine.c:6:1: note: in expansion of macro 'module_param'",
            "mine.c:9:1: error: another",
        ],
        "mine.c:6: 'add' undeclared (and 1 more)",
    ),
    (
        "what the kernel does not offer",
        [
            f'ERROR: modpost: "tcp_fly" [{PLACE}/windtunnel_0000.ko] undefined!',
            f'ERROR: modpost: "tcp_swim" [{PLACE}/windtunnel_0000.ko] undefined!',
        ],
        "it uses what the kernel does not offer to modules: tcp_fly, tcp_swim",
    ),
    (
        "a licence",
        ["ERROR: modpost: GPL-incompatible module windtunnel_0000.ko uses GPL-only symbol 'tcp_reno_ssthresh'"],
        "its MODULE_LICENSE is none that the kernel takes for tcp_reno_ssthresh; allowed: GPL, GPL v2, Dual MIT/GPL, Dual BSD/GPL",
    ),
    (
        "anything else",
        ["make: Entering directory", "make: *** No rule to make target 'x'.  Stop."],
        "make: *** No rule to make target 'x'.  Stop.",
    ),
    ("nothing", [], "make said nothing"),
]


@pytest.mark.parametrize(("lines", "said"), [(lines, said) for _, lines, said in COMPLAINTS], ids=[name for name, _, _ in COMPLAINTS])
def test_a_complaint_is_one_line_about_the_users_file(lines: list[str], said: str) -> None:
    assert complaint([line.replace("mine.c", f"{PLACE}/mine.c") if line.startswith("mine") else line for line in lines], PLACE) == said


def test_what_a_module_is_compiled_against_is_gathered_and_nothing_else(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    kept = ["Makefile", ".config", "Module.symvers", "include/net/tcp.h", "include/generated/autoconf.h", "scripts/mod/modpost"]
    kept += ["arch/um/Makefile", "arch/x86/um/asm/elf.h", "scripts/Makefile.build"]
    left = [
        "vmlinux",
        "net/ipv4/tcp.c",
        "arch/um/kernel/um_arch.c",
        "scripts/mod/modpost.o",
        "include/dt-bindings/x.h",
        "arch/x86/boot/a.S",
    ]
    for name in kept + left:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(name)
    against.gather(tree, tmp_path / "against")
    found = {path.relative_to(tmp_path / "against").as_posix() for path in (tmp_path / "against").rglob("*") if path.is_file()}
    assert found == set(kept)
    (tree / "Module.symvers").unlink()
    with pytest.raises(KernelError, match=r"the build left no Module.symvers"):
        against.gather(tree, tmp_path / "again")
