"""Calls the program `kagami`, which belongs to this package."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kagami.errors import KagamiError, error_of


def program() -> Path:
    """The program: KAGAMI_PROGRAM where it is set, else the one that was installed with this
    package."""
    named = os.environ.get("KAGAMI_PROGRAM")
    file = Path(named) if named else Path(__file__).parent / "program/bin/kagami"
    if not os.access(file, os.X_OK):
        raise KagamiError(
            f"program '{file}' cannot be started; install the package with pip, or name the program "
            "in KAGAMI_PROGRAM"
        )
    return file


def option_words(options: dict[str, Any]) -> list[str]:
    """on_stop="hold" is --on-stop hold. True is the option alone; False and None leave it out; a
    list repeats it."""
    words: list[str] = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        values: Iterable[Any] = value if isinstance(value, (list, tuple)) else [value]
        for one in values:
            if one is None or one is False:
                continue
            # as one word: a value may begin with a dash
            words.append(option if one is True else f"{option}={_text(one)}")
    return words


def _text(value: Any) -> str:
    text = os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    if "\0" in text:
        raise error_of(2, "a value cannot contain the character NUL")
    return text


def call(command: str, arguments: Iterable[Any], options: dict[str, Any]) -> dict[str, Any]:
    """The JSON answer of a command. Its warnings are Python's; without an answer its error is
    raised.

    Ctrl-C goes on to the program, which ends as it does in a terminal: a run slows down and holds,
    a second one holds at once. KeyboardInterrupt is raised when it has ended.
    """
    words = [str(program()), command, "--json", "--quiet", "--no-color"]
    words += option_words(options) + ["--"] + [_text(argument) for argument in arguments]
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,  # a terminal's Ctrl-C reaches it through `_output` alone, once
    )
    out, err, interrupted = _output(process)
    if interrupted:
        raise KeyboardInterrupt
    remarks = err.decode("utf-8", "replace").splitlines()
    answer = _json(out)
    if answer is None:
        raise error_of(process.returncode, _sentence(remarks, command, process.returncode))
    for remark in remarks:
        if remark.startswith("warning: "):
            warnings.warn(remark.removeprefix("warning: "), stacklevel=3)
    return answer


def _output(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes, bool]:
    """Both outputs, whole, and whether Ctrl-C was pressed."""
    interrupted = False
    with process:
        while True:
            try:
                out, err = process.communicate()
                return out, err, interrupted
            except KeyboardInterrupt:
                interrupted = True
                process.send_signal(signal.SIGINT)
            except BaseException:
                process.terminate()
                raise


def _json(out: bytes) -> dict[str, Any] | None:
    try:
        answer = json.loads(out)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def _sentence(remarks: list[str], command: str, code: int) -> str:
    errors = [r.removeprefix("error: ") for r in remarks if r.startswith("error: ")]
    if errors:
        return "; ".join(errors)
    said = "; ".join(remarks[-3:])
    return said or f"'kagami {command}' ended with {code} and without an answer"
