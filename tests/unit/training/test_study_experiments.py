"""Experiments that read files of the user: what they ask for, and what they train as published."""

import pytest
import yaml
from experiments import REPOSITORY, experiment

from sentflow.errors import ConfigError
from sentflow.families.training.family import Training
from sentflow.report.families.training.sweeps import AXES

COMMIT = {"source": {"revision": "0" * 40}}
# What the user writes: commits of starts, files of corpora, stop words
STARTS = {
    "contrastive-study": ("ko-bert", "kr-bert", "m-bert"),
    "sparse": ("bert-base", "distilbert-base"),
    "zalo": ("phobert-large", "vibert"),
}
CORPORA = {
    "contrastive-study": (
        "wiki1m", "nli-for-simcse", "all-nli-labelled", "korean-news-1m", "korean-news-normalized-1m",
        "korean-wiki-len15-1m", "snli-ko-texts",
    ),
    "sparse": ("msmarco-scored", "msmarco-labelled"),
    "zalo": ()
}  # fmt: skip


def read(name):
    return yaml.safe_load((REPOSITORY / name).read_text(encoding="utf-8"))


def with_files(name, folder, models=None, *, more=()):
    """The experiment with a dummy commit of each start and an empty file for each corpus."""
    files = {corpus: folder / f"{corpus}.tsv" for corpus in (*CORPORA[name], *more)}
    for file in files.values():
        file.touch()
    own = {
        "models": models or dict.fromkeys(STARTS[name], COMMIT),
        "training_data": {corpus: {"file": str(file)} for corpus, file in files.items()},
        "analysers": {"vietnamese-zalo": {"stop_words": ["khoản"]}},
    }
    if more:
        own["sweeps"] = {"self-guided-korean-news": {"run": "all"}}
    return experiment(read(f"experiments/{name}.yaml"), own)


@pytest.mark.parametrize("name", STARTS)
def test_an_experiment_asks_for_every_commit_and_every_file_that_nobody_published(name):
    with pytest.raises(ConfigError) as told:
        experiment(read(f"experiments/{name}.yaml"))
    text = str(told.value)
    wanted = [f"models.{start}.source.revision: " for start in STARTS[name]]
    wanted += [f"training_data.{corpus}.file: " for corpus in CORPORA[name]]
    if name == "zalo":
        wanted.append("analysers.vietnamese-zalo.stop_words.file: ")
        words = read("workflow/catalog/analysers.yaml")["vietnamese-zalo"]["stop_words"]
        assert words["source"] in text and words["sha256"] in words["source"]
    assert all(one in text for one in wanted)
    assert f"{len(wanted)} mistakes" in text


def test_the_contrastive_study_trains_every_published_cell(tmp_path):
    study = with_files("contrastive-study", tmp_path)
    cells = [entry for entry in study.models.values() if "cell" in entry]
    assert len(cells) == 8 + 72 + 4
    name = "contrastive-korean.whitespace-no-dropout.korean-news-1m.kr-bert.lr-1e-5.length-32.seed-42"
    cell = study.models[name]
    assert cell["settings"]["permute"] == ["whitespace"] and cell["settings"]["dropout"] == 0
    assert (cell["training"]["learning_rate"], cell["training"]["steps"]) == (1e-5, 15625)
    with_news = with_files("contrastive-study", tmp_path, more=["korean-news"])
    ours, theirs = set(), set()
    for sweep in Training(with_news).published["training-sweep"]:
        ours |= {tuple(cell[2:]) for cell in sweep["cells"] if cell[1] == "value"}
        columns = [sweep["published"]["columns"].index(key) for key in AXES]
        theirs |= {tuple(row[column] for column in columns) for row in sweep["published"]["rows"]}
    assert theirs - ours == {("m-bert", None, "none", 128, None)}  # which nobody trained


def test_the_study_of_consert_is_trained_by_its_own_presets_and_stands_below_its_own_rows(tmp_path):
    study = with_files("contrastive-study", tmp_path)
    settings = study.models["consert-study-joint-seed-1"]["settings"]
    assert settings["pair_features"] == "difference"
    assert [view["name"] for view in settings["views"]] == ["token-cutoff", "none"]
    rows = read("workflow/catalog/published_similarity.yaml")["sts"]
    of_study = [row for row in rows if row["section"] == "ConSERT" and "study" in row["source"]]
    trained = {entry.get("seed_of") for name, entry in study.trained_models.items() if "-study-" in name}
    assert {row["trained"] for row in of_study} == trained


def test_starts_may_be_folders_and_published_cells_stay_beside_ours(tmp_path):
    # of a commit that the catalog lacks, and of one that the experiment pins
    own = {
        name: {"source": {"folder": f"models/{name}"}} for name in (*STARTS["contrastive-study"], "bert-base")
    }
    study = with_files("contrastive-study", tmp_path, own)
    assert {name: study.entries["models"][name]["source"] for name in own} == {
        name: entry["source"] for name, entry in own.items()
    }
    sweeps = Training(study).published["training-sweep"]
    start = [sweep["published"]["columns"].index("start") for sweep in sweeps]
    published = {
        row[column] for sweep, column in zip(sweeps, start, strict=True) for row in sweep["published"]["rows"]
    }
    assert {"ko-bert", "kr-bert", "bert-base"} <= published & {
        cell[2] for one in sweeps for cell in one["cells"]
    }
