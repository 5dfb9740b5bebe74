"""What ``sentflow publish`` prints."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from sentflow.exports.publish import publish as write_folder
from sentflow.report.numbers import counted, file_size


def publish(
    model: Annotated[str, typer.Argument(help="An encoder of the experiment, by its name.")],
    folder: Annotated[Path, typer.Argument(help="Folder to write; it must be new or empty.")],
    results: Annotated[Path, typer.Option(help="The results folder.")] = Path("results"),
) -> None:
    """Write an encoder with its model card into a folder that is ready for the Hugging Face hub.

    Weights, tokenizer and modules are copied and compared with their checksums. Nothing is uploaded.
    """
    done = write_folder(model, folder, results=results)
    size = file_size(round(done.n_bytes, 2 - len(str(done.n_bytes))))  # two digits are enough
    typer.echo(f"{done.folder}: {counted(len(done.files), 'file')}, {size}")
    for name in done.files:
        typer.echo(f"  {name}")
    typer.echo(
        f"\nLicence: {done.licence}. Read README.md and replace LICENSE by the text of the licence. Then, if the "
        "encoder is to be public:\n"
        "  hf auth login\n"
        f"  hf upload OWNER/{model} {shlex.quote(str(done.folder))} --repo-type model\n"
        "Nothing was uploaded."
    )
