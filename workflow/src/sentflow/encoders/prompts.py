"""Which prompt is put before a text: by role, and by task.

Standard library only: the Snakefile picks the prompt of every job, so that a job depends on its own alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TEXT = "text"
ROLES = (TEXT, "query", "document")

# Names that sentence-transformers looks up for a role when it is told nothing.
_USUAL_NAMES = {"query": ("query",), "document": ("document", "passage", "corpus")}


@dataclass(frozen=True)
class Choice:
    """The name that an entry gives for a role and a task; None is no prompt at all."""

    name: str | None


def chosen(prompt_names: Mapping[str, Any], *, role: str, task: str | None) -> Choice | None:
    """What ``prompt_names`` says about a role and a task: the task goes before the role; None if nothing."""
    by_task = prompt_names.get("tasks", {})
    if task in by_task:
        names = by_task[task]
        if not isinstance(names, Mapping):
            return Choice(names)
        if role in names:
            return Choice(names[role])
    by_role = prompt_names.get("roles", {})
    return Choice(by_role[role]) if role in by_role else None


def prompted_tasks(entry: Mapping[str, Any], *, role: str = TEXT) -> set[str]:
    """Tasks with a prompt of their own for a role: their texts are embedded apart from their dataset's."""
    names = entry.get("prompt_names", {})
    return {task for task in names.get("tasks", {}) if chosen({**names, "roles": {}}, role=role, task=task)}


def narrowed(settings: Mapping[str, Any], *, role: str, task: str | None) -> dict[str, Any]:
    """Settings of an entry with only those prompts that a role and a task can meet."""
    prompts, names = settings.get("prompts", {}), settings.get("prompt_names", {})
    rest = {key: value for key, value in settings.items() if key not in ("prompts", "prompt_names")}
    choice = chosen(names, role=role, task=task)
    wanted = (choice.name,) if choice else _USUAL_NAMES.get(role, ())
    if texts := {name: prompts[name] for name in wanted if name in prompts}:
        rest["prompts"] = texts
    if choice:
        rest["prompt_names"] = {"roles": {role: choice.name}}
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
    """The prompt of a role and a task.

    Parameters
    ----------
    prompts, prompt_names
        Of the model entry; its names go before the model's own.
    own, default_name
        The prompts that the model's files hold, and which of them is put before texts without a role.

    Returns
    -------
    str or None
        None is no prompt. A role other than ``"text"`` never falls back on the model's default prompt: in
        sentence-transformers neither does.

    Raises
    ------
    KeyError
        Neither the entry nor the model has a prompt of the chosen name.
    """
    known = {**own, **prompts}
    choice = chosen(prompt_names, role=role, task=task)
    if choice:
        return None if choice.name is None else known[choice.name]
    if role in _USUAL_NAMES:
        return next((known[name] for name in _USUAL_NAMES[role] if known.get(name)), None)
    # The model's own text: what `prompts` of the entry holds is used by name only
    return None if default_name is None else own.get(default_name)


def prompt_problems(prompt: object, prompts: Any, prompt_names: Any) -> list[str]:
    """What is wrong with the three keys, one sentence each."""
    if not isinstance(prompts, Mapping) or not all(_are_texts(pair) for pair in prompts.items()):
        return [f'prompts: {prompts!r} is no map of names to texts. Write e.g. query: "query: ".']
    if not isinstance(prompt_names, Mapping) or not all(
        isinstance(part, Mapping) for part in prompt_names.values()
    ):
        return ["prompt_names: holds two maps, roles and tasks, e.g. {roles: {query: query}}."]
    problems = [
        f"prompt_names.{key}: there is no such part. Write roles or tasks."
        for key in prompt_names
        if key not in ("roles", "tasks")
    ]
    problems += _name_problems("prompt_names.roles", prompt_names.get("roles", {}))
    for task, names in prompt_names.get("tasks", {}).items():
        where = f"prompt_names.tasks.{task}"
        if isinstance(names, Mapping):
            problems += _name_problems(where, names)
        elif names is not None and not isinstance(names, str):
            problems.append(f"{where}: {names!r} is no name of a prompt; write a name, or null for none.")
    if prompt is not None and (prompts or prompt_names):
        problems.append(
            "prompt: is put before every text, whatever its role; prompts and prompt_names would never be "
            "used. Keep the one or the others."
        )
    return problems


def _name_problems(where: str, names: Mapping[str, Any]) -> list[str]:
    problems = [
        f"{where}.{role}: there is no such role. Write one of: {', '.join(ROLES)}."
        for role in names
        if role not in ROLES
    ]
    problems += [
        f"{where}.{role}: {name!r} is no name of a prompt; write a name, or null for none."
        for role, name in names.items()
        if name is not None and not isinstance(name, str)
    ]
    return problems


def _are_texts(pair: tuple[Any, Any]) -> bool:
    return all(isinstance(part, str) for part in pair)
