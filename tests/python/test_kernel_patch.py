"""The patcher: finds its places, says what it did, finds its own work again, refuses what it does not know. Excerpts are our own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import kernel_tree
import pytest

from windtunnel.backends.linux import config, entropy, patch
from windtunnel.backends.linux.errors import KernelError

FILES = [change.file for change in patch.CHANGES]
OLDER_FILES = [change.file for change in patch.OLDER]
BOOT = "arch/um/kernel/um_arch.c"


def _texts(tree: Path, files: list[str] = FILES) -> list[str]:
    return [(tree / file).read_text() for file in files]


def test_every_change_is_named(tmp_path: Path) -> None:
    tree = kernel_tree.tree(tmp_path)
    before = _texts(tree)
    done = patch.apply(tree)
    assert [item.file for item in done] == FILES
    assert done[3].what == "nothing: names start from the working directory"
    assert done[0].what == "HZ from 100 to 1000"
    assert [old != new for old, new in zip(before, _texts(tree), strict=True)] == [True, True, True, False, True, True]


def test_the_clock_changes_and_no_other_number_does(tmp_path: Path) -> None:
    tree = kernel_tree.tree(tmp_path)
    patch.apply(tree)
    assert (tree / FILES[0]).read_text() == kernel_tree.KCONFIG.replace("default 100\n\nconfig OTHER", "default 1000\n\nconfig OTHER")


def test_changing_twice_changes_once(tmp_path: Path) -> None:
    tree = kernel_tree.tree(tmp_path)
    patch.apply(tree)
    once = _texts(tree)
    again = patch.apply(tree)
    assert _texts(tree) == once
    assert all(item.what.startswith("nothing: ") for item in again)


def test_the_early_return_follows_the_declarations(tmp_path: Path) -> None:
    tree = kernel_tree.tree(tmp_path)
    patch.apply(tree)
    lines = (tree / FILES[2]).read_text().splitlines()
    at = lines.index("\tif (IS_ENABLED(CONFIG_UML_TIME_TRAVEL_SUPPORT))")
    assert lines[at + 1] == "\t\treturn;"
    assert lines[at - 3] == "\tstruct pool *pool = a_macro(&everything);" and lines[at - 2] == ""
    assert lines[at + 3] == "\tif (first)"


def test_the_older_form_with_flags_is_known(tmp_path: Path) -> None:
    older = kernel_tree.RANDOM.replace("(int irq)", "(int irq, int irq_flags)")
    tree = kernel_tree.tree(tmp_path, drivers__char__random_dot_c=older)
    assert patch.apply(tree)[2].what == "add_interrupt_randomness() returns at once"


def test_a_tree_whose_hz_is_the_configurations_choice_is_left_alone(tmp_path: Path) -> None:
    tree = kernel_tree.tree(tmp_path, arch__um__Kconfig='source "kernel/Kconfig.hz"\n')
    assert patch.apply(tree)[0].what == "nothing: HZ is the configuration's choice"


def test_a_tree_that_asks_its_host_for_entropy_keeps_its_start(tmp_path: Path) -> None:
    tree = kernel_tree.tree(tmp_path)
    patch.apply(tree)
    assert (tree / BOOT).read_text() == kernel_tree.SETUP and entropy.options(tree) == []


def test_a_tree_that_asks_nobody_gets_the_seed_at_boot(tmp_path: Path) -> None:
    tree = kernel_tree.older(tmp_path)
    done = patch.apply(tree)
    assert [item.file for item in done] == OLDER_FILES == [FILES[0], FILES[1], BOOT, *FILES[2:]]
    assert done[2].what == "setup_arch() starts the kernel's generator from UML_SEED where that is set"
    text = (tree / BOOT).read_text()
    before, _, start = text.partition("void __init setup_arch(char **line)\n{\n")
    body = start[: start.index("\n}\n")]
    assert body.index("setup_hostinfo") < body.index("windtunnel_fill(seed, sizeof(seed))") < body.index("add_bootloader_randomness(seed")
    assert "#include <linux/random.h>" in before and "windtunnel" not in before and start.endswith("void after(void)\n{\n}\n")
    again = _texts(tree, OLDER_FILES)
    assert all(item.what.startswith("nothing: ") for item in patch.apply(tree)) and _texts(tree, OLDER_FILES) == again


def test_the_seed_given_at_boot_is_configured_to_be_enough(tmp_path: Path) -> None:
    tree = kernel_tree.older(tmp_path)
    assert "CONFIG_RANDOM_TRUST_BOOTLOADER=y" in config.wanted(tree, entropy.options(tree)).splitlines()


def test_the_newest_form_is_known(tmp_path: Path) -> None:
    """That of 6.12: a range and a default of the number of processors follow HZ, a comment follows os_getrandom()."""
    kconfig = "config UML\n\tbool\n\tselect OTHER\n\nconfig HZ\n\tint\n\tdefault 100\n\nconfig NR_CPUS\n\tint\n\trange 1 1\n\tdefault 1\n"
    util = kernel_tree.UTIL.replace("void another", "/*\n * helpers\n */\nvoid another")
    tree = kernel_tree.tree(tmp_path, **{"arch__um__Kconfig": kconfig, "arch__um__os-Linux__util_dot_c": util})
    assert [item.what.startswith("nothing") for item in patch.apply(tree)] == [False, False, False, True, False, False]
    assert "default 1000\n\nconfig NR_CPUS\n\tint\n\trange 1 1\n\tdefault 1\n" in (tree / FILES[0]).read_text()


def test_a_host_that_is_asked_by_statx_is_asked_from_the_working_directory(tmp_path: Path) -> None:
    """That of 6.12: statx(2) takes a relative path from the folder of its first argument, and -1 is no folder (EBADF)."""
    tree = kernel_tree.tree(tmp_path, fs__hostfs__hostfs_user_dot_c=kernel_tree.NEWER_HOSTFS)
    assert patch.apply(tree)[3].what == "statx() of a relative name starts from the working directory"
    once = (tree / FILES[3]).read_text()
    assert once == kernel_tree.NEWER_HOSTFS.replace("(fd,", "(fd < 0 ? AT_FDCWD : fd,")
    assert patch.apply(tree)[3].what.startswith("nothing: ") and (tree / FILES[3]).read_text() == once


def test_there_is_room_for_all_registers_of_a_processor_with_amx(tmp_path: Path) -> None:
    """XSAVE's area is 11,008 bytes with AMX (CPUID leaf 0xd), and PTRACE_SETREGSET refuses a part of it: no process would start."""
    tree = kernel_tree.tree(tmp_path)
    assert patch.apply(tree)[4].what == "room for 12288 bytes in place of 2696"
    assert (tree / FILES[4]).read_text() == kernel_tree.OFFSETS.replace("2696", "12288")
    fewer = config.fragment().partition("CONFIG_KERNEL_STACK_ORDER=")[2]
    assert 4096 << int(fewer.partition("\n")[0]) >= 4 * 12_288, "registers are kept on the kernel's stack, twice in an interrupt"


def test_a_tree_that_asks_the_host_for_the_size_of_its_registers_is_left_alone(tmp_path: Path) -> None:
    tree = kernel_tree.tree(tmp_path, **{"arch__x86__um__user-offsets_dot_c": "void sizes(void)\n{\n}\n"})
    assert patch.apply(tree)[4].what == "nothing: the host is asked for the size"


ALARMS = """#include <stdio.h>
#include <string.h>
#define SIGALRM 14
typedef int mcontext_t;
struct uml_pt_regs { char room[64]; };
static void fill(struct uml_pt_regs *regs, mcontext_t *mc) { memset(regs, mc ? 1 : 2, sizeof *regs); }
static void timer_handler(int sig, void *nothing, struct uml_pt_regs *regs) { printf("%d %d\\n", sig, regs->room[63]); }
"""


def test_an_alarm_of_virtual_time_has_empty_registers_that_nothing_clears(tmp_path: Path) -> None:
    """One that interrupts a process has that process's; both reach the timer's handler once."""
    tree = kernel_tree.tree(tmp_path)
    assert patch.apply(tree)[5].what == "alarms of virtual time clear no registers"
    (tree / "alarm.c").write_text(
        ALARMS + (tree / FILES[5]).read_text() + "int main(void)\n{\n\tint mc;\n\ttimer_real_alarm_handler(NULL);\n"
        "\ttimer_real_alarm_handler(&mc);\n\treturn 0;\n}\n"
    )
    subprocess.run(["cc", "-std=gnu11", "-Wall", "-Werror", "-o", str(tree / "alarm"), str(tree / "alarm.c")], check=True)
    assert _said(tree / "alarm").split() == ["14", "0", "14", "1"]


def test_a_handler_of_another_form_stays_as_it_is(tmp_path: Path) -> None:
    other = kernel_tree.ALARM.replace("&regs);\n}", "&regs, mc);\n}")
    tree = kernel_tree.tree(tmp_path, **{"arch__um__os-Linux__signal_dot_c": other})
    assert patch.apply(tree)[5].what == "nothing: the handler has another form" and (tree / FILES[5]).read_text() == other


@pytest.mark.parametrize(
    ("place", "text", "looked_for"),
    [
        (BOOT, kernel_tree.SETUP.replace("setup_arch", "set_up"), "setup_arch() that ends with setup_hostinfo()"),
        (BOOT, kernel_tree.SETUP.replace("\tprepare();\n\n\tsetup_hostinfo(name, sizeof name);\n", "\tprepare();\n"), "setup_hostinfo()"),
        (
            BOOT,
            kernel_tree.SETUP.replace("sizeof name);\n}\n\nvoid after", "sizeof name);\n\tmore();\n}\n\nvoid after"),
            "setup_hostinfo()",
        ),
        (BOOT, kernel_tree.SETUP.replace("<linux/", "<"), "#include <linux/...>"),
        (FILES[1], kernel_tree.UTIL, "nothing named getrandom"),
        (FILES[1], kernel_tree.OLDER_UTIL.replace("#include <stdlib.h>\n", ""), "stdlib.h"),
        (FILES[2], kernel_tree.RANDOM.replace("int irq", "struct irq *irq"), "add_interrupt_randomness"),
    ],
)
def test_an_unknown_place_of_an_older_tree_is_refused_and_nothing_changes(tmp_path: Path, place: str, text: str, looked_for: str) -> None:
    tree = kernel_tree.older(tmp_path)
    assert text not in (kernel_tree.SETUP, kernel_tree.OLDER_UTIL, kernel_tree.RANDOM)
    (tree / place).write_text(text)
    before = _texts(tree, OLDER_FILES)
    with pytest.raises(KernelError) as refused:
        patch.apply(tree)
    assert place in str(refused.value) and looked_for in str(refused.value) and "\n" not in str(refused.value)
    assert _texts(tree, OLDER_FILES) == before


def test_a_tree_without_the_header_that_would_tell_is_refused(tmp_path: Path) -> None:
    tree = kernel_tree.tree(tmp_path)
    (tree / "arch/um/include/shared/os.h").unlink()
    with pytest.raises(KernelError, match=r"arch/um/include/shared/os\.h: cannot be read"):
        patch.apply(tree)


@pytest.mark.parametrize(
    ("place", "text", "looked_for"),
    [
        (FILES[0], "config UML\n\tbool\n", "config HZ"),
        (FILES[0], "config HZ\n\tint\n\tdefault 100 if FAST\n\tdefault 50\n\tdefault 10\n", "one numeric default"),
        (FILES[1], kernel_tree.UTIL.replace("return getrandom", "count++;\n\treturn getrandom"), "os_getrandom()"),
        (FILES[1], "#include <stdlib.h>\n", "os_getrandom()"),
        (FILES[1], kernel_tree.UTIL.replace("#include <string.h>\n", ""), "string.h"),
        (FILES[2], kernel_tree.RANDOM.replace("int irq", "struct irq *irq"), "add_interrupt_randomness"),
        (FILES[2], kernel_tree.RANDOM.replace("\n\n\tif", "\n\tif"), "declarations and a blank line"),
        (FILES[2], kernel_tree.RANDOM.replace("\tenum", "\tlock(irq);\n\tenum"), "declarations and a blank line"),
        (FILES[3], kernel_tree.NEWER_HOSTFS.replace("fd, path", "folder, path"), "one call statx(fd, path, flags, ...)"),
        (FILES[3], kernel_tree.NEWER_HOSTFS * 2, "one call statx(fd, path, flags, ...)"),
        (FILES[4], kernel_tree.OFFSETS.replace("2696", "SIZE"), "one number for HOST_FP_SIZE"),
    ],
)
def test_an_unknown_place_is_refused_and_nothing_changes(tmp_path: Path, place: str, text: str, looked_for: str) -> None:
    tree = kernel_tree.tree(tmp_path)
    (tree / place).write_text(text)
    before = _texts(tree)
    with pytest.raises(KernelError) as refused:
        patch.apply(tree)
    assert place in str(refused.value) and looked_for in str(refused.value)
    assert _texts(tree) == before


MAIN = """#include <stdio.h>
#include <sys/types.h>
FILL
int main(void)
{
    unsigned long long words[5];
    unsigned char tail[3];
    fill((unsigned char *) words, sizeof(words));
    for (int i = 0; i < 5; i++) printf("%llu\\n", words[i]);
    printf("%d\\n", fill(tail, sizeof(tail)));
    return 0;
}
"""


def _stream(tree: Path, fill: str) -> Path:
    (tree / "stream.c").write_text(MAIN.replace("FILL", fill))
    subprocess.run(["cc", "-Wall", "-Werror", "-o", str(tree / "stream"), str(tree / "stream.c"), str(tree / FILES[1])], check=True)
    return tree / "stream"


def _said(program: Path, **environment: str) -> str:
    return subprocess.run([str(program)], env=environment, capture_output=True, text=True, check=True).stdout


STREAM = ["6457827717110365317", "3203168211198807973", "9817491932198370423", "4593380528125082431", "16408922859458223821"]
"""The reference stream of seed 1234567, as published with the generator by Vigna and used as a test by its ports."""


def test_the_seeded_stream_is_splitmix64(tmp_path: Path) -> None:
    tree = kernel_tree.tree(tmp_path)
    patch.apply(tree)
    program = _stream(tree, kernel_tree.OS_H + "static int fill(unsigned char *to, size_t n) { return (int) os_getrandom(to, n, 0); }")
    assert _said(program, **{entropy.SEED_VARIABLE: "1234567"}).split() == [*STREAM, "3"]
    assert _said(program) != _said(program)


def test_an_older_tree_has_the_same_stream_and_without_a_seed_none(tmp_path: Path) -> None:
    tree = kernel_tree.older(tmp_path)
    patch.apply(tree)
    program = _stream(tree, "int windtunnel_fill(unsigned char *to, size_t len);\n#define fill windtunnel_fill")
    assert _said(program, **{entropy.SEED_VARIABLE: "1234567"}).split() == [*STREAM, "1"]
    assert _said(program).split()[-1] == "0"
