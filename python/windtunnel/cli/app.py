"""The root command and the one place where errors become exit codes: 0 fine, 1 a check failed, 2 bad input."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from typing import Annotated

import typer

from windtunnel.cli import (
    advise,
    agree,
    algorithms,
    cache,
    check,
    conform,
    doctor,
    fit,
    gate,
    kernel,
    measure,
    new,
    pack,
    play,
    queues,
    read,
    results,
    run,
    scenario,
    search,
    serve,
    stacks,
    suite,
    sweep,
)
from windtunnel.cli.helping import Command, new_app

# Looked up only in modules that are loaded: an error that was raised has its module there.
REFUSALS = (
    ("windtunnel.extras", "MissingExtra"),
    ("windtunnel.foreign", "ForeignError"),
    ("windtunnel.records", "FolderError"),
    ("windtunnel.store", "ResultsError"),
    ("windtunnel.store", "QueryError"),
    ("windtunnel.claims", "RegisterError"),
    ("windtunnel.pool", "WorkerLost"),
    ("windtunnel.campaign", "CampaignError"),
    ("windtunnel.experiment", "MeasureFailed"),
    ("windtunnel.suites", "SuiteError"),
    ("windtunnel.starters", "StarterError"),
    ("windtunnel.backends.linux.errors", "KernelError"),
    ("windtunnel.backends.linux.errors", "GuestFailed"),
    ("windtunnel.backends.live.errors", "LiveError"),
    ("windtunnel.measure.errors", "MeasureError"),
)

LONGEST_WORD = 400
"""Letters of a word in an error that are shown whole."""

app = new_app(
    name="windtunnel",
    help="A laboratory for TCP congestion control: pick algorithms and a path, get tables, figures and records.",
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        from windtunnel.version import __version__

        print(f"windtunnel {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Evaluate TCP congestion control."""


app.command("run", cls=Command)(run.run_command)
app.command("read", cls=Command)(read.read_command)
app.add_typer(suite.app, name="suite")
app.command("sweep", cls=Command)(sweep.sweep_command)
app.command("search", cls=Command)(search.search_command)
app.command("play", cls=Command)(play.play_command)
app.command("report", cls=Command)(results.report_command)
app.command("serve", cls=Command)(serve.serve_command)
app.command("claims", cls=Command)(results.claims_command)
app.command("sql", cls=Command)(results.sql_command)
app.command("pack", cls=Command)(pack.pack_command)
app.command("advise", cls=Command)(advise.advise_command)
app.command("agree", cls=Command)(agree.agree_command)
app.command("measure", cls=Command)(measure.measure_command)
app.command("fit", cls=Command)(fit.fit_command)
app.command("gate", cls=Command)(gate.gate_command)
app.command("new", cls=Command)(new.new_command)
app.command("check", cls=Command)(check.check_command)
app.command("algorithms", cls=Command)(algorithms.algorithms_command)
app.command("queues", cls=Command)(queues.queues_command)
app.command("doctor", cls=Command)(doctor.doctor_command)
app.command("conform", cls=Command)(conform.conform_command)
app.add_typer(kernel.app, name="kernel")
app.add_typer(stacks.app, name="stacks")
app.add_typer(cache.app, name="cache")
app.add_typer(scenario.app, name="scenario")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : list of str, optional
        Without the program's name; those of the process when absent.

    Returns
    -------
    int
        0 fine, 1 a check failed, 2 bad input, 130 interrupted. SIGTERM and SIGHUP leave the interpreter with 128 and their number.
    """
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) == signal.SIG_DFL:  # Under nohup a hangup is ignored, and stays so.
                signal.signal(number, _end)
    try:
        code = app(arguments, standalone_mode=False, prog_name="windtunnel")
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader left early (`| head`); point stdout elsewhere so that the interpreter's last flush is quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KeyboardInterrupt, typer.Abort):
        print("interrupted", file=sys.stderr)
        return 130
    except Exception as error:
        line = _refusal(error)
        if line is None:
            raise
        print(f"error: {_shortened(line)}", file=sys.stderr)
        return 2
    return code if isinstance(code, int) else 0


def _end(number: int, _: object) -> None:
    """End as by Ctrl-C when the system asks for it: half-written folders are removed and workers stopped on the way out."""
    raise SystemExit(128 + number)


def _refusal(error: Exception) -> str | None:
    """Return the line to print for bad input, None for anything that is our own fault."""
    if hasattr(error, "format_message"):  # Every usage error of the option parser.
        context = getattr(error, "ctx", None)
        if context is not None and type(error).__name__ == "NoArgsIsHelpError":
            typer.echo(error.format_message())  # The help.
            return f"a command is missing; see {context.command_path} --help"
        message = _meant(error) or " ".join(str(error.format_message()).split()) or "see windtunnel --help"
        if context is not None and message.startswith("Missing "):
            return f"{message.rstrip('.')}; see {context.command_path} --help"
        return message
    from windtunnel.scenario.errors import ScenarioError, one_line

    if isinstance(error, ScenarioError):
        return str(error)
    for module, name in REFUSALS:
        loaded = sys.modules.get(module)
        if loaded is not None and isinstance(error, getattr(loaded, name)):
            return one_line(str(error))
    from windtunnel.extras import absent, lacking

    package = absent(error)
    return None if package is None else str(lacking("this command needs", package))


def _shortened(line: str) -> str:
    """Cut words of hundreds of letters, such as a very long path, in their middle."""
    words = (
        word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD // 2]}...{word[-LONGEST_WORD // 4 :]}" for word in line.split(" ")
    )
    return " ".join(words)


def _suite_to_run(message: str) -> str | None:
    """Return the refusal of ``windtunnel suite li07``, where the command is missing before the suite."""
    from windtunnel.suites import suites

    found = re.match(r"No such command '((\w+)[^']*)'", message)
    return f"No such command: {found[1]} (did you mean: suite run {found[1]}?)" if found and found[2] in suites() else None


def _meant(error: Exception) -> str | None:
    """Return the refusal of an option that other tools have, or of a suite without `run`, with what is meant; None of anything else."""
    context, name = getattr(error, "ctx", None), getattr(error, "option_name", None)
    if context is None:
        return None
    if not isinstance(name, str):
        return _suite_to_run(str(getattr(error, "message", ""))) if context.command.name == "suite" else None
    from windtunnel.scenario.errors import OTHER_WORDS

    known = {option for parameter in context.command.params for option in parameter.opts}
    words = OTHER_WORDS.get(name.lstrip("-").replace("-", "_"), ())
    found = [option for option in (f"--{word}" for word in words) if option in known]
    return f"No such option: {name} (did you mean {found[0]}?)" if found else None
