"""How far robot and model were apart, why, and which servos predict the robot."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kagami._program import call

AnyRecord = str | os.PathLike[str]
"""A record: file, folder of a session, "latest", a `Record` or a `Run`."""


@dataclass(frozen=True)
class Cause:
    """What sets a joint apart from its model."""

    name: str
    """ "servo lag", "trim", ..."""
    amount: float | None
    """to be added to the model's own, in `unit`"""
    unit: str
    uncertainty: float | None
    """one standard deviation; None: not known"""
    share: float
    """of the joint's mean square, 0..1"""
    json: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class JointGap:
    """Simulated minus measured of one joint; None: unknown from this run."""

    name: str
    channel: int
    samples: int
    rms_deg: float | None
    max_deg: float | None
    bias_deg: float | None
    lag_ms: float | None
    """positive: the robot is later than the model"""
    floor_deg: float | None
    """RMS that reading in whole degrees alone makes"""
    causes: tuple[Cause, ...]
    """the one that explains most first"""


@dataclass(frozen=True)
class Comparison:
    """The gap of a run."""

    motion: str
    complete: bool
    samples: int
    rms_deg: float | None
    joints: dict[str, JointGap] = field(repr=False)
    conclusion: tuple[str, ...] = field(repr=False)
    """sentences: how far, where, why, what to change"""
    json: dict[str, Any] = field(repr=False)
    """the whole answer of the program, `kagami.compare/1` """


def compare(
    record: AnyRecord, baseline: AnyRecord | None = None, *, tolerance_deg: float | None = None
) -> Comparison:
    """Compares robot and model of a record, as `kagami compare` does: its numbers are in `json`,
    those of the baseline and the judgement by the tolerance among them."""
    answer = call("compare", [record], {"baseline": baseline, "tolerance": tolerance_deg})
    explained = {row["name"]: row["causes"] for row in answer["explanation"]["joints"]}
    joints = {
        row["name"]: _joint_gap(row, explained.get(row["name"], [])) for row in answer["joints"]
    }
    return Comparison(
        answer["motion"],
        answer["complete"],
        answer["samples"],
        answer["rms_deg"],
        joints,
        tuple(answer["explanation"]["conclusion"]),
        answer,
    )


def _joint_gap(row: dict[str, Any], causes: list[dict[str, Any]]) -> JointGap:
    names = ("name", "channel", "samples", "rms_deg", "max_deg", "bias_deg", "lag_ms", "floor_deg")
    found = tuple(
        Cause(c["cause"], c.get("amount"), c.get("unit", ""), c.get("uncertainty"), c["share"], c)
        for c in causes
    )
    return JointGap(**{name: row[name] for name in names}, causes=found)


@dataclass(frozen=True)
class Identification:
    """Servos of the model, fitted to records."""

    servos: dict[str, Any] = field(repr=False)
    """content of a servo file, for `replay(twin=...)` """
    joints: dict[str, dict[str, Any]] = field(repr=False)
    """per joint and parameter: before, value, sigma, identifiable"""
    records: tuple[dict[str, Any], ...]
    """per record: deg RMS before, after and predicted without it"""
    json: dict[str, Any] = field(repr=False)
    """the whole answer of the program, `kagami.identify/1` """

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes the servo file."""
        Path(file).write_text(json.dumps(self.servos, indent=1) + "\n", encoding="utf-8")


def identify(
    records: AnyRecord | Iterable[AnyRecord],
    *,
    hold_back: Iterable[AnyRecord] = (),
    rounds: int = 2,
    cross_validate: bool = True,
) -> Identification:
    """Fits the servos of the model to records of one robot with one model, as `kagami identify`
    does; records in `hold_back` are predicted, not fitted."""
    is_one = isinstance(records, (str, os.PathLike))
    files = [records] if is_one else list(records)
    with tempfile.TemporaryDirectory(prefix="kagami-") as folder:
        out = Path(folder) / "servos.json"
        options = {
            "hold_back": list(hold_back),
            "rounds": rounds,
            "no_cross_validation": not cross_validate,
            "out": out,
        }
        answer = call("identify", files, options)
        servos = json.loads(out.read_text(encoding="utf-8"))
    answer["out"] = None
    joints = {row["name"]: row["parameters"] for row in answer["joints"]}
    return Identification(servos, joints, tuple(answer["records"]), answer)
