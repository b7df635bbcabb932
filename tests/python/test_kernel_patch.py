"""The patcher: finds its places, says what it did, finds its own work again, refuses what it does not know. Excerpts are our own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import kernel_tree
import pytest

from windtunnel.backends.linux import patch
from windtunnel.backends.linux.errors import KernelError

FILES = [change.file for change in patch.CHANGES]


def _texts(tree: Path) -> list[str]:
    return [(tree / file).read_text() for file in FILES]


def test_three_files_change_and_each_change_is_named(tmp_path: Path) -> None:
    tree = kernel_tree.tree(tmp_path)
    before = _texts(tree)
    done = patch.apply(tree)
    assert [item.file for item in done] == FILES
    assert done[0].what == "HZ from 100 to 1000"
    assert all(old != new for old, new in zip(before, _texts(tree), strict=True))


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


def test_the_seeded_stream_is_splitmix64(tmp_path: Path) -> None:
    """The reference stream of seed 1234567, as published with the generator by Vigna and used as a test by its ports."""
    tree = kernel_tree.tree(tmp_path)
    patch.apply(tree)
    program = tree / "stream.c"
    main = """#include <stdio.h>
int main(void)
{
    unsigned long long words[5];
    unsigned char tail[3];
    os_getrandom(words, sizeof(words), 0);
    for (int i = 0; i < 5; i++) printf("%llu\\n", words[i]);
    printf("%zd\\n", os_getrandom(tail, sizeof(tail), 0));
    return 0;
}
"""
    program.write_text((tree / FILES[1]).read_text() + main)
    subprocess.run(["cc", "-Wall", "-Werror", "-o", str(tree / "stream"), str(program)], check=True)
    said = subprocess.run([str(tree / "stream")], env={patch.SEED_VARIABLE: "1234567"}, capture_output=True, text=True, check=True).stdout
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
    assert said.split() == [*map(str, expected), "3"]
    unseeded = [subprocess.run([str(tree / "stream")], env={}, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert unseeded[0] != unseeded[1]
