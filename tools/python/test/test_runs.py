"""Runs, comparison and identification: the same answers as the program, and its sentences."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import kagami
import numpy as np

PROGRAM = os.environ["KAGAMI_PROGRAM"]


def answer_of(*words: object) -> dict:
    done = subprocess.run([PROGRAM, *map(str, words), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return json.loads(done.stdout)


class InAFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        cls.folder = Path(held.name)
        cls.ran = kagami.replay("bow", on="stand", out=cls.folder / "run")


class Replay(InAFolder):
    def test_gives_the_bits_of_the_program(self) -> None:
        again = answer_of("replay", "bow", "--on", "stand", "--clock", "virtual", "--no-report", "--out",
                          self.folder / "again")
        self.assertEqual(self.ran.outcome, "completed")
        self.assertEqual(self.ran.state_hash, again["state_hash"])
        self.assertEqual(self.ran.rms_deg, again["rms_deg"])
        self.assertFalse((self.folder / "run/report.html").exists())

    def test_takes_options_and_servos_as_a_dict(self) -> None:
        servos = self.ran.record.servos
        for joint in servos["joints"].values():
            joint["delay_s"] = 0.06
        slower = kagami.replay("bow", on="stand", out=self.folder / "slower", twin=servos, board="slow")
        lag = {run: kagami.compare(run).joints["left_hip_pitch"].lag_ms for run in (slower, self.ran)}
        self.assertLess(lag[slower], lag[self.ran] - 30.0)  # the robot is earlier than this model
        self.assertEqual(slower.record.config["board"], "slow")

    def test_a_fault_is_an_outcome(self) -> None:
        lost = kagami.replay("bow", on="stand", out=self.folder / "lost", fault=["0:mute,from 2"])
        self.assertFalse(lost.completed)
        self.assertIn("outcome", repr(lost.json))

    def test_the_sentence_of_the_program_is_raised(self) -> None:
        with self.assertRaisesRegex(kagami.ConfigError, "unknown motion 'bowl', did you mean 'bow'"):
            kagami.replay("bowl")
        with self.assertRaisesRegex(kagami.ConfigError, "--frictoin.*did you mean '--friction'"):
            kagami.replay("bow", frictoin=1.0)
        with self.assertRaisesRegex(kagami.ConfigError, "(?i)friction"):
            kagami.replay("bow", friction=-3.0)
        with self.assertRaisesRegex(kagami.ConfigError, "exists"):
            kagami.replay("bow", on="stand", out=self.folder / "run")
        with self.assertRaises(kagami.ConfigError):
            kagami.replay("--help")
        with self.assertRaisesRegex(kagami.ConfigError, "NUL"):
            kagami.replay("a\0b")
        with self.assertRaises(kagami.KagamiError):
            kagami.replay("bow", robot="/dev/none", unproven=True, yes=True, out=self.folder / "none")

    def test_other_python_threads_go_on_meanwhile(self) -> None:
        counted = 0
        done = threading.Event()

        def count() -> None:
            nonlocal counted
            while not done.is_set():
                counted += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        kagami.compare(self.ran)
        done.set()
        thread.join()
        self.assertGreater(counted, 5)

    def test_runs_at_the_same_time_do_not_disturb_each_other(self) -> None:
        def one(k: int) -> str:
            return kagami.replay("bow", on="stand", out=self.folder / f"of_{k}").state_hash

        with ThreadPoolExecutor(4) as pool:
            self.assertEqual(set(pool.map(one, range(4))), {self.ran.state_hash})

    def test_ctrl_c_stops_the_run_and_leaves_its_record(self) -> None:
        out = self.folder / "interrupted"

        def press() -> None:
            while not (out / "run.mcap").exists():
                time.sleep(0.01)
            time.sleep(0.2)
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=press)
        thread.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                kagami.replay("walk_forward", on="stand", out=out, loop=True, clock="real", realtime="off")
        finally:
            thread.join()
        record = kagami.Record(out)
        self.assertTrue(record.complete, record.incomplete_because)
        self.assertIn("stop_requested", [event.name for event in record.events])
        self.assertNotEqual(record.phase[-1], kagami.Phase.RELEASED)


class Compare(InAFolder):
    def test_has_the_numbers_of_the_program(self) -> None:
        ours = kagami.compare(self.ran.record)
        theirs = answer_of("compare", self.ran.record.path)
        self.assertEqual(ours.json, theirs)
        self.assertEqual(ours.rms_deg, theirs["rms_deg"])
        self.assertEqual(list(ours.joints), [row["name"] for row in theirs["joints"]])
        knee = ours.joints["left_hip_pitch"]
        row = next(r for r in theirs["joints"] if r["name"] == "left_hip_pitch")
        self.assertEqual((knee.rms_deg, knee.lag_ms, knee.samples), (row["rms_deg"], row["lag_ms"], row["samples"]))
        readings = self.ran.record.readings("left_hip_pitch")
        rms = np.degrees(np.sqrt(np.mean((readings.simulated - readings.measured) ** 2)))
        self.assertAlmostEqual(rms, knee.rms_deg, places=9)
        self.assertEqual(knee.causes[0].name, "servo lag")
        self.assertEqual(list(ours.conclusion), theirs["explanation"]["conclusion"])

    def test_takes_a_baseline_and_a_tolerance(self) -> None:
        ours = kagami.compare(self.folder / "run", self.ran, tolerance_deg=0.1)
        theirs = answer_of("compare", self.folder / "run", "--baseline", self.ran.record.path, "--tolerance", 0.1)
        self.assertEqual(ours.json, theirs)
        self.assertTrue(ours.json["equal"])

    def test_a_cut_record_is_compared_with_a_warning(self) -> None:
        whole = self.ran.record.path.read_bytes()
        cut = self.folder / "cut.mcap"
        cut.write_bytes(whole[: 2 * len(whole) // 3])
        with self.assertWarnsRegex(UserWarning, "incomplete"):
            self.assertFalse(kagami.compare(cut).complete)
        cut.write_bytes(b"nothing")
        with self.assertRaises(kagami.ConfigError):
            kagami.compare(cut)


class Identify(InAFolder):
    def test_gives_servos_that_predict_the_robot(self) -> None:
        found = kagami.identify([self.ran], rounds=1, cross_validate=False)
        self.assertEqual(found.servos["schema"], "kagami.servos/1")
        self.assertLess(found.records[0]["after_rms_deg"], 0.5 * found.records[0]["before_rms_deg"])
        found.save(self.folder / "twin.json")
        out = self.folder / "from_program.json"
        theirs = answer_of("identify", self.ran.record.path, "--rounds", 1, "--out", out)
        self.assertEqual(found.joints["left_knee"], next(
            row["parameters"] for row in theirs["joints"] if row["name"] == "left_knee"))
        self.assertEqual(json.loads((self.folder / "twin.json").read_text()), json.loads(out.read_text()))

    def test_no_record_is_an_error(self) -> None:
        with self.assertRaises(kagami.ConfigError):
            kagami.identify([])
        with self.assertRaises(kagami.ConfigError):
            kagami.identify(self.ran, rounds=99)


class Scenarios(InAFolder):
    def test_a_scene_gives_its_states_and_contacts(self) -> None:
        scene = kagami.run("falling_box", states=True, contacts=True, duration=0.6)
        self.assertIsInstance(scene, kagami.SceneRun)
        height = scene.states["box.q:box_root.pz"]
        self.assertEqual(len(height), scene.json["steps"])
        self.assertLess(height[-1], height[0])
        self.assertTrue(np.all(scene.contacts["normal"] >= 0.0))
        self.assertEqual(scene.contacts["shape"].dtype.kind, "U")
        self.assertIsNone(kagami.run("falling_box", duration=0.1).states)

    def test_a_changed_scenario_is_run(self) -> None:
        before = sorted(os.listdir())
        content = kagami.scenario("khr1_pid_walk_floor")
        content["friction"] = 0.8
        content["motion"] = "bow"
        changed = kagami.run(content, out=self.folder / "changed")
        self.assertIsInstance(changed, kagami.Run)
        self.assertEqual(changed.record.config["friction"], 0.8)
        self.assertEqual(len(changed.record.gains), 1)
        self.assertEqual(sorted(os.listdir()), before)  # nothing is left behind

    def test_wrong_ones_are_refused(self) -> None:
        with self.assertRaisesRegex(kagami.ConfigError, "no scenario 'tow'.*tower"):
            kagami.scenario("tow")
        with self.assertRaises(kagami.ConfigError):
            kagami.run({"schema": "kagami.scenario/1", "motion": "bow", "frictoin": 1})
        with self.assertRaises(kagami.ConfigError):
            kagami.run({})
        (self.folder / "list.json").write_text("[]")
        with self.assertRaisesRegex(kagami.ConfigError, "expected an object"):
            kagami.scenario(self.folder / "list.json")


class TheProgram(unittest.TestCase):
    def test_one_that_is_not_there_is_named(self) -> None:
        before = os.environ["KAGAMI_PROGRAM"]
        os.environ["KAGAMI_PROGRAM"] = "/none/kagami"
        self.addCleanup(os.environ.__setitem__, "KAGAMI_PROGRAM", before)
        with self.assertRaisesRegex(kagami.KagamiError, "'/none/kagami' cannot be started"):
            kagami.replay("bow")

    def test_one_that_dies_raises_what_it_said(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "kagami"
            file.write_text("#!/bin/sh\necho '{\"half\": '\necho 'error: no luck' >&2\nexit 3\n")
            file.chmod(0o755)
            before = os.environ["KAGAMI_PROGRAM"]
            os.environ["KAGAMI_PROGRAM"] = str(file)
            self.addCleanup(os.environ.__setitem__, "KAGAMI_PROGRAM", before)
            with self.assertRaisesRegex(kagami.DeviceError, "^no luck$") as raised:
                kagami.replay("bow")
            self.assertEqual(raised.exception.exit_code, 3)


if __name__ == "__main__":
    warnings.simplefilter("error", ResourceWarning)
    unittest.main()
