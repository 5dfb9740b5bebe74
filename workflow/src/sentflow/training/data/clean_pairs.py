"""Rows of one relation into pairs that may be trained on: masked, in the right language, and of no test.

Personal numbers and addresses are masked where a pattern can tell for sure. A CPF without its dots must have right
check digits (Receita Federal, módulo 11), so that numbers of laws stay; a telephone number an area code in brackets, a
country code, or a word before it that says so. Names stay.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from sentflow.audit.contained import KnownTexts
from sentflow.audit.task_audit import language_of
from sentflow.texts.collection import TextTable
from sentflow.texts.plain import plain

_CPF = re.compile(r"(?<![\d.\-/])(?:\d{3}\.\d{3}\.\d{3}-\d{2}|\d{9}-?\d{2})(?![\d.\-/]*\d)")
# A run of characters is looked at once, whether an address ends it (group 1) or not
_EMAIL = re.compile(r"[\w.+%-]++(@[\w-]+(?:\.[\w-]+)+)?")
_TELEPHONE = re.compile(
    r"(?:\+?55\s*)?\(\s*0?\d{2}\s*\)\s*9?\d{4}[-. ]?\d{4}(?!\d)"
    r"|\+55\s*\d{2}\s*9?\d{4}[-. ]?\d{4}(?!\d)"
    r"|(?i:(?<=tel: )|(?<=tel\. )|(?<=telefone )|(?<=telefone: )|(?<=fone: )|(?<=fax: )|(?<=celular )|(?<=whatsapp ))"
    r"(?:0?\d{2}\s*)?9?\d{4}[-. ]?\d{4}(?!\d)"
)
_CPF_DIGITS = 11
CPF, EMAIL, TELEPHONE = MASKS = "[CPF]", "[E-MAIL]", "[TELEFONE]"


def masked(text: str, counts: Counter[str]) -> str:
    """The text with a mask in the place of every personal number and address, which are counted by their mask."""
    n = sum(found[1] is not None for found in _EMAIL.finditer(text)) if "@" in text else 0
    counts[EMAIL] += n
    text = _EMAIL.sub(lambda found: EMAIL if found[1] else found[0], text) if n else text
    if not any(map(str.isdigit, text)):
        return text
    text, n = _TELEPHONE.subn(TELEPHONE, text)
    counts[TELEPHONE] += n

    def mask(found: re.Match[str]) -> str:
        if "." not in found[0] and not has_check_digits(found[0]):
            return found[0]
        counts[CPF] += 1
        return CPF

    return _CPF.sub(mask, text)


def has_check_digits(number: str) -> bool:
    """Whether the last two of eleven digits are the check digits of a CPF."""
    digits = [int(one) for one in number if one.isdigit()]
    if len(digits) != _CPF_DIGITS or len(set(digits)) == 1:
        return False
    return all(
        digits[place]
        == sum(digit * (place + 1 - at) for at, digit in enumerate(digits[:place])) * 10 % 11 % 10
        for place in (9, 10)
    )


Pair = tuple[str, str]
Test = tuple[str, str]
SHARE = 0.8
"""Of the n-grams of a text: a training text that shares so many with one of a test is left out; see `KnownTexts`."""

_TAKEN_FOR = {"pt": "gl"}
"""Language → the one that py3langid often takes it for; of 12,600 Portuguese pairs here, 213 had such a text."""


class HeldOut:
    """The texts of tests, none of which is trained on."""

    def __init__(self, tests: Mapping[Test, TextTable]) -> None:
        owners: dict[str, Test] = {}
        for test, table in tests.items():
            for text in chain.from_iterable(table.row_texts()):
                owners.setdefault(text, test)
        self._owners = list(owners.values())
        self._known = KnownTexts(list(owners), share=SHARE)

    def of(self, texts: Sequence[str]) -> list[Test | None]:
        """For each text a test whose text it equals, holds or is part of; None for most."""
        return [None if place < 0 else self._owners[place] for place in self._known.found_in(texts).tolist()]


@dataclass
class Cleaned:
    """Pairs that stay, and why the others do not."""

    language: str | None  # ISO 639-1 code that all texts should have, lower case; None checks none
    held_out: HeldOut  # texts of tests
    # counts: ``read``, ``kept``, ``equal`` (but for case and punctuation), ``other_language``, ``held_out``
    counts: Counter[str] = field(default_factory=Counter)
    # of_tests: test → pairs left out for a text of it, each counted for the first
    of_tests: Counter[Test] = field(default_factory=Counter)
    # languages: language → pairs left out because one of their texts is in it
    languages: Counter[str] = field(default_factory=Counter)
    masks: Counter[str] = field(default_factory=Counter)  # mask → how often it was put into pairs that stay

    def pairs(self, batches: Iterable[Sequence[Pair]]) -> Iterator[list[Pair]]:
        """The pairs that stay, batch by batch; counts are whole after the last."""
        for batch in batches:
            self.counts["read"] += len(batch)
            spaced = [(" ".join(text.split()), " ".join(other.split())) for text, other in batch]
            differing = [pair for pair in spaced if plain(pair[0]) != plain(pair[1])]
            self.counts["equal"] += len(batch) - len(differing)
            spoken = [pair for pair in differing if self._is_in_language(pair)]
            self.counts["other_language"] += len(differing) - len(spoken)
            kept = [
                (masked(text, self.masks), masked(other, self.masks))
                for text, other in self._of_no_test(spoken)
            ]
            self.counts["kept"] += len(kept)
            yield kept

    def facts(self) -> dict[str, Any]:
        """The counts, as JSON holds them."""
        return {
            **{key: self.counts[key] for key in ("read", "kept", "equal", "other_language", "held_out")},
            "languages": dict(self.languages.most_common()),
            "masks": {mask: self.masks[mask] for mask in MASKS},
            "tests": [[*test, n] for test, n in sorted(self.of_tests.items())],
        }

    def _is_in_language(self, pair: Pair) -> bool:
        if self.language is None:
            return True
        for text in pair:
            guess = language_of(text.lower())  # capitals alone are guessed badly
            if guess not in (None, self.language, _TAKEN_FOR.get(self.language)):
                self.languages[str(guess)] += 1
                return False
        return True

    def _of_no_test(self, pairs: Sequence[Pair]) -> Iterator[Pair]:
        tests = self.held_out.of(list(chain.from_iterable(pairs)))
        for pair, first, second in zip(pairs, tests[::2], tests[1::2], strict=True):
            if test := first or second:
                self.counts["held_out"] += 1
                self.of_tests[test] += 1
            else:
                yield pair
