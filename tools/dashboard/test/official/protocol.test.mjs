// The official client of the Foxglove WebSocket protocol drives a run of `kagami tune`.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";

import { kProtocols, Listener, startServer, urlOf } from "./server.mjs";

let server;
let listeners = [];
const open = (...args) => {
  const listener = new Listener(...args);
  listeners.push(listener);
  return listener;
};

before(async () => { server = await startServer("--clock", "virtual"); });
afterEach(() => {
  for (const listener of listeners) listener.close();
  listeners = [];
});
after(async () => {
  const { code, out } = await server.stop();
  assert.equal(code, 130);
  assert.equal(JSON.parse(out).schema, "kagami.run/1");
});

for (const name of kProtocols) {
  test(`${name}: the offered sub-protocol is answered, and the server lists its capabilities`, async () => {
    const l = open(urlOf(server), [name]);
    const info = await l.once("serverInfo");
    assert.equal(l.socket.protocol, name);
    for (const what of ["parameters", "parametersSubscribe", "services", "assets"]) assert.ok(info.capabilities.includes(what));
    assert.ok(info.sessionId.length > 0);
    const topics = (await l.once("advertise")).map((c) => c.topic);
    for (const topic of ["/joint_states/measured", "/joint_states/simulated", "/joint_states/commanded",
      "/joint_states/reference", "/joint_states/loop", "/residual", "/events", "/tf", "/tf_measured", "/gains",
      "/status", "/balance", "/bus"]) assert.ok(topics.includes(topic), topic);
    const channels = await l.once("advertise");
    for (const c of channels) {
      if (c.topic === "/cycle") {
        assert.deepEqual([c.encoding, c.schemaEncoding], ["cdr", "ros2msg"]);
        continue;
      }
      assert.equal(c.encoding, "json");
      assert.equal(c.schemaEncoding, "jsonschema");
      assert.equal(JSON.parse(c.schema).title, c.schemaName);
    }
    const services = (await l.once("advertiseServices")).map((s) => s.name);
    for (const service of ["stop", "release", "hold", "play", "pause", "step", "speed", "set_controller", "undo", "redo",
      "select", "store", "difference", "save", "sessions", "motions", "set", "compare", "check", "session",
      "take_writer", "hand_over"]) assert.ok(services.includes(service), service);
  });
}

test("17 joints are measured and simulated, in radians", async () => {
  const l = open(urlOf(server, ""));
  const simulated = await l.message(await l.subscribe("/joint_states/simulated"));
  assert.equal(simulated.joints.length, 17);
  for (const joint of simulated.joints) assert.ok(Math.abs(joint.position) < 3.2);
  const measured = await l.subscribe("/joint_states/measured");
  const seen = new Set();
  while (seen.size < 17) for (const joint of (await l.message(measured)).joints) seen.add(joint.name);
  assert.deepEqual([...seen].sort(), simulated.joints.map((j) => j.name).sort());
  const twin = await l.message(await l.subscribe("/tf"));
  const robot = await l.message(await l.subscribe("/tf_measured"));
  assert.deepEqual(robot.transforms.map((t) => t.child_frame_id), twin.transforms.map((t) => `measured/${t.child_frame_id}`));
});

test("curves come 30 times a second, on request up to 60 times", async () => {
  const rate = async (query) => {
    const l = open(`${urlOf(server, "")}${query}`);
    const id = await l.subscribe("/joint_states/simulated");
    await l.message(id);
    const before = Date.now();
    for (let i = 0; i < 30; ++i) await l.message(id);
    return 30_000 / (Date.now() - before);
  };
  // frames wait for no client, so they may come slower on a busy machine, never faster
  const usual = await rate("");
  assert.ok(usual < 33, `${usual} Hz`);
  const fast = await rate("?rate=60");
  assert.ok(fast < 66, `${fast} Hz`);
});

test("the server reports the run's time: that of its samples, in simulated time different from the wall clock", async () => {
  const l = open(`${urlOf(server, "")}?rate=60`);
  const id = await l.subscribe("/joint_states/simulated");
  const row = await l.message(id);
  const { timestamp } = await l.next("time");
  const reported = Number(timestamp) / 1e9;
  const drawn = row.timestamp.sec + row.timestamp.nsec / 1e9;
  assert.ok(reported >= drawn && reported < drawn + 20, `${reported - drawn} s`);
  const later = await l.next("time", (t) => t.timestamp !== timestamp);
  // whole cycles of the run's own clock
  assert.equal((later.timestamp - timestamp) % 1_000_000n, 0n);
});

test("status reports loop, line, record, motion and gains, and each client its own part", async () => {
  const l = open(urlOf(server));
  const status = await l.message(await l.subscribe("/status"), (s) => s.motion !== null && s.line.answered > 0);
  assert.equal(status.motion.name, "walk_forward");
  assert.ok(status.motion.keyframes.length > 3);
  assert.ok(status.loop.rate_hz > 100);
  assert.ok(status.recording.bytes > 0);
  assert.deepEqual(status.controllers, ["pid"]);
  assert.equal(typeof status.gains.dirty, "boolean");
  assert.equal(typeof status.writer.you, "boolean");
  assert.equal(typeof status.dropped, "number");
});

test("every tunable is a parameter, with its range and unit in /tunables", async () => {
  const l = open(urlOf(server, ""));
  const all = await l.get();
  const tunables = JSON.parse(all.find((p) => p.name === "/tunables").value);
  assert.ok(tunables.length > 17);
  const kp = tunables.find((t) => t.name === "pid/left_knee/kp");
  assert.ok(kp.min < kp.max && kp.text.length > 0);
  for (const t of tunables) {
    const value = all.find((p) => p.name === `/${t.name}`);
    assert.equal(value.type, "float64");
    assert.ok(value.value >= t.min && value.value <= t.max, t.name);
  }
  const two = await l.get(["/pid/left_knee/kp", "/nothing/of/the/kind"]);
  assert.deepEqual(two.map((p) => p.name), ["/pid/left_knee/kp"]);
});

test("a gain is applied at a tick, acknowledged, reported to the readers, undone and redone", async () => {
  const l = open(urlOf(server));
  const watcher = open(urlOf(server, ""));
  await watcher.once("serverInfo");
  watcher.client.subscribeParameterUpdates(["/pid/left_knee/kp"]);
  const gains = await watcher.subscribe("/gains");
  assert.equal((await l.call("take_writer")).ok, true);
  const name = "/pid/left_knee/kp";
  const before = (await l.get([name]))[0].value;
  const news = watcher.next("parameterValues", (p) => p.id === undefined && p.parameters.some((q) => q.name === name));
  const reported = watcher.message(gains, (g) => g.values["pid/left_knee/kp"] === before + 1.5);
  assert.deepEqual(await l.set({ [name]: before + 1.5 }), { [name]: before + 1.5 });
  assert.equal((await news).parameters[0].value, before + 1.5);
  const change = await reported;
  assert.equal(change.why, "propose");
  assert.ok(change.tick > 0);
  const undone = await l.call("undo");
  assert.ok(undone.ok && undone.tick > change.tick, JSON.stringify(undone));
  assert.equal((await l.get([name]))[0].value, before);
  assert.ok((await l.call("redo")).ok);
  assert.equal((await l.get([name]))[0].value, before + 1.5);
  assert.ok((await l.call("undo")).ok);
});

test("the named sets differ where they were stored differently, and switch", async () => {
  const l = open(urlOf(server));
  await l.call("take_writer");
  const name = "/pid/left_hip_pitch/kp";
  const before = (await l.get([name]))[0].value;
  await l.set({ [name]: before + 1 });
  assert.ok((await l.call("store", { set: "B" })).ok);
  const difference = (await l.call("difference")).difference;
  assert.deepEqual(difference, [{ name: name.slice(1), a: before, b: before + 1 }]);
  assert.ok((await l.call("select", { set: "A" })).ok);
  assert.equal((await l.get([name]))[0].value, before);
  const saved = await l.call("save", { name: "after_test", note: "of a test" });
  assert.ok(saved.ok, JSON.stringify(saved));
  assert.equal((await l.call("save", { name: "../outside" })).ok, false);
});

test("what is out of range, unknown or no number is refused with a sentence and changes nothing", async () => {
  const l = open(urlOf(server));
  await l.call("take_writer");
  const name = "/pid/left_knee/kp";
  const before = (await l.get([name]))[0].value;
  for (const [wrong, expected] of [[{ [name]: 1e9 }, "pid/left_knee/kp"], [{ "/pid/left_knee/kq": 1 }, "kq"],
    [{ [name]: "5" }, "a number"], [{ [name]: before + 1, "/pid/no_such_joint/kp": 1 }, "no_such_joint"], [{ "/tunables": 1 }, "read only"]]) {
    const complaint = l.next("status", (s) => s.level === 2);
    const holds = await l.set(wrong);
    assert.match((await complaint).message, new RegExp(expected));
    if (name in holds) assert.equal(holds[name], before);
  }
  for (const [service, request] of [["speed", { factor: 9 }], ["speed", {}], ["step", { ms: 0 }], ["select", { set: "C" }], ["reverse", {}], ["reverse", { on: "yes" }],
    ["stop", { level: "somehow" }], ["play", { motion: "no_such_motion" }]]) {
    const answer = await l.call(service, request);
    assert.equal(answer.ok, false, service);
    assert.ok(answer.error.length > 5);
  }
});

test("one client writes, the others read; a takeover is reported", async () => {
  const first = open(urlOf(server));
  const second = open(urlOf(server));
  const reader = open(urlOf(server, ""));
  assert.ok((await first.call("take_writer")).ok);
  assert.match((await second.call("pause")).error, /take_writer/);
  const lost = first.next("status", (s) => /took control/.test(s.message));
  assert.ok((await second.call("take_writer")).ok);
  await lost;
  assert.match((await first.call("undo")).error, /another client writes/);
  assert.ok((await second.call("hand_over")).ok);
  assert.match((await reader.call("take_writer")).error, /token/);
  assert.match((await reader.call("stop", { level: "slow" })).error, /token/);
  assert.ok((await reader.call("difference")).ok);
});

test("a change is tried on the twins, promoted at a tick, watched; joints are tested, gains found and accepted", async () => {
  const l = open(urlOf(server));
  await l.call("take_writer");
  const name = "pid/head_yaw/kp";
  const kp = (await l.get([`/${name}`]))[0].value;
  const tried = await l.call("try", { changes: { [name]: kp + 0.5 }, seconds: 1 });
  assert.ok(tried.ok, JSON.stringify(tried));
  const { low, mean, high } = tried.predicted.left_knee;
  for (let i = 0; i < tried.t.length; ++i) assert.ok(low[i] <= mean[i] && mean[i] <= high[i]);
  assert.equal((await l.get([`/${name}`]))[0].value, kp, "only the twins have it");
  assert.match((await l.call("promote", { id: "promote-99" })).error, /unknown or too old/);
  const promoted = await l.call("promote", { id: tried.id });
  // a promotion during a motion that is about to end is refused with a reason
  if (promoted.ok) {
    assert.ok(promoted.tick > 0);
    assert.equal((await l.get([`/${name}`]))[0].value, kp + 0.5);
  } else {
    assert.match(promoted.error, /motion/);
  }
  const step = await l.call("experiment", { kind: "step", joint: "left_knee", size_deg: 10, seconds: 1 });
  assert.ok(step.ok && step.metrics.rms_deg > 0 && step.curves.angle_deg.length > 100, JSON.stringify(step).slice(0, 300));
  assert.match((await l.call("experiment", { kind: "step", joint: "nose" })).error, /left_knee/);
  const found = await l.call("autotune", { joint: "left_knee", method: "relay" });
  assert.ok(found.ok, found.error);
  const accepted = await l.call("accept", { id: found.id });
  assert.ok(accepted.ok, accepted.error);
  assert.equal((await l.get(["/pid/left_knee/kp"]))[0].value, found.after.gains["pid/left_knee/kp"]);
  assert.ok((await l.call("undo")).ok);
});

test("a write names the version that it was based on", async () => {
  const first = open(urlOf(server));
  const status = await first.subscribe("/status");
  await first.call("take_writer");
  const { written, version } = (await first.message(status)).gains;
  assert.ok(written <= version);
  const name = "pid/right_knee/kp";
  const kp = (await first.get([`/${name}`]))[0].value;
  const one = await first.call("set", { base: written, changes: { [name]: kp + 1 }, why: "a test" });
  assert.ok(one.ok && one.version > written && one.tick > 0, JSON.stringify(one));
  const late = await first.call("set", { base: written, changes: { [name]: kp + 2 } });
  assert.equal(late.ok, false);
  assert.equal(late.version, one.version);
  assert.match(late.error, /version/);
  assert.equal((await first.get([`/${name}`]))[0].value, kp + 1);
  const reported = await first.message(status, (s) => s.gains.version >= one.version);
  assert.equal(reported.gains.written, one.version);
  assert.ok((await first.call("undo")).ok);
});

test("sessions are compared, motions checked; the run that goes on is neither verified nor exported", async () => {
  const l = open(urlOf(server));
  const [{ name, motion }] = (await l.call("sessions")).sessions;
  assert.equal(motion, "walk_forward");
  const compared = await l.call("compare", { record: name });
  assert.ok(compared.ok, compared.error);
  assert.equal(compared.joints.length, 17);
  for (const action of ["verify", "report", "export"]) {
    assert.match((await l.call("session", { name, action })).error, /still running/);
  }
  for (const wrong of ["../x", "", "/etc", ".", "a/b", `${name}/../${name}`]) {
    assert.equal((await l.call("compare", { record: wrong })).ok, false, wrong);
    assert.equal((await l.call("session", { name: wrong, action: "verify" })).ok, false, wrong);
  }
  const checked = await l.call("check", { motion: "bow" });
  assert.ok(checked.ok, checked.error);
  assert.equal(checked.schema, "kagami.motion_check/1");
  assert.ok(["green", "amber"].includes(checked.verdict), JSON.stringify(checked.findings));
  assert.equal(checked.twin.fell_robot, false);
  assert.equal((await l.call("check", { motion: "../bow" })).ok, false);
  const reader = open(urlOf(server, ""));
  assert.match((await reader.call("session", { name, action: "report" })).error, /token/);
});

test("the robot's file comes as an asset", async () => {
  const l = open(urlOf(server, ""));
  await l.once("serverInfo");
  const good = l.next("fetchAssetResponse", (r) => r.requestId === 7);
  l.client.fetchAsset("package://robot/robot.urdf", 7);
  assert.match(new TextDecoder().decode((await good).data), /<robot/);
  const bad = l.next("fetchAssetResponse", (r) => r.requestId === 8);
  l.client.fetchAsset("package://../../etc/passwd", 8);
  assert.equal((await bad).status, 1);
});

test("a client that reconnects finds the same run", async () => {
  const first = open(urlOf(server));
  const session = (await first.once("serverInfo")).sessionId;
  first.close();
  await first.once("close");
  const again = open(urlOf(server));
  assert.equal((await again.once("serverInfo")).sessionId, session);
  assert.ok((await again.get(["/motion/speed"])).length === 1);
});

test("a stop is confirmed by the boards, and play goes on", async () => {
  const l = open(urlOf(server));
  const status = await l.subscribe("/status");
  assert.ok((await l.call("stop", { level: "slow" })).ok);
  const held = await l.message(status, (s) => s.stop.level === "slow" && s.stop.confirmed);
  assert.ok(held.stop.tick > 0);
  assert.equal((await l.message(status, (s) => s.state === "hold")).state, "hold");
  await l.call("take_writer");
  const again = await l.call("play", { motion: "walk_forward" });
  assert.ok(again.ok, JSON.stringify(again));
  await l.message(status, (s) => s.state === "running");
});

test("a joint is tested on the robot itself, while it holds", async () => {
  const l = open(urlOf(server));
  await l.call("take_writer");
  const status = await l.subscribe("/status");
  assert.ok((await l.call("stop", { level: "slow" })).ok);
  await l.message(status, (s) => s.state === "hold");
  const answer = await l.call("experiment", { kind: "step", joint: "left_elbow", size_deg: 10, seconds: 1, where: "robot" });
  assert.ok(answer.ok || /stop/.test(answer.error), JSON.stringify(answer).slice(0, 200));
});
