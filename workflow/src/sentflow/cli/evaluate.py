"""`sentflow evaluate`: runs of any engine against judgements, without a configuration."""

import math
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from sentflow.api.run_data import JUDGEMENTS, has_objects, pairs_of
from sentflow.api.run_evaluation import (
    MEASURES,
    POPULATION,
    RunComparison,
    RunEvaluation,
    compare_runs,
    evaluate_run,
)
from sentflow.cli.configuration import AsJson
from sentflow.cli.terminal import Block, listing, show_blocks
from sentflow.compare.comparisons import detectable
from sentflow.compare.rows import QuestionDifference
from sentflow.errors import ConfigError, DataError
from sentflow.files.io import json_document, write_text
from sentflow.report.captions import detectable_note, sizes
from sentflow.report.families.retrieval.tables import difference_columns
from sentflow.report.families.retrieval.words import NO_INTERVAL, by_order
from sentflow.report.numbers import decimal, interval, percent
from sentflow.report.table.formats import csv_records
from sentflow.report.table.table import Table, Value, build
from sentflow.retrieval.trec import lines_of

# Up to a comma, but for those of parameters: RBP(rel=1,p=0.8)
_MEASURE = re.compile(r"(?:[^,(]|\([^()]*\)?)+")


def evaluate(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN... QRELS",
            help="Runs in TREC's form (question Q0 document rank score tag), then their judgements "
            "(question 0 document grade, or BEIR's .tsv). Or JSON lines alone, with question, expected and "
            "retrieved.",
        ),
    ],
    measures: Annotated[
        list[str] | None,
        typer.Option("--measures", help="Names as in ir-measures, separated by commas; tests use the first."),
    ] = None,
    passages: Annotated[
        str | None,
        typer.Option(
            help="Regular expression whose first group is the document of a passage, e.g. '^(.+)#' for law-3#12; "
            "or a file of lines with passage, tab, document."
        ),
    ] = None,
    relevant_grade: Annotated[int, typer.Option(help="Lowest relevant grade.")] = 1,
    same_ids: Annotated[
        Literal["keep", "exclude"],
        typer.Option(help="exclude removes the document with the id of the question from each ranking."),
    ] = "keep",
    ties: Annotated[
        Literal["corpus", "mean", "trec_eval"],
        typer.Option(
            help="Order of equal scores: as in the file (corpus), the mean over all orders, or as in "
            "trec_eval."
        ),
    ] = "corpus",
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    per_question: Annotated[
        Path | None, typer.Option(help="CSV to write, with a value per run, question and measure.")
    ] = None,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """Score run files from any search engine against relevance judgements.

    Means over questions with intervals, and paired tests between the runs. No configuration is needed.
    """
    judgements = files[-1]
    runs = files if has_objects(judgements) else files[:-1]
    if not runs:
        raise ConfigError(
            "give one run or more, and the judgements last: sentflow evaluate bm25.run qrels.txt. JSON lines need none."
        )
    if not 0 < level < 1:
        raise ConfigError(f"--level {level}: write a share between 0 and 1, e.g. 0.95.")
    if per_question is not None:
        _refuse_in_use(per_question, files)
    names = [name.strip() for item in measures or MEASURES for name in _MEASURE.findall(item) if name.strip()]
    if not names:
        raise ConfigError("--measures names no measure. Write for example nDCG@10,R@100.")
    for run in filter(has_objects, runs):
        if has_objects(judgements) and pairs_of(run, JUDGEMENTS) != pairs_of(judgements, JUDGEMENTS):
            raise DataError(f"{run} and {judgements} expect other documents. Write the same in both.")
    evaluations = [
        evaluate_run(
            run,
            judgements,
            names,
            name=name,
            passages=_document_of(passages),
            relevant_grade=relevant_grade,
            same_ids=same_ids,
            ties=ties,
            level=level,
        )
        for run, name in zip(runs, _names(runs), strict=True)
    ]
    tested = [one for one in evaluations if not one.decided_by_ties(names[0])]
    several = len(tested) > 1 and len(evaluations[0].found.questions) > 1
    compared = compare_runs(evaluations, names[0]) if several else None
    if per_question is not None:
        values = [
            (one.name, question, measure, value)
            for one in evaluations
            for measure, of_questions in one.found.values.items()
            for question, value in zip(one.found.questions, of_questions.tolist(), strict=True)
        ]
        write_text(per_question, csv_records(("run", "question", "measure", "value"), values))
    if as_json:
        sys.stdout.write(json_document(_record(evaluations, compared)))
    elif as_csv:
        sys.stdout.write(_csv(evaluations))
    else:
        show_blocks(*_blocks(evaluations, compared, judgements))


def _document_of(passages: str | None) -> str | dict[str, str] | None:
    """The content of a file of passages and documents; anything else is a regular expression."""
    if passages is None or not os.path.isfile(passages):  # noqa: PTH113 - an expression may be no path at all
        return passages
    rows = [line.rstrip("\r").split("\t") for _, line in lines_of(Path(passages))]
    if any(len(row) != 2 for row in rows):
        raise DataError(f"{passages}: write passage, tab, document in each line.")
    return dict(rows)


def _names(runs: Sequence[Path]) -> list[str]:
    """Names of files without their endings, with their folders where these alone tell them apart."""
    stems = [run.with_suffix("").stem if run.suffix == ".gz" else run.stem for run in runs]
    return [str(run) if stems.count(stem) > 1 else stem for run, stem in zip(runs, stems, strict=True)]


def _blocks(
    evaluations: Sequence[RunEvaluation], compared: RunComparison | None, judgements: Path
) -> list[Block]:
    measures = [*evaluations[0].means]
    rows = [(one.name, *(_cell(one, measure) for measure in measures)) for one in evaluations]
    notes = (evaluations[0].population(), *(remark for one in evaluations for remark in one.remarks()))
    means = listing(
        ("Run", *measures),
        rows,
        "l" * (len(measures) + 1),
        caption=f"Runs against {judgements.name}",
        notes=notes,
        lead=1,
    )
    return [means, _tests(compared)] if compared else [means]


def _cell(one: RunEvaluation, measure: str) -> str:
    row = one.means[measure]
    mean = f"{decimal(row['mean'])} {interval(row['low'], row['high'])}"
    return f"{mean} {by_order(row['worst_order'], row['best_order'])}".rstrip()


def _tests(compared: RunComparison) -> Table:
    first = compared.rows[0]
    note = (
        "p: paired t-test over questions (sign flips if differences are few); Holm: adjusted over all pairs; *: at "
        f"most {percent(first.alpha)}. Interval: t, {percent(first.level)}. They hold for {POPULATION}. "
        f"Equivalent: the 90 % interval lies within ± {first.margin:g}. Won/tied/lost: by the first. "
        f"{sizes(first.n_questions, detectable(compared.rows, first.unit_set))}. "
        + detectable_note(first.alpha, "questions", "runs", "table")
    )
    has_none = any(math.isnan(row.low) for row in compared.rows)
    return build(
        f"Differences in {first.measure}",
        QuestionDifference,
        compared.rows,
        difference_columns({one.name: one.name for one in compared.evaluations}),
        [note, *([NO_INTERVAL] if has_none else [])],
    )


def _record(evaluations: Sequence[RunEvaluation], compared: RunComparison | None) -> dict[str, Any]:
    runs = {
        one.name: {
            "n_questions": len(one.found.questions),
            "n_left_out": one.found.n_left_out,
            "n_unanswered": one.found.n_unanswered,
            "n_not_judged": one.n_not_judged,
            "n_further": one.n_further,
            "n_equal_in_trec_eval": one.n_equal_in_trec_eval,
            "level": one.bootstrap.level,
            "measures": one.means,
        }
        for one in evaluations
    }
    return {"runs": runs, "differences": [vars(row) for row in compared.rows] if compared else []}


def _csv(evaluations: Sequence[RunEvaluation]) -> str:
    rows: list[tuple[Value, ...]] = [
        (one.name, measure, *(float(row[key]) for key in ("mean", "low", "high")), len(one.found.questions))
        for one in evaluations
        for measure, row in one.means.items()
    ]
    return csv_records(("run", "measure", "mean", "low", "high", "n_questions"), rows)


def _refuse_in_use(path: Path, files: Sequence[Path]) -> None:
    """Refuse to write into what is read, or to where a link leads."""
    if path.is_symlink() or any(file.exists() and path.exists() and path.samefile(file) for file in files):
        raise ConfigError(
            f"--per-question {path}: this is a link or one of the files that are read. Write the name of a new file."
        )
