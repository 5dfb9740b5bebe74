"""What is wrong with the prompts of a model entry."""

from collections.abc import Mapping
from typing import Any

from sentflow.encoders.roles import SIDES, TEXT


def prompt_problems(prompt: object, prompts: Any, prompt_names: Any) -> list[str]:
    """What is wrong with the three keys, one sentence each."""
    if not isinstance(prompts, Mapping) or not all(_are_texts(pair) for pair in prompts.items()):
        return [f'prompts: {prompts!r} is no map of names to texts. Write e.g. query: "query: ".']
    if not isinstance(prompt_names, Mapping) or not all(
        isinstance(part, Mapping) for part in prompt_names.values()
    ):
        return ["prompt_names: holds two maps, roles and tasks, e.g. {tasks: {T1A: name}}."]
    problems = [
        f"prompt_names.{key}: there is no such part. Write roles or tasks."
        for key in prompt_names
        if key not in ("roles", "tasks")
    ]
    for role, name in prompt_names.get("roles", {}).items():
        if role != TEXT:
            problems.append(
                f"prompt_names.roles.{role}: all texts have the role text, but for tasks that tell queries and "
                f"documents apart. Write text, or prompt_names.tasks.TASK: {{query: NAME, document: NAME}}."
            )
        problems += _name_problem(f"prompt_names.roles.{role}", name)
    for task, names in prompt_names.get("tasks", {}).items():
        where = f"prompt_names.tasks.{task}"
        if not isinstance(names, Mapping):
            problems += _name_problem(where, names)
            continue
        if set(names) not in ({TEXT}, set(SIDES)):
            problems.append(
                f"{where}: has {', '.join(map(str, names)) or 'nothing'}. Write {{text: NAME}} for all texts of the "
                "task, or {query: NAME, document: NAME} for its first and its second texts."
            )
        problems += [
            problem for role, name in names.items() for problem in _name_problem(f"{where}.{role}", name)
        ]
    if prompt is not None and (prompts or prompt_names):
        problems.append(
            "prompt: is put before every text, whatever its role; prompts and prompt_names would never be "
            "used. Keep the one or the others."
        )
    return problems


def _name_problem(where: str, name: Any) -> list[str]:
    if name is None or isinstance(name, str):
        return []
    return [f"{where}: {name!r} is no name of a prompt; write a name, or null for none."]


def _are_texts(pair: tuple[Any, Any]) -> bool:
    return all(isinstance(part, str) for part in pair)
