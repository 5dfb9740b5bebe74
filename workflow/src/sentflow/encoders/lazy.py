"""From a manifest to an encoder that is fitted inside each fold."""

from sentflow.encoders.entries import SCIKIT_LEARN, TFIDF
from sentflow.encoders.manifest import Manifest
from sentflow.errors import ConfigError
from sentflow.probing.features.rows import LazyEncoder


def load_lazy_encoder(manifest: Manifest) -> LazyEncoder:
    """The lazy encoder that a manifest describes.

    Raises
    ------
    ConfigError
        The encoder is not lazy, or its settings are wrong.
    """
    if manifest.kind == TFIDF:
        from sentflow.encoders.kinds.tfidf import TfidfEncoder

        return TfidfEncoder.from_settings(manifest.settings)
    if manifest.kind == SCIKIT_LEARN:
        from sentflow.encoders.kinds.scikit_learn import ScikitLearnEncoder

        return ScikitLearnEncoder.from_settings(manifest.settings)
    raise ConfigError(f"an encoder of kind {manifest.kind} is not fitted inside folds: it has embeddings.")
