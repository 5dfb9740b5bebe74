"""Where probes are trained, checked before anything expensive."""

from sentflow.errors import ConfigError


def check_device(device: str) -> None:
    """Refuse a device that torch does not know or that this machine does not have.

    Raises
    ------
    ConfigError
        Says what to write instead.
    """
    if device == "cpu":
        return
    import torch

    try:
        found = torch.device(device)
    except RuntimeError as error:
        raise ConfigError(f"device: {device!r} names no device. Write cpu, cuda, or cuda:1.") from error
    n_devices = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if found.type == "cuda" and (found.index or 0) >= n_devices:
        raise ConfigError(
            f"device: {device!r}, but torch sees {n_devices or 'no'} CUDA device{'s' * (n_devices > 1)}. Write cpu, or "
            "run where there is one, with a build of torch for it."
        )
