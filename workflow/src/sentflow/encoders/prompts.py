"""Which prompt is put before a text: by role, and by task.

The Snakefile picks the prompt of every job, so that a job depends on its own alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.encoders.settings import DOCUMENT, QUERY, SIDES, TEXT

# Names that sentence-transformers looks up for a role when it is told nothing.
_USUAL_NAMES = {QUERY: ("query",), DOCUMENT: ("document", "passage", "corpus")}


def chosen(prompt_names: Mapping[str, Any], *, role: str, task: str | None) -> dict[str, str | None]:
    """Role → name of its prompt, or None for no prompt; the task goes before the role. Empty where nothing is said."""
    by_task = prompt_names.get("tasks", {})
    if task in by_task:
        names = by_task[task]
        if not isinstance(names, Mapping):
            return {role: names}
        if role in names:
            return {role: names[role]}
    by_role = prompt_names.get("roles", {})
    return {role: by_role[role]} if role in by_role else {}


def prompted_tasks(entry: Mapping[str, Any]) -> set[str]:
    """Tasks with a prompt of their own: their texts are embedded apart from their dataset's."""
    return set(entry.get("prompt_names", {}).get("tasks", {}))


def roles_of_texts(prompt_names: Mapping[str, Any], task: str | None) -> tuple[str, ...]:
    """The roles of a task's texts: one for all of them, or `SIDES` where the entry tells them apart."""
    names = prompt_names.get("tasks", {}).get(task)
    return SIDES if isinstance(names, Mapping) and QUERY in names else (TEXT,)


def narrowed(settings: Mapping[str, Any], *, roles: Sequence[str], task: str | None) -> dict[str, Any]:
    """Settings of an entry with only those prompts that texts of these roles, perhaps of a task, can meet."""
    prompts, names = settings.get("prompts", {}), settings.get("prompt_names", {})
    rest = {key: value for key, value in settings.items() if key not in ("prompts", "prompt_names")}
    choices: dict[str, str | None] = {}
    for role in roles:
        choices |= chosen(names, role=role, task=task)
    if texts := {name: prompts[name] for name in choices.values() if name in prompts}:
        rest["prompts"] = texts
    if choices:
        rest["prompt_names"] = {"tasks": {task: choices}} if tuple(roles) == SIDES else {"roles": choices}
    return rest


def prompt_text(
    prompts: Mapping[str, str],
    prompt_names: Mapping[str, Any],
    *,
    role: str,
    task: str | None,
    own: Mapping[str, str | None],
    default_name: str | None,
) -> str | None:
    """The prompt of a role and a task; None is no prompt. Raises KeyError: there is none of the chosen name.

    `own`, `default_name`: the prompts of the model's files, and which of them is put before texts without a role. A
    role other than ``"text"`` never falls back on it: in sentence-transformers neither does.
    """
    known = {**own, **prompts}
    for name in chosen(prompt_names, role=role, task=task).values():
        return None if name is None else known[name]
    if role in _USUAL_NAMES:
        return next((known[name] for name in _USUAL_NAMES[role] if known.get(name)), None)
    # The model's own text: what `prompts` of the entry holds is used by name only
    return None if default_name is None else own.get(default_name)
