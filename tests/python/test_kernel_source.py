"""Kernel sources: what is recognised, what is copied, and that the user's own tree is only read."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import kernel_tree
import pytest

from windtunnel.backends.linux import config, source
from windtunnel.backends.linux.errors import KernelError


def _snapshot(tree: Path) -> dict[str, tuple[bytes, int]]:
    return {str(p.relative_to(tree)): (p.read_bytes(), p.stat().st_mtime_ns) for p in sorted(tree.rglob("*")) if p.is_file()}


def _copied(path: Path, into: Path) -> tuple[str, set[str]]:
    into.mkdir()
    version = source.copy(source.locate(path), into)
    return version, {str(p.relative_to(into)) for p in into.rglob("*") if p.is_file() or p.is_symlink()}


def test_a_tree_in_which_somebody_builds_is_copied_clean_and_left_alone(tmp_path: Path) -> None:
    tree = kernel_tree.tree(tmp_path / "mine")
    made = [
        ".config",
        ".git/HEAD",
        "vmlinux",
        "net/ipv4/tcp.o",
        "net/ipv4/.tcp.o.cmd",
        "include/generated/utsrelease.h",
        "include/config/HZ",
    ]
    made += ["arch/x86/include/generated/asm/x.h", "scripts/kconfig/lexer.lex.c", "drivers/gpu/drm/big.c", "arch/arm/kernel/entry.S"]
    kept = ["drivers/gpu/drm/Kconfig", "drivers/net/veth.c", "include/net/tcp.h", "arch/x86/um/ldt.c", "Documentation/Kconfig"]
    for name in made + kept:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(name)
    (tree / "scripts/link").symlink_to("../include")
    (tree / "scripts/kconfig/conf").write_bytes(b"\x7fELF a program")
    made.append("scripts/kconfig/conf")
    before = _snapshot(tree)
    version, files = _copied(tree, tmp_path / "copy")
    assert version == "6.1.9"
    assert not files & set(made) and set(kept) <= files and "scripts/link" in files
    assert _snapshot(tree) == before


@pytest.mark.parametrize("form", ["tar", "tar.gz", "tar.xz"])
def test_a_tarball_gives_the_same_files_as_its_tree(tmp_path: Path, form: str) -> None:
    tree = kernel_tree.tree(tmp_path / "linux-source-6.1")
    packed = tmp_path / f"linux.{form}"
    with tarfile.open(packed, f"w:{form.removeprefix('tar').removeprefix('.')}") as archive:
        archive.add(tree, arcname=tree.name)
    copies = [tmp_path / "of-tree", tmp_path / "of-tarball"]
    assert _copied(tree, copies[0]) == _copied(packed, copies[1])
    assert source.digest(copies[0]) == source.digest(copies[1])


def test_a_tarball_cannot_write_outside(tmp_path: Path) -> None:
    tree = kernel_tree.tree(tmp_path / "linux")
    (tree / "escape").symlink_to("../../..")
    (tree / "absolute").symlink_to("/etc")
    packed = tmp_path / "linux.tar"
    with tarfile.open(packed, "w") as archive:
        archive.add(tree, arcname="linux")
        for name in ("linux/../../outside", "/outside"):
            member = tarfile.TarInfo(name)
            archive.addfile(member)
    _, files = _copied(packed, tmp_path / "copy")
    assert not files & {"escape", "absolute", "outside"}
    assert not (tmp_path / "outside").exists() and not (tmp_path.parent / "outside").exists()


def test_a_digest_sees_contents_names_and_the_configuration(tmp_path: Path) -> None:
    trees = [kernel_tree.tree(tmp_path / name) for name in "abcd"]
    (trees[1] / "net/ipv4/Kconfig").write_text("")
    (trees[2] / "kernel.sh").rename(trees[2] / "kernel2.sh")
    digests = [source.digest(tree, "asked") for tree in trees]
    assert len(set(digests)) == 3 and digests[0] == digests[3] != source.digest(trees[0], "other")


def _refused(path: Path, *parts: str) -> None:
    with pytest.raises(KernelError) as refused:
        source.locate(path)
    for part in (str(path), *parts):
        assert part in str(refused.value)


def test_what_is_no_source_is_refused_by_name(tmp_path: Path) -> None:
    _refused(tmp_path / "nowhere", "no such file", "allowed")
    _refused(tmp_path, "no Linux source tree", "no Makefile")
    (tmp_path / "text").write_text("not a tarball")
    _refused(tmp_path / "text", "neither a folder nor a tarball")
    (tmp_path / "empty").touch()
    _refused(tmp_path / "empty", "tarball")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [("VERSION = 6", "VERSION = 4", "Linux 4.1.9; allowed: 5.10 and newer"), ("SUBLEVEL = 9", "SUBLEVEL =", "names no version")],
)
def test_a_tree_of_the_wrong_version_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    _refused(kernel_tree.tree(tmp_path, Makefile=kernel_tree.MAKEFILE.replace(old, new)), said)


def test_a_cut_tarball_is_refused(tmp_path: Path) -> None:
    tree = kernel_tree.tree(tmp_path / "linux")
    (tree / "noise").write_bytes(os.urandom(200_000))
    packed = tmp_path / "linux.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(tree, arcname="linux")
    packed.write_bytes(packed.read_bytes()[:100_000])
    (tmp_path / "copy").mkdir()
    with pytest.raises(KernelError, match="cannot be unpacked"):
        source.copy(source.locate(packed), tmp_path / "copy")


def test_the_newest_source_of_the_distribution_is_found(tmp_path: Path) -> None:
    assert source.distribution(tmp_path) is None
    for name in ("linux-source-6.1.tar.xz", "linux-source-6.12.tar.xz", "linux-source-5.10.tar.xz", "linux-source-6.2"):
        (tmp_path / name).touch()
    assert source.distribution(tmp_path) == tmp_path / "linux-source-6.12.tar.xz"


def test_a_tree_that_mounts_block_devices_only_is_given_them(tmp_path: Path) -> None:
    older, newer = kernel_tree.older(tmp_path / "older"), kernel_tree.tree(tmp_path / "newer")
    assert "CONFIG_BLOCK=y" in config.wanted(older).splitlines()
    assert "CONFIG_BLOCK=y" not in config.wanted(newer).splitlines()
    (newer / "init/do_mounts.c").unlink()
    with pytest.raises(KernelError, match=r"init/do_mounts\.c: cannot be read"):
        config.wanted(newer)


def test_every_congestion_control_of_the_tree_is_configured(tmp_path: Path) -> None:
    asked = config.wanted(kernel_tree.tree(tmp_path))
    assert "CONFIG_TCP_CONG_MINE=y" in asked.splitlines()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("CONFIG_HOSTFS=y", "# CONFIG_HOSTFS is not set", "cannot set HOSTFS"),
        ("CONFIG_HZ=1000", "CONFIG_HZ=100", "ticks 100 times a second; 1000 is needed"),
    ],
)
def test_a_configuration_without_what_is_needed_is_refused(old: str, new: str, said: str) -> None:
    with pytest.raises(KernelError, match=said):
        config.missing(config.fragment(), kernel_tree.CONFIG.replace(old, new))


def test_what_is_merely_absent_is_listed() -> None:
    assert config.missing("CONFIG_HOSTFS=y\nCONFIG_NET_SCH_CAKE=y\n", kernel_tree.CONFIG) == ["NET_SCH_CAKE"]
