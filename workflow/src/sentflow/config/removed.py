"""Names and values of former versions, left out with a notice or refused; and keys of other programs."""

from collections.abc import Mapping
from typing import Any

# What `report` may name still → what to read or write instead.
PRODUCTS: Mapping[str, Mapping[str, str]] = {
    "tables": {
        "training-consert": "sts has our mean over seeds below the published lines of a training",
        "training-simcse": "sts has our mean over seeds below the published lines of a training",
        "training-sgbert": "sts has our mean over seeds below the published lines of a training",
        "retrieval-measures": "retrieval has every measure",
        "matches": "ranks has the distance of each encoder to the first, comparisons/across.parquet every pair",
        "intervals": "scores has the generalisation interval, scores.csv every other one",
        "power": "scores has the minimum detectable difference of each task, and the number of texts for 0.02",
    },
    "figures": {
        "wins": "the table ranks has wins and losses",
        "family-means": "forest has a panel for the mean of each family",
        "critical-difference": "ranks joins encoders that tests do not separate",
        "sizes": "score-and-cost has it",
        "speed": "score-and-cost has it",
    },
    "checks": {
        "tables": "tables mark nothing without a test, so that there is nothing to check",
        "model-cards": "every run with trainings writes cards, and tests of the package check how",
    },
}
# Key without a successor → what to do.
KEYS: Mapping[str, str] = {
    "probe.kernel": "Delete it: all probes on a processor are trained in compiled loops.",
    "statistics.differences": (
        "Delete it: the table scores says how many texts a difference of 0.02 needs; another one, d, needs (0.02 / d)² "
        "times as many."
    ),
}
# Section and key → the value that has no notice, and what happens with any other.
VALUES: Mapping[tuple[str, str], tuple[str, str]] = {
    ("probe", "device"): ("cpu", "probes are trained on the processor. Delete the key."),
}

# What other programs call a key of an encoder → its name here
ELSEWHERE: Mapping[str, str] = {
    "max_length": "max_tokens",
    "max_seq_length": "max_tokens",
    "normalize": "normalise",
    "normalize_embeddings": "normalise",
    "pooling_mode": "pooling",
    "prompt_name": "prompt_names",
    "torch_dtype": "dtype",
    "truncation_side": "truncation",
}


def without_removed(config: dict[str, Any]) -> dict[str, Any]:
    """A configuration without the names of removed products, and without removed indexes."""
    report = _section(config, "report")
    kept = {
        section: [name for name in report[section] if name not in list(known)]
        for section, known in PRODUCTS.items()
        if isinstance(report.get(section), list)
    }
    if kept:
        config = {**config, "report": {**report, **kept}}
    for section in ("models", "presets", "sweeps"):
        if isinstance(config.get(section), dict):
            config = {**config, section: _with_snapshot_every(config[section])}
    if by_seismic := _by_seismic(config):
        exact = {
            name: {key: value for key, value in config["retrievers"][name].items() if key != "index"}
            for name in by_seismic
        }
        config = {**config, "retrievers": {**config["retrievers"], **exact}}
    return config


def _with_snapshot_every(value: Any, key: str = "") -> Any:
    """Entries whose ``training`` or ``grid`` says ``snapshots``, the synonym of ``snapshot_every``."""
    if not isinstance(value, dict):
        return value
    is_synonym = key in ("training", "grid") and "snapshots" in value and "snapshot_every" not in value
    names = {"snapshots": "snapshot_every"} if is_synonym else {}
    return {names.get(name, name): _with_snapshot_every(inner, name) for name, inner in value.items()}


def removed_names(config: Mapping[str, Any]) -> list[str]:
    """A notice for each removed product and index that a configuration names, and each value without effect."""
    report = _section(config, "report")
    return [
        *(
            f"config.{section}.{key}: {value} has no effect: {instead}"
            for (section, key), (silent, instead) in VALUES.items()
            if (value := _section(config, section).get(key, silent)) != silent
        ),
        *(
            f"config.report.{section}: {name} is gone, and left out: {instead}. Delete the name."
            for section, known in PRODUCTS.items()
            for name, instead in known.items()
            if isinstance(report.get(section), list) and name in report[section]
        ),
        *(
            f"retrievers.{name}.index: indexes of kind seismic are gone. The retriever searches exactly, which serves "
            "up to a million documents. Delete the key."
            for name in _by_seismic(config)
        ),
    ]


def _by_seismic(config: Mapping[str, Any]) -> list[str]:
    """Names of retrievers with an index of kind seismic."""
    return [
        name
        for name, entry in _section(config, "retrievers").items()
        if isinstance(entry, Mapping)
        and isinstance(entry.get("index"), Mapping)
        and entry["index"].get("kind") == "seismic"
    ]


def _section(config: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    section = config.get(name)
    return section if isinstance(section, Mapping) else {}
