import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_Path = str | bytes | os.PathLike[str]

class Columns:
    time: NDArray[np.float64]
    phase: NDArray[np.uint8]
    motion_time: NDArray[np.float64]
    reference: NDArray[np.float64]
    command: NDArray[np.float64]
    simulated: NDArray[np.float64]
    measured: NDArray[np.float64]
    residual: NDArray[np.float64]
    torque: NDArray[np.float64]
    events: list[tuple[float, str, int, float, str, str]]

def find_record(name: _Path) -> Path: ...
def read_head(file: _Path) -> dict[str, Any]: ...
def read_columns(file: _Path) -> Columns: ...
def read_compared(
    file: _Path,
) -> list[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]: ...
