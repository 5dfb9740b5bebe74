"""Runs in TREC's form with their judgements, and the lines of ``trec_eval -q``."""

import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import pandas as pd

from sentflow.boards.cells import number
from sentflow.boards.contents import beginning
from sentflow.boards.scores import FRACTION, Options, Scores, reader, scores_of
from sentflow.errors import DataError, listed
from sentflow.retrieval.trec import lines_of, read_judgements, read_scores

_MEASURE = "nDCG@10"
_EVALUATED = re.compile(
    r"runid\s+all\s+\S+|(?:num_|map|gm_|R|bpref|recip_rank|iprec|P_|recall|ndcg|success|set_|infAP|11pt|utility|rel)\S*"
    r"\s+\S+\s+[-+.\deE]+"
)
_PLAIN_NAMES = ("qrels", "test", "dev", "qrel", "judgements", "qrels.test")


def _is_run(line: str) -> bool:
    words = line.split()
    return len(words) == 6 and words[1].upper() == "Q0" and words[3].removeprefix("-").isdigit()


def _is_judgement(line: str) -> bool:
    words = line.split()
    return len(words) == 4 and words[3].removeprefix("-").isdigit()


def _is_evaluated(line: str) -> bool:
    return _EVALUATED.fullmatch(line) is not None


def _is(path: Path, *forms: Callable[[str], bool]) -> bool:
    """Whether the first lines are of a form; the last of what was read may be cut."""
    lines = [line.strip() for line in beginning(path).split("\n") if line.strip() and line[0] != "#"]
    if lines[:1] == ["query-id\tcorpus-id\tscore"]:  # judgements in BEIR's form
        return _is_judgement in forms
    looked_at = lines[:1] + lines[2:5]
    return any(bool(lines) and all(map(form, looked_at)) for form in forms)


@reader("TREC run with judgements", lambda path: _is(path, _is_run, _is_judgement))
def _run(path: Path, options: Options) -> Scores:
    """One score per judged topic, by ir-measures; a file of judgements has none itself."""
    from sentflow.retrieval.measures import per_question

    if not _is(path, _is_run):
        return scores_of([])
    found, measure, notes = read_scores(path), options.metric or _MEASURE, []
    judgements, grades = _judgements_of(path, found, options)
    relevant = {topic: own for topic, own in grades.items() if max(own.values()) > 0}
    ranking = {topic: sorted(own, key=lambda name: -own[name]) for topic, own in found.items()}
    values = per_question(ranking, relevant, [measure])[measure].tolist()
    name = judgements.name.split(".")[0]
    task = judgements.resolve().parent.name if name in _PLAIN_NAMES else name
    about = {"model": _tag(path, options), "task": task, "metric": measure, "unit": FRACTION}
    if lacking := [topic for topic in relevant if topic not in found]:
        notes.append(f"{path.name} lacks topics of {judgements.name}, which count 0: {listed(lacking)}.")
    if n := len(grades) - len(relevant):
        notes.append(f"{judgements.name}: topics without a relevant document, which do not count: {n}.")
    rows = pd.DataFrame({"item": [*relevant], "score": values}, dtype=object)
    return scores_of(rows.assign(**about, higher_is_better=True), notes)


def _judgements_of(
    run: Path, topics: Collection[str], options: Options
) -> tuple[Path, Mapping[str, Mapping[str, int]]]:
    """The one file of judgements that has topics of the run, those of its own folder first."""
    files = [path for path in options.files if _is(path, _is_judgement)]
    own = [path for path in files if path.resolve().parent == run.resolve().parent]
    grades = {path: read_judgements(path) for path in own or files}
    fitting = [path for path, of_topics in grades.items() if not of_topics.keys().isdisjoint(topics)]
    if not fitting:
        raise DataError(f"{run}: no file of judgements has topics of this run. Name their qrels file too.")
    if len(fitting) > 1:
        raise DataError(
            f"{run}: {listed(map(str, fitting))} judge topics of this run. Name one of these files."
        )
    return fitting[0], grades[fitting[0]]


def _tag(path: Path, options: Options) -> str:
    """The name that the run has in its lines, or that of its file where other runs have the same."""
    tags = {other: lines_of(other)[0][1].split()[5] for other in options.files if _is(other, _is_run)}
    same = [other for other, tag in tags.items() if tag == tags[path] and other.name != path.name]
    return path.name.split(".")[0] if same else tags[path]


@reader("trec_eval -q", lambda path: _is(path, _is_evaluated))
def _evaluated(path: Path, options: Options) -> Scores:
    """Measure, topic and value in each line; those over all topics give the name of the run."""
    rows, notes = _topics(path), []
    lines = [line.split() for _, line in lines_of(path)]
    model = next((line[2] for line in lines if line[0] == "runid"), path.name.split(".")[0])
    # without -c, trec_eval leaves out topics of which the run has nothing
    measures = {measure for measure, _ in rows}
    others = [key for other in options.files if _is(other, _is_evaluated) for key in _topics(other)]
    if lacking := [key for key in others if key not in rows and key[0] in measures]:
        topics = dict.fromkeys(topic for _, topic in lacking)
        notes.append(f"{path.name} lacks topics that other runs have, which count 0: {listed(topics)}.")
    rows |= dict.fromkeys(lacking, 0.0)
    about = {"model": model, "task": path.resolve().parent.name, "unit": FRACTION}
    table = pd.DataFrame([(*key, value) for key, value in rows.items()], columns=["metric", "item", "score"])
    return scores_of(table.assign(**about), notes)


def _topics(path: Path) -> dict[tuple[str, str], float]:
    """Measure and topic → value, without counts."""
    values = {}
    for n, line in lines_of(path):
        fields = line.split()
        if len(fields) != 3:
            raise DataError(f"{path}, line {n}: write measure, topic and value.")
        measure, topic, value = fields
        if topic != "all" and not measure.startswith("num_"):
            values[measure, topic] = number(value, f"{path}, line {n}")
    if not values:
        raise DataError(f"{path} has no values of single topics. Run trec_eval with -q.")
    return values
