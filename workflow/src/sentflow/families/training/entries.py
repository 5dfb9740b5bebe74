"""Entries of kind trained: sweeps, presets and seeds written out."""

from sentflow.config.entries import AllEntries, Entries, Entry, as_map, merge
from sentflow.config.model import mistakes
from sentflow.config.problems.common import unknown
from sentflow.config.trainings import Sweep
from sentflow.encoders.kinds.table import TRAINED
from sentflow.families.training.needs import write_out_pooling
from sentflow.families.training.seeds import write_out_seeds
from sentflow.families.training.sweeps import cells, sweep_problems
from sentflow.training.settings import VALUE

_OF_PRESET = ("recipe", "settings", "training", "training_pooling", "pooling", "selection")


def write_out_models(entries: AllEntries) -> list[str]:
    """Add the encoders of sweeps, and replace those with a preset or several seeds, in place; problems of these."""
    found: list[str] = []
    models = entries["models"]
    for name, sweep in entries["sweeps"].items():
        if mistakes(Sweep, sweep, where="") or any(sweep_problems(name, sweep)):
            continue  # reported with all entries
        for cell in cells(name, sweep):
            if cell.state == VALUE:
                models[cell.model] = {**cell.entry, "cell": {"sweep": name, **cell.axes}}
    for name, entry in list(models.items()):
        if not isinstance(entry, dict) or entry.get("kind") != TRAINED:
            continue
        whole, problems = _with_preset(name, entry, entries["presets"])
        seeds = whole.get("seeds")
        if seeds is not None and ("seed" in whole or not _are_names(seeds)):
            problems.append(
                f"models.{name}.seeds: write a list of different whole numbers, and no seed beside it."
            )
        if problems:
            # One encoder, of which everything else that is wrong is told
            whole = {"seed": 0} | {key: value for key, value in whole.items() if key != "seeds"}
        models[name] = whole
        found += problems
    found += write_out_seeds(entries)
    write_out_pooling(models)
    return found


def _are_names(seeds: object) -> bool:
    """Whether each seed is a name's end of its own."""
    return isinstance(seeds, list) and bool(seeds) and len(set(map(str, seeds))) == len(seeds)


def _with_preset(name: str, entry: Entry, presets: Entries) -> tuple[Entry, list[str]]:
    preset = entry.get("preset")
    if preset is None:
        return entry, []
    if not isinstance(preset, str) or preset not in presets:
        return entry, [unknown(f"models.{name}.preset", "preset", str(preset), presets)]
    base = {key: value for key, value in as_map(presets[preset]).items() if key in _OF_PRESET}
    return merge(base, {key: value for key, value in entry.items() if key != "preset"}), []
