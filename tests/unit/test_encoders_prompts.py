"""Which prompt belongs to a role and a task."""

from sentflow.encoders.prompts import prompt_text, prompted_tasks, roles_of_texts

OWN = {"default": "Texto: ", "query": "Pergunta: ", "document": "", "passage": "Trecho: "}


def text_for(role="text", task=None, prompts=None, default_name="default", **names):
    return prompt_text(prompts or {}, names, role=role, task=task, own=OWN, default_name=default_name)


def test_texts_get_the_models_default_prompt_if_it_has_one():
    assert text_for() == "Texto: "
    assert text_for(default_name=None) is None


def test_queries_and_documents_get_the_usual_names_and_never_the_default():
    assert text_for("query") == "Pergunta: "
    assert text_for("document") == "Trecho: "  # "document" is there and empty, so the next name counts
    assert prompt_text({}, {}, role="query", task=None, own={"d": "x"}, default_name="d") is None


def test_the_entrys_prompts_go_before_the_models_own():
    assert text_for("query", prompts={"query": "Q: "}) == "Q: "
    assert text_for(prompts={"default": "D: "}) == "Texto: "  # used by name only
    assert text_for(prompts={"default": "D: "}, roles={"text": "default"}) == "D: "


def test_a_task_goes_before_a_role_and_null_is_no_prompt():
    names = {"roles": {"text": "query"}, "tasks": {"F1A": "passage", "F1B": None, "G1": {"query": "passage"}}}
    assert text_for(**names) == "Pergunta: "
    assert text_for(task="F1A", **names) == "Trecho: "
    assert text_for(task="F1B", **names) is None
    # G1 says something about queries only
    assert text_for(task="G1", **names) == "Pergunta: "
    assert text_for("query", task="G1", **names) == "Trecho: "


def test_tasks_with_a_prompt_are_embedded_apart_and_may_tell_first_and_second_texts_apart():
    tasks = {"F1A": "law", "F1B": None, "G1": {"query": "law", "document": None}, "G2": {"text": "law"}}
    assert prompted_tasks({"prompt_names": {"tasks": tasks}}) == {"F1A", "F1B", "G1", "G2"}
    roles = {task: roles_of_texts({"tasks": tasks}, task) for task in [*tasks, None]}
    assert roles.pop("G1") == ("query", "document")
    assert set(roles.values()) == {("text",)}
    assert prompted_tasks({"prompt_names": {"roles": {"text": "law"}}}) == prompted_tasks({}) == set()
