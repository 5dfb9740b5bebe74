"""What a job depends on beside its input files: the digest of its code and the versions of its libraries.

Snakemake does not see imported code. Rules carry `code` and `versions` as params, so that an edit runs exactly the
rules again whose modules it touches, while comments, docstrings, formatting and file dates count for nothing. The
digest goes to the job, too, which refuses to run other code (`sentflow.jobs.code_check`).
"""

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from sentflow.files.io import write_json
from sentflow.flow.source_facts import Facts, Part, facts_of, remember
from sentflow.jobs.job import MODULES, module_of
from sentflow.jobs.machine import library_version

_ROOT = Path(__file__).parents[1]

# What can change no byte of a result stands in no digest, so that an edit there runs nothing again: whole folders, and
# modules of others, with the reason.
PLUMBING_FOLDERS = ("config", "files", "flow", "jobs")
PLUMBING = {
    "sentflow.errors": "what is said when a job fails, and writes nothing",
    "sentflow.encoders.service_keys": "which key may be sent where; the answer is the same",
    "sentflow.retrieval.settings": "reaches jobs as their params",
    "sentflow.training.recipes.settings": "reaches jobs as their params",
    "sentflow.training.settings": "reaches jobs as their params",
    "sentflow.training.data.settings": "reaches jobs as their params",
    "sentflow.encoders.settings": "reaches jobs as their params: settings, libraries, digests of the modules it names",
}
# Files that code reads. They count with every module of the folder that they are in; other folders are named to `code`.
DATA = frozenset({".css", ".csv", ".j2", ".js", ".json", ".mplstyle", ".txt", ".yaml"})
# Module or data file → its facts when the run began, in a process that Snakemake starts for a single job of it.
_at_the_start: dict[str, Facts] = {}


@cache
def code(job: str, *named: str) -> str:
    """16 hex digits that change when the code of a job, or anything of the package that it imports, changes.

    The digest starts at the job's function and what that uses of its module. `named`: modules that it imports by name
    here, e.g. that of a kind of encoder; or packages, which count as a whole, where the job is cheap to run again.
    Their names follow the digits, so that the job can make the digest again. Raises ConfigError or ModuleNotFoundError:
    there is no such job or module.
    """
    digests = {name: _digest(name) for name in sources_of(job, *named)}
    remember()
    text = "".join(f"{name}\0{digest}\n" for name, digest in sorted(digests.items()))
    return " ".join([hashlib.sha256(text.encode()).hexdigest()[:16], *named])


def sources_of(job: str, *named: str) -> set[str]:
    """What is in the digest of a job: modules, parts of modules (``module:name``) and data files, see `code`."""
    by_name = [inner for name in named for inner in _whole(name)]
    return reached(f"{module_of(job)}:{job}", *by_name)


def job_params(job: str, **settings: Any) -> dict[str, Any]:
    """The params of a rule: `settings`, the digest of its job, and versions of the libraries that ``@job(…)`` names."""
    libraries = facts(module_of(job)).parts[job].libraries
    # In a text Snakemake looks for wildcards, and a title may have braces; what a function returns stays as it is
    fixed = {name: _constant(value) if isinstance(value, str) else value for name, value in settings.items()}
    return {"code": code(job), **({"env": versions(*libraries)} if libraries else {}), **fixed}


def _constant(value: str) -> Callable[[Any], str]:
    return lambda wildcards: value  # noqa: ARG005


def signature(job: str) -> dict[str, list[str]]:
    """Parameter → words of its annotation, of the function of a job."""
    return dict(facts(module_of(job)).parts[job].signature)


def about(job: str) -> str:
    """What a job does."""
    return facts(module_of(job)).parts[job].about


def versions(*distributions: str) -> str:
    """Versions of libraries that can change a job's numbers, without build tags, e.g. ``torch=2.13.0``."""
    return " ".join(f"{name}={_public_version(name)}" for name in sorted(distributions))


def reached(*starts: str) -> set[str]:
    """Modules or parts of modules, all that they import, directly or through others, and the data files beside these.

    Plumbing is left out. Of modules with jobs or a kind of encoder, and of those named ``settings`` or ``describe``,
    only the parts count that are used.
    """
    names: set[str] = set()
    waiting = list(starts)
    while waiting:
        name = waiting.pop()
        if name not in names and not is_plumbing(name):
            names.add(name)
            waiting.extend(imports(name))
            waiting.extend(_data_of(name))
    return names


def is_plumbing(name: str) -> bool:
    """Whether a module, or a part of one, can change no byte of a result."""
    module = name.partition(":")[0]
    return module in PLUMBING or module.split(".")[1] in PLUMBING_FOLDERS


@cache
def imports(name: str) -> frozenset[str]:
    """What of the package a module or a part of one imports anywhere, inside functions too, and uses of its module."""
    module, is_part, part = name.partition(":")
    about = facts(module).parts[part] if is_part else facts(module)
    own = {f"{module}:{use}" for use in about.uses} if isinstance(about, Part) else set()
    return frozenset(own.union(*map(_meant, about.imported)) - {"sentflow"})


def _meant(entry: str) -> list[str]:
    """What an import makes count: of ``package:name`` both where the name is a module, else the module or its part."""
    module, _, name = entry.partition(":")
    inner = f"{module}.{name}"
    if name and _file(inner):
        return [module, inner]
    return [entry if _is_in_parts(module) and name in facts(module).parts else module]


def _is_in_parts(module: str) -> bool:
    ends = (".settings", ".describe")
    return module in MODULES or module.endswith(ends) or module.startswith("sentflow.encoders.kinds.")


def _digest(name: str) -> str:
    module, is_part, part = name.partition(":")
    return (facts(module).parts[part] if is_part else facts(module)).digest


@cache
def facts(name: str) -> Facts:
    if name in _at_the_start:
        return _at_the_start[name]
    file = _file(name)
    if file is None:
        raise ModuleNotFoundError(f"there is no module {name}")
    content = file.read_bytes()
    if file.suffix in DATA:
        return Facts(hashlib.sha256(content).hexdigest(), [], {})
    return facts_of(content, in_parts=_is_in_parts(name))


def write_sources(file: Path) -> None:
    """Keep the facts of the whole package as they are when a run begins, for `use_sources`."""
    kept = {}
    for name in (name for folder in _folders(_ROOT) for name in _in_folder(folder)):
        with suppress(SyntaxError):  # of a module that nobody has finished
            kept[name] = facts(name)
    write_json(file, kept)
    remember()


def use_sources(file: Path) -> None:
    """Let digests be those of the beginning of the run: Snakemake makes the params of each job of a cluster anew."""
    if file.is_file():
        kept = json.loads(file.read_bytes())
        _at_the_start.update({name: Facts.of(*values) for name, values in kept.items()})


@cache
def _public_version(distribution: str) -> str:
    return library_version(distribution).partition("+")[0]


@cache
def _file(name: str) -> Path | None:
    """The file of a module, or of a name as `_in_folder` gives it."""
    path = _ROOT.joinpath(*name.split(".")[1:])
    candidates = (path.with_suffix(".py"), path / "__init__.py", _ROOT / name)
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _whole(name: str) -> list[str]:
    """A module; of a package, all of its modules and data files."""
    file = _file(name)
    if file is None or file.name != "__init__.py":
        return [name]
    return [inner for folder in _folders(file.parent) for inner in _in_folder(folder)]


def _data_of(name: str) -> list[str]:
    """The data files beside a module."""
    file = _file(name)
    return [one for one in _in_folder(file.parent) if "/" in one] if file and file.suffix == ".py" else []


@cache
def _folders(folder: Path) -> list[Path]:
    """A folder and those below it, but for what Python keeps."""
    below = sorted(one for one in folder.iterdir() if one.is_dir() and one.name[0].isalpha())
    return [folder, *(inner for one in below for inner in _folders(one))]


@cache
def _in_folder(folder: Path) -> list[str]:
    """The modules and the data files in a folder: ``sentflow.stats.paired``, ``report/page/page.css``."""
    names = []
    for file in folder.glob("[!.]*"):  # hidden ones are of editors
        place = file.relative_to(_ROOT)
        if file.suffix == ".py":
            inner = place.parent.parts if file.stem == "__init__" else place.with_suffix("").parts
            names.append(".".join(["sentflow", *inner]))
        elif file.suffix in DATA:
            names.append(place.as_posix())
    return names
