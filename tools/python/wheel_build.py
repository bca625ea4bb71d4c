"""Build backend of `pip install .` (PEP 517): compiles with CMake and packs a wheel.

It needs no Python package. Compiled is in build/python, so that a second call is quick; KAGAMI_BUILD
names another folder than build, KAGAMI_JOBS the number of compilers. With the setting
`--config-settings built=FOLDER` nothing is compiled: FOLDER is a build folder whose target
kagami_python is made.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[2]
REMEDY = "'./kagami python' installs the packages that are needed"


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Makes the wheel in wheel_directory and returns its name."""
    built = (config_settings or {}).get("built") or compiled()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name = f"{project['name']}-{version()}"
    tag = wheel_tag()
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / project["name"]
        call("cmake", "--install", built, "--component", "python", "--prefix", package, "--strip")
        info = Path(folder) / f"{name}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(metadata(project), encoding="utf-8")
        (info / "WHEEL").write_text(
            f"Wheel-Version: 1.0\nGenerator: kagami\nRoot-Is-Purelib: false\nTag: {tag}\n",
            encoding="utf-8",
        )
        shutil.copy(ROOT / "LICENSE", info)
        pack(Path(folder), info.name, Path(wheel_directory) / f"{name}-{tag}.whl")
    return f"{name}-{tag}.whl"


def compiled() -> Path:
    """The build folder, its target kagami_python made."""
    missing = [tool for tool in ("cmake", "ninja", "c++") if shutil.which(tool) is None]
    if missing:
        fail(f"{', '.join(missing)}: not found; Kagami is compiled by CMake")
    build = Path(os.environ.get("KAGAMI_BUILD", ROOT / "build")).resolve() / "python"
    options = ["TESTS=OFF", "TUNE=OFF", "PAGE=OFF", "IDENTIFY=ON", "PYTHON=ON", "PCH=ON", "UNITY=ON"]
    words = [f"-DKAGAMI_{option}" for option in options]
    # the Python that a virtual environment was made from has the headers
    python = Path(sys.executable).resolve()
    try:
        call("cmake", "--preset", "release", "-S", ROOT, "-B", build, f"-DPython_EXECUTABLE={python}", *words)
    except subprocess.CalledProcessError:
        fail("cmake cannot configure Kagami; why is above")
    try:
        call("ninja", "-C", build, "-j", os.environ.get("KAGAMI_JOBS", "2"), "kagami_python")
    except subprocess.CalledProcessError:
        fail("the compilation failed; why is above")
    return build


def fail(sentence: str) -> NoReturn:
    raise SystemExit(f"\nkagami: {sentence}. {REMEDY}.")


def call(*words: object) -> None:
    subprocess.run([str(word) for word in words], cwd=ROOT, check=True)


def version() -> str:
    """That of the program."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"^project\(kagami VERSION (\S+)", text, re.MULTILINE)
    assert found, "CMakeLists.txt: no version of the project"
    return found.group(1)


def wheel_tag() -> str:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def metadata(project: dict[str, Any]) -> str:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {version()}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
        "License-File: LICENSE",
    ]
    lines += [f"Requires-Dist: {package}" for package in project["dependencies"]]
    return "\n".join(lines) + "\n"


def pack(folder: Path, info: str, wheel: Path) -> None:
    """The folder as a zip file with the list of its files and their hashes."""
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            place = file.relative_to(folder).as_posix()
            data = file.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.writerow((place, f"sha256={digest}", len(data)))
            archive.write(file, place)  # with its mode: programs can be executed
        rows.writerow((f"{info}/RECORD", "", ""))
        archive.writestr(f"{info}/RECORD", record.getvalue())
