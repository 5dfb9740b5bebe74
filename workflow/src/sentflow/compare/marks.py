"""What tables, figures and pages may mark because of the tests: the best, what is not worse, and letters."""

from collections.abc import Iterable, Mapping, Sequence

from sentflow.compare.differences import Difference, is_alike, on_unit_set, other, values_of, winner

BEST, NOT_WORSE = "best", "not worse"


class Marks:
    """Marks and letters of the cells of a table or page; without differences there are none."""

    def __init__(self, differences: Iterable[Difference], models: Sequence[str]) -> None:
        differences = list(differences)
        self.letters = letters(models if differences else [])
        self._rows: dict[str, list[Difference]] = {}
        for row in differences:
            self._rows.setdefault(row.unit_set, []).append(row)

    def mark(self, unit_set: str, model: str) -> str:
        return mark(self._rows.get(unit_set, []), unit_set, model)

    def signs(self, unit_set: str, model: str) -> tuple[str, str]:
        """Mark and letters of a cell."""
        return self.mark(unit_set, model), self.raised(unit_set, model)

    def beaten(self, unit_set: str, model: str) -> list[str]:
        return beaten(self._rows.get(unit_set, []), unit_set, model)

    def raised(self, unit_set: str, model: str) -> str:
        """The letters of the systems that this one is significantly better than, see `joined_letters`."""
        lower = self.beaten(unit_set, model)
        return joined_letters([name for name in self.letters if name in lower], self.letters)


def mark(differences: Iterable[Difference], unit_set: str, model: str) -> str:
    """`BEST` or `NOT_WORSE` where a test says so, else nothing.

    The highest score is marked only if a test compared it with another system, and a system counts as not worse only
    if a test compared it with the highest score and found no difference.
    """
    here = [row for row in differences if row.unit_set == unit_set]
    values = values_of(here, unit_set)
    tested = [row for row in on_unit_set(here, unit_set) if not is_alike(row)]
    own = [row for row in tested if model in (row.model_a, row.model_b)]
    if model not in values or not own:
        return ""
    highest = max(values.values())
    if values[model] == highest:
        return BEST
    against_best = [row for row in own if values.get(other(row, model)) == highest]
    return NOT_WORSE if against_best and not any(map(winner, against_best)) else ""


def beaten(differences: Iterable[Difference], unit_set: str, model: str) -> list[str]:
    """The systems that this one is significantly better than."""
    return [other(row, model) for row in differences if row.unit_set == unit_set and winner(row) == model]


def letters(models: Sequence[str]) -> dict[str, str]:
    """A letter for each system: a, b, …, z, aa, ab, …"""
    found = {}
    for index, model in enumerate(models):
        text, rest = "", index + 1
        while rest:
            rest, place = divmod(rest - 1, 26)
            text = chr(ord("a") + place) + text
        found[model] = text
    return found


def joined_letters(models: Iterable[str], own: Mapping[str, str], *, shorten: bool = True) -> str:
    """The letters of some systems; four or more that follow each other are cut short: ``b–f``."""
    order = {model: index for index, model in enumerate(own)}
    runs: list[list[str]] = []
    for model in models:
        if runs and order[model] == order[runs[-1][-1]] + 1:
            runs[-1].append(model)
        else:
            runs.append([model])
    between = "" if len(own) <= 26 else " "
    return between.join(
        f"{own[run[0]]}–{own[run[-1]]}"
        if shorten and len(run) > 3
        else between.join(own[model] for model in run)
        for run in runs
    )
