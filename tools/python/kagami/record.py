"""Records of runs as NumPy arrays."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kagami import _kagami
from kagami.errors import ConfigError

Floats = NDArray[np.float64]


class Phase(IntEnum):
    """Values of `Record.phase`."""

    WAITING = 0
    LEAD_IN = 1
    PLAYING = 2
    SETTLING = 3
    DONE = 4
    STOPPING = 5
    HELD = 6
    RELEASED = 7
    RELEASING = 8
    SITTING = 9
    REFUSED = 10
    TESTING = 11


@dataclass(frozen=True)
class Event:
    """What the control loop reported in one tick."""

    time: float
    """s since the first tick"""
    name: str
    """for programs: "limit_clamped" """
    joint: str | None
    value: float
    level: str
    """ "info", "warning" or "error" """
    sentence: str
    """for people"""


class Readings(NamedTuple):
    """Readings of one joint that count in a comparison, at their own times."""

    time: Floats
    """s since the first tick"""
    measured: Floats
    """rad"""
    simulated: Floats
    """rad, the shadow model at the time of the reading"""


class Record:
    """The record of one run.

    The file is a record (.mcap), the folder of a session, or "latest": the newest session. The
    arrays are read when they are first used; they are views of one read, not copies, and cannot be
    written to. Those of joints have a row per tick and a column per joint, in the order of
    `joints`; NaN stands for no value.
    """

    def __init__(self, file: str | os.PathLike[str]) -> None:
        name = os.fspath(file)
        if not isinstance(name, str):
            raise TypeError("a record is named by a str or a path")
        if "\0" in name:
            raise ConfigError("a record's name cannot contain the character NUL")
        self.path = _kagami.find_record(name)
        head = _kagami.read_head(self.path)
        self.joints: tuple[str, ...] = tuple(head["joints"])
        """names, in the order of the columns"""
        self.motion: str = head["motion"]
        self.complete: bool = head["complete"]
        """whether the record holds every sample of its run"""
        self.incomplete_because: str = head["why"]
        self.metadata: dict[str, dict[str, str]] = head["metadata"]
        self.attachments: dict[str, bytes] = head["attachments"]
        """files in the record: "robot.json", "twin.json", "config.json", ..."""

    def __repr__(self) -> str:
        return f"<kagami.Record {str(self.path)!r}: {self.motion}, {len(self.joints)} joints>"

    def __fspath__(self) -> str:
        return str(self.path)

    @cached_property
    def _columns(self) -> _kagami.Columns:
        return _kagami.read_columns(self.path)

    @cached_property
    def _compared(self) -> dict[str, Readings]:
        return dict(zip(self.joints, (Readings(*r) for r in _kagami.read_compared(self.path))))

    @property
    def time(self) -> Floats:
        """s since the first tick, rising"""
        return self._columns.time

    @property
    def phase(self) -> NDArray[np.uint8]:
        """values of `Phase`"""
        return self._columns.phase

    @property
    def motion_time(self) -> Floats:
        """s into the motion"""
        return self._columns.motion_time

    @property
    def reference(self) -> Floats:
        """rad, what the motion asks for"""
        return self._columns.reference

    @property
    def command(self) -> Floats:
        """rad, what passed the safety gate and goes to the boards"""
        return self._columns.command

    @property
    def simulated(self) -> Floats:
        """rad, the shadow model"""
        return self._columns.simulated

    @property
    def measured(self) -> Floats:
        """rad, a reading in the row nearest to when it was taken; NaN in the others"""
        return self._columns.measured

    @property
    def residual(self) -> Floats:
        """rad, simulated minus measured at the time of the reading, in the rows of the readings"""
        return self._columns.residual

    @property
    def torque(self) -> Floats:
        """N m, of the servos in the shadow model"""
        return self._columns.torque

    def column(self, joint: str) -> int:
        """Place of a joint in the arrays."""
        try:
            return self.joints.index(joint)
        except ValueError:
            raise KeyError(f"no joint {joint!r}; the record has {', '.join(self.joints)}") from None

    def readings(self, joint: str) -> Readings:
        """The readings that `compare` counts: from the first pose of the motion until the servos
        are released. Their RMS of simulated minus measured is that of `compare`."""
        self.column(joint)
        return self._compared[joint]

    @cached_property
    def events(self) -> list[Event]:
        """What the control loop reported, in order."""

        def name_of(place: int) -> str | None:
            return self.joints[place] if 0 <= place < len(self.joints) else None

        return [
            Event(time, name, name_of(joint), value, level, sentence)
            for time, name, joint, value, level, sentence in self._columns.events
        ]

    def attached_json(self, name: str) -> Any:
        """An attachment such as "config.json", read."""
        if name not in self.attachments:
            raise KeyError(f"no attachment {name!r}; the record has {', '.join(self.attachments)}")
        try:
            return json.loads(self.attachments[name])
        except (ValueError, RecursionError) as wrong:
            raise ConfigError(f"{self.path}: {name}: {wrong}") from None

    @property
    def config(self) -> dict[str, Any]:
        """How the run was configured."""
        return self.attached_json("config.json")

    @property
    def servos(self) -> dict[str, Any]:
        """Servo parameters of the shadow model, as `replay(twin=...)` takes them."""
        return self.attached_json("twin.json")

    @property
    def gains(self) -> list[dict[str, Any]]:
        """Gain sets of the controllers; empty where the motion alone led."""
        names = [n for n in self.attachments if n.startswith("gains") and n.endswith(".json")]
        return [self.attached_json(name) for name in names]
