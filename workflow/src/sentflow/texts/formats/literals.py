"""Lists that Python printed into a cell of a table, read as data and never run."""

import ast

from sentflow.errors import DataError

MOST_CHARACTERS = 100_000  # of a cell; parsing needs some 100 bytes for each


def literal_list(cell: str, *, where: str) -> list[str]:
    """The texts of a literal list; a map counts as its values, joined by ``|`` in their order.

    `cell`: say ``['a', 'b']`` or ``[{'law_id': 'a', 'article_id': '1'}]``. Raises DataError: it is longer than
    `MOST_CHARACTERS`, is no such list, or holds anything but texts and numbers.
    """
    if len(cell) > MOST_CHARACTERS:
        raise DataError(f"{where}: a list of {len(cell)} characters, more than {MOST_CHARACTERS}.")
    try:
        found = ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise DataError(f"{where}: {cell[:40]!r} is no list as Python prints it.") from error
    if not isinstance(found, list):
        raise DataError(f"{where}: {cell[:40]!r} is no list.")
    return [_text(item, where) for item in found]


def _text(item: object, where: str) -> str:
    if isinstance(item, dict):
        return "|".join(_text(value, where) for value in item.values())
    if isinstance(item, str | int | float) and not isinstance(item, bool):
        return str(item)
    raise DataError(
        f"{where}: the list holds {type(item).__name__}, expected texts, numbers or maps of these."
    )
