"""What ``sentflow publish`` prints."""

import shlex
from pathlib import Path

import typer

from sentflow.exports.publish import publish as write
from sentflow.report.numbers import counted, file_size


def publish(model: str, folder: Path, *, results: Path) -> None:
    """Write the folder, and say how it is uploaded."""
    done = write(model, folder, results=results)
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
