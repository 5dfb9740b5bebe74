"""`sentflow search`: new questions, answered by a retriever of an experiment that was run."""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sentflow.cli.answering import ASKED, Answering
from sentflow.cli.answers import SUBMISSION, answers_shown, write_answers
from sentflow.cli.configuration import read_experiment
from sentflow.cli.new_questions import question_source, written_source
from sentflow.cli.quiet import quiet
from sentflow.cli.steps import in_folder, missing, run_steps, to_make_first
from sentflow.cli.terminal import Block, show_blocks
from sentflow.config.problems.common import made_of_seeds, unknown
from sentflow.errors import ConfigError, DataError, instead
from sentflow.families.retrieval.family import Retrieval
from sentflow.families.retrieval.parts import FUSION, RUN, all_retrievers, decided_by
from sentflow.files.parquet import read_described
from sentflow.graph import paths
from sentflow.report.numbers import counted
from sentflow.retrieval.decision_files import read_decided
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.retrieval.runs import read_run
from sentflow.texts.corpora import read_corpus, read_ids


def search(
    questions: Path | None,
    *,
    ask: str | None,
    configs: Sequence[Path],
    results: Path,
    retriever: str | None,
    corpus: str | None,
    decision: str | None,
    output: Path | None,
) -> None:
    """Answer new questions; write what is found, or show it for one question.

    Parameters
    ----------
    questions, ask
        A file, see `question_source`; or the text of one question. One of both.
    configs
        Those that the results were made with.
    results
        The results folder: nothing is written there.
    retriever
        Name; None is the first selected fusion, else the first selected retriever; with a decision, of those it is for.
    corpus
        Name of what is searched; None where the experiment has one.
    decision
        Name of a selected decision, which says what is given as an answer; None gives all that is ranked.
    output
        ``.json``: a submission of the Zalo challenge, of what was decided; ``.parquet``: a run as the pipeline has
        them; any other: a run in TREC's form. None only for one question.

    Raises
    ------
    ConfigError
        Names that do not exist, options that do not fit together, or a retriever that only has files of runs.
    DataError
        Questions that are not in order, or that something was tuned on; files that the pipeline has not made yet.
    """
    _check_options(questions, ask, decision, output)
    experiment = read_experiment(configs)
    family = Retrieval(experiment)
    searched = _corpus(corpus, family)
    name = _retriever(retriever, decision, family)
    with tempfile.TemporaryDirectory() as folder, quiet():
        work = Path(folder)
        file, source = (
            question_source(questions, work) if questions else written_source({"asked": ask or ""}, work)
        )
        steps = Answering(experiment, searched, source, file).steps(name, decision)
        if absent := missing(steps, results):
            why = "Nothing is trained, downloaded or embedded here but the questions"
            raise DataError(to_make_first(absent, configs, needed_by="the answers", why=why))
        for command in run_steps(steps, results, work):
            if questions:
                sys.stderr.write(f"{command}\n")
        asked = _ids(work, paths.QUESTIONS.format(questions=ASKED))
        found = _found(results, work, searched, name, decision)
        notes = _cut_off(work, name, family)
    title = str(family.retrievers[name].get("title", name))
    blocks: list[Block] = []
    if ask is not None:
        documents = read_corpus(in_folder(results, paths.CORPUS.format(corpus=searched)))
        shown = f"{title}: {ask}"
        blocks.append(answers_shown(found, asked[0], documents, title=shown, decided=decision is not None))
    if output is not None:
        write_answers(output, found, asked, question_set=ASKED, retriever=name)
        n_empty = sum(not len(found.ranked.get(one, ())) for one in asked)
        blocks.append(
            f"{output}: {counted(len(asked), 'question')} by {title}, {n_empty} without a document."
        )
    show_blocks([*blocks, *notes])


def _check_options(
    questions: Path | None, ask: str | None, decision: str | None, output: Path | None
) -> None:
    if (questions is None) == (ask is None):
        raise ConfigError("write a file of questions, or one question with --ask: one of both.")
    if ask is not None and not ask.strip():
        raise ConfigError("--ask: there is no question. Write a text.")
    if output is None and ask is None:
        raise ConfigError(
            "write with --output where the answers go: a file that ends in .parquet, .run or .json."
        )
    if output is not None and output.suffix == SUBMISSION and decision is None:
        raise ConfigError(
            f"--output {output}: a submission holds what was decided. Write --decision NAME, or a file that ends in "
            ".parquet or .run for all that is ranked."
        )


def _corpus(asked: str | None, family: Retrieval) -> str:
    known = list(dict.fromkeys(entry["corpus"] for entry in family.question_sets.values()))
    if not family.shown:
        raise ConfigError(
            "the configuration selects no question set with retrievers, so nothing can be searched. Write the file "
            "that the results were made with, as --configfile."
        )
    if asked is None and len(known) > 1:
        raise ConfigError(f"there are several corpora. Write --corpus and one of: {', '.join(known)}.")
    name = known[0] if asked is None else asked
    if name not in known:
        raise ConfigError(f"--corpus: there is no corpus {name!r} in this experiment. {instead(name, known)}")
    return name


def _retriever(asked: str | None, decision: str | None, family: Retrieval) -> str:
    """The retriever that was asked for, also one that is only fused; or the default of those that are decided."""
    entry = {} if decision is None else family.decisions.get(decision)
    if entry is None:
        raise ConfigError(
            f"--decision: {decision!r} is not selected. {instead(str(decision), family.decisions)}"
        )
    shown = decided_by(entry, family.shown)
    known = {one: family.retrievers[one] for one in all_retrievers(family.shown, family.retrievers)}
    fusions = (name for name in shown if known[name]["kind"] == FUSION)
    name = next(fusions, shown[0]) if asked is None else asked
    if made_of_seeds(name, known):
        raise ConfigError(unknown("--retriever", "retriever", name, known))
    if name not in known:
        raise ConfigError(f"--retriever: {name!r} is not selected. {instead(name, known)}")
    if decision is not None and name not in shown:
        raise ConfigError(
            f"--decision: {decision} does not decide on {name}. Write --retriever {', '.join(shown)}."
        )
    if files := [part for part in all_retrievers([name], known) if known[part]["kind"] == RUN]:
        raise ConfigError(
            f"--retriever: {name} needs runs of another engine ({', '.join(files)}), which there are none of for new "
            "questions. Write another retriever."
        )
    return name


def _found(results: Path, work: Path, corpus: str, retriever: str, decision: str | None) -> Run:
    """What was ranked, or of this what was decided."""
    ids = _ids(results, paths.CORPUS.format(corpus=corpus))
    names = {"questions": ASKED, "retriever": retriever}
    _, run = read_run(in_folder(work, paths.RUN.format(**names)), ids)
    if decision is None:
        return run
    decided = read_decided(in_folder(work, paths.DECIDED.format(**names, decision=decision))).documents
    kept = {name: slice(len(decided.get(name, ()))) for name in run.ranked}  # a decision keeps the first
    return Run(
        ids, {name: Ranked(one.rows[kept[name]], one.scores[kept[name]]) for name, one in run.ranked.items()}
    )


def _cut_off(work: Path, retriever: str, family: Retrieval) -> list[str]:
    """What encoders did not read of the questions."""
    notes = []
    for name in all_retrievers([retriever], family.retrievers):
        about, _ = read_described(in_folder(work, paths.RUN.format(questions=ASKED, retriever=name)))
        reading = (about.get("reading") or {}).get("questions")
        if reading and reading["cut"]:
            notes.append(
                f"{name}: the encoder does not read the ends of {counted(reading['cut'], 'long question')}."
            )
    return notes


def _ids(folder: Path, file: str) -> list[str]:
    return read_ids(in_folder(folder, file))[1]
