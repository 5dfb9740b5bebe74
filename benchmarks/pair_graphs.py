"""Do intervals and tests hold where pairs share sentences? python benchmarks/pair_graphs.py --mirror FOLDER

On the graphs of real pair sets: what the sets share (`sharing`); scores drawn from a population whose correlation is
known, with effects of sentences and of components (`simulated`); and sub-graphs of real scores, whose truth is the
whole set (`real`): gold scores of people, similarities by shared words and characters. Each says how often nominal
95 % intervals contain the truth, and how often a test at 5 % calls two equal encoders different, when pairs,
components, or sentences are drawn, and by the rule of `PairGraph.units`. Prints tables in Markdown.
"""

import argparse
import math
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import needs
from sentflow.api.data import catalog_pairs
from sentflow.compare.pair_sets import normal_test
from sentflow.similarity.measures import spearman
from sentflow.similarity.scores import bootstrap, graph_of, limits, overlap
from sentflow.stats.pair_graph import COMPONENTS, PAIRS, SENTENCES, PairGraph, PairUnits
from sentflow.stats.seeds import derive_seed

LEVEL, ALPHA = 0.95, 0.05
RHO = 0.7  # Pearson's r of the normal variables behind the gold scores and each encoder
OF_BOTH = 0.5  # share of the errors of an encoder that the other one makes, too
WHOLE = ("STS12", "STS13", "STS14", "STS15", "STS16", "STSB-test", "SICKR-test", "SICKR-mteb", "KorSTS-test")
WHOLE += ("JSTS-valid", "ASSIN2-test", "KLUE-STS-dev")
PARTS = (
    "STS12:SMTeuroparl",
    "STS12:surprise.SMTnews",
    "STS13:OnWN",
    "STS15:answers-students",
    "STS16:plagiarism",
)
SIMULATED = (*PARTS, "STS16", "STSB-test", "KorSTS-test", "STS12", "SICKR-test", "SICKR-mteb")
REAL = ("STSB-train", "SICKR-mteb", "KorSTS-train", "ASSIN2-test")
# variance that sentences have, and components
EFFECTS = ((0.5, 0.0), (0.3, 0.2))


@dataclass(frozen=True)
class RealPairs:
    """The pairs of a set, or of one of its sub-sources, with similarities that need no encoder."""

    name: str
    graph: PairGraph
    gold: np.ndarray
    columns: tuple[np.ndarray, np.ndarray]


def main() -> None:
    """Read, draw, count."""
    tables: dict[str, Callable[[argparse.Namespace], Iterator[Sequence[str]]]] = {
        "sharing": sharing,
        "simulated": simulated,
        "real": real,
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True, help="folder of real data")
    parser.add_argument("--tables", nargs="+", choices=tables, default=list(tables))
    parser.add_argument(
        "--graphs", nargs="+", choices=SIMULATED, default=SIMULATED, help="that are simulated"
    )
    parser.add_argument("--samples", type=int, default=200, help="per line")
    parser.add_argument("--resamples", type=int, default=199, help="of each bootstrap")
    parser.add_argument("--seed", type=int, default=1, help="of everything")
    args = parser.parse_args()
    for name in args.tables:
        started = time.process_time()
        for place, row in enumerate(tables[name](args)):
            print(f"| {' | '.join(row)} |", flush=True)
            if not place:
                print("| --- " * len(row) + "|", flush=True)
        print(f"\n{name}: {time.process_time() - started:.0f} CPU seconds\n", flush=True)


def read(name: str, mirror: Path) -> RealPairs:
    """``STS12``, or ``STS12:SMTeuroparl`` for a sub-source."""
    pairs, _, subset = name.partition(":")
    with tempfile.TemporaryDirectory() as folder:
        table = catalog_pairs(pairs, folder=Path(folder), mirrors=[str(mirror)])
    columns = [overlap(one, table.text_a, table.text_b) for one in ("jaccard-bigrams", "count-cosine")]
    rows = np.flatnonzero([not subset or own == subset for own in table.subset])
    first, second = (column[rows] for column in columns)
    return RealPairs(name, graph_of([table]).of(rows), table.score[rows], (first, second))


def drawings(graph: PairGraph) -> dict[str, PairUnits]:
    """The three ways to draw, whatever the rule would choose."""
    return {kind: graph.units_of(kind) for kind in (PAIRS, COMPONENTS, SENTENCES)}


def sharing(args: argparse.Namespace) -> Iterator[Sequence[str]]:
    """Graphs, and what resamples of components or sentences make of the standard error."""
    yield (
        "pair set", "pairs", "with a shared sentence", "components", "largest", "effective pairs", "drawn",
        "standard error, one", "difference",
    )  # fmt: skip
    for name in (*WHOLE, *PARTS):
        one = read(name, args.mirror)
        graph, n = one.graph, len(one.gold)
        sizes = np.bincount(graph.component)
        ends = np.bincount(np.concatenate([graph.first, graph.second[graph.second != graph.first]]))
        shares = (ends[graph.first] > 1) | (ends[graph.second] > 1)
        errors = [
            spreads(one.gold, one.columns, units, args.resamples * 10, derive_seed(args.seed, name))
            for units in (graph.units, graph.units_of(PAIRS))
        ]
        ratios = (f"{ours / of_pairs:.2f}" for ours, of_pairs in zip(*errors, strict=True))
        yield (
            name, f"{n:,}", f"{100 * shares.mean():.0f} %", f"{len(sizes):,}", f"{100 * sizes.max() / n:.1f} %",
            f"{graph.units.effective_pairs:,.0f}", graph.units.kind, *ratios,
        )  # fmt: skip


def spreads(
    gold: np.ndarray, columns: Sequence[np.ndarray], units: PairUnits, n_resamples: int, seed: int
) -> tuple[float, float]:
    """Standard errors of Spearman's ρ of the first column, and of its difference from the second."""
    drawn = bootstrap(gold, columns, units, n_resamples=n_resamples, seed=seed)["spearman"]
    return float(np.nanstd(drawn[:, 0])), float(np.nanstd(drawn[:, 0] - drawn[:, 1]))


HEADER = ("pairs: one", "pairs: difference", "components: one", "components: difference", "sentences: one")
HEADER += ("sentences: difference", "rule draws")


def simulated(args: argparse.Namespace) -> Iterator[Sequence[str]]:
    """Two equal encoders whose scores are normal, with effects of sentences and components on both sides."""
    yield "graph", "pairs", "effective", "sentences", "components", *HEADER
    truth = 6 / math.pi * math.asin(RHO / 2)  # Spearman's ρ of normal variables: Pearson 1907
    for name in args.graphs:
        graph = read(name, args.mirror).graph
        for of_sentences, of_components in EFFECTS:
            generator = np.random.default_rng(
                derive_seed(args.seed, name, str((of_sentences, of_components)))
            )
            samples = (
                (graph, *scores(graph, of_sentences, of_components, generator)) for _ in range(args.samples)
            )
            shares = coverage(samples, truth, 0.0, args)
            units = graph.units
            facts = (name, f"{len(graph.first):,}", f"{graph.effective_pairs:.0f}")
            yield (*facts, f"{of_sentences}", f"{of_components}", *shares, units.kind)


def scores(
    graph: PairGraph, of_sentences: float, of_components: float, generator: np.random.Generator
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Gold scores and two encoders, each of variance 1 and correlated by `RHO` with the gold scores."""
    n_sentences, n_components = int(max(graph.first.max(), graph.second.max())) + 1, graph.component.max() + 1
    twice = graph.first == graph.second

    def field() -> np.ndarray:
        sentence = generator.standard_normal(n_sentences)
        both = (sentence[graph.first] + sentence[graph.second]) / np.where(twice, 2, math.sqrt(2))
        component = generator.standard_normal(n_components)[graph.component]
        rest = generator.standard_normal(len(graph.first))
        return np.asarray(
            math.sqrt(of_sentences) * both
            + math.sqrt(of_components) * component
            + math.sqrt(1 - of_sentences - of_components) * rest
        )

    gold, common = field(), field()
    errors = [math.sqrt(OF_BOTH) * common + math.sqrt(1 - OF_BOTH) * field() for _ in range(2)]
    return gold, [RHO * gold + math.sqrt(1 - RHO**2) * one for one in errors]


def real(args: argparse.Namespace) -> Iterator[Sequence[str]]:
    """Sub-graphs of real sets: components drawn with replacement, or all pairs among drawn sentences."""
    yield (
        "set",
        "drawn of it",
        "mean pairs",
        "mean effective",
        "truth: one",
        "difference",
        *HEADER[:-1],
        "rule draws",
    )
    for name in REAL:
        whole = read(name, args.mirror)
        values = [spearman(column, whole.gold) for column in whole.columns]
        for what, draw in (("300 components", of_components), ("a fifth of the sentences", of_sentences)):
            generator = np.random.default_rng(derive_seed(args.seed, name, what))
            samples = [draw(whole, generator) for _ in range(args.samples)]
            sizes = np.mean([len(gold) for _, gold, _ in samples])
            effective = np.mean([graph.effective_pairs for graph, _, _ in samples])
            kinds = {graph.units.kind for graph, _, _ in samples}
            shares = coverage(iter(samples), values[0], values[0] - values[1], args)
            truths = (f"{values[0]:.3f}", f"{values[0] - values[1]:+.3f}")
            yield (name, what, f"{sizes:.0f}", f"{effective:.0f}", *truths, *shares, ", ".join(sorted(kinds)))


def of_components(
    whole: RealPairs, generator: np.random.Generator, n: int = 300
) -> tuple[PairGraph, np.ndarray, list[np.ndarray]]:
    """A component that is drawn twice is two of them."""
    component = whole.graph.component
    members = np.split(np.argsort(component, kind="stable"), np.cumsum(np.bincount(component))[:-1])
    drawn = [members[one] for one in generator.integers(0, len(members), n)]
    rows, copies = np.concatenate(drawn), np.repeat(np.arange(n), [len(one) for one in drawn])
    step = int(max(whole.graph.first.max(), whole.graph.second.max())) + 1
    graph = PairGraph(whole.graph.first[rows] + step * copies, whole.graph.second[rows] + step * copies)
    return graph, whole.gold[rows], [column[rows] for column in whole.columns]


def of_sentences(
    whole: RealPairs, generator: np.random.Generator, share: float = 0.2
) -> tuple[PairGraph, np.ndarray, list[np.ndarray]]:
    """All pairs of which both sentences are drawn, without replacement."""
    n_sentences = int(max(whole.graph.first.max(), whole.graph.second.max())) + 1
    drawn = generator.random(n_sentences) < share
    rows = np.flatnonzero(drawn[whole.graph.first] & drawn[whole.graph.second])
    return whole.graph.of(rows), whole.gold[rows], [column[rows] for column in whole.columns]


def coverage(
    samples: Iterator[tuple[PairGraph, np.ndarray, list[np.ndarray]]],
    truth: float,
    difference: float,
    args: argparse.Namespace,
) -> list[str]:
    """Per way to draw, in %: intervals that contain the truth; tests that reject the true difference at 5 %."""
    found = []
    for seed, (graph, gold, columns) in enumerate(samples):
        observed = spearman(columns[0], gold) - spearman(columns[1], gold)
        row = []
        for units in drawings(graph).values():
            drawn = bootstrap(gold, columns, units, n_resamples=args.resamples, seed=seed)["spearman"]
            low, high = limits(drawn[:, 0], LEVEL)
            row += [
                low <= truth <= high,
                normal_test(observed - difference, drawn[:, 0] - drawn[:, 1], level=LEVEL)[1] <= ALPHA,
            ]
        found.append(row)
    return [f"{100 * share:.1f}" for share in np.mean(found, axis=0)]


if __name__ == "__main__":
    needs.run(main)
