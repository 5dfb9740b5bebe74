"""What the files of a model may ask of the libraries that load it.

sentence-transformers passes the maps below on to transformers as they stand, where some decide how weights are read
and from where. Obeyed is a short list; the rest is refused, because a model that is loaded otherwise than its files
say gives other vectors in silence.
"""

from collections.abc import Mapping
from typing import Any

from sentflow.errors import ConfigError, DataError

_MODEL = (
    "add_pooling_layer",
    "attn_implementation",
    "dtype",
    "low_cpu_mem_usage",
    "torch_dtype",
    "trust_remote_code",
)
_TOKENIZER = (
    *("add_bos_token", "add_eos_token", "do_lower_case", "fix_mistral_regex", "legacy"),
    *("model_max_length", "padding_side"),
    *("truncation_side", "trust_remote_code", "use_fast"),
)
_CONFIG = ("is_causal", "trust_remote_code", "use_bidirectional_attention", "use_cache")
# `dtype` is a setting of the entry and `trust_remote_code` is off, whatever stands here.
_MAPS = {
    "model_args": _MODEL,
    "model_kwargs": _MODEL,
    "tokenizer_args": _TOKENIZER,
    "processor_kwargs": _TOKENIZER,
    "config_args": _CONFIG,
    "config_kwargs": _CONFIG,
}
_KEYS = (
    *("max_seq_length", "do_lower_case", "transformer_task", "modality_config", "module_output_name"),
    *("processing_kwargs", "unpad_inputs", "query_length", "document_length", "query_expansion", *_MAPS),
)


def check_arguments(where: str, settings: Any) -> None:
    """Check the settings of a transformer module, ``sentence_bert_config.json``."""
    if not isinstance(settings, Mapping):
        raise DataError(
            f"{where} is damaged: it holds no map. Take the file as the model's authors published it."
        )
    refused = [key for key in settings if key not in _KEYS]
    for name, known in _MAPS.items():
        values = settings.get(name) or {}
        if not isinstance(values, Mapping):
            refused.append(name)
            continue
        refused += [
            f"{name}.{key}"
            for key, value in values.items()
            if key not in known or not isinstance(value, bool | int | str | None)
        ]
    if refused:
        raise ConfigError(
            f"{where}: {', '.join(refused)} would change how or from where the model is loaded, and a model does not "
            "decide that here. Remove it from a copy of the model in a folder of your own, or choose another model."
        )
