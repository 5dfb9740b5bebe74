"""What to cite, as BibTeX: the software, the benchmark, the methods that were used, the data and the encoders."""

from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.report.table.formats import latex

_BENCHMARK = """@misc{ulysses-senteval,
  title        = {Ulysses {SentEval}},
  howpublished = {https://github.com/ulysses-camara/ulysses-senteval, commit f2a12c2}
}"""
_INTERVALS = """@article{nadeau-bengio-2003,
  author  = {Nadeau, Claude and Bengio, Yoshua},
  title   = {Inference for the Generalization Error},
  journal = {Machine Learning},
  volume  = {52},
  pages   = {239--281},
  year    = {2003}
}"""
_TESTS = """@article{demsar-2006,
  author  = {Dem{\\v{s}}ar, Janez},
  title   = {Statistical Comparisons of Classifiers over Multiple Data Sets},
  journal = {Journal of Machine Learning Research},
  volume  = {7},
  pages   = {1--30},
  year    = {2006}
}

@article{benavoli-2017,
  author  = {Benavoli, Alessio and Corani, Giorgio and Dem{\\v{s}}ar, Janez and Zaffalon, Marco},
  title   = {Time for a Change: a Tutorial for Comparing Multiple Classifiers Through {Bayesian} Analysis},
  journal = {Journal of Machine Learning Research},
  volume  = {18},
  number  = {77},
  pages   = {1--36},
  year    = {2017}
}"""
_NOBODY = ("", "none", "not stated")


def bibtex(
    versions: Mapping[str, Any],
    datasets: Mapping[str, Mapping[str, Any]],
    models: Mapping[str, Mapping[str, Any]],
    *,
    compared: bool,
    probed: bool = True,
) -> str:
    """Entries joined by empty lines.

    Parameters
    ----------
    versions
        As `sentflow.report.record.versions` gives them.
    datasets, models
        Entries that were used, by name; those whose ``citation`` is missing or says none are left out.
    compared
        Whether encoders were compared by tests.
    probed
        Whether there are scores of tasks, with the benchmark and the intervals behind them.
    """
    entries = [_software(versions), *([_BENCHMARK, _INTERVALS] if probed else [])]
    entries += [_TESTS] if compared else []
    entries += _entries("data", datasets)
    entries += _entries("encoder", models)
    return "\n\n".join(entries)


def _software(versions: Mapping[str, Any]) -> str:
    lines = [
        "@software{sentflow,",
        "  title   = {sentflow: from a list of sentence encoders to the tables and figures of a paper},",
        f"  version = {{{versions['libraries']['sentflow']}}}",
    ]
    git = versions["git"]
    if git:
        changed = ", with local changes" if git["dirty"] else ""
        lines[-1] += ","
        lines.append(f"  note    = {{commit {git['commit']}{changed}}}")
    return "\n".join([*lines, "}"])


def _entries(kind: str, found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    names: Sequence[str] = [name for name, entry in found.items() if entry.get("citation", "") not in _NOBODY]
    return [_entry(f"{kind}-{name}", found[name], name) for name in names]


def _entry(key: str, entry: Mapping[str, Any], name: str) -> str:
    lines = [f"@misc{{{key},", f"  title = {{{{{latex(str(entry.get('title', name)))}}}}},"]
    lines.append(f"  note  = {{{latex(str(entry['citation']))}}}")
    if str(entry.get("homepage", "")).startswith("http"):
        lines[-1] += ","
        lines.append(f"  howpublished = {{\\url{{{entry['homepage']}}}}}")
    return "\n".join([*lines, "}"])
