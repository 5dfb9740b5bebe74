"""Jobs of the workflow that are run without it: what they make goes into a folder of its own, not into the results."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sentflow.errors import DataError
from sentflow.files.io import read_json
from sentflow.graph.job_settings import pick
from sentflow.jobs.job import job_named, option_of
from sentflow.report.numbers import counted

VECTORS = ("documents", "queries")  # what describes each has "_info" behind it
_OF_ROLE = ("prompts", "prompt_names", "terms")  # those of questions differ from those of documents
_OF_ENCODER = ("kind", "revision", "files_sha256", "model_settings", "encode_settings")


@dataclass(frozen=True)
class Step:
    """A job of the workflow.

    Attributes
    ----------
    job
        Its name.
    reads
        Parameter → files, as `sentflow.graph.paths` names them.
    writes
        File → parameter; empty for a file that the job puts beside another.
    given
        Parameter → value.
    """

    job: str
    reads: Mapping[str, Sequence[str]]
    writes: Mapping[str, str]
    given: Mapping[str, str] = field(default_factory=dict)

    def words(self, place: Callable[[str], Path]) -> list[str]:
        """The words of its command line, with files where they are."""
        written = ((name, str(place(file))) for file, name in self.writes.items() if name)
        # with a sign between them, because a value may begin with a dash
        single = [f"{option_of(name)}={value}" for name, value in (*self.given.items(), *written)]
        several = [
            (option_of(name), *map(str, map(place, files))) for name, files in self.reads.items() if files
        ]
        return [*single, *(word for words in several for word in words)]


def missing(steps: Sequence[Step], results: Path) -> list[str]:
    """The files of the results that steps read and that are not there, as Snakemake calls them."""
    made = _made(steps)
    files = (file for step in steps for names in step.reads.values() for file in names)
    return [
        file for file in dict.fromkeys(files) if file not in made and not in_folder(results, file).is_file()
    ]


def to_make_first(absent: Sequence[str], configs: Sequence[Path], *, needed_by: str, why: str) -> str:
    """What to say where files of the results are missing, with the command that makes them."""
    given = ["--configfile", *map(str, configs)] if configs else []
    command = shlex.join(["sentflow", "run", "--cores", "all", *absent, *given])
    return (
        f"the results lack {counted(len(absent), 'file')} that {needed_by} need. {why}; make them with the pipeline "
        f"first:\n{command}"
    )


def run_steps(steps: Sequence[Step], results: Path, work: Path) -> Iterator[str]:
    """Run jobs one after the other.

    Parameters
    ----------
    steps
        In their order.
    results
        What none of them makes is read from here.
    work
        Folder for what they make, laid out like the results.

    Yields
    ------
    str
        The name of each, before it is run.

    Raises
    ------
    SentflowError
        That of the job; or the documents were embedded by another encoder, or with other settings, than the
        questions.
    """
    made = _made(steps)

    def place(file: str) -> Path:
        return in_folder(work if file in made else results, file)

    for step in steps:
        yield step.job
        if step.reads.get(VECTORS[0]):
            _refuse_other_encoder(*(place(step.reads[f"{name}_info"][0]) for name in VECTORS))
        job = job_named(step.job)
        job.function(**job.values(step.words(place)))


def in_folder(folder: Path, file: str) -> Path:
    """A file of the results tree in this folder, whatever it is called."""
    return folder.joinpath(*Path(file).parts[1:]).absolute()


def _made(steps: Sequence[Step]) -> set[str]:
    return {file for step in steps for file in step.writes}


def _refuse_other_encoder(documents: Path, questions: Path) -> None:
    """Refuse vectors of documents that are not those of the encoder that the configuration describes now."""
    first, second = (_encoder(read_json(info)) for info in (documents, questions))
    if changed := [key for key in first if first[key] != second[key]]:
        raise DataError(
            f"{documents}: the documents were embedded by another encoder, or with other settings, than the "
            f"configuration says now ({', '.join(changed)} differ). Run snakemake again with this configuration first."
        )


def _encoder(described: Mapping[str, Any]) -> dict[str, Any]:
    """What a description of vectors says of the encoder and its settings, but for those of a role."""
    found = pick(described, *_OF_ENCODER)
    settings = {key: value for key, value in found["encode_settings"].items() if key not in _OF_ROLE}
    return found | {"encode_settings": settings}
