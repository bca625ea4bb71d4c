"""What this package raises. The sentences are those of the program `kagami`."""

from __future__ import annotations


class KagamiError(Exception):
    """Something failed. `exit_code` is that of the program (docs/commands.md)."""

    exit_code = 1

    def __init__(self, sentence: str, exit_code: int | None = None) -> None:
        super().__init__(sentence)
        if exit_code is not None:
            self.exit_code = exit_code


class ConfigError(KagamiError, ValueError):
    """A file or an argument with an impossible value."""

    exit_code = 2


class DeviceError(KagamiError):
    """A serial port that is missing, busy or forbidden."""

    exit_code = 3


def error_of(exit_code: int, sentence: str) -> KagamiError:
    """The exception for an exit code of the program."""
    kinds = {2: ConfigError, 3: DeviceError}
    return kinds.get(exit_code, KagamiError)(sentence, exit_code)
