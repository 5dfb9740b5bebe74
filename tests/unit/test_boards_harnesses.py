"""What evaluation harnesses publish: values by hand for each version, and what must never be read silently."""

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sentflow.boards.files import read_files
from sentflow.boards.scores import Options, Scores
from sentflow.errors import DataError

BOARDS = Path(__file__).parents[1] / "data" / "boards"


def read(*names: str | Path, **options: Any) -> Scores:
    return read_files([BOARDS / name for name in names], Options(**options))


def scores(found: Scores, key: str = "task") -> dict[tuple[str, str], float]:
    rows = found.rows
    return dict(zip(zip(rows["model"], rows[key], strict=True), rows["score"].tolist(), strict=True))


def changed(source: str, path: Path, **values: Any) -> Path:
    """A JSON file with other values at its top."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**json.loads((BOARDS / source).read_text()), **values}))
    return path


TINY, BIG = "acme/tiny-embed", "other_lab/big embed v2"
CLONE = "mteb/results_repository/results"
REVISION = f"{CLONE}/acme__tiny-embed/0123456789abcdef0123456789abcdef01234567"


def test_mteb_reads_files_of_all_versions() -> None:
    found = scores(read("mteb/results_repository", duplicates="first"))
    assert found[TINY, "STS17"] == pytest.approx(
        (0.861 + 0.295) / 2
    )  # before 1.11: subsets, nested, no main score
    assert found[TINY, "SprintDuplicateQuestions"] == 0.96  # max_ap
    assert found[TINY, "StackOverflowDupQuestions"] == 0.5012  # map
    assert found[TINY, "Banking77Classification"] == 0.7612
    assert found[TINY, "STS22"] == pytest.approx((0.68 + 0.61) / 2)  # one of three entries is a repetition
    assert found["acme/tiny-embed (embed_dim=64)", "ArguAna"] == 0.377  # an experiment is another model
    assert found[BIG, "ArguAna"] == 0.538  # the name is that of the metadata, not that of the folder


@pytest.mark.parametrize("task", ["MindSmallReranking", "CMedQAv1"])
def test_mteb_old_files_of_renamed_metrics_and_tasks_have_a_main_score(task: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(
        json.dumps({"mteb_dataset_name": task, "test": {"map": 0.3, "mrr": 0.4}})
    )
    assert read(tmp_path / "a.json").rows["score"].tolist() == [0.3]


def test_mteb_takes_the_split_of_the_definition() -> None:
    """AFQMC is evaluated on validation; its test split is NaN."""
    assert scores(read(f"{REVISION}/AFQMC.json")) == {(TINY, "AFQMC"): 0.233}


def test_mteb_means_are_over_subsets_that_all_models_have() -> None:
    task = "MassiveIntentClassification"
    found = read(CLONE, duplicates="first", tasks=frozenset({task}))
    assert scores(found) == {(TINY, task): 0.704, (BIG, task): 0.744}
    assert any("1 of 2" in note for note in found.notes)
    alone = scores(read(f"{REVISION}/{task}.json"))
    assert alone[TINY, task] == pytest.approx((0.704 + 0.624) / 2)
    german = read(CLONE, tasks=frozenset({f"{task}:de"}))
    assert scores(german) == {(TINY, f"{task}:de"): 0.624}


def test_mteb_models_without_a_common_subset_are_refused(tmp_path: Path) -> None:
    entry = {"main_score": 0.5, "hf_subset": "pl", "languages": ["pol-Latn"]}
    other = changed(
        f"{REVISION}/MassiveIntentClassification.json",
        tmp_path / "lab__other" / "x" / "MassiveIntentClassification.json",
        scores={"test": [entry]},
    )
    with pytest.raises(DataError, match="MassiveIntentClassification .*pl of 1 models"):
        read(f"{REVISION}/MassiveIntentClassification.json", other)


def test_mteb_revisions_and_caches_that_differ_are_refused_by_name() -> None:
    for name in (CLONE, "mteb/cache", "mteb/leaderboard/results.parquet"):
        with pytest.raises(DataError, match="--duplicates") as raised:
            read(name)
        assert TINY in str(raised.value)
    assert scores(read("mteb/cache", duplicates="first")) == {(TINY, "ArguAna"): 0.4122}  # the newer one
    assert scores(read(CLONE, duplicates="first"))[TINY, "AFQMC"] == 0.233  # a named revision


def test_mteb_export_is_read_like_the_files() -> None:
    found = scores(read("mteb/leaderboard/results.parquet", without=frozenset({"AFQMC"})))
    assert found[TINY, "MassiveIntentClassification"] == 0.704
    assert found[BIG, "ArguAna"] == 0.538


def test_mteb_other_metrics_can_be_chosen() -> None:
    found = read(f"{REVISION}/ArguAna.json", metric="ndcg_at_1")
    assert scores(found) == {(TINY, "ArguAna"): 0.2884}
    assert found.rows["metric"].tolist() == ["ndcg_at_1"]


def test_mteb_names_models_by_folders_where_nothing_else_says_them(tmp_path: Path) -> None:
    for below, name in (
        ("results/lab__a__b/1234567", "lab/a__b"),
        ("results/lab__a__b/1234567/experiments/dim_64", "lab/a__b (dim_64)"),
        ("old/lab__c", "lab/c"),
    ):
        path = changed(f"{REVISION}/ArguAna.json", tmp_path / below / "ArguAna.json")
        assert read(path).rows["model"].tolist() == [name]


def test_mteb_predictions_and_speed_are_no_scores(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="judgements"):
        read("mteb/predictions")
    shutil.copytree(BOARDS / REVISION, tmp_path / "a__b" / "1234567")
    changed(
        f"{REVISION}/ArguAna.json",
        tmp_path / "a__b" / "1234567" / "GPUSpeedTask.json",
        task_name="GPUSpeedTask",
    )
    assert "GPUSpeedTask" not in read(tmp_path).rows["task"].tolist()


def test_mteb_repeated_subsets_that_differ_are_refused(tmp_path: Path) -> None:
    twice = [{"main_score": score, "hf_subset": "en"} for score in (0.5, 0.6)]
    path = changed(f"{REVISION}/ArguAna.json", tmp_path / "ArguAna.json", scores={"test": twice})
    with pytest.raises(DataError, match="twice"):
        read(path)


LM_EVAL = "lm_eval/v0.4.12"
CHOSEN: dict[str, Any] = {
    "metric": "acc",
    "metric_of": {"gsm8k": "exact_match,strict-match"},
    "without": frozenset({"wikitext"}),
}


def test_lm_eval_asks_for_the_metric_and_takes_documents() -> None:
    with pytest.raises(DataError, match=r"gsm8k \(exact_match,strict-match; exact_match,flexible-extract\)"):
        read(LM_EVAL)
    found = read(LM_EVAL, **CHOSEN)
    rows = found.rows[found.rows["task"] == "gsm8k"]
    by_item = rows.pivot_table(index="item", columns="model", values="score")
    assert by_item.mean().to_dict() == pytest.approx({"acme/tiny-13b": 4 / 6, "acme/tiny-7b": 3 / 6})
    assert len(by_item) == 6 and not by_item.isna().any(axis=None)  # paired by hashes
    whole = scores(found)
    assert whole["acme/tiny-13b", "mmlu_virology"] == 0.4  # no samples beside
    assert "mmlu" not in found.rows["task"].tolist()  # a group
    assert {*found.rows.loc[found.rows["task"].str.startswith("mmlu"), "group"]} == {"mmlu"}


def test_lm_eval_perplexity_has_no_items_and_lower_is_better() -> None:
    found = read(LM_EVAL, tasks=frozenset({"wikitext"}), metric="word_perplexity")
    assert scores(found) == {("acme/tiny-13b", "wikitext"): 10.3, ("acme/tiny-7b", "wikitext"): 11.3}
    assert found.rows["item"].eq("").all() and not found.rows["higher_is_better"].any()


def test_lm_eval_reads_earlier_versions() -> None:
    found = read("lm_eval/v0.3", tasks=frozenset({"arc_easy"}), metric="acc_norm")
    assert scores(found) == {("acme/tiny-7b", "arc_easy"): 0.5328}
    items = read("lm_eval/v0.4.2", metric="acc_norm")
    assert items.rows["score"].tolist() == [1.0, 0.0, 0.0, 1.0]


def test_lm_eval_refuses_other_versions_and_shots_and_tells_of_seeds(tmp_path: Path) -> None:
    name = "results_2026-01-02T03-04-05.678901.json"
    ours = f"{LM_EVAL}/acme__tiny-7b/{name}"
    config = {"fewshot_seed": 1}
    other = changed(ours, tmp_path / "a" / name, model_name="lab/x", config=config)
    found = read(ours, other, metric="acc", tasks=frozenset({"mmlu_anatomy"}))
    assert any("fewshot_seed" in note for note in found.notes)
    for key in ("versions", "n-shot"):
        other = changed(ours, tmp_path / key / name, model_name="lab/x", **{key: {"gsm8k": 7}})
        with pytest.raises(DataError, match="gsm8k: not the same"):
            read(ours, other, **CHOSEN)
        read(ours, other, metric="acc", without=frozenset({"wikitext", "gsm8k"}))


def test_lm_eval_samples_alone_name_no_model(tmp_path: Path) -> None:
    samples = BOARDS / LM_EVAL / "acme__tiny-7b" / "samples_gsm8k_2026-01-02T03-04-05.678901.jsonl"
    assert read(samples, **CHOSEN).rows["model"].unique().tolist() == ["acme/tiny-7b"]
    shutil.copy(samples, tmp_path)
    with pytest.raises(DataError, match="names no model"):
        read(tmp_path)


def test_lm_eval_documents_that_occur_twice_are_two_items(tmp_path: Path) -> None:
    shutil.copytree(BOARDS / LM_EVAL / "acme__tiny-7b", tmp_path / "m")
    path = next((tmp_path / "m").glob("samples_gsm8k*"))
    lines = path.read_text().splitlines()
    again = json.loads(lines[0])
    path.write_text("\n".join([*lines, json.dumps({**again, "doc_id": 6, "exact_match": 0.0})]))
    rows = read(tmp_path, **CHOSEN).rows
    assert len(rows[rows["task"] == "gsm8k"]) == 7


LOG = "inspect/2026-01-02T03-04-05+00-00_toy-choice"


@pytest.mark.parametrize("ending", ["aaa.json", "aaa.eval"])
def test_inspect_items_are_means_over_epochs_without_errors(ending: str) -> None:
    found = read(f"{LOG}_{ending}", metric="choice")
    rows = found.rows
    assert dict(zip(rows["item"], rows["score"], strict=True)) == {
        "1": 1.0,
        "2": 0.5,
        "topic/3": 0.0,
        "4": 0.75,
        "5": 1.0,
    }
    assert any("1 samples ended in an error" in note for note in found.notes)


def test_inspect_zstandard_logs_pair_with_others() -> None:
    with pytest.raises(DataError, match="choice; length"):
        read("inspect")
    rows = read("inspect", metric="choice").rows
    assert rows.groupby("model")["score"].mean().to_dict() == pytest.approx(
        {"openai/azure/tiny": 0.65, "acme/tiny-7b": 0.85}
    )


def test_inspect_summaries_without_reductions_are_reduced_here(tmp_path: Path) -> None:
    path = changed(f"{LOG}_aaa.json", tmp_path / "log.json", reductions=None)
    assert read(path, metric="choice").rows["score"].tolist() == [1.0, 0.5, 0.0, 0.75, 1.0]


def test_inspect_logs_that_did_not_end_well_do_not_count(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="stopped"):
        read(f"{LOG}_stopped.json")
    path = changed(f"{LOG}_aaa.json", tmp_path / "log.json", invalidated=True)
    found = read(path, f"{LOG}_bbb_zstd.eval", metric="choice")
    assert found.rows["model"].unique().tolist() == ["acme/tiny-7b"]
    assert any("invalidated" in note for note in found.notes)


def test_inspect_other_arguments_are_another_task(tmp_path: Path) -> None:
    about = json.loads((BOARDS / f"{LOG}_aaa.json").read_text())["eval"]
    path = changed(f"{LOG}_aaa.json", tmp_path / "log.json", eval={**about, "task_args": {"cot": True}})
    tasks = read(path, f"{LOG}_aaa.json", metric="choice").rows["task"].unique().tolist()
    assert tasks == ["acme/toy_choice (cot=True)", "acme/toy_choice (cot=False)"]


def test_inspect_takes_the_last_of_members_of_one_name(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    shutil.copy(BOARDS / f"{LOG}_aaa.eval", path)
    last = [{"scorer": "choice", "reducer": "mean", "samples": [{"sample_id": 1, "value": 0.25}]}]
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("reductions.json", json.dumps(last))
    assert read(path, metric="choice").rows["score"].tolist() == [0.25]


def test_inspect_refuses_bombs_and_damage(tmp_path: Path) -> None:
    bomb, cut = tmp_path / "bomb.eval", tmp_path / "cut.eval"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", b" " * (20 << 20))
    with pytest.raises(DataError, match="bomb"):
        read(bomb)
    content = bytearray((BOARDS / f"{LOG}_bbb_zstd.eval").read_bytes())
    at = content.index(b"header.json") + 200
    content[at : at + 4] = b"\0\0\0\0"
    cut.write_bytes(content)
    with pytest.raises(DataError, match="Copy the log again"):
        read(cut)


SWE = "swe_bench/evaluation/verified"


def test_swe_bench_counts_all_issues_of_the_split() -> None:
    found = read("swe_bench/evaluation")
    rows = found.rows
    assert rows.groupby("model")["score"].mean().to_dict() == {
        "Acme Solver (Tiny)": 3 / 8,
        "Acme Solver (Big)": 5 / 8,
        "20260301_mini_tiny": 4 / 8,
    }
    assert rows.groupby("group")["item"].nunique().to_dict() == {"org/lib": 4, "org/web": 4}
    assert any("2+" in note for note in found.notes)


def test_swe_bench_issues_that_nobody_resolved_need_no_id() -> None:
    rows = read(f"{SWE}/20260102_acme_solver_tiny", f"{SWE}/20260203_acme_solver_big").rows
    assert rows.groupby("model")["score"].agg(["mean", "size"]).to_numpy().tolist() == [
        [5 / 8, 8],
        [3 / 8, 8],
    ]


def test_swe_bench_refuses_lists_without_what_they_are_out_of(tmp_path: Path) -> None:
    path = tmp_path / "evaluation" / "verified" / "x" / "results" / "results.json"
    changed(f"{SWE}/20260102_acme_solver_tiny/results/results.json", path)
    with pytest.raises(DataError, match="resolved_by_repo.json"):
        read(path)
    ids = tmp_path / "ids.txt"
    ids.write_text("".join(f"org__lib-{n}\n" for n in range(101, 111)) + "org__web-7\norg__web-10\n")
    rows = read(path, ids).rows
    assert (len(rows), rows["score"].sum()) == (12, 3)
    path.with_name("resolved_by_repo.json").write_text('{"org/lib": {"resolved": 2, "total": 1}}')
    with pytest.raises(DataError, match="org/lib"):
        read(path)


def test_swe_bench_reports_name_all_issues(tmp_path: Path) -> None:
    source = "swe_bench/harness_report/acme__tiny-7b.run_1.json"
    rows = read(source).rows
    assert rows["model"].unique().tolist() == ["acme/tiny-7b"]
    assert (rows["score"].sum(), len(rows)) == (3, 8)
    assert read(source, "swe_bench/evaluation").rows["model"].nunique() == 4  # the one split there is
    with pytest.raises(DataError, match="total_instances"):
        read(changed(source, tmp_path / "m.r.json", incomplete_ids=[]))


def test_swe_bench_site_is_in_percent() -> None:
    found = read("swe_bench/leaderboards.json", tasks=frozenset({"Verified"}))
    assert scores(found) == {
        ("Acme Solver (Big)", "Verified"): 62.5,
        ("Acme Solver (Tiny)", "Verified"): 37.5,
    }
    assert {*found.rows["unit"]} == {"percent"}
    items = read("swe_bench/leaderboards.json", tasks=frozenset({"bash-only"})).rows
    assert (len(items), items["score"].mean()) == (8, 50.0 if items["unit"].eq("percent").all() else 0.5)


def test_rewardbench_takes_items_where_they_lie_beside() -> None:
    first = read("rewardbench/v1")
    assert first.rows.groupby("task")["score"].agg(["mean", "size"]).to_numpy().tolist() == [
        [0.75, 4],  # alpacaeval-easy
        [0.75, 2],  # donotanswer: a tie counts a half
        [pytest.approx(2 / 3), 3],  # math-prm, as often as it has pairs
        [0.5, 2],  # mt-bench-hard
    ]
    assert any("weights" in note for note in first.notes)
    second = read("rewardbench/v2")
    ties = second.rows[second.rows["task"] == "Ties"]
    assert (ties["score"].tolist(), ties["item"].tolist()) == ([0.61], [""])
    assert second.rows[second.rows["task"] == "Factuality"]["score"].tolist() == [1.0, 0.5, 0.0]


def test_rewardbench_subsets_of_one_source_are_a_group() -> None:
    rows = read("rewardbench/v1/eval-set").rows
    assert rows["item"].eq("").all()
    assert dict(zip(rows["task"], rows["group"], strict=True))["alpacaeval-easy"] == "alpacaeval"


HELM = "helm/benchmark_output"
ANATOMY, VIROLOGY = (f"mmlu:subject={one},method=multiple_choice_joint" for one in ("anatomy", "virology"))


def test_helm_items_are_means_over_trials_of_unperturbed_texts() -> None:
    rows = read(f"{HELM}/runs").rows
    tiny = rows[rows["model"] == "acme/tiny-7b"].set_index(["task", "item"])["score"]
    assert tiny[ANATOMY].to_dict() == {"id10": 1.0, "id11": 0.0, "id12": 1.0, "id13": 1.0}
    assert tiny[VIROLOGY].to_dict() == {"id10": 0.5, "id11": 0.0, "id12": 0.5, "id13": 0.0}
    assert len(rows[(rows["model"] == "acme/tiny-13b") & (rows["task"] == ANATOMY)]) == 3  # a NaN was dropped
    assert {*rows["group"]} == {"mmlu"}


def test_helm_main_metrics_are_known_from_releases_only(tmp_path: Path) -> None:
    shutil.copytree(BOARDS / HELM / "runs", tmp_path / "runs")
    run = next((tmp_path / "runs").glob("*/*anatomy*7b"))
    stats = json.loads((run / "stats.json").read_text())
    other = {**stats[1], "name": {"name": "quasi_exact_match", "split": "test"}, "mean": 0.5}
    (run / "stats.json").write_text(json.dumps([*stats, other]))
    with pytest.raises(DataError, match="quasi_exact_match"):
        read(tmp_path)
    assert read(tmp_path, metric="exact_match").rows["item"].ne("").all()
    read(tmp_path, f"{HELM}/releases")


def test_helm_tables_are_read_without_win_rates_and_with_names_of_models() -> None:
    found = read(f"{HELM}/releases", unit="fraction")
    assert scores(found)["acme/tiny-7b", "MMLU"] == pytest.approx(5 / 12)
    assert {*found.rows["task"]} == {"MMLU", "The Pile"}
    assert not found.rows[found.rows["task"] == "The Pile"]["higher_is_better"].any()
    whole = scores(found)
    assert whole["acme/tiny-7b", "The Pile"] == 0.71
    assert "The Pile" not in {
        task for (model, task), own in whole.items() if model == "acme/tiny-13b" and own == own
    }


def test_helm_runs_go_before_the_tables_over_them() -> None:
    found = read(HELM)
    assert {*found.rows["task"]} == {ANATOMY, VIROLOGY}
    assert any("tables" in note for note in found.notes)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("results_1.json", '{"results": {"a": {"acc,none": 0.5}}, "versions": {}}'),
        ("a.json", '{"mteb_version": "1", "task_name": "A", "scores": {"test": [[]]}}'),
        (
            "b.json",
            '{"version": 2, "status": "success", "eval": {"model": "m", "task": "t"}, "reductions": [{"samples": 1}]}',
        ),
        ("leaderboards.json", '{"leaderboards": [{"results": 1}]}'),
        ("c.json", '[{"title": "", "header": [{"value": "Model", "metadata": 3}]}]'),
        ("d.json", '{"model": 1, "model_type": 1, "chat_template": 1, "x": {"a": 1}}'),
        ("e.json", '{"chat_template": null, "id": ["1"], "model": "m", "results": [], "subset": ["s"]}'),
        ("f.json", '{"chat_template": null, "id": ["1"], "model": null, "results": [1], "subset": ["s"]}'),
    ],
)
def test_files_of_another_form_are_refused_as_data(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError):
        read(tmp_path)


def test_lighteval_takes_documents_and_drops_averages() -> None:
    found = read("lighteval/v0.13")
    rows = found.rows
    assert {*rows["task"]} == {"mmlu:anatomy|5", "mmlu:virology|5", "glue:cola|0"}
    assert rows.groupby("task")["score"].mean().to_dict() == pytest.approx(
        {"mmlu:anatomy|5": 0.75, "mmlu:virology|5": 1 / 3, "glue:cola|0": 0.167}
    )
    assert rows[rows["task"] == "mmlu:anatomy|5"]["item"].tolist() == ["0", "1", "2", "3"]
    assert {*rows[rows["task"].str.startswith("mmlu")]["group"]} == {"mmlu"}
    with pytest.raises(DataError, match="names no model"):
        read("lighteval/v0.13/details")


def test_lighteval_before_011_has_documents_in_the_order_of_rows() -> None:
    with pytest.raises(DataError, match=r"arc:challenge\|25 \(acc; acc_norm\)"):
        read("lighteval/v0.9")
    rows = read("lighteval/v0.9", metric="acc_norm").rows
    assert rows[["item", "score"]].to_numpy().tolist() == [["0", 0.0], ["1", 1.0], ["2", 0.0]]
    assert {*rows["task"]} == {"arc:challenge|25"}  # without the suite


def test_lighteval_metrics_over_a_corpus_have_no_items(tmp_path: Path) -> None:
    folder = shutil.copytree(BOARDS / "lighteval/v0.13", tmp_path / "board")
    (path,) = (folder / "results").rglob("*.json")
    value = json.loads(path.read_text())
    value["config_tasks"]["mmlu:anatomy|5"]["metrics"][0]["corpus_level_fn"] = "matthews_corrcoef"
    path.write_text(json.dumps(value))
    rows = read(folder).rows
    assert rows[rows["task"] == "mmlu:anatomy|5"]["item"].tolist() == [""]


def test_open_llm_leaderboards_count_what_they_counted() -> None:
    first = read("lighteval/open_llm_leaderboard_v1").rows.set_index("task")
    assert first["score"]["arc:challenge|25"] == 0.5461  # acc_norm
    assert first["score"]["truthfulqa:mc|0"] == 0.4356  # mc2
    assert first["group"]["hendrycksTest-anatomy|5"] == first["group"]["hendrycksTest-virology|5"] != ""
    second = read("lighteval/open_llm_leaderboard_v2")
    assert scores(second)["acme/tiny-13b", "BBH"] == 26.9
    assert scores(second)["acme/tiny-7b (float16)", "BBH"] == 19.2  # one model, twice
    assert {*second.rows["task"]} == {"IFEval", "BBH", "MATH Lvl 5"}
    assert scores(read("lighteval/open_llm_leaderboard_v2", metric="raw"))["acme/tiny-13b", "BBH"] == 0.4893
