"""Tutorial 3: a parameter study. How far does the robot walk on floors of different friction?"""

import csv
from concurrent.futures import ThreadPoolExecutor

import kagami
import numpy as np

# A scenario is a file, or its content as a dict: here a walk that is led by a PID controller. A run
# of it gives the same bits every time, so a difference is made by the parameter alone.
scenario = kagami.scenario("khr1_pid_walk_floor")
print(scenario["note"])
frictions = (0.05, 0.1, 0.3, 0.8)


def walk(friction: float) -> kagami.Run:
    return kagami.run({**scenario, "friction": friction}, out=f"friction_{friction}")


# Each run is a process of its own; Python's threads only wait. Two at a time keep two cores busy.
with ThreadPoolExecutor(max_workers=2) as pool:
    runs = dict(zip(frictions, pool.map(walk, frictions)))

print("friction   forward m   aside m   turned deg   stands   deg RMS")
rows = []
for friction, run in runs.items():
    base = run.json["base"]["robot"]
    stands = not run.json["fell"]["robot"]
    rows.append((friction, base["x_m"], base["y_m"], base["heading_deg"], stands, run.rms_deg))
    print("{:8} {:11.3f} {:9.3f} {:12.1f}   {!s:6} {:9.2f}".format(*rows[-1]))

# Records hold the whole course, not the end alone: the torque that the steps took.
for friction, run in runs.items():
    torque = run.record.torque[run.record.phase == kagami.Phase.PLAYING]
    print(f"friction {friction}: largest servo torque {np.nanmax(np.abs(torque)):.2f} N m")

with open("friction.csv", "w", newline="") as file:
    table = csv.writer(file)
    table.writerow(("friction", "forward_m", "aside_m", "turned_deg", "stands", "rms_deg"))
    table.writerows(rows)
print("written: friction.csv")
try:
    from matplotlib import pyplot
except ImportError:
    print("without matplotlib there is no picture; Debian's package is python3-matplotlib")
else:
    figure, axis = pyplot.subplots(layout="constrained")
    axis.plot(frictions, [row[1] for row in rows], marker="o")
    axis.set_xlabel("friction coefficient")
    axis.set_ylabel("forward (m)")
    figure.savefig("friction.svg")
    print("written: friction.svg")
