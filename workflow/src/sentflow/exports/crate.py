"""A whole run as an RO-Crate: its files with checksums, the data and encoders it used, the software that made it.

RO-Crate 1.1 with the profile Process Run Crate 0.5. The metadata are made by the package rocrate; the archive is
written here, because equal contents must give equal bytes.
"""

import json
import os
import time
import zipfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sentflow.errors import ConfigError
from sentflow.exports.identity import Crate
from sentflow.files.atomic import atomic
from sentflow.files.io import file_sha256

METADATA = "ro-crate-metadata.json"
_VERSION = "1.1"
_SOFTWARE = "SoftwareApplication"
_PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
_SHA256 = "https://w3id.org/ro/terms/workflow-run#sha256"
_FORMATS = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".tex": "text/x-tex",
    ".yaml": "application/yaml",
}
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first date that a zip can hold


def write_crate(path: Path, files: Mapping[str, Path], *, about: Crate, versions: Mapping[str, Any]) -> None:
    """Write a zip with the files and their description."""
    metadata = crate_metadata(files, about=about, versions=versions)
    text = json.dumps(metadata, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    with atomic(path) as part, zipfile.ZipFile(part, "w") as archive:
        _add(archive, METADATA, text.encode())
        for name, file in sorted(files.items()):
            _add(archive, name, file.read_bytes())


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    archive.writestr(info, content)


def crate_metadata(files: Mapping[str, Path], *, about: Crate, versions: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON-LD of a crate, see `write_crate`."""
    from rocrate.model.contextentity import ContextEntity
    from rocrate.rocrate import ROCrate

    crate = ROCrate(version=_VERSION)

    def described(entity: str, kind: str, /, **properties: Any) -> Any:
        known = {key: value for key, value in properties.items() if value is not None}
        return crate.add(ContextEntity(crate, entity, properties={"@type": kind, **known}))

    crate.metadata.extra_terms["sha256"] = _SHA256
    crate.name, crate.description = about.title, about.description or about.title
    crate.datePublished = _publication_date()
    crate.root_dataset["license"] = (
        "Scores, tables and figures: licence chosen by the publisher of this crate. Texts are not "
        "included; the licence of each dataset is in its description."
    )
    profile = described(_PROFILE, "CreativeWork", name="Process Run Crate", version="0.5")
    crate.root_dataset["conformsTo"] = profile
    outputs, datasets, models = [], [], []
    for name, file in sorted(files.items()):
        told: dict[str, Any] = {
            "name": name,
            "contentSize": str(file.stat().st_size),
            "sha256": file_sha256(file),
        }
        told["encodingFormat"] = _FORMATS.get(Path(name).suffix, "application/octet-stream")
        outputs.append(crate.add_file(file, name, properties=told))
    # data that the run read are described, not included
    for name, facts in about.datasets.items():
        told = {"name": facts["title"], "url": facts.get("homepage"), "inLanguage": facts["language"]}
        told |= {"description": facts.get("note"), **_rights(facts)}
        # raw files and task tables, each with its checksum
        checksums = [f"{file} sha256:{digest}" for file, digest in facts["checksums"].items()]
        datasets.append(described(f"#dataset-{name}", "Dataset", **told, identifier=checksums or None))
    for name, facts in about.models.items():
        told = {"name": facts["name"], "alternateName": facts["title"], "softwareVersion": facts["revision"]}
        models.append(described(f"#encoder-{name}", _SOFTWARE, **told, **_rights(facts)))
    git, libraries = versions.get("git") or {}, dict(versions["libraries"])
    commit = git.get("commit")
    project = described(
        "#software-sentflow",
        _SOFTWARE,
        name="sentflow",
        version=libraries.pop("sentflow", None),
        softwareVersion=f"{commit}{' with changes' if git.get('dirty') else ''}" if commit else None,
        operatingSystem=versions["platform"],
    )
    project["softwareRequirements"] = [
        described(f"#software-{name}", _SOFTWARE, name=name, version=version)
        for name, version in {"python": versions["python"], **libraries}.items()
        if version != "absent"
    ]
    crate.root_dataset["mentions"] = described(
        "#run",
        "CreateAction",
        name=f"Run of {about.title}",
        instrument=project,
        object=[*datasets, *models],
        result=outputs,
    )
    metadata: dict[str, Any] = crate.metadata.generate()
    metadata["@graph"].sort(key=lambda entity: str(entity["@id"]))
    return metadata


def _rights(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "license": facts["licence"],
        "citation": None if facts["citation"] == "none" else facts["citation"],
    }


def _publication_date() -> str:
    """Today, or the day of the environment variable SOURCE_DATE_EPOCH: a crate must say when it was published."""
    try:
        seconds = float(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError) as error:
        raise ConfigError(
            f"the environment variable SOURCE_DATE_EPOCH is not a date ({error}). Write seconds since 1970, or unset "
            "it."
        ) from error


def names_in_crate(files: Sequence[Path]) -> dict[str, Path]:
    """Name in the crate → file: its path below the folder that all have in common."""
    below = os.path.commonpath([file.parent for file in files])
    return {file.relative_to(below).as_posix(): file for file in files}
