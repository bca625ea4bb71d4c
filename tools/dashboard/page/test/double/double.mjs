// A server that speaks the dashboard's protocol about a pretended robot; also a program: node double.mjs WWW URDF [PORT].
import { createServer } from 'node:http';
import { readFileSync, existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';
import { kJoints, Plant, tunables } from './plant.mjs';
import { makeServices } from './services.mjs';

export const kPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const kTypes = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.txt': 'text/plain' };
const kTopics = [...['measured', 'simulated', 'commanded', 'reference'].map((c) => [`/joint_states/${c}`, 'foxglove.JointStates']), ['/residual', 'kagami.Residual'],
  ['/events', 'foxglove.Log'], ['/gains', 'kagami.Gains'], ['/status', 'kagami.Status'], ['/balance', 'kagami.Balance'],
  ['/bus', 'kagami.Bus'], ['/tf', 'foxglove.FrameTransforms'], ['/tf_measured', 'foxglove.FrameTransforms']];
const kEpoch = 1_790_000_000;   // s, where the pretended clock starts

// a wrong token is refused, none may look
function accepts(request, token) {
  const given = new URL(request.url, 'http://x').searchParams.get('token');
  return given === null || given === token;
}

/** Starts it; port 0 takes a free one. Resolves with { url, plant, requests, close }. */
export async function startDouble({ www, urdf, port = 0, token = 'secret', autoplay = false }) {
  const plant = new Plant();
  if (autoplay) { plant.state = 'running'; plant.motion.loop = true; }
  const requests = [];
  const http = createServer((request, response) => {
    requests.push(request.url);
    if (!accepts(request, token)) { response.writeHead(403).end(); return; }
    const path = request.url.split('?')[0];
    const file = path === '/robot/robot.urdf' ? urdf : join(www, path === '/' ? 'index.html' : path.replaceAll('..', ''));
    if (!existsSync(file)) { response.writeHead(404).end(); return; }
    response.writeHead(200, { 'Content-Type': kTypes[extname(file)] ?? 'application/xml', 'Content-Security-Policy': kPolicy, 'X-Content-Type-Options': 'nosniff' });
    response.end(readFileSync(file));
  });
  const sockets = new WebSocketServer({ server: http, path: '/ws', verifyClient: ({ req }) => accepts(req, token), handleProtocols: (offered) => [...offered][0] });
  const hub = new Hub(plant, token);
  sockets.on('connection', (socket, request) => hub.join(socket, new URL(request.url, 'http://x').searchParams));
  await new Promise((done) => http.listen(port, '127.0.0.1', done));
  const beat = setInterval(() => hub.beat(), 1000 / 30);
  return {
    plant, requests, hub, stops: hub.stops, port: http.address().port, url: `http://127.0.0.1:${http.address().port}/`, token,
    /** Sends the table of tunables once more, as after a change of the controller. */
    announce: () => { for (const c of hub.clients) hub.say(c, { op: 'parameterValues', parameters: [{ name: '/tunables', value: JSON.stringify(tunables()) }] }); },
    close: () => new Promise((done) => {
      clearInterval(beat);
      for (const s of sockets.clients) s.terminate();
      sockets.close();
      http.close(() => done());   // also when it was closed before
      http.closeAllConnections();
    }),
  };
}

class Hub {
  clients = new Set();
  history = { version: 1, undo: [], redo: [], set: 'A', sets: {}, dirty: false };
  stop = { level: 'none', confirmed: false, tick: null };
  stops = [];   // levels that were requested
  beats = 0;
  margin = 0.034;   // m, of being saved
  losing = 0;       // display frames that no client will get
  frozen = false;   // time is stopped, the status goes on
  busy = 0;         // requests of the list of motions that will be refused
  rollback = null;
  since = {};       // of each gain the tick of its value; none: since the start

  constructor(plant, token) {
    this.plant = plant;
    this.token = token;
    this.session = `${token}-${Math.random()}`;
    this.services = makeServices(this);
    this.names = Object.keys(this.services);
    for (const set of ['A', 'B']) this.history.sets[set] = new Map(plant.gains);
  }

  join(socket, words) {
    const hasToken = words.get('token') === this.token;
    const client = { socket, hasToken, writer: hasToken, rate: Number(words.get('rate') ?? 30), subscriptions: new Map() };
    this.clients.add(client);
    socket.on('close', () => this.clients.delete(client));
    socket.on('message', (data, binary) => binary ? this.call(client, data) : this.hear(client, JSON.parse(data.toString())));
    this.say(client, { op: 'serverInfo', name: 'walk_forward on the double', capabilities: ['parameters', 'parametersSubscribe', 'services', 'time'], sessionId: this.session,
      metadata: { access: hasToken ? 'writer' : 'reader' } });
    this.say(client, { op: 'advertise', channels: kTopics.map(([topic, schemaName], id) => ({ id, topic, encoding: 'json', schemaName, schema: '{}', schemaEncoding: 'jsonschema' })) });
    this.say(client, { op: 'advertiseServices', services: this.names.map((name, id) => ({ id, name, type: `kagami/${name}`, requestSchema: '', responseSchema: '' })) });
  }

  say(client, message) { client.socket.send(JSON.stringify(message)); }

  hear(client, m) {
    if (m.op === 'subscribe') {
      for (const s of m.subscriptions) client.subscriptions.set(s.channelId, s.id);
      if (m.subscriptions.some((s) => kTopics[s.channelId][0] === '/gains')) this.gains('start', [client]);
    } else if (m.op === 'unsubscribe') {
      for (const [channel, id] of client.subscriptions) if (m.subscriptionIds.includes(id)) client.subscriptions.delete(channel);
    } else if (m.op === 'getParameters') {
      const all = [{ name: '/tunables', value: JSON.stringify(tunables()) }, ...this.parameters()];
      this.say(client, { op: 'parameterValues', id: m.id, parameters: all.filter((p) => m.parameterNames.length === 0 || m.parameterNames.includes(p.name)) });
    } else if (m.op === 'setParameters') {
      this.set(client, m);
    }
  }

  parameters(names = [...this.plant.gains.keys()]) {
    return names.map((n) => ({ name: `/${n}`, value: this.plant.gains.get(n) ?? null, type: 'float64' }));
  }

  set(client, m) {
    const names = m.parameters.map((p) => p.name.slice(1));
    const refuse = (why) => {
      this.say(client, { op: 'status', level: 2, message: why });
      this.say(client, { op: 'parameterValues', id: m.id, parameters: this.parameters(names) });
    };
    if (!client.writer) { refuse('this page may only read: it was opened without the token'); return; }
    for (const p of m.parameters) {
      const t = tunables().find((x) => x.name === p.name.slice(1));
      if (!t) { refuse(`${p.name}: unknown`); return; }
      if (!(p.value >= t.min && p.value <= t.max)) { refuse(`${p.name}: ${p.value} is outside [${t.min}, ${t.max}] ${t.unit}`); return; }
    }
    setTimeout(() => {
      this.apply(new Map(m.parameters.map((p) => [p.name.slice(1), p.value])), 'propose');
      this.say(client, { op: 'parameterValues', id: m.id, parameters: this.parameters(names) });
    }, 30);
  }

  /** Applies values and reports them to all clients. */
  apply(values, why) {
    if (why === 'propose' || why === 'promote' || why === 'autotune') { this.history.undo.push(new Map(this.plant.gains)); this.history.redo = []; }
    for (const [name, value] of values) {
      if (this.plant.gains.get(name) !== value) this.since[name] = this.plant.tick;
      this.plant.gains.set(name, value);
    }
    this.history.version++;
    this.history.dirty = true;
    this.gains(why, this.clients);   // all values, as the server does
    for (const c of this.clients) this.say(c, { op: 'parameterValues', parameters: this.parameters([...values.keys()]) });
  }

  event(level, name, message) { this.publish('/events', { timestamp: this.stamp(), level, name, message }); }

  gains(why, clients) {
    this.publish('/gains', { timestamp: this.stamp(), tick: this.plant.tick, version: this.history.version, values: Object.fromEntries(this.plant.gains), why,
      since: Object.fromEntries([...this.plant.gains.keys()].map((name) => [name, this.since[name] ?? 0])) }, clients);
  }

  /** End of a server that reports how its run ended; resolves when all clients have read it. */
  goodbye(how) {
    return Promise.all([...this.clients].map(({ socket }) => new Promise((done) => {
      socket.once('close', done);
      socket.close(1001, how);
    })));
  }

  call(client, data) {
    const bytes = new Uint8Array(data);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const [service, id, length] = [view.getUint32(1, true), view.getUint32(5, true), view.getUint32(9, true)];
    const request = JSON.parse(new TextDecoder().decode(bytes.subarray(13 + length)));
    Promise.resolve(this.services[this.names[service]](request, client)).then((answer) => {
      const payload = new TextEncoder().encode(JSON.stringify(answer));
      const out = new Uint8Array(17 + payload.length);
      const to = new DataView(out.buffer);
      to.setUint8(0, 3);
      to.setUint32(1, service, true);
      to.setUint32(5, id, true);
      to.setUint32(9, 4, true);
      out.set(new TextEncoder().encode('json'), 13);
      out.set(payload, 17);
      client.socket.send(out);
    });
  }

  stamp() {
    const t = this.plant.time;
    return { sec: kEpoch + Math.floor(t), nsec: Math.floor((t % 1) * 1e9) };
  }

  publish(topic, value, clients = this.clients) {
    const channel = kTopics.findIndex(([t]) => t === topic);
    const payload = new TextEncoder().encode(JSON.stringify(value));
    for (const client of clients) {
      const id = client.subscriptions.get(channel);
      if (id === undefined || client.socket.readyState !== 1) continue;
      const out = new Uint8Array(13 + payload.length);
      const view = new DataView(out.buffer);
      view.setUint8(0, 1);
      view.setUint32(1, id, true);
      view.setBigUint64(5, BigInt(Math.round((kEpoch + this.plant.time) * 1e9)), true);
      out.set(payload, 13);
      client.socket.send(out);
    }
  }

  beat() {
    const p = this.plant;
    ++this.beats;
    if (this.frozen) { this.status(); return; }
    p.step(1 / 30);
    const states = (q) => ({ timestamp: this.stamp(), joints: kJoints.map((name, i) => ({ name, position: q[i] })) });
    if (this.losing > 0) {
      --this.losing;
    } else {
      this.publish('/joint_states/commanded', states(p.commanded));
      this.publish('/joint_states/reference', states(p.reference()));
      this.publish('/joint_states/simulated', states(p.simulated));
    }
    // the boards are read by turns, each at its own time
    const board = this.beats % 2;
    const read = p.readings();
    const ofBoard = (all) => ({ ...all, joints: all.joints.filter((_, i) => (i < 7) === (board === 0)) });
    this.publish('/joint_states/measured', ofBoard(states(read)));
    this.publish('/residual', ofBoard({ timestamp: this.stamp(), joints: kJoints.map((name, i) => ({ name, residual: p.simulated[i] - read[i] })) }));
    this.balance();
    if (this.beats % 3 === 0) { this.status(); this.bus(); }
  }

  balance() {
    const sway = 0.02 * Math.sin(4 * this.plant.time);
    const x = 0.03 * this.plant.motion.time / 3;
    const frame = (child, dy) => ({ timestamp: this.stamp(), parent_frame_id: 'world', child_frame_id: child,
      translation: { x, y: sway * 0.5 + dy, z: 0.238 }, rotation: { x: 0, y: 0, z: 0, w: 1 } });
    this.publish('/tf', { transforms: [frame('base_link', 0)] });
    this.publish('/tf_measured', { transforms: [frame('measured/base_link', 0.001)] });
    this.publish('/balance', { timestamp: this.stamp(), com: [x, sway, 0.22], measured_com: null, margin_m: this.margin, zmp: [x + 0.005, sway * 1.2],
      support: [[x - 0.04, -0.06], [x + 0.056, -0.06], [x + 0.056, 0.06], [x - 0.04, 0.06]],
      reactions: [[0.05, 0.03], [-0.03, 0.03], [0.05, -0.03], [-0.03, -0.03]].map(([dx, dy]) => ({ point: [x + dx, dy, 0], force: [0, 0, 3 + dy * sway * 2000] })) });
  }

  status() {
    const p = this.plant;
    for (const client of this.clients) {
      this.publish('/status', {
        timestamp: this.stamp(), tick: p.tick, state: p.state, phase: p.state, confirmed: true, stop: this.stop, reason: p.reason,
        loop: { rate_hz: 200, late_ticks: 0, skipped_ticks: 0, p99_us: 84 },
        line: { cycle_hz: 14.9, utilisation: 0.78, sent: p.tick, answered: p.tick, late: 0, bad_sum: 0, silent: 0, age_ms: 71 + 6 * Math.sin(p.time) },
        twin_realtime_factor: 9.4, recording: { file: 'run.mcap', bytes: Math.round(310e3 * p.time), seconds: p.time, lost: 0 },
        motion: { name: p.motion.name, time_s: p.motion.time, duration_s: p.duration, progress: p.motion.time / p.duration, speed: p.motion.speed,
          paused: p.state === 'paused', reverse: p.motion.reverse, keyframes: Array.from({ length: 13 }, (_, i) => 0.4 + 0.7 * i) },
        controller: 'pid', controllers: ['pid'],
        gains: { version: this.history.version, dirty: this.history.dirty, set: this.history.set, can_undo: this.history.undo.length > 0, can_redo: this.history.redo.length > 0 },
        writer: { you: client.writer, taken: true }, dropped: 0, rollback: this.rollback,
      }, [client]);
    }
  }

  bus() {
    const frames = [];
    for (const [k, board] of [0, 1].entries()) {
      const at = 33 * k;
      frames.push({ at_ms: at, out: true, hex: 'fd 0' + board + ' 05 5a 5a 5a', text: `board ${board}: positions, speed 5`, duration_ms: 16 });
      frames.push({ at_ms: at + 17.5, out: false, hex: 'fd 0' + board, text: `board ${board}: acknowledged`, duration_ms: 2 });
      frames.push({ at_ms: at + 21, out: true, hex: 'f0 0' + board, text: `board ${board}: read channel ${this.beats % 12}`, duration_ms: 3 });
      frames.push({ at_ms: at + 26, out: false, hex: '5a 10', text: `board ${board}: 90 counts`, duration_ms: 2 });
    }
    const bell = (middle, width) => Array.from({ length: 24 }, (_, i) => Math.round(400 * Math.exp(-(((i - middle) / width) ** 2))));
    this.publish('/bus', { timestamp: this.stamp(), frames, latency_ms: { from: 0, step: 0.25, counts: bell(7, 3) }, period_ms: { from: 60, step: 0.5, counts: bell(13, 2), mean: 67.1 },
      counters: { sent: this.plant.tick, answered: this.plant.tick, late: 0, bad_sum: 0, silent: 0 } });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [www, urdf, port] = process.argv.slice(2);
  const d = await startDouble({ www, urdf, port: Number(port ?? 8899), autoplay: true });
  console.log(`${d.url}#token=${d.token}`);
}
