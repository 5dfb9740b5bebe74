"""The manifest of an encoder that was trained here."""

from pathlib import Path

from sentflow.encoders.manifest import Manifest, description_of
from sentflow.encoders.safety import model_files
from sentflow.files.io import file_sha256


def manifest_of(weights: Path, *, model: str, kind: str) -> Manifest:
    """What a folder of `sentflow.training.contract.Objective.write` holds.

    `kind`: of encoder that its recipe makes, see `sentflow.encoders.settings.KINDS`.
    """
    files = {name: file_sha256(weights / name) for name in model_files(weights, allow_pickle=False)}
    entry = {"kind": kind, "source": {"trained": model}}
    return Manifest.of(entry, description_of(entry, weights), files)
