"""Commands and configurations in the documentation: what a reader copies is understood."""

import re
import shlex
from pathlib import Path

import typer
import yte

from sentflow.cli.app import app
from sentflow.files.settings_files import parse_settings

REPOSITORY = Path(__file__).parents[2]


def test_documented_configurations_are_read_alike_by_snakemake_and_validate():
    pages = (*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/*.md"))
    blocks = [
        block
        for page in pages
        for block in re.findall(r"```yaml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    ]
    assert len(blocks) > 20
    for block in blocks:
        for document in re.split(r"^---$", block, flags=re.MULTILINE):
            ours = parse_settings(document, where="docs")
            assert ours and ours == yte.process_yaml(document, require_use_yte=True)


def test_documented_commands_of_sentflow_exist_with_their_options():
    group = typer.main.get_command(app)
    commands = {name: group.get_command(None, name) for name in group.list_commands(None)}
    found = 0
    for page in (*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/*.md")):
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        blocks = "\n".join(re.findall(r"```\w*\n(.*?)```", text, re.DOTALL))
        in_blocks = re.findall(r"^sentflow ([a-z][^\n#]*)", blocks, re.MULTILINE)
        for command in [*in_blocks, *re.findall(r"`sentflow ([a-z][^`\n]*)`", text)]:
            name, *words = shlex.split(command)
            assert name in commands, f"{page.name}: sentflow {command}"
            if name != "run":  # which takes the words of snakemake
                one = commands[name]
                while words and words[0] in getattr(one, "commands", {}):
                    one = one.commands[words.pop(0)]
                known = {option for parameter in one.params for option in parameter.opts} | {"--help"}
                options = {word.partition("=")[0] for word in words if word.startswith("--")}
                assert options <= known, f"{page.name}: sentflow {command}"
            found += 1
    assert found > 20
