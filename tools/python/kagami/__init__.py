"""Kagami from Python: records as NumPy arrays, runs, comparison and identification.

    import kagami

    run = kagami.replay("walk_forward", on="stand")
    record = run.record
    print(record.time.shape, record.measured.shape, record.joints)
    for sentence in kagami.compare(run).conclusion:
        print(sentence)

See docs/python.md and the scripts in docs/tutorials.
"""

from kagami.errors import ConfigError, DeviceError, KagamiError
from kagami.gap import Cause, Comparison, Identification, JointGap, compare, identify
from kagami.record import Event, Phase, Readings, Record
from kagami.runs import Run, SceneRun, replay, run, scenario

__all__ = [
    "Cause",
    "Comparison",
    "ConfigError",
    "DeviceError",
    "Event",
    "Identification",
    "JointGap",
    "KagamiError",
    "Phase",
    "Readings",
    "Record",
    "Run",
    "SceneRun",
    "compare",
    "identify",
    "replay",
    "run",
    "scenario",
]
