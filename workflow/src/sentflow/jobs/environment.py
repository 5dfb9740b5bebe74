"""What libraries are told before they are imported. It changes no result."""

import os


def prepare_environment(threads: int) -> None:
    """Let libraries of neural networks stay offline and within their threads."""
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "true" if threads > 1 else "false"
    os.environ["RAYON_NUM_THREADS"] = str(threads)
