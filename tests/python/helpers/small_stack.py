"""A small stack in C behind the table of whole stacks: its client asks to be woken after a second, and does then what a test wants."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from controllers import require_compiler

from windtunnel.foreign import stacks

_TABLE = Path(__file__).parents[3] / "crates/endpoint/src/table.rs"

_TEXT = """\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct config { uint64_t flow; uint8_t role; uint16_t datagram_bytes; };
enum { PEER = 4433 };
struct end { int is_client; int is_woken; int sends; int port; };
struct leaving { const uint8_t *data; uint32_t length; uint8_t ecn; };
static volatile int zero;
static void *open_end(const struct config *given, char *text)
{
	struct end *end = calloc(1, sizeof(*end));
	(void)text;
	end->is_client = given->role == 0;
	end->port = PEER;
	return end;
}
static void close_end(void *end) { free(end); }
static int connect_end(void *end, uint64_t now, char *text) { (void)end, (void)now, (void)text; return 0; }
static int receive(void *end, uint64_t now, const uint8_t *data, uint32_t bytes, uint8_t ecn, char *text)
{
	(void)end, (void)now, (void)data, (void)bytes, (void)ecn, (void)text;
	return 0;
}
static int wake(void *handle, uint64_t now, char *text)
{
	struct end *end = handle;
	(void)now, (void)text;
	end->is_woken = 1;
	HERE
	return 0;
}
static int supply(void *end, uint64_t now, uint8_t kind, uint64_t bytes, char *text)
{
	(void)end, (void)now, (void)kind, (void)bytes, (void)text;
	return 0;
}
static int transmit(void *end, uint64_t now, struct leaving *leaving, char *text)
{
	static const uint8_t datagram[1200];
	struct end *own = end;
	(void)now;
	if (!own->sends)
		return 0;
	if (own->port != PEER) {
		snprintf(text, 512, "sends to nobody: no end of its connection is at [::1]:%d", own->port);
		return -1;
	}
	own->sends--;
	leaving->data = datagram;
	leaving->length = sizeof(datagram);
	leaving->ecn = 0;
	return 1;
}
static uint64_t wake_at(void *handle)
{
	struct end *end = handle;
	if (end->is_client && end->is_woken > 2)
		return end->is_woken * 1000000000ull;
	return end->is_client && end->is_woken != 1 ? (end->is_woken ? 1000 : 1) * 1000000000ull : UINT64_MAX;
}
static void state(void *end, uint64_t *said)
{
	(void)end;
	memset(said, 0xff, 12 * sizeof(*said));
	said[10] = 0;
	memset(said + 11, 0, 2);
}
static const struct {
	uint32_t abi;
	const char *name, *version, *algorithms;
	void *calls[9];
} table = {
	ABI, "small", "1", "none",
	{ open_end, close_end, connect_end, receive, wake, supply, transmit, wake_at, state },
};
const void *windtunnel_stack(void) { return &table; }
"""


def keep_small_stack(here: str, folder: Path) -> stacks.Stack:
    """Compile one whose client does `here` when it is woken, and keep it in the user's cache as ``small``."""
    require_compiler()
    abi = re.search(r"pub const ABI: u32 = (\d+);", _TABLE.read_text(encoding="utf-8"))
    assert abi is not None
    (folder / "small.c").write_text(_TEXT.replace("ABI", abi[1]).replace("HERE", here), encoding="utf-8")
    library = folder / "small.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, folder / "small.c"], check=True)
    stacks.folder().mkdir(parents=True, exist_ok=True)
    return stacks._keep(stacks.Stack("small", "0123456789abcdef", "1", ("none",), library, "2030-01-01 00:00:00", 0.0))
