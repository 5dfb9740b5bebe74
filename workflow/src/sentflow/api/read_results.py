"""A finished results folder of the pipeline in Python: its summaries as data frames, its figures."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sentflow.api.arguments import ArgumentError, expanded
from sentflow.api.figures import drawn
from sentflow.compare.comparisons import Comparisons
from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import DataError, instead
from sentflow.files.parquet import read_parquet
from sentflow.files.rows import read_rows
from sentflow.flow import paths, products
from sentflow.flow.products import FIGURE
from sentflow.report.claims import facts, of_probing
from sentflow.report.families.probing.remarks import low_score_text
from sentflow.report.inputs import Inputs

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

# names that say more than those of their files
_ALSO = {
    "scores": paths.SUMMARY,
    "pairs": paths.PAIRS,
    "sts": paths.SUMMARY_SIMILARITY,
    "retrieval": paths.SUMMARY_RETRIEVAL,
}


class Results:
    """What a run of the pipeline found.

    Parameters
    ----------
    folder
        The results folder, or the one that holds ``results``.

    Raises
    ------
    DataError
        There are no summaries in it.
    """

    def __init__(self, folder: str | Path) -> None:
        given = Path(expanded(folder))
        self.folder = given / paths.RESULTS if (given / paths.RESULTS).is_dir() else given
        if not self._files:
            raise DataError(
                f"{given} has no files summary/*.parquet. Give the results folder of a run that has finished."
            )

    @property
    def names(self) -> list[str]:
        """What `frame` can give: every summary and comparison that the run made."""
        return list(self._files)

    def frame(self, name: str = "scores") -> "pd.DataFrame":
        """A summary as a data frame, a row per record; its columns are told by the page of its subject in docs/.

        That of scores also has `remark`: why a score is lower than the encoder allows; empty otherwise.

        Raises
        ------
        ArgumentError
            The run made nothing of that name.
        DataError
            The file is damaged.
        """
        if name not in self._files:
            raise ArgumentError(f"{self.folder} has no {name!r}. {instead(name, self.names)}")
        found: pd.DataFrame = read_parquet(self._files[name], any_file=True).to_pandas()
        if name == "scores":
            found["remark"] = [
                low_score_text([row]) for row in read_rows(self._files[name], ScoreRow, any_file=True)
            ]
        return found

    @property
    def scores(self) -> "pd.DataFrame":
        """A row per task and encoder, with both intervals."""
        return self.frame("scores")

    @property
    def pairs(self) -> "pd.DataFrame":
        """A row per task and pair of encoders: difference, interval, tests."""
        return self.frame("pairs")

    @property
    def sts(self) -> "pd.DataFrame":
        """A row per pair set, encoder, measure, coefficient and aggregation, with intervals."""
        return self.frame("sts")

    @property
    def retrieval(self) -> "pd.DataFrame":
        """A row per question set, retriever, measure and group of questions, with intervals."""
        return self.frame("retrieval")

    def plot(self, figure: str = "heatmap") -> "Figure":
        """A figure of the report, drawn from the summaries.

        Raises
        ------
        ConfigError
            There is no such figure.
        DataError
            The run lacks a file that it needs.
        """
        product = products.find(FIGURE, figure)
        inputs = Inputs.of(self.folder)
        inputs.refuse_missing([Path(pattern).stem for pattern in product.reads])
        return drawn(figure, product.load().rows(inputs))

    def __repr__(self) -> str:
        lines = [f"Results in {self.folder}: {', '.join(self.names)}"]
        if "scores" in self.names:
            tests = Comparisons.read(list(self._files.values()))
            rows = read_rows(self._files["scores"], ScoreRow, may_be_empty=True)
            for ranking in of_probing(rows, tests) if rows else ():
                of = f" of protocol {ranking.protocol}" if ranking.protocol else ""
                lines.append(f"{ranking.measure.capitalize()} {ranking.where}{of}:")
                lines += [f"  {system.title}: {system.value:.3f}" for system in ranking.systems]
        return "\n".join([*lines, *facts(self.folder)])

    @cached_property
    def _files(self) -> dict[str, Path]:
        folders = (Path(paths.SUMMARY).parent, Path(paths.PAIRS).parent)
        by_stem = {
            file.stem: file for folder in folders for file in sorted(self._inside(folder).glob("*.parquet"))
        }
        also = {name: self._inside(path) for name, path in _ALSO.items()}
        return {**{name: file for name, file in also.items() if file.is_file()}, **by_stem}

    def _inside(self, path: str | Path) -> Path:
        return self.folder / Path(path).relative_to(paths.RESULTS)


def read_results(folder: str | Path = paths.RESULTS) -> Results:
    """Read a finished results folder; see `Results`."""
    return Results(folder)
