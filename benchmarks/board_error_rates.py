"""How often does a leaderboard err? python benchmarks/board_error_rates.py --sets 200 [--real TABLE.csv]

Simulated boards of which the true means are known: how often any two models are separated that are equal, or the wrong
way round; how many of the truly different pairs are found; how often places cover the true ones. Models come in
families of about eight, tasks differ in difficulty and spread. With a table of real scores (a model a row, a task a
column, complete rows are taken), tasks are drawn from it again. Prints tables in Markdown; rates in % ± their standard
error. Some worlds break every method: those in which rare tasks carry a difference.
"""

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtr, stdtr

import needs
from sentflow.stats.multiplicity import holm
from sentflow.stats.separation import (
    ALPHA,
    differences_of,
    pairs_of,
    separate,
    separate_items,
    separate_seeds,
    step_down,
    units_needed,
)

DRAWS = 499
COPIES, SKEWED = "rounded near-copies", "half skewed"
RARE = "half gain 60 points on 5 % of tasks"
POINTS = 6.0  # standard deviation of a model's score on a task around its mean
Line = tuple[str, ...]


def main() -> None:
    """Print the tables that are asked for."""
    tables = {one.__name__: one for one in (separations, places, items, seeds, gaps, planning)}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="+", choices=tables, default=list(tables))
    parser.add_argument("--sets", type=int, default=200, help="boards per line")
    parser.add_argument("--real", type=Path, help="CSV of real scores")
    args = parser.parse_args()
    real = real_worlds(args.real) if args.real else []
    for name in args.tables:
        print(f"{tables[name].__doc__}\n")
        for place, line in enumerate(tables[name](args.sets, real)):
            print(f"| {' | '.join(line)} |", flush=True)
            if not place:
                print("|---" * len(line) + "|")
        print(flush=True)


def percent(found: np.ndarray) -> str:
    return f"{100 * found.mean():.1f} ± {100 * found.std() / math.sqrt(len(found)):.1f}"


# --- worlds ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class World:
    """Boards with known true means."""

    name: str
    truth: np.ndarray  # (M,)
    n_tasks: int
    groups: np.ndarray | None = None  # (T,) of tasks, which have half of their variance in common
    atoms: np.ndarray | None = None  # (tasks, M) real scores, drawn with replacement

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """(T, M) scores."""
        if self.atoms is not None:
            return self.atoms[rng.integers(0, len(self.atoms), self.n_tasks)]
        n = self.n_tasks
        scores = 60 + 12 * t_noise(rng, (n, 1), 3) + self.truth + POINTS * self.interaction(rng)
        if self.name == "ceiling":
            return 100 / (1 + np.exp((45 - scores) / 12))
        if self.name == RARE:
            gains = rng.random((n, len(self.truth[::2]))) < 0.05
            scores[:, ::2] += 60 * gains - 3
        return np.round(scores) if self.name == COPIES else scores

    def interaction(self, rng: np.random.Generator) -> np.ndarray:
        """(T, M) of mean 0 and variance about 1: families fail together."""
        n, m = self.n_tasks, len(self.truth)
        if self.name == SKEWED:
            noise = t_noise(rng, (n, m))
            noise[:, ::2] = 1 - rng.exponential(1, noise[:, ::2].shape)
            return noise
        family = np.random.default_rng(7).permutation(np.arange(m) % max(1, m // 8))
        shared, own = (self.within_groups(rng, width) for width in (int(family.max()) + 1, m))
        share = 0.97 if self.name == COPIES else 0.6
        scale = np.exp(rng.normal(-0.125, 0.5, (n, 1)))
        return scale * (math.sqrt(share) * shared[:, family] + math.sqrt(1 - share) * own)

    def within_groups(self, rng: np.random.Generator, width: int) -> np.ndarray:
        own = t_noise(rng, (self.n_tasks, width))
        if self.groups is None:
            return own
        return math.sqrt(0.5) * (t_noise(rng, (self.groups[-1] + 1, width))[self.groups] + own)


def t_noise(rng: np.random.Generator, shape: tuple[int, int], freedom: float = 5) -> np.ndarray:
    return rng.standard_t(freedom, shape) / math.sqrt(freedom / (freedom - 2))


def real_worlds(path: Path) -> list[World]:
    """The 40 best models of a table on 18 of its tasks, with their means made equal and as they are."""
    table = pd.read_csv(path, index_col=0).dropna().to_numpy().T
    top = table[:, np.argsort(-table.mean(axis=0))[:40]]
    equal = World("real, top 40", np.zeros(40), 18, atoms=top - top.mean(axis=0))
    return [equal, replace(equal, truth=top.mean(axis=0), atoms=top)]


# --- tables ----------------------------------------------------------------------------------------------------


def t_holm(scores: np.ndarray, _: np.ndarray | None, __: int) -> np.ndarray:
    d = differences_of(scores).sums(slice(None))
    error = d.std(axis=0, ddof=1) / math.sqrt(len(d)) + 1e-300
    return np.array(holm((2 * stdtr(len(d) - 1, -np.abs(d.mean(axis=0)) / error)).tolist()))


def flips(moderation: float) -> Callable[[np.ndarray, np.ndarray | None, int], np.ndarray]:
    return lambda scores, group, seed: (
        step_down(differences_of(scores, group), moderation=moderation, n_draws=DRAWS, seed=seed)[0].p
    )


METHODS = {"t, Holm, tasks": t_holm, "flips, m = 0": flips(0.0), "flips": flips(1.0)}


def separations(n_sets: int, real: list[World]) -> Iterator[Line]:
    """Any false separation of equal models / of others / their different pairs found; for 181 models a quarter."""
    yield ("world", "models", "groups", "tasks", *METHODS)
    kinds = [("symmetric", 10), ("symmetric", 18), ("symmetric", 41), ("ceiling", 18), (COPIES, 18)]
    kinds += [(SKEWED, 18), (SKEWED, 41), (RARE, 18), (RARE, 41)]
    worlds = [World(kind, np.zeros(40), n) for kind, n in kinds]
    uneven = (7, 5, 4, 3, 3, 2, 2, 2, *[1] * 13)
    for sizes in ((5, 3, 2, 2, *[1] * 6), uneven, (20, *[1] * 21), (*[4] * 9, 5)):
        groups = np.repeat(np.arange(len(sizes)), sizes)
        worlds.append(World(f"largest group {max(sizes)}", np.zeros(40), len(groups), groups))
    worlds += [World("symmetric", np.zeros(181), n) for n in (10, 18, 41)]
    pairs = [(one, replace(one, truth=-2.0 * (np.arange(len(one.truth)) // 5))) for one in worlds]
    for equal, different in (*pairs, *([real] if real else [])):
        n_models, n = len(equal.truth), equal.n_tasks
        n_groups = n if equal.groups is None else equal.groups[-1] + 1
        sets = n_sets if n_models < 100 else max(2, n_sets // 4)
        of_equal, of_different = (errors(one, sets) for one in (equal, different))
        cells = [f"{a[0]} / {b[0]} / {b[1]}" for a, b in zip(of_equal, of_different, strict=True)]
        yield equal.name, str(n_models), str(n_groups), str(n), *cells


def errors(world: World, n_sets: int) -> list[tuple[str, str]]:
    """Of each method any false separation, and the share of the different pairs that is found."""
    first, second = pairs_of(len(world.truth))
    true = np.sign(np.round(world.truth[first] - world.truth[second], 9))
    wrong, right = np.zeros((2, len(METHODS), n_sets))
    for number in range(n_sets):
        scores = world.draw(np.random.default_rng([number, len(true), world.n_tasks]))
        sign = np.sign(differences_of(scores).means)
        for at, method in enumerate(METHODS.values()):
            said = sign * (method(scores, world.groups, number) <= ALPHA)
            wrong[at, number] = ((said != 0) & (said != true)).any()
            right[at, number] = (said == true)[true != 0].sum() / max(1, (true != 0).sum())
    return [(percent(w), f"{100 * r.mean():.1f}") for w, r in zip(wrong, right, strict=True)]


def places(n_sets: int, real: list[World]) -> Iterator[Line]:
    """Places on 18 tasks: limits that hold the true ones, and true firsts that are tied for first."""
    yield "world", "board: all", "own: all", "own: each", "firsts: each", "own: width", "tied for first"
    ladder, top = -0.2 * np.arange(40), np.where(np.arange(40) < 4, 0.0, -3 - 0.2 * np.arange(40))
    worlds = [World("0.2 points apart", ladder, 18), World("four equal firsts", top, 18)]
    worlds += [World("all equal", np.zeros(40), 18), World("ceiling", ladder, 18)]
    for world in (*worlds, *real[1:]):
        t = np.round(world.truth, 9)
        low, high = 1 + (t > t[:, None]).sum(axis=1), 40 - (t < t[:, None]).sum(axis=1)
        told = []
        for number in range(n_sets):
            found = separate(world.draw(np.random.default_rng([number, 9])), n_draws=DRAWS, seed=number)
            own = (found.low <= low) & (found.high >= high)
            board = (found.board_low <= low) & (found.board_high >= high)
            first, width = found.low == 1, (found.high - found.low + 1).mean()
            told.append((board.all(), own.all(), own.mean(), first[low == 1].mean(), width, first.sum()))
        *shares, width, tied = np.array(told, dtype=np.float64).T
        yield (world.name, *map(percent, shares), f"{width.mean():.1f}", f"{tied.mean():.1f}")


def items(n_sets: int, _: list[World]) -> Iterator[Line]:
    """20 models that are equal on average: any false separation by their right and wrong answers."""
    yield "tasks", "items", "new items of these tasks: by items", "items in one heap", "new tasks: by items"
    for sizes in ((50, 100, 150, 200, 300, 500, 1000, 100, 200, 400), (25,) * 10, (500,)):
        told = np.zeros((3, n_sets))
        for number in range(n_sets):
            rng = np.random.default_rng([number, len(sizes)])
            differ = 0.06 * rng.standard_normal((len(sizes), 20))
            here = answers(rng, sizes, 0.6 + differ - differ.mean(axis=0))
            heap = separate(np.concatenate(here), n_draws=DRAWS, seed=number)
            own = separate_items(here) if len(sizes) > 1 else heap
            anywhere = separate_items(answers(rng, sizes, 0.6 + differ))
            told[:, number] = [one.separated.any() for one in (own, heap, anywhere)]
        yield (str(len(sizes)), f"{min(sizes)} to {max(sizes):,}", *map(percent, told))


def answers(rng: np.random.Generator, sizes: tuple[int, ...], chances: np.ndarray) -> list[np.ndarray]:
    """(n_t, M) of each task; an item is hard for all, and for a family."""
    made = []
    for n, chance in zip(sizes, chances, strict=True):
        shared, family, own = (rng.standard_normal((n, width)) for width in (1, 4, len(chance)))
        of_model = family[:, np.arange(len(chance)) % 4]
        level = math.sqrt(0.5) * shared + math.sqrt(0.2) * of_model + math.sqrt(0.3) * own
        made.append((ndtr(level) < chance).astype(float))
    return made


def seeds(n_sets: int, _: list[World]) -> Iterator[Line]:
    """10 equal models, 20 tasks: any false separation."""
    yield "seeds", "means of seeds", "tasks × seeds as units"
    for k in (3, 5, 10):
        told = np.zeros((2, n_sets))
        for number in range(n_sets):
            rng = np.random.default_rng([number, k])
            trained = 10 * rng.standard_normal((20, 1, 1)) + rng.standard_normal((1, 10, k))
            scores = trained + 0.7 * rng.standard_normal((20, 10, k))
            cells = separate(scores.transpose(0, 2, 1).reshape(-1, 10), n_draws=DRAWS, seed=number)
            means = separate_seeds(list(scores.mean(axis=0)))
            told[:, number] = means.separated.any(), cells.separated.any()
        yield (str(k), *map(percent, told))


def gaps(n_sets: int, _: list[World]) -> Iterator[Line]:
    """40 equal models, 41 tasks with gaps: any false separation by common tasks; range of means over own tasks."""
    yield "gaps", "any false", "points"
    for name in ("30 % at random", "half of the models leave out the 12 hardest"):
        wrong, apart = np.zeros((2, n_sets))
        for number in range(n_sets):
            rng = np.random.default_rng([number, 3])
            scores = World("", np.zeros(40), 41).draw(rng)
            if name.startswith("half"):
                scores[np.ix_(np.argsort(scores.mean(axis=1))[:12], np.arange(0, 40, 2))] = np.nan
            else:
                scores[rng.random(scores.shape) < 0.3] = np.nan
            wrong[number] = (flips(1.0)(scores, None, number) <= ALPHA).any()
            apart[number] = np.ptp(np.nanmean(scores, axis=0))
        yield name, percent(wrong), f"{apart.mean():.1f}"


def planning(n_sets: int, _: list[World]) -> Iterator[Line]:
    """Units that should find a difference in 80 %: how often a paired t-test of two models alone does."""
    yield "difference / s", "units", "normal", "t, 5 degrees of freedom", "skewed"
    rng = np.random.default_rng(1)
    for d in (1.2, 0.8, 0.5, 0.2):
        n = int(units_needed(d, 1.0))
        shape = (20 * n_sets, n)
        found = []
        for noise in (rng.standard_normal(shape), t_noise(rng, shape), rng.exponential(1, shape) - 1):
            t = (d + noise).mean(axis=1) / (noise.std(axis=1, ddof=1) / math.sqrt(n))
            found.append(percent(2 * stdtr(n - 1, -np.abs(t)) <= ALPHA))
        yield (f"{d}", str(n), *found)


if __name__ == "__main__":
    needs.run(main)
