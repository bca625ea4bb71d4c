"""Runs of motions and scenarios on the virtual robot, or on a real one."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kagami._program import call
from kagami.errors import ConfigError
from kagami.record import Record

Table = dict[str, NDArray[Any]]
"""Columns by name; numbers as float64, NaN where there is none, else text."""


@dataclass(frozen=True, eq=False)
class Run:
    """How a motion was played, and where its record is."""

    json: dict[str, Any] = field(repr=False)
    """the answer of the program, `kagami.run/1` """

    def __repr__(self) -> str:
        rms = "" if self.rms_deg is None else f", {self.rms_deg:.2f} deg RMS"
        return f"<kagami.Run {self.motion}: {self.outcome}{rms}, {self.json['record']!r}>"

    @property
    def motion(self) -> str:
        return self.json["motion"]

    @property
    def outcome(self) -> str:
        """ "completed", or what went wrong"""
        return self.json["outcome"]

    @property
    def completed(self) -> bool:
        return self.outcome == "completed"

    @property
    def rms_deg(self) -> float | None:
        """deg RMS of simulated minus measured, over all readings"""
        return self.json["rms_deg"]

    @property
    def state_hash(self) -> str:
        """Equal for two runs with equal bits."""
        return self.json["state_hash"]

    @cached_property
    def record(self) -> Record:
        """The record, opened when it is first used."""
        return Record(self.json["record"])

    def __fspath__(self) -> str:
        return self.json["record"]


@dataclass(frozen=True, eq=False)
class SceneRun:
    """The end of a scene of bodies, and what was asked of its course."""

    json: dict[str, Any] = field(repr=False)
    """the answer of the program, `kagami.scene_run/1` """
    states: Table | None = field(default=None, repr=False)
    """columns t, SYSTEM.q:..., SYSTEM.v:..., energies: a row per step"""
    contacts: Table | None = field(default=None, repr=False)
    """a row per contact and step"""


def replay(
    motion: str | os.PathLike[str],
    *,
    on: str = "floor",
    robot: str = "virtual",
    clock: str | None = None,
    out: str | os.PathLike[str] | None = None,
    twin: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    report: bool = False,
    **options: Any,
) -> Run:
    """Plays a motion on a robot and its model, as `kagami replay` does.

    `motion` is the name of a shipped one or a file; `out` the folder of the session, by default a
    new one; `twin` servo parameters of the model, as a file or as its content. The virtual robot
    runs on a simulated clock: faster than real time, with equal bits every time. All other options
    of `kagami replay` are taken under their names: friction=0.3, plant="twin", at=["1:pause"].

    A run that ended early is a result, too: see `Run.outcome`.
    """
    if clock is None:
        clock = "virtual" if robot == "virtual" else "real"
    with _as_file(twin, None) as twin_file:
        words = {
            "on": on,
            "robot": robot,
            "clock": clock,
            "out": out,
            "twin": twin_file,
            "no_report": not report,
            **options,
        }
        return Run(call("replay", [motion], words))


def run(
    scenario: Mapping[str, Any] | str | os.PathLike[str],
    *,
    states: bool = False,
    contacts: bool = False,
    **options: Any,
) -> Run | SceneRun:
    """Runs a scenario, as `kagami run` does: a `Run` for one with a motion, a `SceneRun` for a
    scene of bodies.

    `scenario` is the name of a shipped one, a file, or the content of one: then names of files in
    it count from the current folder. `states` and `contacts` also give the course of a scene.
    Options of `kagami run` are taken under their names: method="multipoint", out="folder".
    """
    with tempfile.TemporaryDirectory(prefix="kagami-") as folder:
        files = {name: f"{folder}/{name}.csv" for name in ("states", "contacts")}
        wanted = {"states": states, "contacts": contacts}
        words = {name: files[name] if wanted[name] else None for name in files}
        with _as_file(scenario, os.getcwd()) as file:
            answer = call("run", [file], {**words, **options})
        if answer.get("schema") == "kagami.run/1":
            return Run(answer)
        tables = {name: _table(files[name]) if wanted[name] else None for name in files}
        return SceneRun(answer, **tables)


def scenario(name: str | os.PathLike[str]) -> dict[str, Any]:
    """The content of a scenario, shipped or in a file, to be changed and run. Its motion, gains and
    robot are made absolute where they are files."""
    file = Path(name)
    if not file.is_file():
        shipped = call("run", [], {"list": True})["scenarios"]
        files = {row["name"]: row["file"] for row in shipped}
        if os.fspath(name) not in files:
            raise ConfigError(f"no scenario '{name}', shipped: {', '.join(files)}")
        file = Path(files[os.fspath(name)])
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as wrong:
        raise ConfigError(f"{file}: {wrong}") from None
    if not isinstance(content, dict):
        raise ConfigError(f"{file}: expected an object")
    for key in ("motion", "gains", "robot"):
        value = content.get(key)
        if isinstance(value, str) and ("/" in value or "." in value):
            content[key] = str((file.parent / value).resolve())
    return content


@contextmanager
def _as_file(
    content: Mapping[str, Any] | str | os.PathLike[str] | None, folder: str | None
) -> Iterator[str | os.PathLike[str] | None]:
    """A file with this content for the time of a call; a name stays as it is."""
    if not isinstance(content, Mapping):
        yield content
        return
    with tempfile.NamedTemporaryFile("w", suffix=".json", prefix="kagami-", dir=folder) as file:
        json.dump(content, file)
        file.flush()
        yield file.name


def _table(file: str) -> Table:
    with open(file, newline="", encoding="utf-8") as lines:
        rows = list(csv.reader(lines))
    columns = zip(*rows[1:]) if len(rows) > 1 else [()] * len(rows[0])
    return {name: _column(cells) for name, cells in zip(rows[0], columns)}


def _column(cells: tuple[str, ...]) -> NDArray[Any]:
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells], dtype=np.float64)
    except ValueError:
        return np.array(cells, dtype=np.str_)
