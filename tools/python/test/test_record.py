"""Records as arrays: what is in them, that they are views, and files that are no records."""

from __future__ import annotations

import csv
import gc
import os
import random
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

import kagami
import numpy as np

SEED = 20260105


class WithARun(unittest.TestCase):
    folder: Path
    record: kagami.Record

    @classmethod
    def setUpClass(cls) -> None:
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        cls.folder = Path(held.name)
        cls.record = kagami.replay("bow", on="stand", out=cls.folder / "run").record


class Arrays(WithARun):
    def test_have_a_row_per_tick_and_a_column_per_joint(self) -> None:
        record = self.record
        rows = len(record.time)
        self.assertGreater(rows, 1000)
        self.assertEqual(len(record.joints), 17)
        for name in ("reference", "command", "simulated", "measured", "residual", "torque"):
            table = getattr(record, name)
            self.assertEqual(table.shape, (rows, 17), name)
            self.assertEqual(table.dtype, np.float64)
        self.assertTrue(np.all(np.diff(record.time) > 0))
        self.assertEqual(record.phase.shape, (rows,))
        self.assertEqual(record.phase[0], kagami.Phase.WAITING)
        self.assertEqual(set(record.phase), {p for p in kagami.Phase if p in record.phase})
        self.assertIn(kagami.Phase.PLAYING, record.phase)

    def test_equal_the_exported_csv(self) -> None:
        out = self.folder / "run.csv"
        program = os.environ["KAGAMI_PROGRAM"]
        subprocess.run([program, "log", "export", str(self.record.path), "--out", str(out), "-q"], check=True)
        with open(out, newline="") as lines:
            rows = list(csv.reader(lines))
        columns = dict(zip(rows[0], zip(*rows[1:])))
        np.testing.assert_allclose(self.record.time, np.array(columns["t"], float), atol=1e-9)
        names = {"reference": "q_reference", "command": "q_commanded", "simulated": "q_simulated",
                 "measured": "q_measured", "residual": "residual", "torque": "torque_simulated"}
        for ours, theirs in names.items():
            for j, joint in enumerate(self.record.joints):
                cells = columns[f"{theirs}/{joint}"]
                expected = np.array([float(c) if c else np.nan for c in cells])
                np.testing.assert_allclose(getattr(self.record, ours)[:, j], expected, rtol=1e-6, atol=1e-12)

    def test_are_nan_where_there_is_no_reading(self) -> None:
        has_reading = np.isfinite(self.record.measured)
        share = has_reading.mean()
        self.assertGreater(share, 0.05)
        self.assertLess(share, 0.5)
        degrees = np.degrees(self.record.measured[has_reading])
        np.testing.assert_allclose(degrees, np.round(degrees), atol=1e-6)  # boards answer whole degrees

    def test_are_views_of_one_read_and_outlive_the_record(self) -> None:
        record = kagami.Record(self.record.path)
        simulated = record.simulated
        self.assertFalse(simulated.flags.owndata)
        self.assertFalse(simulated.flags.writeable)
        self.assertTrue(np.shares_memory(simulated, record.simulated))
        with self.assertRaises(ValueError):
            simulated[0, 0] = 1.0
        expected = simulated.copy()
        time = record.readings("left_knee").time
        kept = time.copy()
        del record
        gc.collect()
        np.testing.assert_array_equal(simulated, expected)
        np.testing.assert_array_equal(time, kept)

    def test_events_and_attachments(self) -> None:
        names = [event.name for event in self.record.events]
        self.assertEqual(names[:2], ["started", "motion_began"])
        self.assertTrue(all(event.sentence.endswith(".") for event in self.record.events))
        self.assertEqual(self.record.motion, "bow")
        self.assertTrue(self.record.complete)
        self.assertEqual(self.record.config["on"], "stand")
        self.assertEqual(self.record.servos["schema"], "kagami.servos/1")
        self.assertEqual(self.record.gains, [])
        self.assertIn("kagami.run", self.record.metadata)
        with self.assertRaisesRegex(KeyError, "no attachment 'x.json'"):
            self.record.attached_json("x.json")
        with self.assertRaisesRegex(KeyError, "no joint 'knee'"):
            self.record.readings("knee")

    def test_a_session_folder_and_the_latest_one_are_found(self) -> None:
        self.assertEqual(kagami.Record(self.folder / "run").path, self.record.path)
        data = self.folder / "data"
        os.environ["XDG_DATA_HOME"] = str(data)
        self.addCleanup(os.environ.pop, "XDG_DATA_HOME")
        with self.assertRaisesRegex(kagami.ConfigError, "latest: no session"):
            kagami.Record("latest")
        run = kagami.replay("home", on="stand")
        self.assertEqual(kagami.Record("latest").path, Path(os.fspath(run)))
        self.assertTrue(str(run.record.path).startswith(str(data)))

    def test_threads_read_at_the_same_time(self) -> None:
        seen: list[int] = []

        def read() -> None:
            seen.append(len(kagami.Record(self.record.path).time))

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(seen, [len(self.record.time)] * 4)


class WrongFiles(WithARun):
    def all_of(self, file: Path) -> None:
        record = kagami.Record(file)
        np.nansum(record.measured)
        record.readings(record.joints[0])
        _ = record.events, record.config, record.servos, record.gains

    def test_what_is_no_record_is_refused_with_its_name(self) -> None:
        (self.folder / "empty.mcap").write_bytes(b"")
        (self.folder / "text.mcap").write_text("no record\n")
        for name, says in {"none.mcap": "does not exist", "empty.mcap": "empty.mcap", "text.mcap": "text.mcap",
                           "": "does not exist", "a\0b": "NUL", "\udcff": "does not exist"}.items():
            with self.assertRaisesRegex(kagami.ConfigError, says):
                kagami.Record(self.folder / name if name.endswith("mcap") else name)
        with self.assertRaises(TypeError):
            kagami.Record(b"run.mcap")
        with self.assertRaises(TypeError):
            kagami.Record(3)  # type: ignore[arg-type]

    def test_a_folder_of_none_is_refused(self) -> None:
        with self.assertRaisesRegex(kagami.ConfigError, "has no run.mcap"):
            kagami.Record(self.folder)

    def test_a_cut_record_is_read_as_far_as_it_goes(self) -> None:
        whole = self.record.path.read_bytes()
        file = self.folder / "cut.mcap"
        file.write_bytes(whole[: len(whole) // 2])
        record = kagami.Record(file)
        self.assertFalse(record.complete)
        self.assertTrue(record.incomplete_because)
        self.assertLess(len(record.time), len(self.record.time))
        self.assertGreater(len(record.time), 100)

    def test_changed_bytes_raise_or_are_read_but_never_crash(self) -> None:
        print(f"seed {SEED}")
        pick = random.Random(SEED)
        whole = self.record.path.read_bytes()
        file = self.folder / "changed.mcap"
        refused = 0
        for _ in range(60):
            data = bytearray(whole)
            for _ in range(pick.choice((1, 3, 30))):
                data[pick.randrange(len(data))] = pick.randrange(256)
            if pick.random() < 0.3:
                del data[pick.randrange(len(data)) :]
            file.write_bytes(data)
            try:
                self.all_of(file)
            except (kagami.KagamiError, KeyError):
                refused += 1
        self.assertGreater(refused, 10)


if __name__ == "__main__":
    unittest.main()
