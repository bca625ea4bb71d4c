"""Tutorial 2: why are robot and model apart? Find the causes, change the model, predict again."""

import json

import kagami

# The robot here is a virtual one, whose servos are not those of the model. Put the record of your own
# robot in its place: kagami.Record("RUN.mcap").
run = kagami.replay("walk_forward", on="stand")

# The conclusion as sentences: how far, where, why, and what to change.
before = kagami.compare(run)
for sentence in before.conclusion:
    print(sentence)

# The same as numbers, joint by joint: the causes of the three worst ones.
worst_first = sorted(before.joints.values(), key=lambda joint: -(joint.rms_deg or 0.0))
for joint in worst_first[:3]:
    print(f"{joint.name}: {joint.rms_deg:.2f} deg RMS, {joint.lag_ms:+.0f} ms")
    for cause in joint.causes:
        amount = "" if cause.amount is None else f" {cause.amount:+.3g} {cause.unit}"
        print(f"  {cause.share:4.0%}  {cause.name}{amount}")

# One cause by hand. Most of the gap is servo lag: the robot is earlier than the model, whose two target
# filters are too slow. `lag` is in ms and both filters take half of it.
servos = run.record.servos
for name, joint in servos["joints"].items():
    for cause in before.joints[name].causes:
        if cause.name == "servo lag" and cause.amount is not None:
            joint["filter_1_s"] += 0.5e-3 * cause.amount
            joint["filter_2_s"] += 0.5e-3 * cause.amount
by_hand = kagami.replay("walk_forward", on="stand", twin=servos)

# All servo parameters at once, with their uncertainties, are fitted by `identify`.
found = kagami.identify(run, rounds=1, cross_validate=False)
found.save("twin.json")
fitted = kagami.replay("walk_forward", on="stand", twin="twin.json")

print(f"walk_forward: {run.rms_deg:.2f} deg RMS, lag changed by hand {by_hand.rms_deg:.2f}, "
      f"identified {fitted.rms_deg:.2f}")

# A model that is right predicts what it was not fitted to: another motion.
unseen = {name: kagami.replay("squat", on="stand", twin=twin).rms_deg
          for name, twin in (("before", None), ("identified", "twin.json"))}
print(f"squat, not used for the fit: {unseen['before']:.2f} deg RMS before, {unseen['identified']:.2f} after")
with open("prediction.json", "w") as file:
    json.dump({"walk_forward": [run.rms_deg, by_hand.rms_deg, fitted.rms_deg], "squat": unseen}, file)
print("written: twin.json prediction.json")
