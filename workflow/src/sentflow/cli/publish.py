"""A folder with an encoder, its card and a note on its licence, ready for the Hugging Face hub. Nothing is uploaded."""

import shlex
import shutil
from pathlib import Path
from typing import Annotated

import typer

from sentflow.cli.configuration import in_folder
from sentflow.encoders.manifest import Manifest, check_files, is_archived, model_folder, read_manifest
from sentflow.encoders.settings import CUSTOM, KINDS
from sentflow.errors import ConfigError, DataError
from sentflow.files.archives.pack import unpack
from sentflow.files.atomic import not_written
from sentflow.flow import paths
from sentflow.report.numbers import counted, file_size

CARD, LICENCE = "README.md", "LICENSE"
_WEIGHTS = (".safetensors", ".bin")


def publish(
    model: Annotated[str, typer.Argument(help="An encoder of the experiment, by its name.")],
    folder: Annotated[Path, typer.Argument(help="Folder to write; it must be new or empty.")],
    results: Annotated[Path, typer.Option(help="The results folder.")] = Path("results"),
) -> None:
    """Write an encoder and its model card into a folder for the Hugging Face hub.

    Weights, tokenizer and modules are copied and compared with their checksums. Nothing is uploaded.
    """
    licence = write_folder(model, folder, results=results)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    n_bytes = sum(path.stat().st_size for path in files)
    size = file_size(round(n_bytes, 2 - len(str(n_bytes))))  # two digits are enough
    typer.echo(f"{folder}: {counted(len(files), 'file')}, {size}")
    for file in files:
        typer.echo(f"  {file.relative_to(folder).as_posix()}")
    typer.echo(
        f"\nLicence: {licence}. Read README.md and replace LICENSE by the text of the licence. Then, if the "
        "encoder is to be public:\n"
        "  hf auth login\n"
        f"  hf upload OWNER/{model} {shlex.quote(str(folder))} --repo-type model\n"
        "Nothing was uploaded."
    )


def write_folder(model: str, target: Path, *, results: Path) -> str:
    """Write an encoder of a results folder into a folder of its own, whole or not at all; returns its licence."""
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise ConfigError(f"{target} is there already and no folder. Write the name of a new folder.")
    if target.is_dir() and any(target.iterdir()):
        raise ConfigError(
            f"{target} is not empty, and nothing in it is overwritten. Write the name of a new folder."
        )
    manifest_file = in_folder(results, paths.MANIFEST.format(model=model))
    if not manifest_file.is_file():
        there = sorted(path.parent.name for path in results.glob("models/*/manifest.json"))
        raise DataError(
            f"{manifest_file} is missing: {model} is no encoder of this results folder. Write the name of one of: "
            f"{', '.join(there) or 'none, for no encoder was made here yet'}."
        )
    manifest = read_manifest(manifest_file)
    _refuse_without_weights(model, manifest, manifest_file)
    card = _card_of(model, results)
    text = card.read_text(encoding="utf-8")
    licence = _licence_of(text, card)
    part = target.with_name(f".{target.name}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.parent.mkdir(parents=True, exist_ok=True)
        if is_archived(manifest.source):
            unpack(in_folder(results, paths.WEIGHTS.format(model=model)), manifest.files, part)
        else:
            part.mkdir()  # fails where a link is in the way
            source = model_folder(manifest.source or {})
            for name in manifest.files:
                (part / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source / name, part / name)
        (part / CARD).write_text(text, encoding="utf-8")
        (part / LICENCE).write_text(_note(model, licence), encoding="utf-8")
        check_files(part, manifest.files)  # what was copied, for disks fail, too
        if target.is_dir():
            target.rmdir()
        part.rename(target)
    except OSError as error:
        raise DataError(not_written(target, error)) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return licence


def _licence_of(card: str, path: Path) -> str:
    import yaml
    from huggingface_hub import ModelCard

    try:
        front = ModelCard(card).data.to_dict()  # type: ignore[no-untyped-call]
    except (ValueError, yaml.YAMLError) as error:
        raise DataError(
            f"{path} has no front matter that can be read ({error}). Delete it and run snakemake again."
        ) from error
    return str(front.get("license_name") or front.get("license") or "unknown")


def _refuse_without_weights(model: str, manifest: Manifest, manifest_file: Path) -> None:
    if not manifest.files or manifest.kind == CUSTOM:
        with_files = sorted(name for name, kind in KINDS.items() if "source" in kind.model_fields)
        raise ConfigError(
            f"{model} is of kind {manifest.kind}, which has no files that could be published. Encoders with files are "
            f"of kind {', '.join(with_files)}."
        )
    if not any(name.endswith(_WEIGHTS) for name in manifest.files):
        raise DataError(f"{model} has no weights. Delete {manifest_file} and run snakemake again.")


def _card_of(model: str, results: Path) -> Path:
    trained = in_folder(results, paths.MODEL_CARD.format(model=model))
    for card in (trained, in_folder(results, paths.HUGGINGFACE_RESULTS) / model / CARD):
        if card.is_file():
            return card
    raise DataError(
        f"{trained} is missing, so there is nothing that says what {model} is. Make it and the other exports: "
        "sentflow run --cores all exports"
    )


def _note(model: str, licence: str) -> str:
    known = licence not in ("unknown", "other")
    terms = f"The licence of {model} is: {licence}." if known else f"The licence of {model} is not known."
    return (
        f"{terms}\n\nThis file is a note and not the text of a licence. Replace it by that text before you publish the "
        f"encoder.\nIts start and its training data have terms of their own, which {CARD} names: they must allow it.\n"
    )
