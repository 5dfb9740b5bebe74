"""A model that a command loads: from its folder or package, or as the pipeline fetched or trained it."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sentflow.encoders.entries import fetch_settings
from sentflow.encoders.kinds.table import MADE_BY, TRAINED
from sentflow.encoders.manifest import read_manifest, source_kind
from sentflow.errors import ConfigError
from sentflow.flow import paths

if TYPE_CHECKING:
    from sentflow.encoders.manifest import Manifest


def fetched_manifest(
    model: str, entry: Mapping[str, Any], folder: Path, *, before: str, results: Path = Path(paths.RESULTS)
) -> tuple["Manifest", Path]:
    """The manifest of a model and the folder it lies in; downloads and trainings are left to the pipeline."""
    is_trained = entry["kind"] == TRAINED
    source = {"trained": model} if is_trained else entry["source"]
    if source_kind(source) in ("folder", "package"):
        from sentflow.encoders.fetch.model import fetch_model

        return fetch_model(model, fetch_settings(entry), folder), folder
    file = paths.MANIFEST.format(model=model)
    path = results.joinpath(*Path(file).parts[1:])
    kind = MADE_BY.get(str(entry.get("recipe")), entry["kind"])
    manifest = read_manifest(path) if path.is_file() else None
    if manifest is None or manifest.source != source or manifest.kind != kind:
        done = "trained" if is_trained else "downloaded"
        raise ConfigError(
            f"{model} has to be {done} before {before}, and {path} does not say that it was (searched for "
            f"in {Path.cwd()}). Select the model, or a retriever that names it, and run: sentflow run --cores 1 {file}"
        )
    return manifest, path.parent
