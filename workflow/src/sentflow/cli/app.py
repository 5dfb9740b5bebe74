"""The command ``sentflow``: what there is, what would be run, what came out.

It changes no result; Snakemake does, which ``sentflow run`` becomes. Everything but typer is imported inside the
commands, so that ``sentflow --help`` answers at once. Help is plain text for the same reason: drawing it takes rich,
and rich's Markdown, twice as long as all the rest.
"""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from sentflow.errors import SentflowError


class Variant(StrEnum):
    """On which data a task is."""

    SAMPLE = "sample"
    OPEN = "open"
    OFFICIAL = "official"


class SameIds(StrEnum):
    """What becomes of documents that have the name of a question."""

    KEEP = "keep"
    EXCLUDE = "exclude"


class Ties(StrEnum):
    """In which order documents with equal scores count."""

    CORPUS = "corpus"
    MEAN = "mean"
    TREC_EVAL = "trec_eval"


class Role(StrEnum):
    """As what an encoder reads a text."""

    DOCUMENT = "document"
    QUERY = "query"


class _Commands(TyperGroup):
    """Commands that end like those of the pipeline: a `SentflowError` is one paragraph and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except SentflowError as error:
            sys.stderr.write(f"error: {error}\n")
            raise typer.Exit(2) from None


class _AsTyped(TyperCommand):
    """A command that passes on its arguments as they were typed, ``--`` included; only ``--help`` is its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        options = args[: args.index("--")] if "--" in args else args
        if "--help" in options:
            return super().parse_args(ctx, ["--help"])
        ctx.args = args
        return args


app = typer.Typer(
    cls=_Commands,
    help="From a list of sentence encoders to the tables and figures of a paper. Jobs are run by snakemake.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

ConfigFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--configfile",
        help="YAML file whose entries are merged over the catalog; may be given several times.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.callback(invoke_without_command=True)
def about(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        from sentflow.jobs.versions import library_version

        typer.echo(f"sentflow {library_version('sentflow')}")
        raise typer.Exit


@app.command()
def tasks(
    variant: Annotated[
        Variant | None,
        typer.Option(help="Only tasks on generated texts, on public data, or on the benchmark's files."),
    ] = None,
    family: Annotated[str | None, typer.Option(help="Only tasks of one family, e.g. trust.")] = None,
    kind: Annotated[
        str | None, typer.Option(help="Only tasks of one layout (single, pair …) or probe (logistic, mlp).")
    ] = None,
    configfile: ConfigFiles = None,
    as_json: AsJson = False,
) -> None:
    """List the tasks of the catalog."""
    from sentflow.cli.catalog import list_tasks

    wanted = None if variant is None else variant.value
    list_tasks(configfile or [], variant=wanted, family=family, kind=kind, as_json=as_json)


@app.command()
def models(
    kind: Annotated[
        str | None, typer.Option(help="Only encoders of one kind, e.g. sentence-transformers.")
    ] = None,
    configfile: ConfigFiles = None,
    as_json: AsJson = False,
) -> None:
    """List the encoders of the catalog."""
    from sentflow.cli.catalog import list_models

    list_models(configfile or [], kind=kind, as_json=as_json)


@app.command()
def catalog(
    section: Annotated[
        str | None, typer.Argument(help="E.g. question_sets, corpora, retrievers, analysers, pair_sets.")
    ] = None,
    configfile: ConfigFiles = None,
    as_json: AsJson = False,
) -> None:
    """List the entries of a section of the catalog, or its sections."""
    from sentflow.cli.catalog import list_section

    list_section(configfile or [], section, as_json=as_json)


@app.command()
def validate(
    configs: Annotated[
        list[Path] | None,
        typer.Argument(help="As for snakemake --configfile: a later file is merged over an earlier one."),
    ] = None,
    replace_workflow_config: Annotated[
        bool, typer.Option("--replace-workflow-config", help="Do not merge the files over config.yaml.")
    ] = False,
) -> None:
    """List every mistake in a configuration, or what it would run.

    The exit code is 2 if there is a mistake, else 0.
    """
    from sentflow.cli.validate import validate as run

    run(configs or [], alone=replace_workflow_config)


@app.command()
def show(
    path: Annotated[Path, typer.Argument(help="A results folder, or any file in it.")] = Path("results"),
    rows: Annotated[int, typer.Option(min=0, help="Number of rows shown of long tables.")] = 10,
) -> None:
    """Show a results folder, or any file in it.

    For a folder: the table of scores with generalisation intervals; for a file: its contents.
    """
    from sentflow.cli.show import show as run

    run(path, rows=rows)


@app.command()
def compare(
    run_a: Annotated[Path, typer.Argument(help="A results folder, or the folder that holds one.")],
    run_b: Annotated[Path, typer.Argument(help="The results of the other run.")],
    tolerance: Annotated[
        float, typer.Option(help="By how much a value may differ; losses, by 0.001 at least.")
    ] = 1e-6,
    common: Annotated[
        bool, typer.Option("--common", help="Results that one run alone has are no difference.")
    ] = False,
    rows: Annotated[int, typer.Option(min=0, help="Number of results shown.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Say whether two runs gave the same results, what differs, and the first cause.

    The exit code is 0 if all values are equal within the tolerance, 1 if not, 2 after a mistake.
    """
    from sentflow.cli.compare import compare as run

    if not run(run_a, run_b, tolerance=tolerance, common=common, rows=rows, as_json=as_json):
        raise typer.Exit(1)


@app.command()
def leaderboard(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RESULTS...", help="Results folders; runs may be unfinished.")
    ],
    as_json: AsJson = False,
) -> None:
    """Show the encoders of several runs in one order, the best mean first.

    Means are over tasks that all encoders have. Runs that measured a task in other ways are refused.
    """
    from sentflow.cli.leaderboard import leaderboard as run

    run(runs, as_json=as_json)


@app.command()
def evaluate(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN... QRELS",
            help="Runs in TREC's form (question Q0 document rank score tag), then their judgements "
            "(question 0 document grade, or BEIR's .tsv).",
        ),
    ],
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measures", help="As ir-measures writes them, separated by commas; tests are by the first."
        ),
    ] = None,
    relevant_grade: Annotated[int, typer.Option(help="The least grade that is relevant.")] = 1,
    same_ids: Annotated[
        SameIds,
        typer.Option(
            help="exclude leaves the document with the name of a question out of its ranking, where it is the question "
            "itself; or keep."
        ),
    ] = SameIds.KEEP,
    ties: Annotated[
        Ties,
        typer.Option(
            help="Documents with equal scores: in the order of the file (corpus), the mean over all orders, or in that "
            "of trec_eval."
        ),
    ] = Ties.CORPUS,
    level: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    per_question: Annotated[
        Path | None, typer.Option(help="CSV to write, with a value per run, question and measure.")
    ] = None,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """Hold runs of any search engine against judgements.

    Means over questions with intervals, and paired tests between the runs. No configuration is needed.
    """
    from sentflow.cli.evaluate import evaluate as run

    run(
        files,
        measures=measures,
        relevant_grade=relevant_grade,
        same_ids=same_ids,
        ties=ties,
        level=level,
        output="json" if as_json else "csv" if as_csv else "table",
        per_question=per_question,
    )


@app.command()
def search(
    questions: Annotated[
        Path | None,
        typer.Argument(
            help="Questions: .json in the form of the Zalo challenge, .jsonl as BEIR's, or text with one per line."
        ),
    ] = None,
    ask: Annotated[
        str | None, typer.Option(help="One question instead of a file; its answers are shown.")
    ] = None,
    configfile: ConfigFiles = None,
    results: Annotated[Path, typer.Option(help="The results folder; nothing is written there.")] = Path(
        "results"
    ),
    retriever: Annotated[
        str | None,
        typer.Option(help="By default the first selected fusion, else the first selected retriever."),
    ] = None,
    corpus: Annotated[
        str | None, typer.Option(help="What is searched, if the experiment has several.")
    ] = None,
    decision: Annotated[
        str | None, typer.Option(help="A selected decision, which says how many documents are given.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            help="File to write: .json for a submission of the Zalo challenge (with --decision), .parquet for a run of "
            "the pipeline, else a run in TREC's form."
        ),
    ] = None,
) -> None:
    """Answer new questions by a retriever of an experiment that was run.

    Reads documents, vectors, trained encoders and what was tuned from the results, and embeds the questions alone.
    """
    from sentflow.cli.search import search as run

    run(
        questions,
        ask=ask,
        configs=configfile or [],
        results=results,
        retriever=retriever,
        corpus=corpus,
        decision=decision,
        output=output,
    )


@app.command()
def explain(
    model: Annotated[str | None, typer.Option(help="An encoder that weighs terms.")] = None,
    text: Annotated[
        str | None, typer.Option(help="What it reads: its terms are shown. - is standard input.")
    ] = None,
    role: Annotated[
        Role, typer.Option(help="As what the text is read: numbers of terms and prompts depend on it.")
    ] = Role.DOCUMENT,
    retriever: Annotated[
        str | None, typer.Option(help="Of kind bm25 or sparse: the terms behind its scores are shown.")
    ] = None,
    questions: Annotated[str | None, typer.Option(help="The question set that it searched.")] = None,
    question: Annotated[str | None, typer.Option(help="Identifier of a question.")] = None,
    document: Annotated[
        list[str] | None,
        typer.Option(
            help="Identifier; may be given several times. By default the best ranked document and the best ranked "
            "relevant one."
        ),
    ] = None,
    configfile: ConfigFiles = None,
    results: Annotated[Path, typer.Option(help="The results folder; nothing is written there.")] = Path(
        "results"
    ),
    most: Annotated[int, typer.Option(min=1, help="Terms of a table at most; JSON has all.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Show which terms a text has, or which of them found a document.

    Either --model and --text: weights of the terms of a text. Or --retriever, --questions and --question: what each
    term that question and document share adds to the score of a finished run. No model is loaded for the latter.
    """
    from sentflow.cli.explain import explain as run

    run(
        model=model,
        text=text,
        role=role.value,
        retriever=retriever,
        questions=questions,
        question=question,
        documents=document or [],
        configs=configfile or [],
        results=results,
        most=most,
        as_json=as_json,
    )


@app.command()
def costs(
    configfile: Annotated[
        list[Path] | None,
        typer.Option(
            "--configfile", help="Merged over config.yaml; may be given several times, as to validate."
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Count what is done already, too, as for an empty folder.")
    ] = False,
    tokens_per_second: Annotated[
        float, typer.Option(help="Of a training; by default those of BERT-base on one thread of a CPU.")
    ] = 80.0,
) -> None:
    """What the jobs of an experiment take: how many there are, time, memory, and what they request.

    The jobs are those of a dry run in this folder. Seconds and memory are those that the jobs of each rule took here,
    otherwise in the default experiment; trainings count by their settings. Rough: a factor of several is possible.
    """
    from sentflow.cli.costs import costs as run

    run(configfile or [], everything=everything, tokens_per_second=tokens_per_second)


@app.command()
def tune(
    model: Annotated[str, typer.Argument(help="An encoder of the catalog, or of --configfile.")],
    texts: Annotated[
        Path | None,
        typer.Option(
            help="Texts to measure with: one per line, or a collection (.parquet); sample texts if left out."
        ),
    ] = None,
    tolerance: Annotated[
        float,
        typer.Option(
            help="By how much a value of a unit vector may differ from torch in float32. Other backends differ by "
            "1e-6, bfloat16 by 1e-3 to 3e-3, onnx-int8 by 5e-2; with the default, bfloat16 is allowed."
        ),
    ] = 0.005,
    most: Annotated[int, typer.Option(min=1, help="Number of texts at most.")] = 200,
    rounds: Annotated[int, typer.Option(min=1, help="How often all candidates take turns.")] = 5,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads at most; all processors if left out.")
    ] = None,
    configfile: ConfigFiles = None,
) -> None:
    """Measure which settings of a neural encoder are fastest on this machine's processor.

    Tries backends, dtypes, batches and threads, compares the vectors with those of torch in float32, and prints the
    fastest settings within the tolerance as YAML. Changes no file.
    """
    from sentflow.cli.tune import tune as run

    run(
        model,
        configs=configfile or [],
        texts=texts,
        tolerance=tolerance,
        most=most,
        rounds=rounds,
        threads=threads,
    )


@app.command()
def new_experiment(
    path: Annotated[Path, typer.Argument(help="YAML file to write; an existing file is not overwritten.")],
    tasks: Annotated[
        list[str] | None, typer.Option("--tasks", help="Names, separated by commas, or one per option.")
    ] = None,
    models: Annotated[
        list[str] | None, typer.Option("--models", help="Names, separated by commas, or one per option.")
    ] = None,
    title: Annotated[
        str | None, typer.Option(help="Title of the experiment; every caption begins with it.")
    ] = None,
) -> None:
    """Write a small experiment file, ready to run."""
    from sentflow.cli.new_experiment import write_experiment

    write_experiment(path, tasks=tasks or [], models=models or [], title=title)


sweep = typer.Typer(help="Grids of trainings.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(sweep, name="sweep")


@sweep.callback()
def about_sweeps() -> None:
    """Keep the name of its only command."""


@sweep.command()
def winners(
    path: Annotated[Path, typer.Argument(metavar="RESULTS", help="The results folder of the sweep.")] = Path(
        "results"
    ),
    output: Annotated[Path, typer.Option(help="YAML file to write.")] = Path("winners.yaml"),
    seeds: Annotated[str, typer.Option(help="Fresh seeds, separated by commas.")] = "101,102,103,104,105,106",
    name: Annotated[
        str | None, typer.Option("--sweep", help="Name of the sweep, if the configuration selects several.")
    ] = None,
    configfile: ConfigFiles = None,
) -> None:
    """Write the experiment that trains the winners of a sweep again.

    Of each group of cells the learning rate with the best development score, with seeds that were not used in the
    choice.
    """
    from sentflow.cli.sweep_winners import write_winners

    write_winners(path, configfile or [], sweep=name, seeds=seeds, output=output)


@app.command()
def ledger(
    path: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="A results folder, or the folder that holds one.")
    ] = Path("results"),
    accept: Annotated[
        bool, typer.Option("--accept", help="Write what was found into the catalog as what is expected.")
    ] = False,
    why: Annotated[str, typer.Option(help="Why the new values are right.")] = "",
    commit: Annotated[
        str | None, typer.Option(help="Commit that they were made at; that of the run if left out.")
    ] = None,
) -> None:
    """Say which published numbers came out otherwise than expected.

    Claims that were run and have no expected value yet are named, too.
    """
    from sentflow.cli.ledger import show_ledger

    show_ledger(path, accept=accept, why=why, commit=commit)


@app.command()
def publish(
    model: Annotated[str, typer.Argument(help="An encoder of the experiment, by its name.")],
    folder: Annotated[Path, typer.Argument(help="Folder to write; it must be new or empty.")],
    results: Annotated[Path, typer.Option(help="The results folder.")] = Path("results"),
) -> None:
    """Write an encoder with its model card into a folder that is ready for the Hugging Face hub.

    Weights, tokenizer and modules are copied and compared with their checksums. Nothing is uploaded.
    """
    from sentflow.cli.publish import publish as write

    write(model, folder, results=results)


@app.command(cls=_AsTyped)
def run(context: typer.Context) -> None:
    """Run snakemake with the same arguments, and resume a killed run.

    The lock of a killed run is removed first; the lock of a running one never is.
    """
    from sentflow.cli.run import run as start

    start(context.args)


def main() -> None:
    """Run the command and exit."""
    app(prog_name="sentflow")
