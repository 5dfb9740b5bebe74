"""Errors for people: they end a command with one paragraph and no traceback."""

from sentflow.secrecy import without_secrets


class SentflowError(Exception):
    """Something a user can mend. The message says what is wrong, where, and what to write instead.

    What a message quotes may come from a stranger's file or service: signs that a terminal would obey are written out,
    and secrets that it repeats are hidden.
    """

    def __str__(self) -> str:
        return "".join(
            sign if sign.isprintable() or sign == "\n" else _escaped(sign)
            for sign in without_secrets(super().__str__())
        )


class ConfigError(SentflowError):
    """The configuration or the catalog asks for something that does not exist or does not fit."""


class DataError(SentflowError):
    """A file is missing, damaged, or not in the form that its reader needs."""


def _escaped(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")
