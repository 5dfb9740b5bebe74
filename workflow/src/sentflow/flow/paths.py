"""The path of every file of the results tree. Patterns only: nothing here reads or writes.

A path says what its file is, from coarse to fine. Wildcards are full words with one meaning everywhere:
``{dataset} {file} {collection} {pairs} {protocol} {study} {task} {model} {rep} {fold} {alignment} {regression} {corpus}
 {passages} {analyser} {questions} {retriever} {decision} {data} {table} {figure}``.
"""

import re
from pathlib import Path

RESULTS = "results"
# What is kept between jobs to save time and outlives those that fail; no rule declares anything in it.
CACHE = f"{RESULTS}/cache"

RAW_FILE = f"{RESULTS}/data/raw/{{dataset}}/{{file}}"
TASK = f"{RESULTS}/data/tasks/{{task}}.parquet"
# Texts that are embedded together: of a dataset's tasks, of a family of pair sets, of a task with prompts.
TEXTS = f"{RESULTS}/data/texts/{{collection}}.parquet"
PERMUTED_TEXTS = TEXTS.replace("{collection}", "{collection}-permuted")

PAIR_SET = f"{RESULTS}/data/pairs/{{pairs}}.parquet"
CORPUS = f"{RESULTS}/data/corpora/{{corpus}}.parquet"
PASSAGES = f"{RESULTS}/data/passages/{{corpus}}/{{passages}}.parquet"
TERMS = f"{RESULTS}/data/terms/{{corpus}}/{{analyser}}.index"
TERM_COUNTS = f"{RESULTS}/data/terms/{{corpus}}/{{analyser}}.counts.index"
QUESTIONS = f"{RESULTS}/data/questions/{{questions}}.parquet"
JUDGEMENTS = f"{RESULTS}/data/judgements/{{questions}}.parquet"
MANIFEST = f"{RESULTS}/models/{{model}}/manifest.json"
# The files of an encoder that was fetched or trained, as `sentflow.files.archives.pack` writes them.
WEIGHTS = f"{RESULTS}/models/{{model}}/weights.tar"
# What training makes of an entry of kind trained; its state lies in the cache.
TRAINING_DATA = f"{RESULTS}/data/training/{{data}}.parquet"
# The pairs of a relation that may be trained on, for training data that are put together of several.
CLEANED_PAIRS = f"{RESULTS}/data/training/cleaned/{{data}}/{{relation}}.parquet"
LOOKED_AT = f"{RESULTS}/data/training/{{data}}.negatives.parquet"
TRAINING_RECORD = f"{RESULTS}/training/{{model}}/record.json"
TRAINING_MADE = f"{RESULTS}/training/{{model}}/made.json"
TRAINING_HISTORY = f"{RESULTS}/training/{{model}}/history.parquet"
TRAINING_HELD_OUT = f"{RESULTS}/training/{{model}}/held-out.parquet"
# The encoder after a step; and an archive of these archives, where their steps are not known before the training.
SNAPSHOT = f"{RESULTS}/training/{{model}}/snapshots/step-{{step}}.tar"
SNAPSHOTS = f"{RESULTS}/training/{{model}}/snapshots.tar"
LAST_SNAPSHOT = f"{RESULTS}/training/{{model}}/last.tar"
DEVELOPMENT_SCORE = f"{RESULTS}/training/{{model}}/development/step-{{step}}.json"
CHOSEN_SNAPSHOT = f"{RESULTS}/training/{{model}}/selection.json"
SUMMARY_TRAINING = f"{RESULTS}/summary/training.parquet"
SUMMARY_TRAINING_HISTORY = f"{RESULTS}/summary/training-history.parquet"
SUMMARY_TRAINING_HELD_OUT = f"{RESULTS}/summary/training-held-out.parquet"
SUMMARY_TRAINING_JOBS = f"{RESULTS}/summary/training-jobs.parquet"
SUMMARY_SWEEPS = f"{RESULTS}/summary/training-sweeps.parquet"

EMBEDDINGS = f"{RESULTS}/embeddings/{{model}}/{{collection}}.npy"
SPARSE_EMBEDDINGS = f"{RESULTS}/embeddings/{{model}}/{{collection}}.npz"  # of encoders that weigh terms
EMBEDDINGS_INFO = f"{RESULTS}/embeddings/{{model}}/{{collection}}.json"
EMBEDDINGS_MADE = f"{RESULTS}/embeddings/{{model}}/{{collection}}.made.json"
EMBEDDINGS_TOKENS = f"{RESULTS}/embeddings/{{model}}/{{collection}}.tokens.npy"
FEATURES = f"{RESULTS}/features/{{model}}/{{task}}.npy"
FEATURES_INFO = f"{RESULTS}/features/{{model}}/{{task}}.json"
FEATURES_MADE = f"{RESULTS}/features/{{model}}/{{task}}.made.json"

# ``{study}`` is empty, or says that they are under a protocol of a study, see `study`.
FOLD = f"{RESULTS}/{{study}}probes/{{task}}/{{model}}/rep-{{rep}}/fold-{{fold}}.parquet"
SCORES = f"{RESULTS}/{{study}}scores/{{task}}/{{model}}.json"
SCORE_TABLE = f"{RESULTS}/{{study}}scores/{{task}}/{{model}}.parquet"
SCORE_PREDICTIONS = f"{RESULTS}/{{study}}scores/{{task}}/{{model}}.predictions.parquet"
EFFECTS = f"{RESULTS}/protocols/{{protocol}}/effects.parquet"
# Of tasks whose rows name documents, with documents kept together: what is said of new ones.
DOCUMENT_SCORES = f"{RESULTS}/summary/document-scores.parquet"
DOCUMENT_PAIRS = f"{RESULTS}/comparisons/document-pairs.parquet"
DOCUMENT_STANDINGS = f"{RESULTS}/comparisons/document-standings.parquet"

# Of one encoder, or of a baseline, which needs none.
SIMILARITY = f"{RESULTS}/similarity/{{pairs}}/{{model}}.json"
SIMILARITY_ROWS = f"{RESULTS}/similarity/{{pairs}}/{{model}}.parquet"
SIMILARITY_PAIRS = f"{RESULTS}/similarity/comparisons.parquet"
REGRESSION = f"{RESULTS}/regressions/{{regression}}/{{model}}.json"
ALIGNMENT = f"{RESULTS}/alignments/{{alignment}}/{{model}}.json"
GEOMETRY = f"{RESULTS}/geometry/{{collection}}/{{model}}.json"

RUN = f"{RESULTS}/runs/{{questions}}/{{retriever}}.parquet"
RUN_MADE = f"{RESULTS}/runs/{{questions}}/{{retriever}}.made.json"
# Of the vectors of a retriever, dense or sparse; how long it took; and what it costs and saves beside the exact search.
INDEX = f"{RESULTS}/indexes/{{corpus}}/{{retriever}}.index"
INDEX_MADE = f"{RESULTS}/indexes/{{corpus}}/{{retriever}}.made.json"
CERTIFICATE = f"{RESULTS}/certificates/{{questions}}/{{retriever}}.json"
RETRIEVAL = f"{RESULTS}/retrieval/{{questions}}/{{retriever}}.json"
RETRIEVAL_ROWS = f"{RESULTS}/retrieval/{{questions}}/{{retriever}}.parquet"
# What is said of retrievers: rows as in compare/rows.py.
RETRIEVAL_PAIRS = f"{RESULTS}/retrieval/differences.parquet"
RETRIEVAL_DOCUMENT_PAIRS = f"{RESULTS}/retrieval/differences-documents.parquet"
RETRIEVAL_GROUP_PAIRS = f"{RESULTS}/retrieval/differences-groups.parquet"
RETRIEVAL_CLUSTERS = f"{RESULTS}/retrieval/clusters.parquet"
RETRIEVAL_GROUPS = f"{RESULTS}/retrieval/groups.parquet"
RETRIEVAL_SEEDS = f"{RESULTS}/retrieval/seeds.parquet"
HARD_QUESTIONS = f"{RESULTS}/items/{{questions}}/hard-questions.parquet"
SHARED_TERMS = f"{RESULTS}/items/{{questions}}/{{retriever}}/shared-terms.parquet"
# What each weight of a fusion reaches on a question set, and what was chosen on the training questions.
WEIGHED = f"{RESULTS}/fusions/{{questions}}/{{retriever}}.parquet"
CHOSEN_WEIGHTS = f"{RESULTS}/fusions/{{retriever}}.parquet"
DECIDED = f"{RESULTS}/decisions/{{questions}}/{{retriever}}/{{decision}}.parquet"
# What all of them are worth on a question set, and which differ.
DECISIONS = f"{RESULTS}/decisions/{{questions}}.json"
DECISION_ROWS = f"{RESULTS}/decisions/{{questions}}.parquet"
DECISION_PAIRS = f"{RESULTS}/retrieval/decision-differences.parquet"

AUDIT = f"{RESULTS}/audit/{{task}}.json"
QUESTION_AUDIT = f"{RESULTS}/audit/retrieval/{{questions}}.json"
TRAINING_AUDIT = f"{RESULTS}/audit/training/{{data}}.json"
HARDEST = f"{RESULTS}/items/hardest/{{task}}.parquet"
# What the comparison of all models gives: rows as in compare/rows.py, and one JSON.
PAIRS = f"{RESULTS}/comparisons/pairs.parquet"
STANDINGS = f"{RESULTS}/comparisons/standings.parquet"
RANKS = f"{RESULTS}/comparisons/ranks.parquet"
ACROSS = f"{RESULTS}/comparisons/across.parquet"
OMNIBUS = f"{RESULTS}/comparisons/omnibus.json"

SUMMARY = f"{RESULTS}/summary/scores.parquet"
CURVES = f"{RESULTS}/summary/curves.parquet"
COSTS = f"{RESULTS}/summary/costs.parquet"
ENCODERS = f"{RESULTS}/summary/encoders.parquet"
# Summaries of similarity and geometry.
SUMMARY_LEDGER = f"{RESULTS}/summary/ledger.parquet"
SUMMARY_SIMILARITY = f"{RESULTS}/summary/similarity.parquet"
SUMMARY_REGRESSIONS = f"{RESULTS}/summary/regressions.parquet"
SUMMARY_ALIGNMENTS = f"{RESULTS}/summary/alignments.parquet"
SUMMARY_GEOMETRY = f"{RESULTS}/summary/geometry.parquet"
SPECTRA = f"{RESULTS}/summary/spectra.parquet"
TRUNCATION = f"{RESULTS}/summary/truncation.parquet"
HISTOGRAMS = f"{RESULTS}/summary/histograms.parquet"
SUMMARY_INDEXES = f"{RESULTS}/summary/retrieval-indexes.parquet"
SUMMARY_RETRIEVAL = f"{RESULTS}/summary/retrieval.parquet"
SUMMARY_STAGES = f"{RESULTS}/summary/retrieval-stages.parquet"
RECALL = f"{RESULTS}/summary/recall.parquet"
QUESTION_DIFFERENCES = f"{RESULTS}/summary/question-differences.parquet"
RETRIEVAL_COSTS = f"{RESULTS}/summary/retrieval-costs.parquet"
SUMMARY_WEIGHTS = f"{RESULTS}/summary/fusion-weights.parquet"
SUMMARY_DECISIONS = f"{RESULTS}/summary/decisions.parquet"
# What seeds and pairs decide of the scores of trained encoders.
TRAINING_SEEDS = f"{RESULTS}/comparisons/training-seeds.parquet"

TABLE = f"{RESULTS}/tables/{{table}}.{{format}}"
WIDE_TABLE = f"{RESULTS}/tables/{{table}}-wide.csv"
COMPACT_TABLE = f"{RESULTS}/tables/{{table}}-compact.tex"
FIGURE = f"{RESULTS}/figures/{{figure}}.{{format}}"
FIGURE_INSPECTION = f"{RESULTS}/figures/{{figure}}.inspection.json"
REPORT = f"{RESULTS}/report/index.html"
CHECK = f"{RESULTS}/checks/{{check}}.json"
CHECKED = f"{RESULTS}/checks/all.txt"  # there where all hold
MTEB_RESULTS = f"{RESULTS}/exports/mteb/results"
MTEB_RETRIEVAL_RESULTS = f"{RESULTS}/exports/mteb-retrieval/results"
TREC_RUN = f"{RESULTS}/exports/trec/{{questions}}/{{retriever}}.run"
TREC_QRELS = f"{RESULTS}/exports/trec/{{questions}}/judgements.qrels"
MODEL_CARD = f"{RESULTS}/exports/cards/{{model}}/README.md"
PAIR_CORPUS_CARD = f"{RESULTS}/exports/pairs/{{data}}/README.md"
PAIR_CORPUS = f"{RESULTS}/exports/pairs/{{data}}/data"
HUGGINGFACE_RESULTS = f"{RESULTS}/exports/huggingface"
NUMBERS = f"{RESULTS}/exports/numbers.tex"
SUBMISSION = f"{RESULTS}/exports/submissions/{{questions}}/{{retriever}}/{{decision}}.json"
# The intermediate files of the published system of the Zalo challenge.
LAW_TEXT = f"{RESULTS}/exports/law-files/{{corpus}}/corpus.txt"
LAW_DICTIONARY = f"{RESULTS}/exports/law-files/{{corpus}}/legal_dict.json"
LAW_ARTICLES = f"{RESULTS}/exports/law-files/{{corpus}}/doc_refers.json"
RO_CRATE = f"{RESULTS}/exports/ro-crate/run.crate.zip"
BENCHMARKS = f"{RESULTS}/benchmarks"
RECORD_CONFIG = f"{RESULTS}/record/config.yaml"
RECORD_VERSIONS = f"{RESULTS}/record/versions.json"


def cache_beside(file: Path, *patterns: str) -> Path:
    """`CACHE` of the results that a file of one of these patterns lies in: a folder of any name, in a module anywhere.

    Of another file, a folder beside it.
    """
    for pattern in patterns:
        literal = re.escape(pattern.removeprefix(f"{RESULTS}/"))
        names = re.sub(r"\\{\w+\\}", ".+", literal)
        if found := re.fullmatch(f"(.*/)?{names}", file.as_posix()):
            return Path(found[1] or "", Path(CACHE).name)
    return file.parent / Path(CACHE).name


def study(protocol: str) -> str:
    return f"protocols/{protocol}/"


def protocol_of(study: str) -> str:
    return study.removeprefix("protocols/").removesuffix("/")


def digest(table: str) -> str:
    """The JSON file beside a table, with its checksum: what Snakemake compares in its stead."""
    return f"{table.removesuffix('.parquet').removesuffix('.index')}.json"


def log(rule: str, key: str = "all") -> str:
    """Log file of one job, e.g. ``log("probe", "{task}/{model}")``."""
    return f"{RESULTS}/logs/{rule}/{key}.log"


def benchmark(rule: str, key: str = "all") -> str:
    """Time and memory of one job, written by Snakemake as JSON lines."""
    return f"{BENCHMARKS}/{rule}/{key}.jsonl"
