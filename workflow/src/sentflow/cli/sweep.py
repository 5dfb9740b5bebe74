"""The winners of a sweep as an experiment of their own, with seeds that were not used in the choice."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from sentflow.cli.configuration import ConfigFiles, read_catalog, read_configuration
from sentflow.cli.terminal import show_blocks
from sentflow.compare.best_of_groups import best_of_groups
from sentflow.errors import ConfigError, DataError, instead
from sentflow.files.rows import read_rows
from sentflow.report.families.training.rows import SPEARMAN, TrainingRow
from sentflow.report.families.training.sweeps import SeedMean, seed_means
from sentflow.training.sweeps import SEED, Cell, cells, development_of

LEAST_SEEDS = 6  # of which all signs can be equal by chance in less than 5 %
_OVER = "learning_rate"


app = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def sweep() -> None:
    """Train the winners of a sweep again."""


@app.command()
def winners(
    path: Annotated[Path, typer.Argument(metavar="RESULTS", help="The results folder of the sweep.")] = Path(
        "results"
    ),
    output: Annotated[Path, typer.Option(help="YAML file to write.")] = Path("winners.yaml"),
    seeds: Annotated[str, typer.Option(help="New seeds, separated by commas.")] = "101,102,103,104,105,106",
    name: Annotated[
        str | None, typer.Option("--sweep", help="Name of the sweep, if the configuration selects several.")
    ] = None,
    configfile: ConfigFiles = None,
) -> None:
    """Write the experiment that trains the winners of a sweep again.

    A winner is the learning rate with the best development score in its group of cells. It gets new seeds.
    """
    if output.exists():
        raise ConfigError(f"{output} already exists and was not changed. Write another name, or delete it.")
    known, config = read_catalog(configfile)["sweeps"], read_configuration(configfile)
    name = _one_sweep(name, config.get("select", {}).get("sweeps", []), known)
    entry = known[name]
    fresh = _fresh(seeds, entry)
    rows = read_rows(path / "summary" / "training.parquet", TrainingRow)
    chosen = _best_cells(name, entry, rows)
    if not chosen:
        raise DataError(
            f"{path}: no cell of {name} has a development score on {development_of(entry)}. Run the sweep first."
        )
    output.write_text(_experiment(name, entry, chosen, fresh), encoding="utf-8")
    show_blocks(f"{output} is written: {len(chosen)} winners, {len(fresh)} seeds each.")


def _best_cells(name: str, sweep: Mapping[str, Any], rows: Sequence[TrainingRow]) -> list[Cell]:
    means, development = seed_means(rows), development_of(sweep)
    firsts = {cell.group: cell for cell in reversed(cells(name, sweep))}
    return best_of_groups(
        reversed(firsts.values()),
        group=lambda cell: tuple(value for axis, value in cell.axes.items() if axis not in (_OVER, SEED)),
        score=lambda cell: means.get((cell.group, development, SPEARMAN), SeedMean()).value,
    )


def _experiment(name: str, sweep: Mapping[str, Any], chosen: Sequence[Cell], seeds: Sequence[int]) -> str:
    """An entry per winner under a name of its own: none of the files of the sweep counts for it."""
    models = {
        f"{cell.group}.winner": {
            **{key: value for key, value in cell.entry.items() if key not in ("seed", "seed_of", "title")},
            "title": f"{cell.group}, chosen on {development_of(sweep)}",
            "seeds": list(seeds),
        }
        for cell in chosen
    }
    content = {
        "experiment": {
            "title": f"Winners of {name}",
            "description": f"The best learning rates of {name} by development score, trained with new seeds.",
        },
        "select": {"models": list(models), "sweeps": []},
        "models": models,
    }
    head = (
        "# Written by sentflow sweep winners. Merge it over the configuration of the sweep:\n"
        "# sentflow run --cores all --configfile SWEEP.yaml THIS.yaml\n\n"
    )
    return head + yaml.dump(content, Dumper=_Plain, sort_keys=False, allow_unicode=True)


class _Plain(yaml.SafeDumper):
    """Writes what two winners share twice, and no name for it."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _one_sweep(asked: str | None, selected: Sequence[str], known: Mapping[str, Any]) -> str:
    if asked is None and len(selected) != 1:
        raise ConfigError(
            f"the configuration selects {len(selected)} sweeps. Write the file that the sweep was run with, as "
            f"--configfile, or name one with --sweep: {', '.join(selected or known)}."
        )
    name = selected[0] if asked is None else asked
    if name not in known:
        raise ConfigError(f"there is no sweep {name!r}. {instead(name, sorted(known))}")
    return name


def _fresh(seeds: str, sweep: Mapping[str, Any]) -> list[int]:
    """Seeds of the winners: whole numbers, none of the sweep."""
    try:
        found = [int(one) for one in seeds.split(",")]
    except ValueError:
        raise ConfigError(
            f"--seeds: {seeds!r} is not a list of whole numbers. Write e.g. 101,102,103."
        ) from None
    used = sorted(set(found) & set(sweep["grid"][SEED]))
    if used:
        raise ConfigError(
            f"--seeds: {', '.join(map(str, used))} already used for the choice, so scores are too high. Write others."
        )
    if len(set(found)) < LEAST_SEEDS:
        raise ConfigError(
            f"--seeds: {len(set(found))} different seeds are too few for a claim at 5 %. Write at least {LEAST_SEEDS}."
        )
    return list(dict.fromkeys(found))
