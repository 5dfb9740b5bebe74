"""What a kind of encoder depends on: which modules only some kinds run, and whose versions can change its vectors.

Standard library only: the Snakefile imports this module in every job.
"""

from collections.abc import Mapping

from sentflow.encoders.entries import (
    API,
    BAG_OF_WORDS,
    CUSTOM,
    MODEL2VEC,
    NEURAL_KINDS,
    RANDOM,
    SCIKIT_LEARN,
    SENTENCE_TRANSFORMERS,
    TFIDF,
    TRANSFORMERS,
    WORD_VECTORS,
    backend_libraries,
)

_WEIGHTS = frozenset({*NEURAL_KINDS, MODEL2VEC, WORD_VECTORS})
# Modules that `load_encoder` and `fetch_model` import but not all kinds run, and the kinds that do. An edit of one
# embeds nothing again for the others: their texts would be paid for once more, or embedded for hours.
KINDS_OF_MODULE: Mapping[str, frozenset[str]] = {
    "sentflow.encoders.kinds.api": frozenset({API}),
    "sentflow.encoders.kinds.embeddings_service": frozenset({API}),
    "sentflow.encoders.kinds.neural.encoder": NEURAL_KINDS,
    "sentflow.encoders.kinds.neural.backends": NEURAL_KINDS,
    "sentflow.encoders.kinds.model2vec": frozenset({MODEL2VEC}),
    "sentflow.encoders.kinds.word_vectors": frozenset({WORD_VECTORS}),
    "sentflow.encoders.kinds.word_vector_files": frozenset({WORD_VECTORS}),
    "sentflow.encoders.fetch.word_vectors": frozenset({WORD_VECTORS}),
    "sentflow.encoders.kinds.controls": frozenset({BAG_OF_WORDS, RANDOM}),
    "sentflow.encoders.kinds.custom": frozenset({CUSTOM}),
    "sentflow.encoders.kinds.custom_class": frozenset({CUSTOM}),
    "sentflow.encoders.kinds.scikit_learn": frozenset({SCIKIT_LEARN}),
    "sentflow.encoders.kinds.scikit_learn_list": frozenset({SCIKIT_LEARN}),
    # checks of a configuration, which decide no vector
    "sentflow.encoders.checks.steps": frozenset({SCIKIT_LEARN}),
    "sentflow.encoders.fetch.model_files": _WEIGHTS,
    "sentflow.encoders.fetch.archive": _WEIGHTS,
    "sentflow.encoders.fetch.hub": _WEIGHTS,
}
_NEURAL_LIBRARIES = ("numpy", "sentence-transformers", "tokenizers", "torch", "transformers")
_LIBRARIES: Mapping[str, tuple[str, ...]] = {
    SENTENCE_TRANSFORMERS: _NEURAL_LIBRARIES,
    TRANSFORMERS: _NEURAL_LIBRARIES,
    MODEL2VEC: ("numpy", "tokenizers"),
    WORD_VECTORS: ("numpy",),
    # A service computes elsewhere; asking again costs money, and NumPy does no more than divide by a length.
    API: (),
    BAG_OF_WORDS: ("numpy",),
    RANDOM: ("numpy",),
    # fitted in every fold, by rules with versions of their own
    TFIDF: (),
    SCIKIT_LEARN: (),
    # its entry names more under `libraries`
    CUSTOM: _NEURAL_LIBRARIES,
}


def modules_of_others(kind: str) -> frozenset[str]:
    """Modules that stand in `KINDS_OF_MODULE` and that an encoder of this kind never runs."""
    return frozenset(module for module, kinds in KINDS_OF_MODULE.items() if kind not in kinds)


def vector_libraries(kind: str, settings: Mapping[str, object]) -> tuple[str, ...]:
    """Distributions whose versions can change the vectors of an encoder.

    Parameters
    ----------
    kind
        Of the encoder.
    settings
        Its entry, or how it encodes: only the key ``backend`` is read.
    """
    return (*_LIBRARIES[kind], *backend_libraries(settings))
