"""Characters that act instead of being seen: they control a terminal, reverse the direction of text, or are halves.

Texts of strangers hold them. What is printed or put into a table shows them written out; a configuration may not have
them (`sentflow.config.problems.common`). Standard library only: the Snakefile imports this module in every job.
"""

import re

# Lines and tabs are left: texts may have them, and tables have their own rule for them.
_STEERING = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_LINE_ENDS = "\u2028\u2029"
_TURNING = "\u202a-\u202e\u2066-\u2069"  # the controls of the bidirectional algorithm
_HALVES = "\ud800-\udfff"  # surrogates: JSON can write one alone, which no encoding can
HIDDEN = re.compile(f"[{_STEERING}{_LINE_ENDS}{_TURNING}{_HALVES}]")


def visible(text: str, *, only_printable: bool = False) -> str:
    r"""The text with hidden characters written out, as in ``\x1b`` or ``\u202e``.

    `only_printable`: whether everything is written out that Python does not count as printable, but for line feeds: a
    message of an error must show blanks that are none, too.
    """
    if only_printable:
        return "".join(
            character if character.isprintable() or character == "\n" else written_out(character)
            for character in text
        )
    return HIDDEN.sub(lambda match: written_out(match[0]), text)


def written_out(character: str) -> str:
    """A character as Python writes it in a program."""
    return character.encode("unicode_escape").decode("ascii")
