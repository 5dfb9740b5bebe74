"""How many jobs an experiment has, and what it takes from outside.

Standard library only. The numbers are those of an empty results folder; ``snakemake -n -q rules`` says how many
of the jobs are still to be run in one that is not empty.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from sentflow.encoders.manifest import source_kind
from sentflow.encoders.prompts import prompted_tasks
from sentflow.graph.config import Entries, Experiment
from sentflow.graph.targets import Targets
from sentflow.texts.pair_files import raw_files_of

# A source of any other kind lies on this machine.
_NETWORK_SOURCES = ("hub", "archive")


@dataclass(frozen=True)
class Plan:
    """What a run from the beginning does.

    Attributes
    ----------
    jobs
        Rule → number of jobs, in the order of the flow; rules without jobs are left out.
    n_downloads
        Data files that are fetched from an address, or from a mirror.
    download_bytes
        Size of those of them whose size the catalog knows.
    n_unknown_sizes
        The others.
    fetched_models
        Encoders whose files are fetched from the network.
    missing_files
        ``dataset/file`` whose addresses are all files of this machine, and none of them is there, seen from
        the current folder.
    """

    jobs: Mapping[str, int]
    n_downloads: int
    download_bytes: int
    n_unknown_sizes: int
    fetched_models: list[str]
    missing_files: list[str]

    @property
    def n_jobs(self) -> int:
        """Jobs of all rules."""
        return sum(self.jobs.values())


def plan_of(experiment: Experiment) -> Plan:
    """Count the jobs and downloads of an experiment."""
    raw = _raw_files(experiment)
    remote = {key: entry for key, entry in raw.items() if "generator" not in entry and not _is_local(entry)}
    sizes = [entry["bytes"] for entry in remote.values() if "bytes" in entry]
    return Plan(
        jobs={rule: n for rule, n in _jobs(experiment, raw).items() if n},
        n_downloads=len(remote),
        download_bytes=sum(sizes),
        n_unknown_sizes=len(remote) - len(sizes),
        fetched_models=[name for name, entry in experiment.models.items() if _is_fetched(entry)],
        missing_files=[
            f"{dataset}/{file}"
            for (dataset, file), entry in raw.items()
            if "generator" not in entry
            and _is_local(entry)
            and not any(Path(address).is_file() for address in entry["urls"])
        ],
    )


def _jobs(experiment: Experiment, raw: Mapping[tuple[str, str], Mapping[str, Any]]) -> dict[str, int]:
    targets = Targets(experiment)
    n_lazy = len(experiment.lazy_models)
    n_featurisers = len(experiment.featurisers)
    n_fixed = len(experiment.fixed_models)
    n_tasks = len(experiment.tasks)
    repetitions, folds = len(experiment.repetitions), len(experiment.folds)
    n_parts = {"task": 1, "repetition": repetitions, "fold": repetitions * folds}
    per_pair = n_parts[experiment.config["probe"]["job"]]
    n_generated = sum("generator" in entry for entry in raw.values())
    similarity = targets.similarity
    has_tasks, has_similarity = int(n_tasks > 0), int(bool(similarity.summaries()))
    return {
        "generate": n_generated,
        "download": len(raw) - n_generated,
        "prepare": len(_prepared_tasks(experiment)),
        "collect_texts": len(_embedded_datasets(experiment)),
        "prepare_pairs": len(_prepared_pair_sets(experiment)),
        "collect_sentences": len(_embedded_families(experiment)),
        "permute_texts": sum(name not in experiment.families for name in _embedded_names(experiment)),
        "fetch_model": len(experiment.models),
        **_embed_jobs(experiment),
        "featurise": n_featurisers * n_tasks,
        "probe": n_tasks * n_fixed * per_pair,
        "probe_featurised": n_tasks * n_featurisers * per_pair,
        "probe_lazy": n_tasks * n_lazy * per_pair,
        "score": n_tasks * len(experiment.models),
        "audit": n_tasks,
        "hardest": n_tasks,
        **_study_jobs(experiment, per_pair),
        "compare": has_tasks,
        "summarise": has_tasks,
        **_similarity_jobs(experiment),
        "summarise_similarity": has_similarity,
        "summarise_costs": 1,
        "table": len(targets.selected("tables")),
        "figure": len(targets.selected("figures")),
        "check": len(targets.selected("checks")),
        "record": 1,
        "report": 1,
    }


def _embed_jobs(experiment: Experiment) -> dict[str, int]:
    """Arrays of a dataset or family, and those that a prompt for one task asks for."""
    pairs = _embedded_pairs(experiment)
    own = [(task, model) for task, model in pairs if _has_own_prompt(experiment, task, model)]
    whole = {(experiment.tasks[task]["dataset"], model) for task, model in pairs if (task, model) not in own}
    n_families = len(_embedded_names(experiment)) * len(experiment.fixed_models)
    return {"embed": len(whole) + n_families, "embed_task": len(own)}


def _similarity_jobs(experiment: Experiment) -> dict[str, int]:
    targets = Targets(experiment).similarity
    n_models = len(experiment.fixed_models)
    n_pair_sets = len(experiment.pair_sets)
    return {
        "similarity": n_pair_sets * n_models,
        "overlap": n_pair_sets * (len(targets.systems()) - n_models),
        "compare_similarity": len(targets.comparisons()),
        "regress": len(targets.regressions()),
        "align": len(targets.alignments()),
        "geometry": len(targets.geometry()),
    }


def embedded_texts(experiment: Experiment) -> list[str]:
    """Datasets of tasks, and families of sentences, whose texts every encoder of vectors is given."""
    return [*sorted(_embedded_datasets(experiment)), *_embedded_names(experiment)]


def _embedded_names(experiment: Experiment) -> list[str]:
    """Families and their permuted texts, where there is an encoder to embed them."""
    return Targets(experiment).similarity.embedded() if experiment.fixed_models else []


def _embedded_families(experiment: Experiment) -> list[str]:
    return [name for name in _embedded_names(experiment) if name in experiment.families]


def _prepared_pair_sets(experiment: Experiment) -> Entries:
    """The selected pair sets; vectors are made of the sentences of every needed one."""
    return Targets(experiment).similarity.pair_sets() if experiment.fixed_models else experiment.pair_sets


def _embedded_datasets(experiment: Experiment) -> set[str]:
    """Datasets whose distinct texts an encoder is given; a task with a prompt of its own needs only its own texts."""
    return {
        experiment.tasks[task]["dataset"]
        for task, model in _embedded_pairs(experiment)
        if not _has_own_prompt(experiment, task, model)
    }


def _embedded_pairs(experiment: Experiment) -> list[tuple[str, str]]:
    pairs = product(experiment.tasks, experiment.models)
    return [(task, model) for task, model in pairs if _probe_rule(experiment, model) == "probe"]


def _has_own_prompt(experiment: Experiment, task: str, model: str) -> bool:
    return task in prompted_tasks(experiment.models[model])


def _study_jobs(experiment: Experiment, per_pair: int) -> dict[str, int]:
    targets = Targets(experiment)
    jobs = {"probe_study": 0, "probe_featurised_study": 0, "probe_lazy_study": 0}
    for protocol, task, model in product(experiment.study, experiment.tasks, experiment.models):
        if targets.has_own_folds(protocol, task, model):
            jobs[_probe_rule(experiment, model) + "_study"] += per_pair
    n_protocols = len(experiment.study)
    n_pairs = len(experiment.tasks) * len(experiment.models)
    return {**jobs, "score_study": n_protocols * n_pairs, "compare_protocol": n_protocols}


def _probe_rule(experiment: Experiment, model: str) -> str:
    if model in experiment.lazy_models:
        return "probe_lazy"
    return "probe_featurised" if model in experiment.featurisers else "probe"


def _prepared_tasks(experiment: Experiment) -> dict[str, Mapping[str, Any]]:
    """The selected tasks; vectors are made of the texts of every task that shares a dataset with one."""
    sharing = {
        name: entry
        for dataset in sorted(_embedded_datasets(experiment))
        for name, entry in experiment.tasks_of_dataset[dataset].items()
    }
    return {**experiment.tasks, **sharing}


def _raw_files(experiment: Experiment) -> dict[tuple[str, str], Mapping[str, Any]]:
    """(dataset, file) → its entry, of every file that a task or pair set is read from."""
    tasks, pair_sets = _prepared_tasks(experiment).values(), _prepared_pair_sets(experiment).values()
    keys = dict.fromkeys((entry["dataset"], entry["reader"]["file"]) for entry in tasks)
    keys |= dict.fromkeys((entry["dataset"], file) for entry in pair_sets for file in raw_files_of(entry))
    return {(dataset, file): experiment.datasets[dataset]["files"][file] for dataset, file in keys}


def _is_local(entry: Mapping[str, Any]) -> bool:
    return all("://" not in address for address in entry["urls"])


def _is_fetched(entry: Mapping[str, Any]) -> bool:
    source = entry.get("source")
    return isinstance(source, Mapping) and source_kind(source) in _NETWORK_SOURCES
