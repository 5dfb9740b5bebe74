"""Which documents are returned of a ranked list: windows and thresholds, and the files of decisions."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.config.collections import PARAMETERS, Range
from sentflow.config.collections import Decision as DecisionSettings
from sentflow.files.io import read_json, read_sealed, write_digest, write_json, write_sealed
from sentflow.files.parquet import (
    Columns,
    numbers_of,
    read_described,
    read_parquet,
    readable,
    table_of,
    write_described,
    write_parquet,
)
from sentflow.retrieval.measures import judged_questions
from sentflow.retrieval.ranking import Ranked, Run, columns_of
from sentflow.retrieval.tuning import F2, Choice, choose, folds_of, of_means, set_values
from sentflow.stats.means import interval_of_scores
from sentflow.stats.resampling import Bootstrap
from sentflow.texts.corpora import Questions

OF_MEANS = "F2-of-means"
_DIGITS = 9  # of the values of a grid: 0.1 + 0.2 is 0.3
_SET = b"questions"


@dataclass(frozen=True)
class Decision:
    """Keeps the best documents of a question, as far as all of these allow; None for no limit.

    The published rule of the Zalo challenge 2021 is ``most`` 2, ``window`` 2.7, ``least`` 20, but for scores that
    differ by exactly 2.7.
    """

    most: int | None = None  # number of documents
    window: float | None = None  # documents whose score is below that of the best by at most so much
    # share: documents with at least this share of the best score: 0.9 of 20 is 18, of −20 it is −22
    share: float | None = None
    least: float | None = None  # documents with at least this score

    def kept(self, ranked: Ranked) -> Ranked:
        """The documents that are kept, best first; perhaps none."""
        if not len(ranked):
            return ranked
        best, floors = ranked.scores[0], [-np.inf]
        if self.window is not None:
            floors.append(best - self.window)
        if self.share is not None:
            floors.append(best - (1 - self.share) * abs(best))
        if self.least is not None:
            floors.append(self.least)
        # scores fall, so that what is kept are the first
        n = int(np.count_nonzero(ranked.scores >= max(floors)))
        n = n if self.most is None else min(n, int(self.most))
        return Ranked(ranked.rows[:n], ranked.scores[:n])

    def parameters(self) -> dict[str, float]:
        """Those that limit anything."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def grid(settings: DecisionSettings) -> list[Decision]:
    """Every decision that settings describe; of several ranges, each value is tried with each of the others."""
    written = {name: value for name in PARAMETERS if (value := getattr(settings, name)) is not None}
    points = product(*map(_values, written.values()))
    return [Decision(**dict(zip(written, values, strict=True))) for values in points]


def _values(written: float | Range) -> list[Any]:
    if not isinstance(written, Range):
        return [written]
    n_steps = round((written.to - written.from_) / written.step)
    return [round(written.from_ + n * written.step, _DIGITS) for n in range(n_steps + 1)]


@dataclass(frozen=True)
class TunedDecision:
    """A decision out of c candidates, chosen by the mean F2 of training questions."""

    candidates: Sequence[Decision]
    choice: Choice
    # without: (question set, question) → the decision that was chosen on the questions of other folds
    without: Mapping[tuple[str, str], Decision]

    @property
    def best(self) -> Decision:
        """For questions that nothing was chosen on."""
        return self.candidates[self.choice.best]

    def decided(self, run: Run, question_set: str) -> dict[str, Ranked]:
        """What is kept for each question; for one of a training set, by what was chosen without its fold."""
        return {
            name: self.without.get((question_set, name), self.best).kept(ranked)
            for name, ranked in run.ranked.items()
        }

    def facts(self, margin: float) -> dict[str, Any]:
        """What a file says of the choice, see `Choice.facts`."""
        named = [one.parameters() for one in self.candidates]
        means = zip(named, self.choice.means.tolist(), strict=True)
        return {
            "measure": F2,
            "parameters_of_folds": [named[one] for one in self.choice.best_without],
            "grid": [{"parameters": one, F2: mean} for one, mean in means],
            **self.choice.facts(named, margin),
        }


def tune_decision(
    candidates: Sequence[Decision], training: Sequence[tuple[Questions, Run]], *, n_folds: int, seed: int
) -> TunedDecision:
    """Choose the decision with the greatest mean F2; of equal ones the first."""
    keys: list[tuple[str, str]] = []
    relevant: list[list[str]] = []
    values: list[list[np.ndarray]] = [[] for _ in candidates]
    for questions, run in training:
        grades, own = judged_questions(questions)
        keys += [(questions.name, name) for name in own]
        relevant += own.values()
        for reached, candidate in zip(values, candidates, strict=True):
            kept = {
                name: [run.document_ids[row] for row in candidate.kept(run.ranked[name]).rows.tolist()]
                for name in grades
                if name in run.ranked
            }
            reached.append(set_values(kept, grades, relevant_grade=questions.relevant_grade)[F2])
    fold_of = folds_of(relevant, n_folds, seed)
    choice = choose(np.array([np.concatenate(own) for own in values]), fold_of)
    without = {
        key: candidates[choice.best_without[fold]] for key, fold in zip(keys, fold_of.tolist(), strict=True)
    }
    return TunedDecision(candidates, choice, without)


@dataclass(frozen=True)
class Decided:
    """What was decided for the questions of a set."""

    about: Mapping[str, Any]  # at least ``questions``, ``retriever``, ``decision``, ``corpus``
    documents: Mapping[str, list[str]]  # question → identifiers, best first; one without any may be missing


@dataclass(frozen=True)
class DecisionValues:
    """What the documents are worth that were decided for the questions of a set that have a relevant document."""

    question_set: str
    system: str  # name of a retriever with a decision, among the systems that are compared
    questions: list[str]  # n identifiers
    groups: list[str]  # n names
    values: Mapping[str, np.ndarray]  # each of `SET_MEASURES` → (n,) float64


def write_decided(
    path: Path, kept: Mapping[str, Ranked], document_ids: list[str], about: Mapping[str, Any]
) -> None:
    """Write the columns of a run, see `columns_of`. Its digest says what the file does."""
    write_described(path, columns_of(kept, document_ids), about)
    write_digest_with(path, about)


def write_digest_with(path: Path, about: Mapping[str, Any]) -> None:
    """Write the digest of a file with what the file says of itself, for people who look."""
    write_digest(path)
    digest = path.with_suffix(".json")
    write_json(digest, {**about, **read_json(digest)})


def read_decided(path: Path | str) -> Decided:
    """Read what `write_decided` wrote."""
    with readable(path, "table of decisions"):
        about, stored = read_described(path)
        documents: dict[str, list[str]] = {}
        columns = (stored.column(name).to_pylist() for name in ("question", "document"))
        for name, document in zip(*columns, strict=True):
            documents.setdefault(name, []).append(document)
        return Decided(about, documents)


def evaluate_decided(decided: Decided, questions: Questions) -> DecisionValues:
    """Set measures of every question that has a relevant document."""
    grades, _ = judged_questions(questions)
    group_of = dict(zip(questions.ids, questions.groups, strict=True))
    return DecisionValues(
        questions.name,
        f"{decided.about['retriever']}/{decided.about['decision']}",
        [*grades],
        [group_of[name] for name in grades],
        set_values(decided.documents, grades, relevant_grade=questions.relevant_grade),
    )


def write_decision_values(
    output: Path,
    rows: Path,
    found: Sequence[tuple[Decided, DecisionValues]],
    n_asked: int,
    bootstrap: Bootstrap,
) -> None:
    """Write the values of every question as Parquet, and their means with intervals as JSON.

    `found`: what was decided for the questions of one set, and its worth. `n_asked`: all questions of the set.
    """
    first = found[0][1]
    columns: Columns = {"question": first.questions, "group": first.groups}
    for _, values in found:
        columns = {**columns, **{f"{values.system} {name}": own for name, own in values.values.items()}}
    write_parquet(rows, table_of(columns, {_SET: first.question_set.encode()}))
    write_sealed(output, {str(n): _worth(*one, n_asked, bootstrap) for n, one in enumerate(found)})


def read_decision_values(path: Path | str) -> list[DecisionValues]:
    """The values of every question, system after system."""
    with readable(path, "table of values of decisions"):
        stored = read_parquet(path)
        name = stored.schema.metadata[_SET].decode()
        questions, groups = (stored.column(one).to_pylist() for one in ("question", "group"))
        found: dict[str, dict[str, np.ndarray]] = {}
        for column in stored.column_names[2:]:
            system, _, measure = column.partition(" ")
            found.setdefault(system, {})[measure] = numbers_of(stored.column(column))
        return [DecisionValues(name, system, questions, groups, values) for system, values in found.items()]


def read_worth(path: Path | str) -> list[dict[str, Any]]:
    """The means with intervals of `write_decision_values`, system after system; see `read_sealed` for errors."""
    found = read_sealed(path)
    return [found[str(n)] for n in range(len(found))]


def _worth(decided: Decided, values: DecisionValues, n_asked: int, bootstrap: Bootstrap) -> dict[str, Any]:
    n_given = np.array([len(decided.documents.get(name, ())) for name in values.questions])
    means = {}
    for name, own in values.values.items():
        low, high = interval_of_scores(own, bootstrap)
        means[name] = {"mean": float(own.mean()), "low": low, "high": high}
    return {
        **decided.about,
        "n_questions": len(values.questions),
        "n_left_out": n_asked - len(values.questions),
        "n_empty": int((n_given == 0).sum()),
        "documents_per_question": float(n_given.mean()),
        "level": bootstrap.level,
        "n_resamples": bootstrap.n_resamples,
        "measures": means,
        OF_MEANS: of_means(values.values),
    }
