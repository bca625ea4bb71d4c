"""Tutorial 1: read a record, and plot how far each joint was from its model.

    python3 read_a_record.py            # plays a motion first
    python3 read_a_record.py RUN.mcap   # or a session's folder, or latest
"""

import csv
import sys

import kagami
import numpy as np

# A record of your own, or a run of the virtual robot: on its simulated clock this takes a second.
if len(sys.argv) > 1:
    record = kagami.Record(sys.argv[1])
else:
    record = kagami.replay("walk_forward", on="stand").record
print(f"{record.motion}: {len(record.time)} ticks in {record.time[-1]:.2f} s, {len(record.joints)} joints")

# Every table has a row per tick and a column per joint. The boards are read less often than the loop
# ticks: where there is no reading, `measured` is NaN.
print(f"a reading in {np.isfinite(record.measured[:, 0]).mean():.0%} of the ticks of {record.joints[0]}")

# What happened on the way.
for event in record.events:
    print(f"  {event.time:7.3f} s  {event.level:7}  {event.sentence}")

# The error of a joint: the model at the time of each reading, minus the reading.
errors = {}
for joint in record.joints:
    readings = record.readings(joint)
    errors[joint] = (readings.time, np.degrees(readings.simulated - readings.measured))
worst_first = sorted(errors, key=lambda joint: -np.sqrt(np.mean(errors[joint][1] ** 2)))

print("joint                  RMS deg  largest deg")
for joint in worst_first:
    error = errors[joint][1]
    print(f"{joint:22} {np.sqrt(np.mean(error**2)):7.2f}  {np.abs(error).max():7.2f}")

# The curves: as a picture where matplotlib is there, as a table in any case.
with open("errors.csv", "w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(("joint", "time_s", "error_deg"))
    for joint in worst_first:
        rows.writerows((joint, f"{t:.4f}", f"{e:.4f}") for t, e in zip(*errors[joint]))
print("written: errors.csv")
try:
    from matplotlib import pyplot
except ImportError:
    print("without matplotlib there is no picture; Debian's package is python3-matplotlib")
else:
    figure, axes = pyplot.subplots(4, 1, sharex=True, figsize=(8, 8), layout="constrained")
    for axis, joint in zip(axes, worst_first):
        axis.plot(*errors[joint], linewidth=0.8)
        axis.set_ylabel("deg")
        axis.set_title(joint, loc="left")
    axes[-1].set_xlabel("time (s)")
    figure.savefig("errors.svg")
    print("written: errors.svg")
