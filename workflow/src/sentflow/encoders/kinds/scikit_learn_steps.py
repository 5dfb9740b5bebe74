"""The classes of scikit-learn that an entry may name, and the arguments that it may give to each.

Closed by default, for an argument can be a path that joblib unpickles (`memory`), a wish to read the files that
texts name (`input`), or code. Left out as well: `n_jobs`, because threads are a matter of the profile; `verbose`,
`copy` and `dtype`, which change no vector here; and classes that need labels or a function.

Asked when a configuration is read, and again before anything is built. Standard library only: the Snakefile imports
this module in every job.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

STEP_KEYS = ("class", "arguments")
PARTS = frozenset({"steps", "transformer_list"})  # lists of a name and a step each
PART_WEIGHTS = "transformer_weights"  # part → number
SEED = "random_state"

_TEXT = "strip_accents lowercase stop_words token_pattern ngram_range analyzer binary"
_COUNTS = f"{_TEXT} max_df min_df max_features vocabulary"
_TFIDF = "norm use_idf smooth_idf sublinear_tf"
_CLUSTERS = "n_clusters init n_init max_iter tol random_state"
_NMF = "n_components init beta_loss tol max_iter alpha_W alpha_H l1_ratio random_state"

_ALLOWED = {
    "sklearn.feature_extraction.text": {
        "CountVectorizer": _COUNTS,
        "HashingVectorizer": f"{_TEXT} n_features norm alternate_sign",
        "TfidfTransformer": _TFIDF,
        "TfidfVectorizer": f"{_COUNTS} {_TFIDF}",
    },
    "sklearn.pipeline": {
        "FeatureUnion": f"transformer_list {PART_WEIGHTS}",
        "Pipeline": "steps",
    },
    "sklearn.decomposition": {
        "FactorAnalysis": "n_components tol max_iter svd_method iterated_power rotation random_state",
        "FastICA": "n_components algorithm whiten fun max_iter tol whiten_solver random_state",
        "IncrementalPCA": "n_components whiten batch_size",
        "KernelPCA": "n_components kernel gamma degree coef0 eigen_solver tol max_iter iterated_power "
        "remove_zero_eig random_state",
        "LatentDirichletAllocation": "n_components doc_topic_prior topic_word_prior learning_method learning_decay "
        "learning_offset max_iter batch_size mean_change_tol max_doc_update_iter random_state",
        "MiniBatchNMF": f"{_NMF} batch_size max_no_improvement forget_factor fresh_restarts "
        "fresh_restarts_max_iter transform_max_iter",
        "NMF": f"{_NMF} solver shuffle",
        "PCA": "n_components whiten svd_solver tol iterated_power n_oversamples power_iteration_normalizer "
        "random_state",
        "TruncatedSVD": "n_components algorithm n_iter n_oversamples power_iteration_normalizer tol random_state",
    },
    "sklearn.random_projection": {
        "GaussianRandomProjection": "n_components eps random_state",
        "SparseRandomProjection": "n_components density eps dense_output random_state",
    },
    "sklearn.preprocessing": {
        "Binarizer": "threshold",
        "MaxAbsScaler": "clip",
        "MinMaxScaler": "feature_range clip",
        "Normalizer": "norm",
        "PowerTransformer": "method standardize",
        "QuantileTransformer": "n_quantiles output_distribution ignore_implicit_zeros subsample random_state",
        "RobustScaler": "with_centering with_scaling quantile_range unit_variance",
        "StandardScaler": "with_mean with_std",
    },
    "sklearn.kernel_approximation": {
        "AdditiveChi2Sampler": "sample_steps sample_interval",
        "Nystroem": "kernel gamma coef0 degree n_components random_state",
        "PolynomialCountSketch": "gamma degree coef0 n_components random_state",
        "RBFSampler": "gamma n_components random_state",
        "SkewedChi2Sampler": "skewedness n_components random_state",
    },
    "sklearn.cluster": {
        "FeatureAgglomeration": "n_clusters metric compute_full_tree linkage distance_threshold",
        "KMeans": f"{_CLUSTERS} algorithm",
        "MiniBatchKMeans": f"{_CLUSTERS} batch_size max_no_improvement init_size reassignment_ratio",
    },
    "sklearn.feature_selection": {"VarianceThreshold": "threshold"},
}

# Dotted name of a class → the arguments that it may be given.
ALLOWED = {
    f"{module}.{name}": tuple(arguments.split())
    for module, classes in _ALLOWED.items()
    for name, arguments in classes.items()
}


def step_problems(where: str, entry: Mapping[str, Any]) -> list[str]:
    """What is wrong with the steps of a scikit-learn entry, as far as can be told without scikit-learn.

    Classes and arguments are allowed by list, see `ALLOWED`.

    Parameters
    ----------
    where
        Place of the entry, for the messages.
    entry
        Has either ``class`` and perhaps ``arguments``, or ``pipeline``: a list of such maps.
    """
    if ("class" in entry) == ("pipeline" in entry):
        return [
            f"{where}: an encoder of kind scikit-learn is one class or several. Write either class: "
            "sklearn.… or pipeline: with a list of steps that have a class each."
        ]
    if "class" in entry:
        return _problems_of_step(where, {key: entry[key] for key in STEP_KEYS if key in entry})
    problems = []
    if "arguments" in entry:
        problems.append(f"{where}.arguments: these belong to a step of the pipeline. Write them there.")
    steps = entry["pipeline"]
    if not isinstance(steps, list) or not steps:
        return [*problems, f"{where}.pipeline: write a list of steps, each a map with the key class."]
    for number, step in enumerate(steps):
        problems += _problems_of_step(f"{where}.pipeline.{number}", step)
    return problems


def _problems_of_step(where: str, step: Any) -> list[str]:
    if not isinstance(step, Mapping) or "class" not in step:
        return [f"{where}: a step is a map. Write class: sklearn.…, and arguments: {{…}} if it needs any."]
    problems = [
        f"{where}.{key}: a step has no such key. Known: {', '.join(STEP_KEYS)}."
        for key in step
        if key not in STEP_KEYS
    ]
    name = step["class"]
    if not isinstance(name, str) or name not in ALLOWED:
        return [
            *problems,
            f"{where}.class: {name!r} is no class that an entry may name. {_other_class(name)}",
        ]
    arguments = step.get("arguments", {})
    if not isinstance(arguments, Mapping):
        return [*problems, f"{where}.arguments: write a map of names and values."]
    if SEED in ALLOWED[name] and arguments.get(SEED) is None:
        problems.append(
            f"{where}: {name} draws random numbers, and equal runs must give equal numbers. Write a seed into its "
            f"arguments, e.g. {SEED}: 1."
        )
    for key, value in arguments.items():
        problems += _problems_of_argument(f"{where}.arguments.{key}", key, value, known=ALLOWED[name])
    return problems


def _other_class(name: Any) -> str:
    wanted = str(name).rpartition(".")[2].lower()
    by_name = {allowed.rpartition(".")[2].lower(): allowed for allowed in ALLOWED}
    near = get_close_matches(wanted, by_name, n=2, cutoff=0.6)
    if near:
        return f"Did you mean {' or '.join(by_name[key] for key in near)}? docs/models.md lists all."
    return f"Write one of: {', '.join(sorted(ALLOWED))}."


def _problems_of_argument(where: str, key: Any, value: Any, *, known: tuple[str, ...]) -> list[str]:
    if key not in known:
        return [
            f"{where}: this argument is not on the list of an entry. Leave it out if it changes no vector (copy, "
            "verbose, n_jobs); arguments that name paths or code are refused. Write only: "
            f"{', '.join(sorted(known))}."
        ]
    if key in PARTS:
        return _problems_of_parts(where, value)
    if key == PART_WEIGHTS:
        numbers = isinstance(value, Mapping) and all(_is_number(weight) for weight in value.values())
        return [] if numbers else [f"{where}: write a map of the names of parts and their weights."]
    items = value if isinstance(value, list) else [value]
    if any(item is not None and not isinstance(item, bool | int | float | str) for item in items):
        return [f"{where}: write a number, a word, true, false, null, or a list of such."]
    return []


def _problems_of_parts(where: str, parts: Any) -> list[str]:
    if not isinstance(parts, list) or not parts:
        return [f"{where}: write a list of parts, each a list of a name and a step."]
    problems = []
    for number, part in enumerate(parts):
        if isinstance(part, list) and len(part) == 2 and isinstance(part[0], str):
            problems += _problems_of_step(f"{where}.{number}", part[1])
        else:
            problems.append(
                f"{where}.{number}: a part is a list of two: its name, and a map with the key class."
            )
    return problems


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
