"""A job is a function: its signature is its command line, ``python -m sentflow.jobs NAME --…``.

The functions stand in the modules of `MODULES`, and the names of their parameters are those that their rule gives to
files, params and resources, so that `sentflow.flow.rules` can write the command of a rule.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from inspect import getdoc, signature
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, NoReturn, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter

from sentflow.errors import ConfigError, instead
from sentflow.jobs.log import start_log

PACKAGE = Path(__file__).parents[1]
MODULES = (
    "sentflow.texts.jobs",
    "sentflow.encoders.jobs",
    "sentflow.probing.jobs",
    "sentflow.similarity.jobs",
    "sentflow.geometry.jobs",
    "sentflow.retrieval.jobs",
    "sentflow.training.jobs",
    "sentflow.ledger.jobs",
    "sentflow.report.jobs",
    "sentflow.exports.jobs",
)

# --- how parameters are annotated; what is none of these is a param of the rule, by its type -----------------

In: TypeAlias = Path
"""A file that the job reads: an input of the rule."""
Out: TypeAlias = Path
"""A file or folder that the job writes: an output of the rule; ``output`` stands for all of them."""
Json: TypeAlias = Any
"""JSON text, which the function receives parsed."""
Wildcard: TypeAlias = str
"""Value of a wildcard of the rule."""
_T = TypeVar("_T")
Resource = Annotated[_T, "resource"]
"""What changes no byte of the outputs, e.g. ``Resource[Json]``: a resource of the rule, which runs nothing again."""
Manual = Annotated[_T, "manual"]
"""What no rule gives, and only a command line can say."""

_CODE = "--code"
_Function = TypeVar("_Function", bound=Callable[..., None])


def job(*libraries: str) -> Callable[[_Function], _Function]:
    """Make a function with keyword parameters a job, which has its name.

    `libraries`: distributions whose versions can change the result: the log names them, and `job_params` makes them
    the param ``env`` of the rule. Where it depends on the job which they are, the rule says so itself.
    """

    def mark(function: _Function) -> _Function:
        _JOBS[function.__name__] = Job(function, libraries)
        return function

    return mark


@dataclass(frozen=True)
class Job:
    """A function that `job` has marked."""

    function: Callable[..., None]
    libraries: Sequence[str]

    @cached_property
    def parser(self) -> argparse.ArgumentParser:
        """What reads the command line."""
        parser = _Parser(
            prog=f"python -m sentflow.jobs {self.function.__name__}",
            description=getdoc(self.function),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        hints = get_type_hints(self.function)
        for parameter in signature(self.function).parameters.values():
            required = parameter.default is parameter.empty
            options: dict[str, Any] = {"required": True} if required else {"default": parameter.default}
            hint = _without_none(hints[parameter.name])
            if get_origin(hint) in {list, Sequence}:
                options["nargs"] = "+" if required else "*"
                (hint,) = get_args(hint)
            elif hint is Path and not required:
                options["nargs"] = "?"  # nothing, where a rule has no such input
            parser.add_argument(option_of(parameter.name), type=_reader(hint), **options)
        if "code" not in hints:
            parser.add_argument(_CODE, help="digest of the code, which the job refuses to differ from")
        return parser

    def values(self, words: Sequence[str]) -> dict[str, Any]:
        """Parameter → its value, by the words of a command line; ConfigError for one that does not fit."""
        values = vars(self.parser.parse_args(words))
        digest, *_ = (values.pop("code") or "").split() or [""]
        return values | {"code": digest} if "code" in signature(self.function).parameters else values

    def run(self, words: Sequence[str]) -> None:
        """Read the words of a command line, start the log, do the work."""
        values = self.values(words)
        start_log([self.function.__name__, *words], self.libraries)
        self.function(**values)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{self.prog}: {message}.")


_JOBS: dict[str, Job] = {}


def job_named(name: str) -> Job:
    """A job by its name; of all modules with jobs, only its own is imported."""
    import_module(module_of(name))
    return _JOBS[name]


def module_of(name: str) -> str:
    """The module in which a job is defined; ConfigError where there is no such job."""
    for module in MODULES:
        if name in names_in(module):
            return module
    known = (job for module in MODULES for job in names_in(module))
    raise ConfigError(f"there is no job {name!r}. {instead(name, known)}")


def words_of(argv: Sequence[str] | None) -> list[str]:
    """The words of a command line; None for those of this process.

    Where they are too many for the system they come through a pipe (``python.sh``): a single word ``@FILE`` stands for
    a file with each word and a zero byte behind it.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if len(words) != 1 or not words[0].startswith("@"):
        return words
    return [os.fsdecode(word) for word in Path(words[0][1:]).read_bytes().split(b"\0")[:-1]]


def digest_in(words: Sequence[str]) -> str:
    """The digest of its code that the words of a job name; empty for a job that was typed by hand."""
    return next((word.removeprefix(f"{_CODE}=") for word in words if word.startswith(f"{_CODE}=")), "")


def option_of(parameter: str) -> str:
    """The option of a parameter."""
    return "--" + parameter.replace("_", "-")


def names_in(module: str) -> Iterator[str]:
    """Names of the jobs of a module, by its text: to import all modules would take long."""
    text = source_of(module).read_text(encoding="utf-8")
    for part in text.split("\n@job(")[1:]:
        yield part.partition("\ndef ")[2].partition("(")[0]


def source_of(module: str) -> Path:
    """The file of a module with jobs."""
    return PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py")


def _without_none(hint: Any) -> Any:
    if get_origin(hint) is UnionType:
        [hint] = (one for one in get_args(hint) if one is not NoneType)
    return hint


def _reader(hint: Any) -> Callable[[str], Any]:
    """What makes a value of a word: text, a number or a path as it stands, everything else from JSON."""
    if hint in {Path, str, int, float}:
        return hint  # type: ignore[no-any-return]
    read: Callable[[str], Any] = TypeAdapter(hint).validate_json

    def parsed(word: str) -> Any:
        try:
            return read(word)
        except ValueError as error:
            told = "; ".join(_problems(error)) or str(error)
            raise argparse.ArgumentTypeError(f"{word!r} cannot be read: {told}") from error

    return parsed


def _problems(error: ValueError) -> list[str]:
    """What pydantic says of each field; nothing of another error."""
    found = error.errors() if hasattr(error, "errors") else []
    return [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in found]
