"""What a table is made by: a function of the files of results and of settings."""

from collections.abc import Callable, Mapping
from typing import Any

from sentflow.report.inputs import FilesTogether, Inputs, RowOfAFile
from sentflow.report.table.table import Table

Maker = Callable[[Inputs, Mapping[str, Any]], Table]


def made_of(
    kind: type[RowOfAFile],
    build: Callable[..., Table],
    *together: type[FilesTogether],
    published: bool = False,
) -> Maker:
    """The maker of a table of the rows of one kind.

    Parameters
    ----------
    build
        Takes the rows, how the caption begins, what is made of several files, and published values.
    together
        What is made of several files.
    published
        Whether the table shows what papers report.
    """

    def make(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
        more = [inputs.together(one) for one in together]
        entries = [settings.get("published", ())] if published else []
        return build(inputs.rows(kind), settings["caption"], *more, *entries)

    return make
