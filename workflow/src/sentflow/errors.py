"""Errors for people: they end a command with one paragraph and no traceback."""


class SentflowError(Exception):
    """Something a user can mend. The message says what is wrong, where, and what to write instead."""


class ConfigError(SentflowError):
    """The configuration or the catalog asks for something that does not exist or does not fit."""


class DataError(SentflowError):
    """A file is missing, damaged, or not in the form that its reader needs."""
