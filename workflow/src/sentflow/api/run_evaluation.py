"""Runs against judgements in notebooks: values per question, intervals, tests between runs, as in the pipeline."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sentflow.api.arguments import ArgumentError
from sentflow.api.retrieval import SEED, RetrievedRun, corpus_of
from sentflow.api.run_data import JUDGEMENTS, RUN, called, documents_of, has_objects, pairs_of, passages_of
from sentflow.compare.differences import all_differences
from sentflow.compare.questions import QuestionScores
from sentflow.compare.rows import QuestionDifference
from sentflow.errors import instead
from sentflow.report.numbers import counted, interval
from sentflow.retrieval.evaluation import (
    CORPUS,
    DECISIVE,
    RULES,
    TREC_EVAL,
    Evaluation,
    decisive,
    evaluate,
    n_equal_in_trec_eval,
    stated_means,
)
from sentflow.retrieval.measures import parsed
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.retrieval.settings import QuestionTests
from sentflow.stats.resampling import Bootstrap
from sentflow.stats.seeds import derive_seed
from sentflow.texts.corpora import EXCLUDE, KEEP, SAME_IDS, Corpus, Questions

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Scores = dict[str, dict[str, float]]
Grades = dict[str, dict[str, int]]

# Of the default configuration
MEASURES = ("nDCG@10", "R@10", "R@100", "RR@10", "AP@100")
LEVEL, N_RESAMPLES = 0.95, 10_000
ALPHA, MARGIN = 0.05, 0.01
QUESTIONS = "questions"
POPULATION = "other questions of the same kind, asked of the same documents"
_TIES = 5e-4  # of a mean, from which on the order of equal scores is worth a remark
_COLUMNS = ("mean", "low", "high", "worst_order", "best_order")


@dataclass(frozen=True)
class RunEvaluation:
    """What a run reached.

    Attributes
    ----------
    name
        Of the run.
    found
        The values of every question and what is to be known of them, see `Evaluation`.
    bootstrap
        Of questions, for intervals.
    n_not_judged
        Questions of the run without a judgement, which are left out.
    question_set
        Name of the questions, of which random draws depend.
    depth
        Documents of the longest list of the run.
    n_same_ids
        Questions that rank the document of their own name first, though it is not relevant for them; 0 unless that are
        most of those that rank it.
    n_further
        Passages of documents that are in the run by another passage; the best counts. None where nothing says which
        are passages.
    n_equal_in_trec_eval
        Questions with different scores that trec_eval takes for equal; 0 if they are ordered as it does.
    relevant_grade, seed
        See `evaluate_run`.
    """

    name: str
    found: Evaluation = field(repr=False)
    bootstrap: Bootstrap = field(repr=False)
    n_not_judged: int
    question_set: str = QUESTIONS
    depth: int = 1
    n_same_ids: int = 0
    n_further: int | None = None
    n_equal_in_trec_eval: int = 0
    relevant_grade: int = 1
    seed: int = field(default=SEED, repr=False)

    @cached_property
    def means(self) -> dict[str, dict[str, float]]:
        """Measure → ``mean`` over questions, ``low`` and ``high`` of its interval, ``worst_order``, ``best_order``.

        The interval is for other questions of the same kind, asked of the same documents; the last two are the means
        if documents with equal scores were in the order that is worst, or best, for every question.
        """
        return stated_means(self.found, self.bootstrap)

    def decided_by_ties(self, measure: str) -> bool:
        """Whether the order of equal scores can move the mean of a measure by more than 0.01: then nothing tests it."""
        row = self.means[_known(measure, self.means)]
        return decisive(row.get("worst_order", math.nan), row.get("best_order", math.nan))

    def __getitem__(self, measure: str) -> float:
        """The mean of a measure over the questions with a relevant document."""
        return float(self.found.values[_known(measure, self.found.values)].mean())

    def per_question(self) -> "pd.DataFrame":
        """One row per question with a relevant document, one column per measure."""
        import pandas as pd

        return pd.DataFrame(self.found.values, index=pd.Index(self.found.questions, name="question"))

    def frame(self) -> "pd.DataFrame":
        """One row per measure; see `means`."""
        import pandas as pd

        return pd.DataFrame.from_dict(self.means, orient="index").rename_axis("measure")

    def plot(self) -> "Figure":
        """Recall by the number of documents read, as the figure `recall-curve` of the report."""
        from sentflow.api.figures import recall_curves

        return recall_curves([self])

    def _repr_html_(self) -> str:
        return self.frame().to_html(float_format="{:.4f}".format)

    def compare(self, other: "RunEvaluation", measure: str = MEASURES[0], **settings: Any) -> "RunComparison":
        """Test this run against another, question by question; see `compare_runs`."""
        return compare_runs([self, other], measure, **settings)

    def population(self) -> str:
        """What means and intervals speak of."""
        return (
            f"Means over {counted(len(self.found.questions), 'question')} with a relevant document; "
            f"{self.bootstrap.level:.0%} intervals for {POPULATION}."
        )

    def remarks(self) -> list[str]:
        """Questions that are counted otherwise than one may think, and how far equal scores could move a mean."""
        counts = {
            "without a relevant document, left out": self.found.n_left_out,
            "without an answer, counted as 0": self.found.n_unanswered,
            "of the run without a judgement, left out": self.n_not_judged,
        }
        remarks = [f"{counted(count, 'question')} {what}." for what, count in counts.items() if count]
        if self.n_same_ids:
            remarks.append(
                f"{counted(self.n_same_ids, 'question')} found the document of the same name first, which "
                'may be the question itself; same_ids="exclude" (--same-ids exclude) leaves it out.'
            )
        if not self.found.judged_share:
            remarks.append(
                "none of the first 10 documents of any question is judged. If they are passages, passages= "
                "(--passages) names their documents."
            )
        if self.n_further is not None:
            remarks.append(
                f"{counted(self.n_further, 'further passage')} of documents that another passage found; a document "
                "counts once, by its best passage."
            )
        if self.n_equal_in_trec_eval:
            remarks.append(
                f"different scores of {counted(self.n_equal_in_trec_eval, 'question')} are equal in the single "
                'precision of trec_eval, which orders them by id; ties="trec_eval" (--ties trec_eval) does so, too.'
            )
        worst, best, widest = max(
            ((row["worst_order"], row["best_order"], name) for name, row in self.means.items()),
            key=lambda row: row[1] - row[0],
        )
        if best - worst >= _TIES:
            remarks.append(
                f"the order of equal scores could move {widest} between {worst:.3f} and {best:.3f}; other tools may "
                "order them otherwise."
            )
            if self.decided_by_ties(widest):
                remarks.append(
                    f"what moves by more than {DECISIVE} is not tested; "
                    'ties="mean" (--ties mean) takes the mean over all orders.'
                )
        return [f"{self.name}: {remark}" for remark in remarks]

    def __repr__(self) -> str:
        table = self.frame()[list(_COLUMNS)].rename_axis(None).to_string(float_format="{:.4f}".format)
        return "\n".join([table, self.population(), *self.remarks()])


@dataclass(frozen=True)
class RunComparison:
    """Tests of every two of several runs by one measure.

    Attributes
    ----------
    rows
        See `QuestionDifference`; differences are the first run less the second.
    evaluations
        Of the runs that are compared, in the order given.
    left_out
        Names of those whose mean the order of equal scores can move by more than 0.01.
    """

    rows: list[QuestionDifference]
    evaluations: Sequence[RunEvaluation] = field(repr=False)
    left_out: Sequence[str] = ()

    def frame(self) -> "pd.DataFrame":
        """One row per pair of runs, a column per field of `QuestionDifference`."""
        import pandas as pd

        return pd.DataFrame([vars(row) for row in self.rows])

    def plot(self, reference: str | None = None) -> "Figure":
        """What runs reach more or less than one of them, as the figure `question-differences` of the report.

        Parameters
        ----------
        reference
            Name of that run; by default the first.

        Raises
        ------
        ArgumentError
            There is no such run.
        """
        from sentflow.api.figures import question_differences

        names = [one.name for one in self.evaluations]
        chosen = names[0] if reference is None else reference
        if chosen not in names:
            raise ArgumentError(f"reference: there is no run {chosen!r}. {instead(chosen, names)}")
        return question_differences(self.evaluations, self.rows, reference=chosen)

    def __repr__(self) -> str:
        lines = [
            f"{row.model_a} - {row.model_b}: {row.measure} {row.difference:+.4f} {interval(row.low, row.high)}, "
            f"p {row.p_holm:.2g} (Holm), {row.wins} wins, {row.ties} ties, {row.losses} losses"
            for row in self.rows
        ]
        note = (
            f"Paired t-tests over questions, sign flips if differences are few, which have no interval; intervals "
            f"({self.rows[0].level:.0%}) and tests for {POPULATION}."
        )
        left_out = [f"{name}: left out, because of equal scores." for name in self.left_out]
        return "\n".join([*lines, note, *left_out])


def evaluate_run(
    run: Any,
    judgements: Any = None,
    measures: Sequence[str] = MEASURES,
    *,
    passages: Any = None,
    relevant_grade: int = 1,
    same_ids: str = KEEP,
    ties: str = CORPUS,
    documents: Any = None,
    name: str | None = None,
    question_set: str = QUESTIONS,
    level: float = LEVEL,
    n_resamples: int = N_RESAMPLES,
    seed: int = SEED,
) -> RunEvaluation:
    """Hold a run against judgements.

    Parameters
    ----------
    run
        Of `sentflow.retrieve`; or question → document → score, rows of (question, document, score), or the path of a
        file of any engine in TREC's form. Or objects with a question and what is ``expected`` and ``retrieved``, as a
        list or the path of JSON lines, see `sentflow.api.run_data`.
    judgements
        Question → document → grade, question → relevant documents, rows of (question, document, grade), or the path
        of a file in TREC's or BEIR's form. Names that are numbers may be given as numbers. None: what is expected in
        the objects of the run.
    measures
        As ir-measures writes them.
    passages
        Passage → document, or a regular expression whose first group, or match, is the document of a passage; other
        names are those of documents. A document has the highest score, or grade, of its passages.
    relevant_grade
        The least grade that is relevant; gains of nDCG are the grades.
    same_ids
        ``exclude`` leaves the document that has the name of a question out of its ranking and judgements, where it is
        the question itself; ``keep`` does not, and a remark says where that seems to be so.
    ties
        Documents with equal scores: ``corpus`` takes them in the order of `documents`, or of the run without; ``mean``
        is the mean over all of their orders, see `mean_over_orders`; ``trec_eval`` is its order: scores in single
        precision, equal ones by name, the last first.
    documents
        What was searched, as for `sentflow.retrieve`: equal scores are in their order then, documents of equal texts
        are found, and unknown documents are refused. Without, equal scores keep the order of the run.
    name
        Of the run, for tables.
    question_set
        Of the questions; the draws of the pipeline's intervals are those of the name of its question set.
    level, n_resamples, seed
        Of the intervals.

    Raises
    ------
    ArgumentError
        An argument does not fit, or no judged question has a relevant document.
    ConfigError
        ir-measures does not know a measure, or cannot compute it.
    DataError
        A file is not in order.
    """
    measures = [measures] if isinstance(measures, str) else list(measures)
    if relevant_grade < 1:
        raise ArgumentError(f"relevant_grade is {relevant_grade}. Write 1 or more.")
    for measure in measures:
        parsed(measure, relevant_grade)  # or it cannot be computed
    if same_ids not in SAME_IDS:
        raise ArgumentError(f"same_ids is {same_ids!r}. {instead(same_ids, SAME_IDS)}")
    if ties not in RULES:
        raise ArgumentError(f"ties is {ties!r}. {instead(ties, RULES)}")
    if judgements is None and not has_objects(run):
        raise ArgumentError(
            "judgements are missing. Give them, or objects with what is expected and retrieved."
        )
    truth = run if judgements is None else judgements
    found, expected = pairs_of(run, RUN), pairs_of(truth, JUDGEMENTS)
    document_of = {} if passages is None else passages_of(passages, found, expected)
    repeats = passages is not None or has_objects(run)
    scores, n_further = documents_of(found, RUN, document_of, where=called(run, "run"), repeats=repeats)
    grades, _ = documents_of(
        expected, JUDGEMENTS, document_of, where=called(truth, "judgements"), repeats=True
    )
    if same_ids == EXCLUDE:
        scores, grades = (
            {name: _others(name, own) for name, own in given.items()} for given in (scores, grades)
        )
    if not any(grade >= relevant_grade for judged in grades.values() for grade in judged.values()):
        raise ArgumentError(
            f"{called(truth, 'judgements')}: no document has the grade {relevant_grade} or a higher one. Write a "
            "lower relevant_grade."
        )
    kept = {question: found for question, found in scores.items() if question in grades}
    if scores and not kept:
        raise ArgumentError(
            f"{called(run, 'the run')} and {called(truth, 'the judgements')} share no question. Run: "
            f"{_some(scores)}; judgements: {_some(grades)}. Use the same ids in both."
        )
    corpus = _corpus(run if passages is None else None, documents, kept, grades)
    ranked = ranked_run(kept, corpus.ids, ordered=documents is not None)
    result = evaluate(
        ranked,
        judged_questions(question_set, grades, relevant_grade),
        corpus,
        measures,
        ties=ties,
    )
    bootstrap = Bootstrap(level, n_resamples, derive_seed(seed, question_set, "bootstrap"))
    named = name or (run.name if isinstance(run, RetrievedRun) else "run")
    return RunEvaluation(
        named,
        result,
        bootstrap,
        len(scores) - len(kept),
        question_set,
        depth=max([1, *map(len, kept.values())]),
        n_same_ids=_n_same_ids(kept, grades, relevant_grade),
        n_further=n_further if n_further or passages is not None else None,
        n_equal_in_trec_eval=0 if ties == TREC_EVAL else n_equal_in_trec_eval(ranked),
        relevant_grade=relevant_grade,
        seed=seed,
    )


def compare_runs(
    evaluations: Sequence[RunEvaluation],
    measure: str = MEASURES[0],
    *,
    alpha: float = ALPHA,
    margin: float = MARGIN,
    seed: int = SEED,
) -> RunComparison:
    """Test every two of several runs on the same judgements.

    Parameters
    ----------
    evaluations
        Of `evaluate_run`, with the same judgements, under different names. Runs whose mean the order of equal scores
        can move by more than 0.01 are left out.
    measure
        One that they have.
    alpha
        Error rate of the tests.
    margin
        Difference that would matter, for the test of equivalence.
    seed
        Of sign flips, permutations and bootstrap.

    Raises
    ------
    ArgumentError
        Fewer than two runs, or than two that are not left out; runs of one name, of other questions, or without the
        measure.
    """
    if len(evaluations) < 2:
        raise ArgumentError("compare_runs: give two evaluations or more.")
    first = evaluations[0]
    names = [one.name for one in evaluations]
    if twice := [name for place, name in enumerate(names) if name in names[:place]]:
        raise ArgumentError(f"two runs are called {twice[0]!r}. Give evaluate_run a name for each: name=…")
    for one in evaluations:
        _known(measure, one.found.values)
        if one.found.questions != first.found.questions:
            raise ArgumentError(
                f"{one.name} and {first.name} were measured on other questions. Evaluate both with the same judgements."
            )
    left_out = [one.name for one in evaluations if one.decided_by_ties(measure)]
    evaluations = [one for one in evaluations if one.name not in left_out]
    if len(evaluations) < 2:
        raise ArgumentError(
            f"{measure} of {', '.join(left_out)} depends on the order of equal scores, so that it is not tested. "
            'Evaluate with ties="mean", the mean over all orders.'
        )
    if len(first.found.questions) < 2:
        raise ArgumentError("there is one question with a relevant document; nothing can be tested on it.")
    drawn = first.bootstrap
    settings = QuestionTests(
        level=drawn.level, alpha=alpha, margin=margin, n_resamples=drawn.n_resamples, seed=seed
    )
    values = np.stack([one.found.values[measure] for one in evaluations])
    names = [one.name for one in evaluations]
    scores = QuestionScores(first.question_set, measure, names, first.found.questions, values, settings)
    return RunComparison(all_differences(scores), evaluations, left_out)


def _corpus(
    run: Any,
    documents: Any,
    scores: Mapping[str, Mapping[str, float]],
    grades: Mapping[str, Mapping[str, int]],
) -> Corpus:
    """The documents; without any those of a run, and all that are named."""
    named = dict.fromkeys(one for own in (*scores.values(), *grades.values()) for one in own)
    if documents is not None:
        corpus = corpus_of(documents)
    elif isinstance(run, RetrievedRun):
        corpus = run.corpus
    else:
        corpus = Corpus("documents", "own", "und", [], [], [])
    there = set(corpus.ids)
    unknown = [one for one in named if one not in there]
    if documents is not None and unknown:
        raise ArgumentError(
            f"run, judgements: {len(unknown)} documents are not among the documents ({_some(unknown)}). Give all "
            "documents under the same names."
        )
    empty = [""] * len(unknown)
    return replace(
        corpus,
        ids=[*corpus.ids, *unknown],
        titles=[*corpus.titles, *empty],
        texts=[*corpus.texts, *empty],
    )


def _others(name: str, own: Mapping[str, Any]) -> dict[str, Any]:
    return {document: value for document, value in own.items() if document != name}


def _n_same_ids(scores: Scores, grades: Grades, relevant_grade: int) -> int:
    """See `RunEvaluation.n_same_ids`."""
    ranking = [
        own[name] == max(own.values())
        for name, own in scores.items()
        if name in own and grades[name].get(name, 0) < relevant_grade
    ]
    return sum(ranking) if 2 * sum(ranking) > len(ranking) else 0


def _known(measure: str, measures: Mapping[str, Any]) -> str:
    if measure not in measures:
        raise ArgumentError(f"{measure!r} was not measured. Write one of: {', '.join(measures)}.")
    return measure


def _some(names: Any) -> str:
    found = list(dict.fromkeys(names))
    return ", ".join(found[:3]) + (", …" if len(found) > 3 else "")


def ranked_run(
    scores: Mapping[str, Mapping[str, float]], document_ids: Sequence[str], *, ordered: bool
) -> Run:
    """Scores as a run."""
    row_of = {name: row for row, name in enumerate(document_ids)}
    ranked = {}
    for question, found in scores.items():
        rows = np.array([row_of[name] for name in found], dtype=np.int64)
        values = np.array([*found.values()], dtype=np.float64)
        order = np.lexsort((rows if ordered else np.arange(len(rows)), -values))
        ranked[question] = Ranked(rows[order], values[order])
    return Run(document_ids, ranked)


def judged_questions(name: str, grades: Mapping[str, Mapping[str, int]], relevant_grade: int) -> Questions:
    """Judgements as questions, whose texts do not matter."""
    ids = [*grades]
    rows = [(row, one, grade) for row, judged in enumerate(grades.values()) for one, grade in judged.items()]
    return Questions(
        name=name,
        corpus="documents",
        data_version="own",
        language="und",
        relevant_grade=relevant_grade,
        ids=ids,
        texts=ids,
        groups=[""] * len(ids),
        judged=np.array([row for row, _, _ in rows], dtype=np.int64),
        documents=[one for _, one, _ in rows],
        grades=np.array([grade for *_, grade in rows], dtype=np.int64),
    )
