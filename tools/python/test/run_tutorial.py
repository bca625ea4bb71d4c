"""run_tutorial.py SCRIPT: runs a tutorial in an empty folder, without matplotlib and, where it is
there, with it; it has to print something and to leave the files that it names."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

WITHOUT_MATPLOTLIB = (
    "import runpy, sys; sys.modules['matplotlib'] = None; del sys.argv[0]; "
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)


def main() -> int:
    script = Path(sys.argv[1]).resolve()
    ways = [["-c", WITHOUT_MATPLOTLIB, str(script)]]
    if importlib.util.find_spec("matplotlib") is not None:
        ways.append([str(script)])
    for words in ways:
        with tempfile.TemporaryDirectory() as folder:
            env = {**os.environ, "XDG_DATA_HOME": folder, "MPLBACKEND": "Agg", "MPLCONFIGDIR": folder}
            done = subprocess.run(
                [sys.executable, *words], cwd=folder, env=env, stdout=subprocess.PIPE, text=True
            )
            print(done.stdout)
            if done.returncode != 0 or len(done.stdout.splitlines()) < 5:
                print(f"{script.name} ended with {done.returncode}")
                return 1
            named = re.findall(r"\b[\w/]+\.(?:csv|svg|json)\b", done.stdout)
            missing = [file for file in named if not (Path(folder) / file).is_file()]
            if not named or missing:
                print(f"{script.name} names files that it did not write: {missing or 'none at all'}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
