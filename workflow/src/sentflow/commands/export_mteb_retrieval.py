"""Rule export_mteb_retrieval: what dense retrievers found → MTEB's result files, laid out as in its results folder."""

import argparse
import hashlib
import json
import logging
from pathlib import Path

from sentflow.exports.identity import REVISION_DIGITS
from sentflow.exports.mteb import model_meta, retrieval_measures, retrieval_result, run_settings
from sentflow.exports.scores import ModelFacts
from sentflow.files.io import read_json, write_json, write_text
from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.evaluation import evaluate
from sentflow.retrieval.runs import read_run
from sentflow.texts.corpora import read_corpus, read_questions

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    one_each = "of each question set, in the order of the settings"
    for name in ("corpora", "questions", "judgements"):
        parser.add_argument(f"--{name}", type=Path, nargs="+", required=True, help=one_each)
    parser.add_argument(
        "--digests", type=Path, nargs="+", required=True, help="of corpora, questions, judgements, likewise"
    )
    parser.add_argument("--runs", type=Path, nargs="+", required=True, help="question set after question set")
    parser.add_argument(
        "--manifests", type=Path, nargs="+", required=True, help="of each retriever's encoder"
    )
    parser.add_argument("--versions", type=Path, required=True, help="versions of the record")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"question_sets": {name: {"task", "language"}}, "order": [question sets, retrievers], '
        '"retrievers": external names}',
    )
    parser.add_argument(
        "--output", type=Path, nargs="+", required=True, help="files {owner__model}/{revision}/{name}"
    )


@command(arguments, libraries=["numpy", "ir-measures", "pytrec-eval-terrier", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Read, measure, write."""
    settings, versions = json.loads(args.settings), read_json(args.versions)
    sets, retrievers = settings["order"]
    models = {name: ModelFacts(**settings["retrievers"][name]) for name in retrievers}
    file_of = {"/".join(file.parts[-3:]): file for file in args.output}
    runs = iter(args.runs)
    for place, name in enumerate(sets):
        task = settings["question_sets"][name]
        corpus = read_corpus(args.corpora[place])
        questions = read_questions(args.questions[place], args.judgements[place])
        revision = _revision(args.digests[place :: len(sets)])
        for retriever in retrievers:
            about, run = read_run(next(runs), corpus.ids)
            names = retrieval_measures(about["depth"])
            found = evaluate(run, questions, corpus, list(names.values())).values
            values = {key: found[measure] for key, measure in names.items()}
            told = {"n_questions": len(next(iter(values.values()))), "retriever": retriever}
            if questions.relevant_grade != 1:
                told["relevant_from_grade"] = questions.relevant_grade
            file = file_of[f"{models[retriever].folder}/{task['task']}.json"]
            write_json(file, retrieval_result(task["task"], task["language"], revision, values, told))
    tasks = [settings["question_sets"][name]["task"] for name in sets]
    for retriever, manifest in zip(retrievers, args.manifests, strict=True):
        facts = models[retriever]
        meta = model_meta(facts, read_json(manifest)["dimension"])
        write_json(file_of[f"{facts.folder}/model_meta.json"], meta)
        write_text(file_of[f"{facts.folder}/run_settings.jsonl"], run_settings(tasks, versions))
    logger.info("%d results", len(args.runs))


def _revision(digests: list[Path]) -> str:
    """What stands where others have a commit: of the SHA-256 of corpus, questions and judgements."""
    text = " ".join(read_json(file)["sha256"] for file in digests)
    return hashlib.sha256(text.encode()).hexdigest()[:REVISION_DIGITS]


if __name__ == "__main__":
    exit_with(main)
