"""Results of retrieval → the rows of its summaries."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sentflow.compare.rows import QuestionDifference, SeedRow
from sentflow.files.rows import number_or_nan, row_from
from sentflow.report.families.retrieval.rows import (
    F2,
    OTHERS_OF_DECISIONS,
    DecisionRow,
    IndexRow,
    QuestionGapRow,
    RecallRow,
    RetrievalCostRow,
    RetrievalRow,
    StageRow,
    WeightRow,
)
from sentflow.report.numbers import counted
from sentflow.report.rows import described, grouped, unique
from sentflow.report.settings import (
    CostSummary,
    DecisionSummary,
    IndexSummary,
    RetrievalSummary,
    StageSummary,
    WeightSummary,
)
from sentflow.retrieval.evaluation import QuestionValues
from sentflow.retrieval.measures import cutoffs, recall_at
from sentflow.retrieval.retrievers.fusion import Weighed
from sentflow.stats.means import expanded_level, interval_of_scores, limits_without_draws
from sentflow.stats.multiplicity import holm
from sentflow.stats.resampling import Bootstrap, multinomial_counts, percentile_limits
from sentflow.stats.seeds import derive_seed


def _titled(settings: Any, section: str, name: str) -> dict[str, Any]:
    """What the settings say of a question set or retriever; its title under the name of the column."""
    about = dict(described(settings, section, name))
    return {**about, "questions_title" if section == "question_sets" else "retriever_title": about["title"]}


# --- means -------------------------------------------------------------------------------------------------

_OTHERS = ("best_order", "worst_order", "condensed", "with_duplicates")


def retrieval_rows(results: Iterable[Mapping[str, Any]], settings: RetrievalSummary) -> list[RetrievalRow]:
    """The means of all results: question sets and retrievers in the order of selection, groups after the whole.

    `results`: as `sentflow.retrieval.evaluation.write_results` wrote them.
    """
    by_name = {(result["questions"], result["retriever"]): result for result in results}
    names = [(name, one) for name in settings.question_sets for one in settings.shown]
    return [row for name in names if name in by_name for row in _means(by_name[name], settings)]


def _means(result: Mapping[str, Any], settings: RetrievalSummary) -> Iterator[RetrievalRow]:
    retriever = described(settings, "retrievers", result["retriever"])
    known = {**_titled(settings, "question_sets", result["questions"]), **result}
    known |= {
        "corpus_title": described(settings, "corpora", result["corpus"]),
        "retriever_title": retriever.title,
    }
    known |= {
        "is_control": retriever.control,
        "position": retriever.position,
        "is_baseline": not retriever.model,
    }
    known |= {"model": retriever.model or result["retriever"], **_cut_off(result.get("reading", {}))}
    known["model_title"] = retriever.model_title or retriever.title
    none = dict.fromkeys((*_OTHERS, "low", "high"), math.nan)
    for measure in settings.measures:
        own = {"group": "", "measure": measure, "is_main": measure == settings.main}
        stated = result["measures"][measure]
        yield row_from(RetrievalRow, {**none, **known, **stated}, **own, value=stated["mean"])
    for group, part in result["groups"].items():
        for measure in settings.measures:
            own = {"group": group, "measure": measure, "is_main": measure == settings.main}
            own |= {"value": part["measures"][measure], "n_questions": part["n_questions"]}
            yield row_from(RetrievalRow, {**known, **none}, **own)


def _cut_off(reading: Mapping[str, Mapping[str, int] | None]) -> dict[str, float]:
    """How many texts of each side the encoder cut off, and the share of tokens; undefined where it does not say."""
    parts = {}
    for side in ("documents", "questions"):
        counts = reading.get(side)
        parts[f"{side}_cut"] = counts["cut"] if counts else math.nan
        parts[f"{side}_lost"] = counts["tokens_cut"] / counts["tokens"] if counts else math.nan
    return parts


# --- costs -------------------------------------------------------------------------------------------------

Costs = Mapping[tuple[str, str], Mapping[str, Any]]
"""Question set and retriever, or corpus and encoder → what was measured."""


def cost_rows(
    rows: Sequence[RetrievalRow], searched: Costs, encoded: Costs, settings: CostSummary
) -> Iterator[RetrievalCostRow]:
    """One row per question set and retriever, in the order of the summary.

    `searched`: ``n_questions``, ``seconds`` and ``index_bytes`` of each run, those that are only fused included; of
    those that know them, ``question_seconds`` of cutting the questions into terms, and what
    `sentflow.retrieval.search.cost_of` counts. `encoded`: corpus and encoder → ``seconds`` of embedding the ``n_texts``
    questions of all sets that search it, and the ``device`` and ``threads`` that they took.
    """
    for row in rows:
        if row.group or not row.is_main:
            continue
        used = settings.parts[row.retriever]
        runs = [searched[row.questions, name] for name in used]
        encoders = {settings.encoders[name] for name in used if name in settings.encoders}
        n_asked = int(searched[row.questions, row.retriever]["n_questions"])
        made = [encoded.get((row.corpus, name)) for name in sorted(encoders)]
        seconds = [
            number_or_nan(one["seconds"]) * n_asked / one["n_texts"] if one else math.nan for one in made
        ]
        # what is counted of a retriever that is not made of others
        counts = {**runs[0]} if len(runs) == 1 else {}
        per_document = counts["n_vectors"] / row.n_documents if "n_vectors" in counts else math.nan
        sums = {key: math.fsum(number_or_nan(run[key]) for run in runs) for key in ("seconds", "index_bytes")}
        own = {"model": row.retriever, "model_title": row.retriever_title, "n_asked": n_asked}
        own |= {"search_seconds": sums["seconds"], "index_bytes": sums["index_bytes"]}
        own["encode_seconds"] = math.fsum([*seconds, *(run.get("question_seconds", 0.0) for run in runs)])
        own["encoded_on"] = ", ".join(unique(_device(one) for one in made if one))
        own["flops"] = counts.get("flops", math.nan) * per_document
        yield row_from(RetrievalCostRow, {**counts, **vars(row), **own})


def _device(made: Mapping[str, Any]) -> str:
    """What embedded: ``cpu, 2 threads``, ``cuda``; empty where that is not known."""
    device, threads = made.get("device", ""), made.get("threads")
    return f"{device}, {counted(threads, 'thread')}" if device == "cpu" and threads else str(device)


def index_rows(results: Iterable[Mapping[str, Any]], settings: IndexSummary) -> list[IndexRow]:
    """A row for each recall of each certificate, question sets and retrievers in the order of their titles."""
    by_name = {(result["questions"], result["retriever"]): result for result in results}
    rows = []
    for name in ((one, other) for one in settings.questions for other in settings.retrievers):
        if name not in by_name:
            continue
        result = by_name[name]
        index, made = dict(result["index"]), result["made"]
        known = {**made, **result, "kind": index.pop("kind"), "index_bytes": made["bytes"]}
        known |= {
            "questions_title": settings.questions[name[0]],
            "retriever_title": settings.retrievers[name[1]],
        }
        known["parameters"] = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in index.items())
        known["build_seconds"] = made["cpu_seconds"]
        for column, found in (("value", result["values"]), ("per_second", result["per_second"])):
            known |= {column: found["approximate"], f"{column}_exact": found["exact"]}
        for recall in result["recalls"]:
            of_k = {"k": recall["k"], "recall": recall["mean"], "recall_p5": recall["p5"]}
            rows.append(row_from(IndexRow, known, **of_k))
    return rows


# --- values of every question ------------------------------------------------------------------------------

_BANDS_AT = (1, 10, 100, 1000)


def recall_rows(values: Sequence[QuestionValues], settings: RetrievalSummary) -> Iterator[RecallRow]:
    """Mean recall at every cutoff of a logarithmic axis; with intervals at 1, 10, 100, 1,000 and the depth of runs."""
    cuts = sorted({*cutoffs(settings.depth), *(cut for cut in _BANDS_AT if cut <= settings.depth)})
    banded = [row for row, cut in enumerate(cuts) if cut in (*_BANDS_AT, settings.depth)]
    for own in _by_set(values, settings):
        recalls = [recall_at(one.ranks, one.n_relevant, cuts) for one in own]
        seed = derive_seed(settings.seed, own[0].question_set, "bootstrap")
        bootstrap = Bootstrap(settings.level, settings.n_resamples, seed)
        limits = iter(_limits(np.hstack([recall[:, banded] for recall in recalls]), bootstrap))
        for one, recall in zip(own, recalls, strict=True):
            about = _about(one, settings) | {"level": settings.level, "n_questions": len(one.questions)}
            for row, (cut, mean) in enumerate(zip(cuts, recall.mean(axis=0).tolist(), strict=True)):
                low, high = next(limits) if row in banded else (math.nan, math.nan)
                yield row_from(RecallRow, about, cutoff=cut, recall=mean, low=low, high=high)


def gap_rows(
    values: Sequence[QuestionValues], differences: Iterable[QuestionDifference], settings: RetrievalSummary
) -> Iterator[QuestionGapRow]:
    """What every retriever but controls reached on each question more than the reference.

    `differences`: the tests of these pairs; a pair that was not tested has no rows.
    """
    tested = {(row.unit_set, row.model_a, row.model_b): row for row in differences}
    measure, reference = settings.main, settings.reference
    for own in _by_set(values, settings):
        base = next((one for one in own if one.retriever == reference), None)
        for one in own if base else []:
            forth = tested.get((one.question_set, one.retriever, reference))
            back = tested.get((one.question_set, reference, one.retriever))
            known = _about(one, settings)
            if base is None or known["is_control"] or not (test := forth or back):
                continue
            known |= vars(test) | {"mean": test.difference}
            if not forth:
                known |= {"mean": -test.difference, "low": -test.high, "high": -test.low}
                known |= {"wins": test.losses, "losses": test.wins}
            known["reference_title"] = described(settings, "retrievers", reference).title
            gaps = (one.values[measure] - base.values[measure]).tolist()
            for question, gap in zip(one.questions, gaps, strict=True):
                own_values = {"measure": measure, "reference": reference, "question": question}
                yield row_from(QuestionGapRow, known, **own_values, difference=gap)


def _by_set(values: Sequence[QuestionValues], settings: RetrievalSummary) -> Iterator[list[QuestionValues]]:
    """The retrievers of each question set, both in the order of selection."""
    by_name = {(one.question_set, one.retriever): one for one in values}
    for name in settings.question_sets:
        own = [by_name[name, retriever] for retriever in settings.shown if (name, retriever) in by_name]
        if own:
            yield own


def _about(one: QuestionValues, settings: RetrievalSummary) -> dict[str, Any]:
    retriever = described(settings, "retrievers", one.retriever)
    known = {"questions": one.question_set, "model": one.retriever, "model_title": retriever.title}
    known |= {"is_control": retriever.control, "position": retriever.position}
    return _titled(settings, "question_sets", one.question_set) | known


def _limits(columns: np.ndarray, bootstrap: Bootstrap) -> list[tuple[float, float]]:
    """Intervals of the means of (n, k) values as `interval_of_scores` gives them, all on the same resamples."""
    n = len(columns)
    means = np.concatenate([block @ columns / n for block in multinomial_counts(n, bootstrap)])
    expanded = expanded_level(bootstrap.level, n)
    return [
        limits_without_draws(own, bootstrap.level) or percentile_limits(drawn, expanded)
        for own, drawn in zip(columns.T, means.T, strict=True)
    ]


# --- decisions and weights ---------------------------------------------------------------------------------

_ORDER = ("most", "window", "share", "least")


def decision_rows(results: Iterable[Mapping[str, Any]], settings: DecisionSummary) -> list[DecisionRow]:
    """The means of all decisions, in the order of selection.

    `results`: as `sentflow.retrieval.decisions.write_decision_values` wrote them.
    """
    by_name = {(one["questions"], one["retriever"], one["decision"]): one for one in results}
    names = [(name, *one) for name in settings.question_sets for one in settings.systems]
    return [row for name in names if name in by_name for row in _decisions(by_name[name], settings)]


def written(parameters: Mapping[str, float]) -> str:
    """Parameters as a text: ``most 5, window 2.6``."""
    return ", ".join(f"{name} {parameters[name]:g}" for name in _ORDER if name in parameters)


def _range_of(choices: Sequence[Mapping[str, float]]) -> str:
    """From where to where the parameters go that are not the same in all choices: ``window 0.4 to 3``."""
    if not choices:
        return ""
    values = {name: [one[name] for one in choices] for name in _ORDER if name in choices[0]}
    differing = [
        f"{name} {min(own):g} to {max(own):g}" for name, own in values.items() if min(own) < max(own)
    ]
    return ", ".join(differing) or written(choices[0])


def _decisions(result: Mapping[str, Any], settings: DecisionSummary) -> Iterator[DecisionRow]:
    tuning = dict(result.get("tuning", {}))
    within = tuning.get("within_margin", [])
    undefined = dict.fromkeys(("in_sample", "nested", "optimism", "margin"), math.nan)
    known = {**_titled(settings, "question_sets", result["questions"]), **undefined, **tuning, **result}
    retriever, decision = result["retriever"], result["decision"]
    own: dict[str, Any] = {"retriever_title": settings.retrievers[retriever]}
    own |= {"decision_title": settings.decisions[decision]}
    own |= {"system": f"{retriever}/{decision}", "is_control": retriever in settings.controls}
    own |= {"f2_of_means": result["F2-of-means"], "parameters": written(result["parameters"])}
    own |= {"tuned_on": ", ".join(tuning.get("tuned_on", [])), "n_candidates": len(tuning.get("grid", []))}
    own |= {"n_within": len(within), "within": _range_of(within)}
    for measure in (F2, *OTHERS_OF_DECISIONS):
        stated = result["measures"][measure]
        yield row_from(DecisionRow, {**known, **stated, **own}, measure=measure, value=stated["mean"])


def weight_rows(
    weighed: Sequence[Weighed], chosen: Mapping[str, Mapping[str, Any]], settings: WeightSummary
) -> list[WeightRow]:
    """A row for each weight of each fusion on each question set, in the order of selection.

    `chosen`: fusion → what `sentflow.retrieval.retrievers.fusion.write_chosen` says of its choice.
    """
    by_name = {(one.about["questions"], one.about["retriever"]): one for one in weighed}
    names = [(name, one) for one in settings.retrievers for name in settings.question_sets]
    return [
        row for name in names if name in by_name for row in _weights(by_name[name], chosen[name[1]], settings)
    ]


def _weights(own: Weighed, choice: Mapping[str, Any], settings: WeightSummary) -> Iterator[WeightRow]:
    fusion = settings.retrievers[own.about["retriever"]]
    bootstrap = Bootstrap(
        settings.level, settings.n_resamples, derive_seed(settings.seed, own.about["questions"], "bootstrap")
    )
    of_folds = [tuple(one) for one in choice["weights_of_folds"]]
    name = own.about["questions"]
    known = {**choice, **_titled(settings, "question_sets", name), **own.about, "position": fusion.position}
    known |= {"retriever_title": fusion.title, "of": "; ".join(fusion.of), "level": bootstrap.level}
    known |= {"is_training": name in choice["tuned_on"], "n_questions": len(own.questions)}
    for weights, values in zip(own.about["candidates"], own.values, strict=True):
        low, high = interval_of_scores(values, bootstrap)
        of_weights = {"n_runs": len(weights), "last": weights[-1], "n_folds": of_folds.count(weights)}
        of_weights |= {"value": float(values.mean()), "low": low, "high": high}
        of_weights["is_chosen"] = weights == tuple(choice["weights"])
        yield row_from(WeightRow, known, **of_weights, weights="; ".join(f"{one:g}" for one in weights))


# --- stages ---------------------------------------------------------------------------------------------------


_NONE = {
    f"{kind}{end}": 0 if end == "_seeds" else math.nan
    for kind in ("before", "reference")
    for end in ("", "_low", "_high", "_p", "_seeds")
}


def stage_rows(
    rows: Sequence[RetrievalRow],
    seeds: Sequence[SeedRow],
    differences: Sequence[QuestionDifference],
    settings: StageSummary,
) -> list[StageRow]:
    """The stages on every question set, by every measure: the reference, then series after series.

    What was not measured has no row.
    """
    means = grouped([row for row in rows if not row.group], "questions", "measure")
    of_seeds, tests = grouped(seeds, "unit_set", "measure"), grouped(differences, "unit_set", "measure")
    found: list[StageRow] = []
    sets = unique(row.questions for row in rows if not row.group)
    for key in ((name, measure) for name in sets for measure in settings.measures):
        own_means = {row.retriever: row for row in means.get(key, [])}
        own_seeds = {(row.family, row.other): row for row in of_seeds.get(key, [])}
        own_tests = {(row.model_a, row.model_b): row for row in tests.get(key, [])}
        found += _Known(own_means, own_seeds, own_tests, settings).rows()
    return found


@dataclass(frozen=True)
class _Known:
    """What is known of one question set by one measure."""

    means: Mapping[str, RetrievalRow]
    seeds: Mapping[tuple[str, str], SeedRow]
    differences: Mapping[tuple[str, str], QuestionDifference]
    settings: StageSummary

    def rows(self) -> Iterator[StageRow]:
        """The reference, then of each series the stages, each followed by its single seeds."""
        reference = self.settings.reference
        if reference in self.means:
            series = self.means[reference].retriever_title
            yield self._row(reference, stage="", place=0, series=series, line=-1)
        is_main = any(row.is_main for row in self.means.values())
        tested = self._tested() if is_main else {}
        for line, series in enumerate(self.settings.series):
            for place, stage in enumerate(self.settings.stages, 1):
                name = stage.retrievers[line]
                if (name, "") not in self.seeds and self._alone(name) not in self.means:
                    continue
                about: dict[str, Any] = {"stage": stage.title, "place": place, "series": series, "line": line}
                yield self._row(name, **about, **tested.get((line, place), {}))
                members = self.settings.families.get(name, {})
                for seed, one in members.items() if len(members) > 1 else []:
                    yield self._row(one, seed=seed, **about)

    def _tested(self) -> dict[tuple[int, int], dict[str, Any]]:
        """Line and place → the differences of a stage; p adjusted over those of all stages."""
        tests: list[tuple[tuple[int, int], str, dict[str, Any]]] = []
        for line in range(len(self.settings.series)):
            chain = [stage.retrievers[line] for stage in self.settings.stages]
            reference = self.settings.reference
            pairs = [("reference", place, name, reference) for place, name in enumerate(chain, 1)]
            befores = zip(chain, chain[1:], strict=False)
            pairs += [("before", place, name, before) for place, (before, name) in enumerate(befores, 2)]
            for kind, place, name, other in pairs:
                if difference := self._stated(name, other, 1) or self._stated(other, name, -1):
                    tests.append(((line, place), kind, difference))
        adjusted = iter(holm([one["_p"] for *_, one in tests if not math.isnan(one["_p"])]))
        found: dict[tuple[int, int], dict[str, Any]] = {}
        for place_of, kind, one in tests:
            p = math.nan if math.isnan(one["_p"]) else next(adjusted)
            named = {f"{kind}{end}": value for end, value in {**one, "_p": p}.items()}
            found.setdefault(place_of, {}).update(named)
        return found

    def _stated(self, a: str, b: str, sign: int) -> dict[str, Any] | None:
        """The difference of what two names stand for, with its sign; None where nothing is known of it.

        Of seeds, or with 0 seeds for new questions alone.
        """
        of_seeds = self.seeds.get((a, self._alone(b)))
        single = self.differences.get((self._alone(a), self._alone(b)))
        row = of_seeds or single
        if row is None:
            return None
        value = of_seeds.value if of_seeds else row.difference  # type: ignore[union-attr]
        low, high = (row.low, row.high) if sign > 0 else (-row.high, -row.low)
        n_seeds = of_seeds.n_seeds if of_seeds else 0
        return {"": sign * value, "_low": low, "_high": high, "_p": row.p, "_seeds": n_seeds}

    def _alone(self, name: str) -> str:
        """The retriever of a name that has one seed alone; else the name."""
        members = self.settings.families.get(name, {})
        return next(iter(members.values())) if len(members) == 1 else name

    def _row(self, name: str, *, seed: str = "", **about: Any) -> StageRow:
        """A row of a family, or of a retriever; a single seed of several has no interval."""
        family = self.seeds.get((name, ""))
        mean = self.means[next(iter(self.settings.families[name].values())) if family else self._alone(name)]
        stated = family or mean
        limits = {end: math.nan if seed else getattr(stated, end) for end in ("low", "high")}
        n_seeds = family.n_seeds if family else int(bool(seed) or name in self.settings.families)
        own = {"retriever": name, "seed": seed, "value": stated.value, "n_seeds": n_seeds, **limits}
        return row_from(StageRow, {**_NONE, **vars(mean), **about, **own})
