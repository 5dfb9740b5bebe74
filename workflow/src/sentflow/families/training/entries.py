"""Entries of kind trained: sweeps, presets and seeds written out.

Standard library only: the Snakefile imports this package in every job.
"""

from typing import Any

from sentflow.config.entries import AllEntries, Entries, Entry, merge
from sentflow.config.problems.messages import unknown
from sentflow.encoders.kinds.table import TRAINED
from sentflow.families.training.read_out import write_out_pooling
from sentflow.families.training.seeds import write_out_seeds
from sentflow.families.training.sweep_config import is_whole
from sentflow.families.training.sweeps import Cell, cells, sweep_problems
from sentflow.training.cell_states import VALUE

_OF_PRESET = ("recipe", "settings", "training", "training_pooling", "pooling", "selection")


def write_out_models(entries: AllEntries) -> dict[str, list[str]]:
    """Add the encoders of sweeps, and replace those with a preset or several seeds; problems by name, in place."""
    refused: dict[str, list[str]] = {}
    models = entries["models"]
    for name, sweep in entries["sweeps"].items():
        if is_whole(sweep) and not any(sweep_problems(name, sweep)):
            models |= {
                cell.model: _of_sweep(name, cell) for cell in cells(name, sweep) if cell.state == VALUE
            }
    for name, entry in list(models.items()):
        if not isinstance(entry, dict) or entry.get("kind") != TRAINED:
            continue
        whole, problems = _with_preset(name, entry, entries.get("presets", {}))
        seeds = whole.get("seeds", [])
        if "seeds" in whole and ("seed" in whole or not _is_list_of_seeds(seeds)):
            problems.append(
                f"models.{name}.seeds: write a list of different whole numbers, and no seed beside it."
            )
        if problems:
            # One encoder, of which everything else that is wrong is told
            models[name] = {"seed": 0} | {key: value for key, value in whole.items() if key != "seeds"}
            refused[name] = problems
        else:
            models[name] = whole
    refused |= write_out_seeds(entries)
    write_out_pooling(models)
    return refused


def _is_list_of_seeds(seeds: Any) -> bool:
    """Whether each is a name's end of its own; that they are no texts and not negative, the schema says."""
    return isinstance(seeds, list) and bool(seeds) and len(set(map(str, seeds))) == len(seeds)


def _with_preset(name: str, entry: Entry, presets: Entries) -> tuple[Entry, list[str]]:
    preset = entry.get("preset")
    if preset is None:
        return entry, []
    if not isinstance(preset, str) or preset not in presets:
        return entry, [unknown(f"models.{name}.preset", "preset", str(preset), presets)]
    base = {key: presets[preset][key] for key in _OF_PRESET if key in presets[preset]}
    own = {key: value for key, value in entry.items() if key != "preset"}
    return merge(base, own), []


def _of_sweep(name: str, cell: Cell) -> Entry:
    return {**cell.entry, "cell": {"sweep": name, **cell.axes}}
