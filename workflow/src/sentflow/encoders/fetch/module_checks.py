"""What the modules of a model must not bring along: code, pickles, adapters, unread tensors, paths outside."""

from collections.abc import Sequence
from pathlib import Path

from sentflow.encoders.fetch.file_names import PICKLES
from sentflow.encoders.fetch.model_arguments import check_arguments
from sentflow.encoders.fetch.settings_files import damaged, map_of, read_settings
from sentflow.encoders.fetch.tensors import check_tensor_names, tensor_headers
from sentflow.errors import ConfigError, DataError
from sentflow.files.archives.limits import name_fault

# What the libraries look for before a pickle; only a transformer is read in parts.
_SAFE_WEIGHTS = "model.safetensors"
_SAFE_PARTS = "model.safetensors.index.json"
_MOST, _LONGEST = 5, 80  # names in a message, and letters of each: they are foreign
_TRANSFORMERS = frozenset({"Transformer", "CLIPModel"})
_WITHOUT_WEIGHTS = frozenset({"MeanPooling", "Pooling", "Normalize", "Dropout", "BoW"})
_ROUTERS = frozenset({"Router", "Asym"})
_COMPUTED = frozenset(
    {
        *_WITHOUT_WEIGHTS,
        *("Transformer", "Dense", "LayerNorm", "LSTM", "CNN", "WeightedLayerPooling"),
        *("StaticEmbedding", "WordEmbeddings", "WordWeights"),
    }
)
# Classes of sentence-transformers, in whichever of its modules a version has them. Anything else below its name may be
# what one of these imports: the last part of sentence_transformers.base.model.pickle is Python's own.
_CLASSES = (
    _COMPUTED
    | _ROUTERS
    | {
        *("CLIPModel", "LogitScore", "MLMTransformer", "MultiVectorMask"),
        *("SparseAutoEncoder", "SparseStaticEmbedding", "SpladePooling"),
    }
)
_ONE_VECTOR = "SentenceTransformer"
# What folders of other models of sentence-transformers name → the kind that computes them; none is of many vectors
_KIND_OF = {
    **{"SparseEncoder": "splade", "SpladePooling": "splade"},
    **{"CrossEncoder": "cross-encoder", "LogitScore": "cross-encoder"},
}
# Modules that take the tensors they know and leave others unread → sets of names that they know; the second of
# StaticEmbedding is how model2vec saves it.
_TENSORS = {
    "StaticEmbedding": ({"embedding.weight"}, {"embeddings", "mapping", "weights"}),
    "WordEmbeddings": ({"emb_layer.weight"},),
}


def with_routes(name: str, folder: Path) -> list[tuple[str, Path]]:
    """A module, or in place of a router the modules that it holds."""
    if name not in _ROUTERS:
        return [(name, folder)]
    file = folder / "router_config.json"
    file = file if file.is_file() else folder / "config.json"
    types = read_settings(file).get("types")
    if not isinstance(types, dict) or not all(isinstance(name, str) for name in types.values()):
        raise DataError(damaged(file, f"the {name} needs types, a map of folders to classes"))
    if outside := [path for path in types if path and name_fault(path)]:
        raise DataError(damaged(file, f"the path {outside[0]!r} leads out of the folder of the model"))
    check_own_modules(list(types.values()), folder)
    return [
        inner
        for path, type_name in types.items()
        for inner in with_routes(type_name.rsplit(".", 1)[-1], folder / path)
    ]


def check_one_vector(folder: Path, names: Sequence[str]) -> None:
    """Refuse a model that gives no single dense vector of a text: it would be read without what it was made of."""
    about = map_of(folder / "config_sentence_transformers.json")
    made_for = str(about.get("model_type") or _ONE_VECTOR)
    others = [name for name in names if name not in _COMPUTED]
    if made_for == _ONE_VECTOR and not others:
        return
    is_a = f"is a {made_for}" if made_for != _ONE_VECTOR else f"has the modules {', '.join(names)}"
    kind = next((_KIND_OF[name] for name in (made_for, *others) if name in _KIND_OF), None)
    raise ConfigError(
        f"{folder}: the model {is_a}, and kind sentence-transformers does not compute {', '.join(others) or 'it'}. "
        + (f"Write kind: {kind}." if kind else "No kind does. Choose a model that gives one vector per text.")
    )


def check_own_modules(types: Sequence[str], folder: Path) -> None:
    """Refuse classes that sentence-transformers does not have. Raises ConfigError: names them."""
    if foreign := [name for name in types if not _is_known(name)]:
        named = ", ".join(name[:_LONGEST] for name in foreign[:_MOST])
        raise ConfigError(
            f"{folder}: the modules {named} are none of sentence-transformers, and no other code is run "
            f"for a model. Choose a model made of these: {', '.join(sorted(_CLASSES))}."
        )


def _is_known(name: str) -> bool:
    return name.startswith("sentence_transformers.") and name.rsplit(".", 1)[-1] in _CLASSES


def check_module(name: str, folder: Path, *, allow_pickle: bool) -> None:
    """Refuse what a module must not bring along, before anything of it is loaded.

    Raises ConfigError: pickled weights that were not allowed, an adapter, or settings that decide how the model is
    loaded.
    """
    check_pickles(name, folder, allow_pickle=allow_pickle)
    check_adapter(folder)
    for path in sorted(folder.glob("sentence_*config.json")):
        check_arguments(str(path), read_settings(path))
    weights = folder / _SAFE_WEIGHTS
    if name in _TENSORS and weights.is_file():  # of a pickle, only loading tells the names
        tensors = tensor_headers(weights).keys()
        known = next((known for known in _TENSORS[name] if known & tensors), _TENSORS[name][0])
        check_tensor_names(weights, tensors, known=known)


def check_pickles(name: str, folder: Path, *, allow_pickle: bool) -> None:
    """Refuse weights that are there as a pickle only, unless they are allowed."""
    if allow_pickle or name in _WITHOUT_WEIGHTS or not folder.is_dir():
        return
    safe = (_SAFE_WEIGHTS, _SAFE_PARTS) if name in _TRANSFORMERS else (_SAFE_WEIGHTS,)
    if any(folder.glob(PICKLES)) and not any((folder / file).is_file() for file in safe):
        raise ConfigError(
            f"{folder}: the weights are there as a pickle only (pytorch_model.bin). Convert them with "
            "SentenceTransformer(folder).save(new_folder), which writes model.safetensors, or, if you trust "
            "where they come from, write allow_pickle: true in the model's entry."
        )


def check_adapter(folder: Path) -> None:
    """Refuse a model that adapts another one."""
    if (folder / "adapter_config.json").is_file():
        raise ConfigError(
            f"{folder}: adapter_config.json names another model that this one adapts, and that model is not "
            "checked. Write the merged model into a folder: "
            "model.merge_and_unload().save_pretrained(new_folder)."
        )
