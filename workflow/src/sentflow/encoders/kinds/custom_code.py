"""A class of a user's own file: imported, made, called, and what goes wrong there told with file, class and method.

The user has to correct the file, not sentflow.
"""

import importlib.util
import logging
import os
import sys
import traceback
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentflow.encoders.kinds.custom_class import split_reference
from sentflow.encoders.kinds.time_limit import time_limit
from sentflow.encoders.manifest import Manifest, check_files
from sentflow.errors import ConfigError, DataError

logger = logging.getLogger(__name__)


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

        `offline`: keep this process from the hub from now on: in the pipeline the network is for `fetch_model` alone,
        and models that the file loads have to lie on this machine. Raises ConfigError: the file cannot be imported, or
        the class is not what the config was read as.
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
                f"{self.where('__init__')} failed with the arguments {dict(self.arguments)}: {self._told(error)}. "
                "Correct arguments: in the model's entry, or the file."
            ) from error

    def call(self, instance: Any, method: str, *args: Any, **keywords: Any) -> Any:
        """Call a method of an object. Raises DataError: it raised anything; the log has the traceback."""
        try:
            with _limited(self.timeout_seconds, self.where(method), self.name):
                return getattr(instance, method)(*args, **keywords)
        except Exception as error:
            logger.exception("%s", self.where(method))
            raise DataError(f"{self.where(method)} failed: {self._told(error)}.") from error

    def where(self, method: str) -> str:
        """File, class and method, for messages."""
        return f"{self.file}, {self.name}.{method}"

    def _told(self, error: BaseException) -> str:
        return told(error, self.file)


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
    text = f"{text} (line {lines[-1]})" if lines else text
    return text + _no_cuda(message)


def _no_cuda(message: str) -> str:
    """What to write where an error comes from asking for a device that is not there."""
    torch = sys.modules.get("torch")
    if torch is None or torch.cuda.is_available() or not ("CUDA" in message or "NVIDIA" in message):
        return ""
    return (
        '. This machine has no CUDA device: write device = "cuda" if torch.cuda.is_available() else "cpu", or run the '
        "job where there is one"
    )


def _limited(seconds: float | None, what: str, name: str) -> AbstractContextManager[None]:
    remedy = (
        f"Look in the log where {name} hung; if it only needs longer, write a larger timeout_seconds: in the "
    )
    return time_limit(seconds, what=what, remedy=remedy + "model's entry.")


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
