"""How many tokens the positions of a transformer hold, by its configuration alone."""

from collections.abc import Mapping
from typing import Any

# Count positions from behind the id of the padding, so that 514 of them hold 512 tokens
_BEHIND_PADDING = frozenset(
    {
        *("camembert", "data2vec-text", "ibert", "layoutlmv3", "lilt", "longformer", "luke", "markuplm"),
        *("mpnet", "roberta", "roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl", "xmod"),
    }
)
_FROM_ZERO = frozenset(
    {
        *(
            "albert",
            "bert",
            "bert-generation",
            "big_bird",
            "convbert",
            "distilbert",
            "electra",
            "ernie",
            "fnet",
        ),
        *("gpt2", "layoutlm", "megatron-bert", "mobilebert", "rembert", "roc_bert", "squeezebert", "xlm"),
    }
)
_BIASED = frozenset({"deberta", "deberta-v2"})
_MPNET = "mpnet"  # whose code has the id of the padding, whatever its configuration says
_USUAL_PADDING = 1


def usable_tokens(config: Mapping[str, Any]) -> int | None:
    """Tokens of a text that its positions hold; None where the configuration states none.

    `config`: of the transformer that reads text, as ``config.json`` holds it.
    """
    positions = config.get("max_position_embeddings")
    if not isinstance(positions, int | float) or positions <= 0:
        return None
    kind, padding = config.get("model_type"), config.get("pad_token_id")
    if kind not in _BEHIND_PADDING:
        return int(positions)
    return int(positions) - 1 - (padding if isinstance(padding, int) and kind != _MPNET else _USUAL_PADDING)


def has_table(config: Mapping[str, Any]) -> bool:
    """Whether a longer text is an error, for each position has a learnt vector; others compute their positions."""
    kind = config.get("model_type")
    return kind in _BEHIND_PADDING | _FROM_ZERO or (
        kind in _BIASED and config.get("position_biased_input", True) is True
    )
