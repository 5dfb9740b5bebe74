"""How large a model is: the number of its trained values, from the headers of its files alone."""

import math
from pathlib import Path

from sentflow.encoders.fetch.tensors import tensor_headers
from sentflow.encoders.manifest import Manifest, model_folder
from sentflow.errors import SentflowError

# Nothing in them was trained before they see the texts of a fold.
WITHOUT_WEIGHTS = frozenset({"bag-of-words", "random", "scikit-learn", "tfidf"})


def count_parameters(manifest: Manifest, manifest_folder: Path) -> float:
    """Values in the tensors of a model's safetensors files; 0 for an encoder without weights.

    NaN where nobody can tell without loading the model: weights in another format, a service, a class of the
    user's own, or files that are not on this machine any more.
    """
    if manifest.kind in WITHOUT_WEIGHTS:
        return 0.0
    names = [name for name in manifest.files if name.endswith(".safetensors")]
    if manifest.source is None or not names:
        return math.nan
    try:
        folder = model_folder(manifest.source, manifest_folder)
        return float(sum(_values_in(folder / name) for name in names))
    except (OSError, ValueError, SentflowError):
        return math.nan


def _values_in(path: Path) -> int:
    """Values of one file."""
    # positions and the like are stored beside the weights, as whole numbers that nobody trained
    return sum(math.prod(tensor.shape) for tensor in tensor_headers(path).values() if "F" in tensor.dtype)
