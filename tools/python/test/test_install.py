"""`pip install .` of a copy of the tree into a fresh environment, and what was installed.

By default the wheel is made of what is built already (KAGAMI_BUILT); --compile compiles the copy.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["KAGAMI_SOURCE"])
BUILT = Path(os.environ["KAGAMI_BUILT"])
COMPILE = "--compile" in sys.argv

CHECK = """
import kagami, sys
from importlib.metadata import version
assert kagami.__file__.startswith(sys.prefix), kagami.__file__
run = kagami.replay("bow", on="stand", out="session")
assert run.completed, run
assert run.record.measured.shape[1] == len(run.record.joints) == 17
assert kagami.compare(run).rms_deg == run.rms_deg
try:
    kagami.identify("none.mcap")
except kagami.ConfigError as error:
    print(version("kagami"), error)
"""


def call(*words: object, folder: Path) -> str:
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "KAGAMI_PROGRAM", "KAGAMI_DATA")}
    env.update(HOME=str(folder), PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1", KAGAMI_JOBS="2")
    done = subprocess.run(
        [str(word) for word in words], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        raise AssertionError(f"{words} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def copy_of_the_tree(to: Path) -> None:
    """What git has, without builds."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=SOURCE, check=True, stdout=subprocess.PIPE,
    ).stdout
    files = [name for name in listed.decode().split("\0") if name and (SOURCE / name).is_file()]
    for name in files:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        (to / name).write_bytes((SOURCE / name).read_bytes())


class Install(unittest.TestCase):
    def test_a_fresh_environment_runs_compares_and_identifies(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            copy = folder / "copy"
            copy_of_the_tree(copy)
            python = folder / "env/bin/python"
            try:
                call(sys.executable, "-m", "venv", "--system-site-packages", "env", folder=folder)
            except AssertionError as failed:
                self.skipTest(f"needs python3-venv: {failed}")
            settings = [] if COMPILE else ["--config-settings", f"built={BUILT}"]
            call(python, "-m", "pip", "install", *settings, copy, folder=folder)
            said = call(python, "-c", CHECK, folder=folder)
            self.assertRegex(said, r"0\.\d+\.\d+ record 'none.mcap' does not exist")
            call(python, "-m", "pip", "uninstall", "--yes", "kagami", folder=folder)
            left = list((folder / "env").rglob("*kagami*"))
            self.assertEqual(left, [])


if __name__ == "__main__":
    if COMPILE:
        sys.argv.remove("--compile")
    unittest.main()
