"""Who leads, by how much, and whether a test shows it: the facts that page, terminal and API print."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import permutations
from pathlib import Path
from statistics import fmean

import numpy as np

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.differences import Difference, is_alike, other, winner
from sentflow.compare.rows import AcrossRow, QuestionDifference, SimilarityDifference
from sentflow.compare.score_rows import ScoreRow, by_protocol
from sentflow.report import captions
from sentflow.report.costs.rows import EncoderRow
from sentflow.report.families.probing.rows import average_score
from sentflow.report.families.retrieval import words as retrieval_words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.families.similarity.rows import SimilarityRow, main_rows
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import decimal, listed
from sentflow.report.rows import unique
from sentflow.stats.across import independent_units
from sentflow.stats.multiplicity import holm, least_sign_flip_p
from sentflow.stats.separation import separate

_WORDS = (
    *("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    "twelve",
)
IDENTICAL, EQUAL = "identical vectors", "equal throughout"
"""What is said of two systems between which nothing can be tested."""


@dataclass(frozen=True)
class Claim:
    """A sentence: `pattern` holds the names of `values` in braces, so that the page can mark them."""

    pattern: str
    values: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.pattern.format(**self.values)


@dataclass(frozen=True)
class System:
    """An encoder or a retriever with its value; `low` and `high` are NaN where it has no interval of its own."""

    name: str
    title: str
    value: float
    is_control: bool = False
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class Comparison:
    """One system less another, with the interval of the difference."""

    difference: float
    low: float
    high: float
    is_significant: bool
    p: float = math.nan  # adjusted for all pairs


@dataclass(frozen=True)
class Ranking:
    """Systems by one value, the highest first, and the tests between them."""

    systems: tuple[System, ...]
    tests: Mapping[tuple[str, str], Comparison]  # (a, b) → a less b; both directions
    what: str  # ``"encoder"``
    measure: str  # ``"mean score"``
    where: str  # ``"over 18 tasks"``
    population: str = ""  # what intervals hold for: ``"new texts"``
    too_few: str = ""  # ``"three tasks"``, where these are too few for any test; else empty
    level: float = 0.95
    digits: int = 3
    protocol: str = ""  # where several protocols are ranked
    # alike: pairs of systems, both ways, that are equal on every unit, so that nothing can be tested → `IDENTICAL`
    # or `EQUAL`
    alike: Mapping[tuple[str, str], str] = field(default_factory=dict)
    # places: of each system those that its own tests leave open; without them, those that `tests` leave open
    places: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    least: float = math.nan  # the least difference that tests over several units separate in a typical pair

    def printed(self, value: float) -> float:
        """What a reader sees of a value."""
        return round(value, self.digits)

    def less_first(self, system: System) -> float:
        """How far a system is behind the first, by the printed values."""
        return self.printed(self.systems[0].value) - self.printed(system.value)

    def behind(self, system: System) -> Comparison | None:
        """The first less a system; None where nothing was tested, or too few units were."""
        return None if self.too_few else self.tests.get((self.systems[0].name, system.name))

    def is_tied(self, system: System) -> bool:
        """Whether no test shows that another system is better."""
        return self.place(system)[0] == 1

    @property
    def first(self) -> list[System]:
        """The first, and those that look like it: no test separates them, and the printed value is the same."""
        return [one for one in self.systems if self.less_first(one) == 0 and self.is_tied(one)]

    @property
    def tied(self) -> list[System]:
        """Those behind the first that no test separates from it."""
        return [system for system in self.systems[1:] if self.is_tied(system)]

    @property
    def is_tested(self) -> bool:
        """Whether tests could separate systems."""
        return bool(self.tests) and not self.too_few

    def place(self, system: System) -> tuple[int, int]:
        """The places that the tests leave open for a system."""
        return self._places[system.name]

    @cached_property
    def _places(self) -> Mapping[str, tuple[int, int]]:
        wins = [pair for pair, test in self.tests.items() if test.is_significant and test.difference > 0]
        n, worse, better = len(self.systems), Counter(a for a, _ in wins), Counter(b for _, b in wins)
        left = {one.name: (1 + better[one.name], n - worse[one.name]) for one in self.systems}
        return left | dict(self.places)

    def counts(self) -> tuple[int, int]:
        """How many pairs of systems differ significantly, and of how many."""
        pairs = [test for (a, b), test in self.tests.items() if a < b]
        return sum(test.is_significant for test in pairs), len(pairs)

    def verdict(self) -> Claim:
        """Who is best, by how much, whether that is significant, and what difference would be."""
        claim = self._leader()
        if not self.is_tested or not 0 < self.least < math.inf:
            return claim
        least = decimal(self.least, self.digits)
        said = f"{claim.pattern} A typical pair needs a difference of {{least}} to be separated."
        return Claim(said, {**claim.values, "least": least})

    def _leader(self) -> Claim:
        if not self.systems:
            return Claim(f"No {self.what} has a score on every task, so none is ranked.")
        first, *others = self.systems
        values = {"first": self._called(first), "value": decimal(first.value, self.digits)}
        if not others:
            values |= {"measure": self.measure, "where": self.where}
            text = "{first} has a {measure} of {value} {where}. No second {what} was run, so there is no comparison."
            return Claim(text.replace("{what}", self.what), values)
        second, lead = others[0], self.less_first(others[0])
        values |= {"second": self._called(second), "lead": decimal(lead, self.digits)}
        values |= {"measure": self.measure, "where": self.where, "significant": "significant"}
        if len(self.first) > 1:
            names = [self._called(system) for system in self.first]
            values["first"] = listed(names) if len(names) < 4 else self._spelled(len(names))
            return Claim(f"{{first}} have the same {{measure}}, {{value}}.{self._alike()}", values)
        if round(lead, self.digits) == 0:
            return Claim(
                "{first} is best by less than the last digit; the difference to {second} is {significant}.",
                values,
            )
        if self.too_few:
            few = f"{self.too_few[0].upper()}{self.too_few[1:]}"
            return Claim(
                "{first} scores highest, {lead} above {second}. {few} are too few for a test of the mean.",
                {**values, "few": few},
            )
        if not self.tests:
            return Claim("{first} scores highest, {lead} above {second}. No test was made.", values)
        tied = self.tied
        values["significant"] = "not significant" if second in tied else "significant"
        if not tied:
            return Claim("{first} is best: its lead of {lead} over {second} is {significant}.", values)
        if tied == [second]:
            return Claim(
                "{first} scores highest, but its lead of {lead} over {second} is {significant}.", values
            )
        if second in tied:
            more = f"{spelled(len(tied), self.what)} {'is' if len(tied) == 1 else 'are'}"
            return Claim(
                "{first} scores highest, but its lead of {lead} is {significant}: {more} not separated from it.",
                {**values, "more": more},
            )
        values |= {"other": tied[0].title, "significant": "not significant"}
        return Claim("{first} scores highest, but its lead over {other} is {significant}.", values)

    def finding(self) -> str:
        """How many systems may be the best."""
        n, tied = len(self.systems), len(self.tied)
        if n < 2:
            return f"Only one {self.what} was run."
        if not self.is_tested and len(self.first) == n:
            both = "Both" if n == 2 else f"All {spelled(n)}"
            return f"{both} {self.what}s have the same {self.measure}.{self._alike()}"
        if not self.is_tested:
            return f"{self._spelled(n)} in the order of their {self.measure}."
        if not tied:
            return f"{self.systems[0].title} is significantly better than every other {self.what}."
        if tied == n - 1:
            several = f"The tests do not separate any of the {n} {self.what}s from the first."
            return several if n > 2 else "The test does not separate the two."
        rest = n - 1 - tied
        behind = f"{spelled(rest)} {'is' if rest == 1 else 'are'} significantly behind"
        return f"{self._spelled(1 + tied)} are tied for first place. The other {behind}."

    def _alike(self) -> str:
        """Why nothing is tested between those that are first, where nothing can be."""
        words = {self.alike.get((self.systems[0].name, one.name)) for one in self.first[1:]}
        if words == {IDENTICAL}:
            return " Their vectors are identical, so there is nothing to test."
        return "" if None in words else " They are equal throughout, so there is nothing to test."

    def _spelled(self, n: int) -> str:
        text = spelled(n, self.what)
        return f"{text[0].upper()}{text[1:]}"

    def _called(self, system: System) -> str:
        is_told = "control" in system.title.lower()
        return f"the control {system.title}" if system.is_control and not is_told else system.title


@dataclass(frozen=True)
class UnitSet:
    """A task, a pair set or a question set, with the value of each system that has one."""

    name: str
    title: str
    group: str
    values: Mapping[str, float]
    beaten: frozenset[tuple[str, str]] = frozenset()  # (better, worse), by tests adjusted over all unit sets
    is_tested: bool = False

    @property
    def ranked(self) -> list[str]:
        """Systems with a value, the highest first."""
        known = [name for name, value in self.values.items() if not math.isnan(value)]
        return sorted(known, key=lambda name: -self.values[name])

    @property
    def is_clear(self) -> bool:
        """Whether the first is significantly better than every other one."""
        first, *others = self.ranked or [""]
        return bool(others) and all((first, other) in self.beaten for other in others)


@dataclass(frozen=True)
class Sets:
    """Systems on several unit sets: who is first on how many."""

    titles: Mapping[str, str]  # of the systems, in the order of their mean
    sets: tuple[UnitSet, ...]
    what: str  # ``"task"``
    systems: str = "encoder"
    digits: int = 3

    def printed(self, value: float) -> float:
        return round(value, self.digits)

    def best(self, one: UnitSet) -> list[str]:
        """The systems with the highest printed value."""
        top = max(map(self.printed, one.values.values()), default=math.nan)
        return [name for name in one.ranked if self.printed(one.values[name]) == top]

    def lead(self, one: UnitSet) -> float:
        """The highest printed value less the next; NaN for fewer than two."""
        printed = [self.printed(one.values[name]) for name in one.ranked]
        return printed[0] - printed[1] if len(printed) > 1 else math.nan

    def firsts(self) -> Counter[str]:
        """On how many unit sets a system alone has the highest printed value."""
        return Counter(best[0] for one in self.sets if len(best := self.best(one)) == 1)

    def finding(self) -> Claim:
        """Who is first on how many unit sets, and how many of these leads are significant."""
        wins, n = self.firsts(), len(self.sets)
        shared = sum(len(self.best(one)) > 1 for one in self.sets)
        if not wins and not shared:
            return Claim(f"No {self.what} has a score.")
        if len(self.titles) == 1:
            names = {"name0": next(iter(self.titles.values()))}
            return Claim(f"Only {{name0}} was run, on {spelled(n, self.what)}.", names)
        if not wins:
            return Claim(f"The highest score is shared on {self._share(shared)}.")
        first, most = wins.most_common()[0]
        also = [name for name, count in wins.items() if count == most]
        if len(also) > 1:
            names = {f"name{i}": self.titles[name] for i, name in enumerate(also[:3])}
            several_names = listed([f"{{{key}}}" for key in names])
            those = several_names if len(also) < 4 else spelled(len(also), self.systems).capitalize()
            text = f"{those} are first on {self._share(most)}{' each' if n > 1 else ''}."
        else:
            names = {"name0": self.titles[first]}
            text = f"{{name0}} is first on {self._share(most)}"
            if (second := wins.most_common()[1:2]) and n > 1:
                names["name1"] = self.titles[second[0][0]]
                text += f", {{name1}} on {second[0][1]}"
            text += "."
        if shared:
            text += f" On {spelled(shared, self.what)} the highest score is shared."
        if any(one.is_tested for one in self.sets):
            clear = sum(one.is_clear for one in self.sets)
            text += (
                f" {spelled(clear).capitalize()} {'lead is' if clear < 2 else 'leads are'} {{significant}}."  # noqa: PLR2004
            )
        return Claim(text, {**names, "significant": "significant"})

    def _share(self, most: int) -> str:
        """``all 18 tasks``, ``five of 18 tasks``."""
        n = len(self.sets)
        if n == 1:
            return f"the only {self.what}"
        if most < n:
            return f"{most} of {n} {self.what}s"
        return f"both {self.what}s" if n == 2 else f"all {spelled(n)} {self.what}s"  # noqa: PLR2004


def spelled(n: int, what: str = "") -> str:
    """``three encoders``; numbers above twelve in digits."""
    word = _WORDS[n] if n < len(_WORDS) else f"{n:,}"
    return f"{word} {what}{'' if n == 1 else 's'}".strip() if what else word


# --- families ------------------------------------------------------------------------------------------------


def facts(results: Path) -> list[str]:
    """Who leads by which measure in a results folder: the sentences of the page, without marks."""
    return [
        f"{sets.what.capitalize()}s: "
        f"{ranking.verdict() if len(sets.sets) == 1 or ranking.is_tested else sets.finding()}"
        if sets
        else f"{ranking.verdict()}{f' (protocol {ranking.protocol})' if ranking.protocol else ''}"
        for ranking, sets in rankings(results)
    ]


def rankings(results: Path) -> list[tuple[Ranking, Sets | None]]:
    """Rankings over tasks, pair sets and question sets in a results folder; the latter two with these sets."""
    inputs = Inputs.of(results)
    scores, encoders = inputs.rows_if_there(ScoreRow), inputs.rows_if_there(EncoderRow)
    similarity = main_rows(inputs.rows_if_there(SimilarityRow))
    over_sets = (
        of_similarity(similarity, inputs.rows_if_there(SimilarityDifference), encoders),
        of_retrieval(inputs.rows_if_there(RetrievalRow), inputs.rows_if_there(QuestionDifference)),
    )
    of_tasks = of_probing(scores, inputs.together(Comparisons), encoders) if scores else []
    return [*((ranking, None) for ranking in of_tasks), *(one for one in over_sets if one[1].sets)]


def of_probing(
    rows: Sequence[ScoreRow], comparisons: Comparisons, encoders: Sequence[EncoderRow] = ()
) -> list[Ranking]:
    """Encoders by their mean over tasks, or by their score on the only task; a ranking per protocol."""
    groups = by_protocol(rows)
    return [
        _of_protocol(own, comparisons.of(protocol), encoders, protocol if len(groups) > 1 else "")
        for protocol, own in groups.items()
    ]


def tasks_of(rows: Sequence[ScoreRow], comparisons: Comparisons, order: Sequence[str]) -> Sets:
    """The tasks; `order`: of the encoders."""
    titles = {row.model: row.model_title for row in rows}
    sets = {row.task: UnitSet(row.task, row.task_title, captions.family_name(row.family), {}) for row in rows}
    scored = [(row.task, row.model, row.mean) for row in rows]
    adjusted = [pair.p_over_tasks for pair in comparisons.pairs]
    tasks = _filled(sets, scored, comparisons.pairs, adjusted)
    return Sets({name: titles[name] for name in [*order, *titles]}, tasks, "task")


def of_similarity(
    rows: Sequence[SimilarityRow],
    differences: Sequence[SimilarityDifference],
    encoders: Sequence[EncoderRow] = (),
) -> tuple[Ranking, Sets]:
    """Encoders by the mean of their correlations × 100, or by that on the only pair set; and the pair sets.

    `rows`: the main correlation of whole pair sets.
    """
    own = [row for row in rows if not row.is_baseline and not math.isnan(row.value)]
    models = {row.model for row in own}
    coefficient = "Spearman " if all(row.coefficient == "spearman" for row in own) else ""
    return _over_sets(
        {row.pairs: row.pairs_title for row in own},
        [
            (row.pairs, System(row.model, row.model_title, value, row.is_control, low, high))
            for row in own
            for value, low, high in [(100 * row.value, 100 * row.low, 100 * row.high)]
        ],
        [row for row in differences if {row.model_a, row.model_b} <= models],
        Ranking((), {}, "encoder", f"{coefficient}correlation × 100", "pair set", "new pairs of sentences", digits=1),
        scale=100,
        encoders=encoders,
    )  # fmt: skip


def of_retrieval(
    rows: Sequence[RetrievalRow], differences: Sequence[QuestionDifference]
) -> tuple[Ranking, Sets]:
    """Retrievers by their main measure on the only question set, or by its mean over sets; and the question sets."""
    own = [row for row in retrieval_words.whole(rows) if row.is_main and not math.isnan(row.value)]
    own = [row for row in own if not retrieval_words.decided_by_ties(row)]
    measure = own[0].measure if own else ""
    return _over_sets(
        {row.questions: row.questions_title for row in own},
        [
            (row.questions, System(row.retriever, row.retriever_title, row.value, row.is_control, row.low, row.high))
            for row in own
        ],
        [row for row in differences if not row.grouped],
        Ranking((), {}, "retriever", measure, "question set", retrieval_words.QUESTIONS),
    )  # fmt: skip


def texts(row: ScoreRow) -> str:
    """Which texts the intervals of a task hold for."""
    if not row.item_grouped:
        return "new texts"
    return captions.NEW_DOCUMENTS if row.groups_folds else captions.SAME_DOCUMENTS


def _of_protocol(
    rows: Sequence[ScoreRow], comparisons: Comparisons, encoders: Sequence[EncoderRow], protocol: str
) -> Ranking:
    tasks, across = unique(row.task for row in rows), comparisons.across
    one, ranks = len(tasks) == 1, {row.model: row for row in comparisons.ranks}
    systems = []
    for model, row in {row.model: row for row in rows}.items():
        mean = average_score([other for other in rows if other.model == model], len(tasks))
        low, high = row.shown_generalisation if one else (math.nan, math.nan)
        if not one and model in ranks:
            low, high = ranks[model].mean_low, ranks[model].mean_high
        if not math.isnan(mean):
            systems.append(System(model, row.model_title, mean, row.is_control, low, high))
    ranked, where = tuple(sorted(systems, key=lambda system: -system.value)), f"over {len(tasks)} tasks"
    about = Ranking(ranked, {}, "encoder", "mean score", where, protocol=protocol)
    if one or not across:
        pairs = comparisons.pairs if one else ()
        tests, alike = _tests(((pair, pair.p_holm <= pair.alpha) for pair in pairs), encoders)
        if one:
            about = replace(about, measure="score", where=f"on {rows[0].task_title}")
        return replace(about, tests=tests, population=texts(rows[0]), level=rows[0].level, alike=alike)
    first = across[0]
    is_too_few = least_sign_flip_p(first.n_units) > first.alpha
    tests, alike = _tests(((row, row.separated) for row in across), encoders)
    places = {model: (int(row.rank_low), int(row.rank_high)) for model, row in ranks.items() if row.complete}
    population = "new tasks of the same source" if first.n_sources == 1 else "tasks of new sources"
    few = spelled(first.n_units, first.units.removesuffix("s")) if is_too_few else ""
    return replace(
        about, tests=tests, population=population, too_few=few, level=first.level, alike=alike, places=places,
        least=first.least_separable,
    )  # fmt: skip


def over_units(
    about: Ranking, scores: np.ndarray, sources: Sequence[str], kind: str, alpha: float
) -> Ranking:
    """A ranking with the tests of `compare` over several tasks, or unit sets, where these are enough.

    `scores`: (T, M) float64 of its systems, in their order. `sources`: (T,) what these have in common. `kind`: what
    one is called.
    """
    units = independent_units(sources)
    n_units = len(set(units.tolist()))
    if n_units < len(sources):
        kind = "source"
    if least_sign_flip_p(n_units) > alpha:
        return replace(about, too_few=spelled(n_units, kind))
    found = separate(scores, units, alpha=alpha)
    names, means = [system.name for system in about.systems], scores.mean(axis=0)
    tests = {
        (a, b): Comparison(
            float(means[i] - means[j]), math.nan, math.nan, bool(found.separated[i, j]), float(found.p[i, j])
        )
        for (i, a), (j, b) in permutations(enumerate(names), 2)
    }
    places = dict(zip(names, zip(found.low.tolist(), found.high.tolist(), strict=True), strict=True))
    return replace(
        about, tests=tests, places=places, population=f"new {kind}s of this kind", least=found.least
    )


def _tests(
    found: Iterable[tuple[AcrossRow | Difference, bool]],
    encoders: Sequence[EncoderRow] = (),
    scale: float = 1,
) -> tuple[dict[tuple[str, str], Comparison], dict[tuple[str, str], str]]:
    """The tests of a `Ranking`, and which of its systems are alike."""
    vectors = {row.model: row.vectors for row in encoders if row.vectors}
    tests: dict[tuple[str, str], Comparison] = {}
    alike: dict[tuple[str, str], str] = {}
    for row, is_significant in found:
        if is_alike(row):
            a, b = row.model_a, row.model_b
            words = IDENTICAL if a in vectors and vectors[a] == vectors.get(b) else EQUAL
            alike |= {(a, b): words, (b, a): words}
        elif not math.isnan(row.difference):
            p = row.p_adjusted if isinstance(row, AcrossRow) else row.p_holm
            difference, low, high = scale * row.difference, scale * row.low, scale * row.high
            tests[row.model_a, row.model_b] = Comparison(difference, low, high, is_significant, p)
            tests[row.model_b, row.model_a] = Comparison(-difference, -high, -low, is_significant, p)
    return tests, alike


def _over_sets(
    titles: Mapping[str, str],
    scored: Sequence[tuple[str, System]],
    differences: Sequence[QuestionDifference] | Sequence[SimilarityDifference],
    about: Ranking,
    scale: float = 1,
    encoders: Sequence[EncoderRow] = (),
) -> tuple[Ranking, Sets]:
    """The ranking on the only unit set, or by the mean over several; and the unit sets.

    `titles`: of the unit sets. `about`: without systems, and with the name of a unit set in place of `where`.
    """
    rows = [row for row in differences if row.unit_set in titles]
    sets = {name: UnitSet(name, title, "", {}) for name, title in titles.items()}
    values = [(name, system.name, system.value) for name, system in scored]
    filled = _filled(sets, values, rows, holm([row.p for row in rows]))
    systems, one = {system.name: system for _, system in scored}, len(titles) == 1
    order = [
        system if one else replace(system, value=fmean(own), low=math.nan, high=math.nan)
        for name, system in systems.items()
        if len(own := [unit_set.values[name] for unit_set in filled if name in unit_set.values])
        == len(titles)
    ]
    order.sort(key=lambda system: -system.value)
    significant = ((row, winner(row) is not None) for row in rows if one)
    tests, alike = _tests(significant, encoders, scale)
    ranking = replace(
        about,
        systems=tuple(order),
        tests=tests,
        alike=alike,
        measure=about.measure if one else f"mean {about.measure}",
        where=f"on {next(iter(titles.values()))}" if one else f"over {len(titles)} {about.where}s",
        level=rows[0].level if rows else about.level,
    )
    if not one and rows:
        scores = np.array([[unit_set.values[system.name] for system in order] for unit_set in filled])
        ranking = over_units(ranking, scores, list(titles), about.where, rows[0].alpha)
    named = {system.name: system.title for system in (*order, *systems.values())}
    return ranking, Sets(named, filled, about.where, about.what, about.digits)


def _filled(
    sets: Mapping[str, UnitSet],
    scored: Iterable[tuple[str, str, float]],
    differences: Sequence[Difference],
    adjusted: Sequence[float],
) -> tuple[UnitSet, ...]:
    """Unit sets with values of systems, and with what is significant by `adjusted`, the p of the differences."""
    values: dict[str, dict[str, float]] = {name: {} for name in sets}
    for name, system, value in scored:
        values[name][system] = value
    beaten: dict[str, set[tuple[str, str]]] = {}
    for row, p in zip(differences, adjusted, strict=True):
        if is_alike(row):
            continue
        better, found = winner(row, p), beaten.setdefault(row.unit_set, set())
        if better is not None:
            found.add((better, other(row, better)))
    return tuple(
        replace(one, values=values[name], beaten=frozenset(beaten.get(name, ())), is_tested=name in beaten)
        for name, one in sets.items()
    )
