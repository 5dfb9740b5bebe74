"""Names that texts mention, hidden in them: which one was it?"""

import re
from collections.abc import Iterable

MASK = "[NOME]"


class Names:
    """Known names, of which the longest is found where one holds another.

    `names`: names as they are written; case does not count.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._known = {name.lower(): name for name in sorted(names, reverse=True)}
        longest_first = sorted(self._known, key=lambda name: (-len(name), name))
        self._pattern = re.compile(
            rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE
        )

    def hidden(self, text: str) -> tuple[str, str] | None:
        """The text with `MASK` in the place of its name, and that name; None where it has no name, or several."""
        found = {name.lower() for name in self._pattern.findall(text)}
        if len(found) != 1:
            return None
        return self._pattern.sub(MASK, text), self._known[found.pop()]
