"""Controllers from files, as tests write them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

RENO = """\
#include <linux/module.h>
#include <net/tcp.h>

static int beta = 512;
module_param(beta, int, 0644);
MODULE_PARM_DESC(beta, "share of the window kept after a loss, of 1024");
static u32 losses;

static u32 mine_ssthresh(struct sock *sk)
{
	losses++;
	return max(tcp_snd_cwnd(tcp_sk(sk)) * beta / 1024, 2U);
}

static void mine_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	/* here */
	tcp_reno_cong_avoid(sk, ack, acked);
}

static struct tcp_congestion_ops mine = {
	.ssthresh = mine_ssthresh,
	.cong_avoid = mine_cong_avoid,
	.undo_cwnd = tcp_reno_undo_cwnd,
	.name = "mine",
	.owner = THIS_MODULE,
};

static int __init mine_register(void)
{
	return tcp_register_congestion_control(&mine);
}
module_init(mine_register);
"""
"""A Reno whose back-off can be set, with a global that is never read; `/* here */` stands in its `cong_avoid`."""

BROKEN = {
    "crash": "if (tcp_jiffies32 > 1000) *(volatile int *)8 = 1;",
    "loop": "if (tcp_jiffies32 > 1000) for (;;) ;",
    "zero": "if (tcp_jiffies32 > 1000) { tcp_sk(sk)->snd_cwnd = 0; return; }",
}
"""What goes wrong after a second, in place of `/* here */`."""

Write = Callable[..., str]


def require_compiler() -> None:
    """Skip where there is no C compiler, and say so."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler (cc)")


@pytest.fixture(scope="session")
def controller_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests: what every file is compiled against is compiled once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def written(tmp_path: Path, controller_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a controller into the test's folder, which becomes the current one; return how a user names it."""
    require_compiler()
    monkeypatch.setenv("XDG_CACHE_HOME", str(controller_cache))
    monkeypatch.chdir(tmp_path)

    def write(name: str = "mine.c", text: str = RENO, **replaced: str) -> str:
        for old, new in replaced.items():
            assert f"/* {old} */" in text
            text = text.replace(f"/* {old} */", new)
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return f"./{name}"

    return write


def shared(folder: Path, name: str, text: str) -> str:
    """Compile a library of its own from C; return how a user names it."""
    require_compiler()
    header = Path(__file__).parents[3] / "crates/guest/include"
    (folder / "library.c").write_text(text, encoding="utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", "-I", header, "-o", folder / name, folder / "library.c"], check=True)
    return f"./{name}"
