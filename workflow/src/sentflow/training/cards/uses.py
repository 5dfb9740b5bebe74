"""What a card says of the use of an encoder, by its kind."""

from collections.abc import Mapping
from dataclasses import dataclass

from sentflow.encoders.settings import CROSS_ENCODER, SPARSE_EMBED, SPLADE, TRAINED


@dataclass(frozen=True)
class Use:
    """How an encoder of a kind is used."""

    # opening: the first sentences of a card; ``{dimension}`` is the width of vectors, or the number of terms
    opening: str
    code: str  # Python; ``{folder}`` is that of the card
    pipeline: str  # what the hub calls the task
    tags: tuple[str, ...]  # for the index of the hub
    library: str = "sentence-transformers"  # that loads the folder


USES: Mapping[str, Use] = {
    TRAINED: Use(
        "An encoder of sentences: it gives a text a vector of {dimension} numbers, and texts of similar meaning get "
        "similar vectors.",
        "from sentence_transformers import SentenceTransformer\n\n"
        'encoder = SentenceTransformer("{folder}")  # the folder of this card\n'
        'vectors = encoder.encode(["A sentence.", "Another one."])',
        "sentence-similarity",
        ("sentence-transformers", "sentence-similarity", "feature-extraction"),
    ),
    SPLADE: Use(
        "A sparse encoder of questions and documents: it weighs the {dimension} terms of its vocabulary in a text, "
        "most of them with 0, and the product of two texts' weights says how well they fit.",
        "from sentence_transformers import SparseEncoder\n\n"
        'encoder = SparseEncoder("{folder}")  # the folder of this card\n'
        'questions, documents = encoder.encode_query(["A question?"]), encoder.encode_document(["A document."])\n'
        "print(encoder.similarity(questions, documents), encoder.decode(documents, top_k=10))",
        "feature-extraction",
        ("sentence-transformers", "sparse-encoder", "sparse", "splade"),
    ),
    SPARSE_EMBED: Use(
        "A sparse encoder of questions and documents: it weighs the {dimension} terms of its vocabulary in a text, and "
        "gives each of the few that it keeps a vector. Weights find documents; the vectors of the terms that a "
        "question and a document share rank them.",
        "from sentflow.sparse import Retriever\nfrom sentflow.sparse.folder import load_sparse_embed\n\n"
        'encoder = load_sparse_embed("{folder}")  # the folder of this card\n'
        'retriever = Retriever(key="id", on="text", model=encoder)\n'
        'retriever.add([{{"id": 1, "text": "A document."}}, {{"id": 2, "text": "Another one."}}])\n'
        'print(retriever("A question?"))',
        "feature-extraction",
        ("sparse-encoder", "sparse", "sparse-embed"),
        library="sentflow",
    ),
    CROSS_ENCODER: Use(
        "A cross-encoder: it reads a question and a document together and gives them a number, the higher the better "
        "they fit.",
        "from sentence_transformers import CrossEncoder\n\n"
        'encoder = CrossEncoder("{folder}")  # the folder of this card\n'
        'scores = encoder.predict([("A question?", "A document."), ("A question?", "Another one.")])',
        "text-ranking",
        ("sentence-transformers", "cross-encoder", "reranker"),
    ),
}
