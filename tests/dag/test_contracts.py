"""What every rule of the workflow keeps to (docs/architecture.md, contracts 2 to 5)."""

import re
import subprocess
import sys
from ast import literal_eval

import pytest
import yaml
from workflow_copy import PACKAGE, REPOSITORY, RuleFacts, command_line, copy_workflow, rule_facts

from sentflow.cli.rule_requests import rule_requests
from sentflow.encoders.kinds.table import KINDS
from sentflow.graph.products import known_products
from sentflow.graph.provenance import code
from sentflow.graph.targets import code_of_page, code_of_product
from sentflow.retrieval.indexes.table import KINDS as INDEX_KINDS
from sentflow.training.recipes.table import RECIPES

# Its bytes are decided by the checksum in the catalog, whatever code fetched them.
WITHOUT_CODE = {"download"}
# The module of an encoder's kind is imported by name, and counts with the command.
OF_A_KIND = {"embed", "fetch_model", "probe_lazy", "rerank", "train"}
# The back end of a kind of index counts, and no other.
OF_AN_INDEX = {"build_index", "search_index", "certify_index"}
# The module that makes one of them counts, and no other.
OF_PRODUCTS = {"table", "figure", "check"}
# The same command under another protocol, or for another form of vectors: rules that inherit all but their outputs.
INHERITED = "_study"
INHERITS = {"embed_sparse": "embed", "table_of_matrix": "table"}
HEAVY = {"jinja2", "matplotlib", "numpy", "pandas", "pyarrow", "requests", "scipy", "sklearn", "torch"}


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> list[RuleFacts]:
    """Every rule that runs jobs, in an experiment that needs them all."""
    project = copy_workflow(tmp_path_factory.mktemp("contracts") / "project")
    (project / "cranfield.run").write_text("1 Q0 1 1 1.0 tag\n", "utf-8")
    (project / "mine.py").write_text("class Mine:\n    def embed(self, a, b, task, split): ...\n", "utf-8")
    models = ["minilm-l6", "tfidf", "mine", "own", "round", "titles"]
    of_laws = {"title": "Laws", "language": "vi", "data_version": "raw"}
    prompted = {"prompts": {"law": "Lei: "}, "prompt_names": {"tasks": {"T1B-tiny": "law"}}}
    facts = rule_facts(
        project,
        {
            "models": {
                "mine": {"kind": "custom", "custom": "mine.py:Mine"},
                "own": {
                    "kind": "trained",
                    "recipe": "simcse",
                    "start": "minilm-l6",
                    "data": "sentences-sample",
                    "seeds": [1, 2],
                    "training": {"steps": 4, "learning_rate": 1e-5, "snapshots": 2},
                    "selection": {"pairs": "STSB-train"},
                },
                "round": {
                    "kind": "trained",
                    "recipe": "bi-encoder",
                    "start": "minilm-l6",
                    "data": "mined",
                    "seed": 1,
                    "training": {"steps": 4, "learning_rate": 1e-5},
                },
                "titles": {
                    "kind": "trained",
                    "recipe": "bi-encoder",
                    "start": "minilm-l6",
                    "data": "relations",
                    "seed": 1,
                    "training": {"steps": 4, "learning_rate": 1e-5},
                },
                "minilm-l6": prompted,
                "cross": {"kind": "cross-encoder", "source": {"folder": "cross"}},
                "terms": {"kind": "splade", "source": {"folder": "terms"}},
            },
            "select": {
                "tasks": ["T1B-tiny", "T2A-open"],
                "models": models,
                "pair_sets": ["STSB-dev"],
                "alignments": ["STSB-dev"],
                "regressions": ["STSB"],
                "question_sets": ["cranfield", "zalo-subset-test"],
                "retrievers": [
                    *(
                        "bm25",
                        "minilm-passages",
                        "by-tokens",
                        "near",
                        "rrf",
                        "again",
                        "weighed",
                        "elsewhere",
                        "random-order",
                        "tuned",
                    ),
                ],
                "decisions": ["first"],
            },
            "corpora": {"cranfield": {"shards": 2}},
            "training_data": {
                "mined": {
                    **of_laws,
                    "form": "triplets",
                    "questions": ["zalo-subset-train"],
                    "negatives": {"retriever": "bm25"},
                },
                "titles": {**of_laws, "form": "pairs", "collections": {"corpora": ["zalo-subset"]}},
                "relations": {
                    **of_laws,
                    "form": "pairs",
                    "combined": {"data": ["titles"], "without_texts_of": {"tasks": ["T1B-tiny"]}},
                },
            },
            "retrievers": {
                "elsewhere": {
                    "kind": "run",
                    "files": {"cranfield": "cranfield.run", "zalo-subset-test": "cranfield.run"},
                },
                "by-tokens": {"kind": "dense", "model": "minilm-l6", "passages": "tokens-200"},
                "near": {"kind": "dense", "model": "minilm-l6", "index": {"kind": "hnsw"}},
                "again": {"kind": "rerank", "of": "bm25", "model": "cross"},
                "weighed": {"kind": "sparse", "model": "terms"},
                "tuned": {
                    "kind": "fusion",
                    "of": ["bm25", "minilm"],
                    "rule": "sum",
                    "weights": {"tuned_on": ["npl"]},
                },
            },
            "retrieval": {
                "stages": {
                    "series": ["alone"],
                    "of": [{"title": name, "retrievers": [name]} for name in ("bm25", "rrf")],
                }
            },
            "study": {"protocols": ["corrected"]},
            "report": {"tables": ["scores", "intervals", "tasks", "protocols", "costs", "ledger"]},
        },
        targets=["all", "exports"],
    )
    assert {rule.name for rule in facts if rule.is_target} == {
        "all",
        "audits",
        "comparisons",
        "checks",
        "embeddings",
        "exports",
        "figures",
        "ledger",
        "probes",
        "scores",
        "similarities",
        "sources",
        "tables",
        "trainings",
    }
    return [rule for rule in facts if not rule.is_target]


def command_of(rule: RuleFacts) -> str:
    return INHERITS.get(rule.name, rule.name.removesuffix(INHERITED))


def test_every_rule_has_jobs_and_every_command_is_a_rule(rules):
    commands = {path.stem for path in (REPOSITORY / PACKAGE / "commands").glob("*.py")} - {"__init__"}
    assert {command_of(rule) for rule in rules} == commands
    assert [rule.name for rule in rules if not rule.params] == []


def test_rules_call_the_command_of_their_name(rules):
    for rule in rules:
        assert not rule.runs_python, f"{rule.name}: only shell, no run, script, notebook or wrapper"
        called = re.findall(r"python -m (\S+)", rule.shell or "")
        assert called == [f"sentflow.commands.{command_of(rule)}"], rule.name
        assert rule.shell.endswith(" > {log:q} 2>&1"), f"{rule.name}: output goes to the log"


def test_whatever_is_put_into_a_command_line_is_quoted(rules):
    for rule in rules:
        unquoted = [name for name in re.findall(r"\{([^}]+)\}", rule.shell) if not name.endswith(":q")]
        assert set(unquoted) <= {"threads"}, rule.name


def test_rules_have_docstring_log_benchmark_threads_memory_and_time(rules):
    source = "".join(
        file.read_text(encoding="utf-8") for file in (REPOSITORY / "workflow/rules").rglob("*.smk")
    )
    texts = dict(
        re.findall(r"^rule (\w+):\n(.*?)(?=^(?:use )?rule |\Z)", source, flags=re.MULTILINE | re.DOTALL)
    )
    for rule in rules:
        assert rule.docstring, rule.name
        assert [file.startswith(f"results/logs/{rule.name}/") for file in rule.log] == [True], rule.name
        assert rule.benchmark.startswith(f"results/benchmarks/{rule.name}/"), rule.name
        assert rule.benchmark.endswith(".jsonl"), rule.name
        assert "    threads: " in texts[command_of(rule)], (
            f"{rule.name} does not say how many threads it uses"
        )
        for resources in rule.resources:
            assert isinstance(resources["mem_mb"], int), rule.name
            assert isinstance(resources["runtime"], int), rule.name


def test_jobs_of_a_cluster_ask_for_more_when_they_are_repeated(rules):
    submitted = [rule for rule in rules if not rule.is_local]
    assert {"generate", "embed", "probe", "score"} <= {rule.name for rule in submitted}
    for rule in submitted:
        for first, second in zip(rule.resources, rule.resources_again, strict=True):
            assert second["mem_mb"] > first["mem_mb"], f"{rule.name} asks for as little memory again"
            assert second["runtime"] > first["runtime"], f"{rule.name} asks for as little time again"


def test_what_rules_ask_for_is_read_from_their_text_as_snakemake_reads_it(rules):
    asked = rule_requests(REPOSITORY / "workflow" / "rules")
    assert asked.keys() == {rule.name for rule in rules}
    for rule in rules:
        said = asked[rule.name]
        assert {(said.memory_mb, said.minutes)} == {
            (resources["mem_mb"], resources["runtime"]) for resources in rule.resources
        }, rule.name
        assert said.is_local == rule.is_local, rule.name


def test_what_needs_a_network_is_never_submitted_to_a_cluster(rules):
    assert {"download", "fetch_model"} <= {rule.name for rule in rules if rule.is_local}


def test_params_are_plain_values(rules):
    for rule in rules:
        kinds = {type(value) for params in rule.params for value in params.values()}
        assert kinds <= {str, int, float, bool}, rule.name


def test_param_functions_take_wildcards_only(rules):
    for rule in rules:
        assert all(names == ["wildcards"] for names in rule.param_functions_take), rule.name


def test_params_carry_the_digest_of_the_code(rules):
    for rule in rules:
        digests = {params.get("code") for params in rule.params}
        command = f"sentflow.commands.{command_of(rule)}"
        if command_of(rule) in OF_A_KIND:
            if rule.name == "train":
                named = {recipe.module for recipe in RECIPES.values()}
            else:
                makers = {kind.fetcher if "fetch" in rule.name else kind.module for kind in KINDS.values()}
                named = makers - {""}
            assert digests <= {code(command, module) for module in named}, rule.name
        elif rule.name in OF_AN_INDEX:
            named = {kind.module for kind in INDEX_KINDS.values()}
            assert digests <= {code(command, module) for module in named}, rule.name
        elif (kind := command_of(rule)) in OF_PRODUCTS:
            makers = {product.module for product in known_products() if product.kind == kind}
            assert digests <= {code_of_product(kind, module) for module in makers}, rule.name
            assert len(digests) > 1 or rule.name in INHERITS, rule.name
        elif rule.name == "report":
            assert digests == {code_of_page()}
        else:
            assert digests == {None if rule.name in WITHOUT_CODE else code(command)}, rule.name


def test_outputs_lie_below_results(rules):
    outputs = [output for rule in rules for output in rule.outputs]
    assert [output for output in outputs if not output.startswith("results/")] == []
    assert len(set(outputs)) == len(outputs)


def test_the_snakefile_stays_short():
    assert len((REPOSITORY / "Snakefile").read_text(encoding="utf-8").splitlines()) < 80


def test_reading_the_snakefile_imports_nothing_heavy():
    common = (REPOSITORY / "workflow/rules/common.smk").read_text(encoding="utf-8")
    imports = re.findall(r"^(?:from sentflow\S* )?import (?:\([^)]+\)|.+)$", common, flags=re.MULTILINE)
    assert any("load_experiment" in line for line in imports)
    program = "\n".join(
        [
            *imports,
            "import sys, yaml",
            "from pathlib import Path",
            f"root = Path({str(REPOSITORY)!r})",
            "config = yaml.safe_load((root / 'config.yaml').read_text(encoding='utf-8'))",
            "targets = Targets(load_experiment(config, root / 'workflow'))",
            "targets.results(), code('sentflow.commands.report'), versions('torch')",
            "sys.stdout.write(' '.join({name.partition('.')[0] for name in sys.modules}))",
        ]
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert HEAVY & set(done.stdout.split()) == set()


def test_no_package_file_runs_at_import():
    # These packages name their entry points, which are looked up when asked for.
    full = [file for file in (REPOSITORY / PACKAGE).rglob("__init__.py") if file.stat().st_size]
    assert sorted(file.parent.name for file in full) == ["probing", "sentflow", "sparse", "stats"]
    packages = "sentflow.probing, sentflow.sparse, sentflow.stats"
    look = f"import sys, {packages}; print(sorted({{m.split('.')[0] for m in sys.modules}}))"
    loaded = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True).stdout
    assert not set(literal_eval(loaded)) & {"numpy", "torch", "pandas", "scipy", "sklearn"}


@pytest.mark.parametrize(
    "name",
    [
        *("open-data", "protocol-effects", "sts", "legal-retrieval", "contrastive-small"),
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("ulysses", "korean-similarity", "portuguese-similarity", "retrieval")
        ),
    ],
)
def test_experiments_can_be_planned(tmp_path, name):
    project = copy_workflow(tmp_path / "project")
    file = REPOSITORY / f"experiments/{name}.yaml"
    outcome = command_line(project, "-n", "--quiet", "all", "--configfile", str(file))
    assert outcome.code == 0, outcome.text


@pytest.mark.slow
def test_the_zalo_pipeline_can_be_planned_with_what_users_write(tmp_path):
    project, own = copy_workflow(tmp_path / "project"), tmp_path / "mine.yaml"
    commits = {name: {"source": {"revision": "0" * 40}} for name in ("phobert-large", "vibert")}
    stop_words = {"vietnamese-zalo": {"stop_words": ["khoản"]}}
    own.write_text(yaml.safe_dump({"models": commits, "analysers": stop_words}), encoding="utf-8")
    experiment = REPOSITORY / "experiments/zalo.yaml"
    outcome = command_line(project, "-n", "--quiet", "rules", "--configfile", str(experiment), str(own))
    assert outcome.code == 0, outcome.text
    counts = dict(re.findall(r"^(\w+) +(\d+)$", outcome.text, flags=re.MULTILINE))
    # 4 language models, 8 rounds as published, 8 of the better variant; two of BM25 and one for each second round
    assert (counts["train"], counts["mine_training"]) == ("20", "10")


def test_the_default_experiment_needs_no_download(tmp_path):
    project = copy_workflow(tmp_path / "project")
    outcome = command_line(project, "-n", "--quiet", "rules")
    counts = dict(re.findall(r"^(\w+) +(\d+)$", outcome.text, flags=re.MULTILINE))
    assert outcome.code == 0, outcome.text
    assert (counts["probe"], counts["probe_lazy"], counts["score"]) == ("72", "18", "90")
    assert "download" not in counts


def test_lint_finds_nothing(tmp_path):
    outcome = command_line(copy_workflow(tmp_path / "project"), "--lint")
    assert outcome.code == 0, outcome.text
