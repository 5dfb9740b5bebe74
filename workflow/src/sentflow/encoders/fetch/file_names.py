"""Which files of a model are read."""

from fnmatch import fnmatch
from pathlib import Path

PATTERNS = ("*.json", "*.txt", "*.model", "*.codes", "*.safetensors")
PICKLES = "pytorch_model*.bin"
# Other formats of the same weights, which are not read, and what download tools leave behind.
_IGNORED = ("onnx/*", "openvino/*", ".cache/*", "*/onnx/*", "*/openvino/*")


def is_model_file(name: str, *, allow_pickle: bool) -> bool:
    """Whether a file (path in the model's folder, with ``/``) is read when the model is loaded."""
    if any(fnmatch(name, pattern) for pattern in _IGNORED):
        return False
    patterns = (*PATTERNS, PICKLES) if allow_pickle else PATTERNS
    return any(fnmatch(name.rsplit("/", 1)[-1], pattern) for pattern in patterns)


def model_files(folder: Path, *, allow_pickle: bool) -> list[str]:
    """Names of the files of a model that are read, sorted."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return sorted(name for name in names if is_model_file(name, allow_pickle=allow_pickle))
