"""The texts that `sentflow tune` measures with."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sentflow.errors import DataError


@dataclass(frozen=True)
class ChosenTexts:
    """Distinct texts, none empty, and a phrase that says where they are from."""

    texts: tuple[str, ...]
    origin: str


def chosen_texts(path: Path | None, *, most: int) -> ChosenTexts:
    """Texts of a file, at equal distances if there are too many; without a file, sample texts.

    Parameters
    ----------
    path
        Parquet of a collection, or UTF-8 with one text per line.
    most
        Texts at most, >= 1.

    Raises
    ------
    DataError
        There is no such file, it is neither, or it holds no text.
    """
    texts = _sample_texts() if path is None else _texts_of(path)
    distinct = list(dict.fromkeys(text for text in texts if text.strip()))
    if not distinct:
        raise DataError(f"{path} holds no texts. Give a file with one text per line.")
    n = min(most, len(distinct))
    kept = tuple(distinct[index * len(distinct) // n] for index in range(n))
    origin = "sample texts that come with sentflow" if path is None else f"texts of {path}"
    return ChosenTexts(kept, origin if n == len(distinct) else f"{n} of {len(distinct):,} {origin}")


def _texts_of(path: Path) -> Sequence[str]:
    if not path.is_file():
        raise DataError(
            f"there is no file {path}. Give one with a text per line, or a collection such as "
            "results/data/texts/sample-trust.parquet."
        )
    if path.suffix == ".parquet":
        from sentflow.texts.collection import read_collection

        return read_collection(path).texts
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 ({error}). Save it as UTF-8, one text per line.") from error


def _sample_texts() -> list[str]:
    """The texts of every sample task, as the default experiment has them."""
    from sentflow.texts.sample.tasks import RECIPES, generate
    from sentflow.texts.table import SEPARATOR

    rows = [row for task in RECIPES for row in generate(task, seed=1).texts]
    return [text for row in rows for side in row for text in side.split(SEPARATOR)]
