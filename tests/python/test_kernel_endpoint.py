"""What makes a kernel one end of a connection: its changes to a tree, and the structures that both sides of its socket know."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from controllers import require_compiler

from windtunnel.backends.linux import endpoints
from windtunnel.backends.linux.errors import Unrecognised

ROOT = Path(__file__).parents[2]
# As in Linux 6.1 and 6.12, arch/um/kernel.
TIME = """\
static void time_travel_ext_get_time(void)
{
	time_travel_ext_req(UM_TIMETRAVEL_GET, -1);
}

static void __time_travel_update_time(unsigned long long ns, bool idle)
{
	if (time_travel_mode == TT_MODE_EXTERNAL && time_travel_ext_request(ns))
		time_travel_ext_wait(idle);
	else
		time_travel_set_time(ns);
}

static struct time_travel_event *time_travel_first_event(void)
"""
MAKEFILE = "obj-y = config.o exec.o\nobj-y += load_file.o\n\nobj-$(CONFIG_BLK_DEV_INITRD) += initrd.o\n"


def test_an_idle_machine_asks_and_a_busy_one_does_not():
    clock, objects = endpoints.CHANGES
    what, changed = clock.apply(TIME)
    assert what == "an idle machine asks how far it may go"
    assert "\telse if (!idle || windtunnel_goes_on(time_travel_time, ns))\n\t\ttime_travel_set_time(ns);\n}\n" in changed
    assert changed.index("bool windtunnel_goes_on") < changed.index("__time_travel_update_time")
    # Nothing else is another.
    kept = [line for line in TIME.splitlines() if line and line != "\telse"]
    assert [line for line in changed.splitlines() if line in kept] == kept
    assert objects.apply(MAKEFILE)[1].count("windtunnel_endpoint.o windtunnel_socket.o") == 1


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (0, TIME.replace("else\n", "else if (ns)\n")),
        (0, TIME + TIME),
        (0, endpoints.CHANGES[0].apply(TIME)[1]),
        (1, MAKEFILE.replace("load_file.o", "load_files.o")),
    ],
)
def test_what_is_not_as_expected_is_refused(change, text):
    with pytest.raises(Unrecognised):
        endpoints.CHANGES[change].apply(text)


def test_the_files_that_are_added_are_those_that_name_each_other():
    added = {Path(name).name: content.decode() for name, content in endpoints.sources().items()}
    assert {Path(name).parent.as_posix() for name in endpoints.sources()} == {"arch/um/kernel"}
    named = {name for text in added.values() for name in re.findall(r'#include "(.*)"', text)}
    assert named and named <= set(added)


def test_both_sides_of_the_socket_have_structures_of_the_same_sizes(tmp_path):
    require_compiler()
    header = ROOT / "python/windtunnel/backends/linux/endpoint/endpoint.h"
    program = f"""#include <stdio.h>
#include "{header}"
int main(void)
{{
	printf("%zu, %zu, %zu", sizeof(struct windtunnel_segment), sizeof(struct windtunnel_order), sizeof(struct windtunnel_said));
}}
"""
    (tmp_path / "sizes.c").write_text(program)
    subprocess.run(["cc", "-o", tmp_path / "sizes", tmp_path / "sizes.c"], check=True)
    sizes = subprocess.run([tmp_path / "sizes"], capture_output=True, text=True, check=True).stdout
    # What the library's own test says of its side.
    assert f"(size_of::<Segment>(), size_of::<Order>(), size_of::<Said>()), ({sizes}))" in (ROOT / "stacks/linux/src/wire.rs").read_text()
