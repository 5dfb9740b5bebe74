"""The command ``sentflow``: what there is, what would be run, what came out.

It changes no result; Snakemake does, which ``sentflow run`` becomes. A command is a function of a module of this
package, which is imported when the command is called: ``sentflow --help`` imports typer alone, and prints plain text,
because drawing it would take longer than all the rest.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from sentflow.errors import SentflowError

_COMMANDS = (
    *(
        "quick",
        "tasks",
        "models",
        "catalog",
        "validate",
        "show",
        "compare",
        "leaderboard",
        "evaluate",
        "search",
    ),
    *("explain", "costs", "tune", "new-experiment", "ledger", "publish", "run", "sweep"),
)
"""Each is the function of its name, in the module of its name or in `catalog`."""


class _AsTyped(TyperCommand):
    """A command that passes on its arguments as they were typed, ``--`` included; only ``--help`` is its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        options = args[: args.index("--")] if "--" in args else args
        if "--help" in options:
            return super().parse_args(ctx, ["--help"])
        ctx.args = args
        return args


class _Commands(TyperGroup):
    """The commands; a `SentflowError` ends them with one paragraph and exit code 2."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"sentflow.cli.{_module(cmd_name)}")
        application = getattr(module, "app", None)  # of several commands
        if application is None:
            application = typer.Typer(add_completion=False, rich_markup_mode=None)
            as_typed = _AsTyped if cmd_name == "run" else None
            application.command(cls=as_typed)(getattr(module, cmd_name.replace("-", "_")))
        command = typer.main.get_command(application)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, _summary(name)) for name in _COMMANDS])

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except SentflowError as error:
            sys.stderr.write(f"error: {error}\n")
            raise typer.Exit(2) from None


def _module(name: str) -> str:
    return "catalog" if name in ("tasks", "models") else name.replace("-", "_")


def _summary(name: str) -> str:
    """The first line of the docstring of a command, without an import of its module."""
    text = Path(__file__).with_name(f"{_module(name)}.py").read_text(encoding="utf-8")
    return text.partition(f"\ndef {name.replace('-', '_')}(")[2].split('"""')[1].partition("\n")[0]


app = typer.Typer(
    cls=_Commands,
    help="Compare sentence encoders and retrievers: from a list of models to tables and figures.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def about(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        from sentflow.jobs.machine import library_version

        typer.echo(f"sentflow {library_version('sentflow')}")
        raise typer.Exit


def main() -> None:
    """Run the command and exit."""
    app(prog_name="sentflow")
