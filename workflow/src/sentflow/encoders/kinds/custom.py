"""Kind ``custom``: a user's own class, whose results are checked; the file is the user's to correct, not sentflow."""

import faulthandler
import importlib.util
import inspect
import logging
import os
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.encoders.custom_class import EMBED, ENCODE, own_files, read_class, split_reference
from sentflow.encoders.kind import Context, Encoder, kind
from sentflow.encoders.manifest import Description, Manifest, check_files
from sentflow.encoders.vectors.storage import FloatArray, named_rows, rows_not_finite
from sentflow.errors import ConfigError, DataError
from sentflow.files.io import file_sha256

logger = logging.getLogger(__name__)

# Two, so that a result for one text cannot pass for the right shape; encoded once to learn the width.
_TRIAL_TEXTS = ("Uma lei.", "A Câmara votou outra lei ontem.")
_EXIT_CODE = 2  # as for every error that a user can correct
# Code in C that lets no other thread run is ended from outside Python, this much later and without a sentence.
_GRACE_SECONDS = 5.0


def describe(entry: Mapping[str, Any], _folder: Path = Path()) -> Description:
    """The class is read, not run, for that is left to jobs with the memory and time for it."""
    try:
        own = read_class(entry["custom"])
    except ConfigError as error:
        raise ConfigError(f"custom: {error}") from error
    settings = {
        "class": own.name,
        "level": own.level,
        "lazy": own.lazy,
        "arguments": dict(entry.get("arguments", {})),
        "libraries": _versions(entry.get("libraries", [])),
    }
    files = {file: file_sha256(file) for file in own_files(entry)}
    return Description(None, settings=settings, source={"custom": entry["custom"]}, files=files)


def _versions(libraries: Sequence[str]) -> dict[str, str]:
    try:
        return {library: version(library) for library in libraries}
    except PackageNotFoundError as error:
        raise ConfigError(
            f"libraries: {error.name} is not installed in this environment. Write names as pip has them (scikit-learn, "
            "not sklearn), or install what is missing."
        ) from None


@kind("custom")
class Custom(Encoder):
    """Chooses by what the user's class is."""

    @classmethod
    def load(cls, manifest: Manifest, _settings: Any, context: Context) -> Any:
        code = CustomCode.load(manifest, timeout_seconds=context.timeout_seconds)
        if manifest.settings["level"] == EMBED:
            return CustomFeaturiser(code)
        if manifest.settings["lazy"]:
            return CustomLazyEncoder(code, task=context.task or "")
        return CustomEncoder(code)


class _Own:
    """What every form of a user's class can do; all vectors of one object of the class have one width."""

    def __init__(self, code: "CustomCode") -> None:
        self._code = code

    def start(self) -> None:
        """Begin anew: a new object, which can remember nothing of another fold."""
        self._made, self._width = self._code.new(), None

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> FloatArray:
        """What ``encode`` gives for texts: (n, d) float32; it is told role and task if it has arguments so named."""
        keywords = accepted(getattr(self._made, ENCODE), {"role": role, "task": task})
        return self._vectors(ENCODE, texts, **keywords)

    def _vectors(self, method: str, texts: Sequence[str], *args: Any, **keywords: Any) -> FloatArray:
        """What a method gives for texts and further arguments: (n, d) float32."""
        where = self._code.where(method)
        vectors = as_vectors(
            self._code.call(self._made, method, list(texts), *args, **keywords), texts, where=where
        )
        if self._width not in (None, vectors.shape[1]):
            raise DataError(
                f"{where} returned vectors of {vectors.shape[1]} values, but of {self._width} before. The width must "
                "not depend on the texts."
            )
        self._width = vectors.shape[1]
        return vectors


class CustomEncoder(_Own, Encoder):
    """A user's ``encode``; one object for all texts."""

    def __init__(self, code: "CustomCode") -> None:
        super().__init__(code)
        self.start()
        # `dimension` is needed before the first text; and a wrong shape is told in the first second.
        self.dimension = self.encode(_TRIAL_TEXTS, role="text", task=None).shape[1]


class CustomLazyEncoder(_Own):
    """A user's ``fit`` and ``encode`` as a lazy encoder."""

    def __init__(self, code: "CustomCode", *, task: str) -> None:
        super().__init__(code)
        self._task = task

    def fit(self, texts: Sequence[str]) -> "CustomLazyEncoder":
        """Learn from the texts of a training part."""
        self.start()
        self._code.call(self._made, "fit", list(texts))
        return self

    def transform(self, texts: Sequence[str]) -> FloatArray:
        """(n, d) float32; d is the same until the next `fit`."""
        return self.encode(texts, role="text", task=self._task)


class CustomFeaturiser(_Own):
    """A user's ``embed``: rows of a task to features."""

    def embed(
        self, texts_a: Sequence[str], texts_b: Sequence[str] | None, *, task: str, split: str
    ) -> FloatArray:
        """(n, d) float32 features of n rows, all finite; d is the same until the next `start`.

        `texts_b`: second texts, or alternatives joined by ``" [SEP] "``; None where rows have one text. `split`:
        ``"train"``, ``"eval"``, ``"test"``; or ``"all"`` for a featuriser that is not lazy.
        """
        return self._vectors(EMBED, texts_a, None if texts_b is None else list(texts_b), task, split)


def accepted(method: Any, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Those keywords that a function takes by name; ``**kwargs`` takes all."""
    try:
        parameters = inspect.signature(method).parameters.values()
    except (TypeError, ValueError):  # written in C, without a signature
        return {}
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return dict(keywords)
    by_name = {
        parameter.name
        for parameter in parameters
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    }
    return {key: value for key, value in keywords.items() if key in by_name}


def as_vectors(value: Any, texts: Sequence[str], *, where: str) -> FloatArray:
    """What a user's method returned, as an array.

    `value`: array of any number type, list of lists, torch tensor on any device, or SciPy sparse matrix. `texts`: n
    texts, in the order of the rows. Returns: (n, d) float32, contiguous, all finite, d >= 1.
    """
    array = _array(value, where)
    expected = f"expected ({len(texts)}, d): one row of d numbers per text, in the order of the texts"
    if array.dtype.kind not in "fiub":
        kind = type(value).__name__ if array.ndim == 0 else f"{type(value).__name__} of {array.dtype}"
        raise DataError(f"{where} returned {kind} for {len(texts)} texts, {expected}.")
    if array.ndim != 2 or len(array) != len(texts) or array.shape[1] == 0:
        raise DataError(f"{where} returned {array.dtype} {array.shape} for {len(texts)} texts, {expected}.")
    with np.errstate(over="ignore"):  # a float64 beyond float32 becomes infinite and is told as such
        vectors = np.ascontiguousarray(array, dtype=np.float32)
    if rows := rows_not_finite(vectors):
        raise DataError(
            f"{where} returned values that are not finite numbers of float32 for {len(rows)} of {len(texts)} texts: "
            f"{named_rows(rows, texts)}."
        )
    return vectors


def _array(value: Any, where: str) -> np.ndarray:
    if hasattr(value, "detach"):  # torch; bfloat16 has no NumPy type, and float64 is rounded anyway
        value = value.detach().cpu().float().numpy()
    elif hasattr(value, "toarray"):  # SciPy sparse
        value = value.toarray()
    try:
        return np.asarray(value)
    except Exception as error:
        raise DataError(
            f"{where} returned {type(value).__name__}, which cannot become an array ({error}). Return one row of "
            "numbers per text, all of the same length."
        ) from error


# --- the user's code --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CustomCode:
    """A class of a user's file, and the arguments it is made with."""

    # file, name: where it is defined
    file: str
    name: str
    type: type  # the class
    arguments: Mapping[str, Any]  # of its constructor
    timeout_seconds: float | None = None  # what each call may take before the process ends; None is no limit

    @classmethod
    def load(
        cls, manifest: Manifest, *, offline: bool = True, timeout_seconds: float | None = None
    ) -> "CustomCode":
        """Import the class that a manifest names; its files must be those of the manifest.

        `offline`: keep this process from the hub from now on. Raises ConfigError: the file cannot be imported, or the
        class is not what the config was read as.
        """
        if manifest.source is None:
            raise ConfigError(
                "the manifest of an own encoder names no file. Delete it and run snakemake again."
            )
        check_files(Path(), manifest.files)
        file, name = split_reference(manifest.source["custom"])
        if offline:
            os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
        with _limited(timeout_seconds, f"the import of {file}", name):
            found = getattr(_imported(file), name, None)
        if not isinstance(found, type):
            raise ConfigError(
                f"{file} has no class {name!r} when it is imported. Define it at the top level."
            )
        if bool(getattr(found, "lazy", False)) != manifest.settings["lazy"]:
            raise ConfigError(
                f"{file}, {name}: lazy is {found.lazy!r} when it is imported, but the file was read as "  # type: ignore[attr-defined]
                f"{manifest.settings['lazy']}. Write lazy = True or lazy = False in the body of the class itself."
            )
        return cls(
            file=file,
            name=name,
            type=found,
            arguments=manifest.settings["arguments"],
            timeout_seconds=timeout_seconds,
        )

    def new(self) -> Any:
        """A new object of the class. Raises ConfigError: the arguments do not fit, or the constructor fails."""
        try:
            with _limited(self.timeout_seconds, self.where("__init__"), self.name):
                return self.type(**self.arguments)
        except Exception as error:
            logger.exception("%s(%s)", self.name, dict(self.arguments))
            raise ConfigError(
                f"{self.where('__init__')} failed with the arguments {dict(self.arguments)}: {told(error, self.file)}. "
                "Correct arguments: in the model's entry, or the file."
            ) from error

    def call(self, instance: Any, method: str, *args: Any, **keywords: Any) -> Any:
        """Call a method of an object. Raises DataError: it raised anything; the log has the traceback."""
        try:
            with _limited(self.timeout_seconds, self.where(method), self.name):
                return getattr(instance, method)(*args, **keywords)
        except Exception as error:
            logger.exception("%s", self.where(method))
            raise DataError(f"{self.where(method)} failed: {told(error, self.file)}.") from error

    def where(self, method: str) -> str:
        """File, class and method, for messages."""
        return f"{self.file}, {self.name}.{method}"


def told(error: BaseException, file: str) -> str:
    """Type and message of an error, and the last line of the user's file that it went through."""
    here = Path(file).resolve()
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve() == here
    ]
    message = str(error).strip().rstrip(".")
    text = type(error).__name__ + (f": {message}" if message else "")
    return (f"{text} (line {lines[-1]})" if lines else text) + _no_cuda(message)


def _no_cuda(message: str) -> str:
    """What to write where an error comes from asking for a device that is not there."""
    torch = sys.modules.get("torch")
    if torch is None or torch.cuda.is_available() or not ("CUDA" in message or "NVIDIA" in message):
        return ""
    return (
        '. This machine has no CUDA device: write device = "cuda" if torch.cuda.is_available() else "cpu", or run the '
        "job where there is one"
    )


@contextmanager
def _limited(seconds: float | None, what: str, name: str) -> Iterator[None]:
    """End this process, with the line of every thread in the log, if the block takes longer; None is no limit."""
    if seconds is None:
        yield
        return
    message = (
        f"{what} did not come back within {seconds:g} seconds. Look in the log where {name} hung; if it only needs "
        "longer, write a larger timeout_seconds: in the model's entry."
    )
    timer = threading.Timer(seconds, _end, [message])
    timer.daemon = True
    faulthandler.dump_traceback_later(seconds + _GRACE_SECONDS, exit=True, file=2)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        faulthandler.cancel_dump_traceback_later()


def _end(message: str) -> None:
    faulthandler.dump_traceback(file=2)
    os.write(2, f"\nerror: {message}\n".encode())
    os._exit(_EXIT_CODE)


def _imported(file: str) -> Any:
    """The module of a user's file, which may import files beside it."""
    path = Path(file).resolve()
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # at the end: a file io.py beside it must not hide Python's own
    name = f"sentflow_own_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{file} cannot be imported as Python.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickles look a class's module up there
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        logger.exception("%s", file)
        raise ConfigError(
            f"{file} cannot be imported: {told(error, file)}. Correct the file, or install what it imports."
        ) from error
    return module
