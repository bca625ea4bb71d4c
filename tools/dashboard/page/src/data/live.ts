// The page's one connection: passes messages to the state, and requests of the user to the server.
import { Client, type Parameter } from '../protocol/client.ts';
import { seconds, type Answer, type Balance, type Bus, type FrameTransforms, type Gains, type JointStates, type LogLine,
  type Residuals, type Status, type Tunable } from '../protocol/messages.ts';
import { counted } from './frame.ts';
import * as state from './state.ts';

const kLogKept = 500;
const kWarning = 3;   // of foxglove.Log
const kHello = 400;   // ms
const kAgain = 250;   // ms until a request is repeated
const kCurveOf: Record<string, state.Curve> = {
  '/joint_states/measured': 'measured', '/joint_states/simulated': 'simulated',
  '/joint_states/commanded': 'commanded', '/joint_states/reference': 'reference', '/joint_states/loop': 'loop',
};
const kAlways = [...Object.keys(kCurveOf), '/residual', '/events', '/gains', '/status'];
const kTokenKey = 'kagami.token';

let reported = new Map<string, number>();   // values of the last /gains; empty before the first
let lastComplaint = '';
let connections = 0;   // that were opened; the newest is used
let version = 0;   // newest set of values that this page has received

/** Reconnects with another token ('': none, read-only). */
export function useToken(token: string): void {
  try { sessionStorage.setItem(kTokenKey, token); } catch { location.hash = `token=${encodeURIComponent(token)}`; }
  state.connection.value = 'connecting';
  client.restart();
}

/** The token of the address (#token=...), taken out of it and kept for this tab's reloads. */
export function takeToken(): string {
  const found = /[#&]token=([^&]+)/.exec(location.hash);
  try {
    if (found) sessionStorage.setItem(kTokenKey, decodeURIComponent(found[1]));
    if (found) history.replaceState(null, '', location.pathname + location.search + location.hash.replace(found[0], '').replace(/^&/, '#'));
    return sessionStorage.getItem(kTokenKey) ?? '';
  } catch {
    return found ? decodeURIComponent(found[1]) : '';
  }
}

function socketUrl(): string {
  const token = takeToken();
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  const query = [token && `token=${encodeURIComponent(token)}`, rate.value !== kRate && `rate=${rate.value}`].filter(Boolean).join('&');
  return `${scheme}://${location.host}/ws${query && `?${query}`}`;
}

const kRate = 30;
/** Frames a second requested from the server. */
export const rate = state.kept<number>('rate', kRate);
rate.subscribe(state.setFrameRate);
/** Requests another rate: the rate belongs to the connection, so it reconnects. */
export function setRate(hz: number): void { rate.value = hz; client.restart(); }

export const client = new Client(socketUrl, {
  opened: (info) => {
    if (state.session.value !== (info.sessionId ?? '')) { state.session.value = info.sessionId ?? ''; version = 0; reported = new Map(); state.inForce.value = {}; recallGains(); }
    state.hasToken.value = info.metadata?.access !== 'reader';
    state.serverName.value = info.name;
    state.connection.value = 'open';
    ++connections;
    void untilAnswered(async () => await client.getParameters() !== null);
    void untilAnswered(listMotions);
  },
  lost: ({ wasOpen, goodbye }) => {
    state.goodbye.value = goodbye || state.goodbye.value;
    // the end that was reported stays until another server answers
    if (goodbye) state.connection.value = 'ended';
    else if (wasOpen || !['ended', 'refused'].includes(state.connection.value)) state.connection.value = 'lost';
    if (!wasOpen) void findRefusal();
    state.touch();
  },
  message: (topic, data) => counted(() => take(topic, data)),
  parameters: (list) => counted(() => takeParameters(list)),
  status: (level, message) => {
    if (level < 2) return;
    lastComplaint = message;
    state.say(message, true);
  },
});

// a browser hides why a WebSocket was not opened: the request of a file with the same guard shows whether it is the token
async function findRefusal(): Promise<void> {
  const token = takeToken();
  const answer = await fetch(`/robot/robot.urdf${token && `?token=${encodeURIComponent(token)}`}`, { method: 'HEAD', cache: 'no-store' }).catch(() => null);
  if (answer?.status === 403 && state.lost.value) state.connection.value = 'refused';
}

/** Connects and subscribes to the topics of all tabs. */
export function start(): void {
  for (const topic of kAlways) client.want(topic);
  client.connect();
  // a page in control sends a sign of life: without it the server's dead-man switch acts
  setInterval(() => { if (state.status.value?.writer?.you) client.sayHello(); }, kHello);
}

// Repeats a request until there is an answer: a busy server may answer too late. A new connection starts again.
async function untilAnswered(question: () => Promise<boolean>): Promise<void> {
  const mine = connections;
  while (mine === connections && !await question()) await pause(kAgain);
}

async function listMotions(): Promise<boolean> {
  const answer = await client.call<{ motions: (string | { name: string })[] }>('motions');
  if (!answer.ok) return false;
  state.motions.value = (answer.motions ?? []).map((m) => typeof m === 'string' ? { name: m } : m);
  return true;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function take(topic: string, data: unknown): void {
  const curve = kCurveOf[topic];
  if (curve) {
    const m = data as JointStates;
    state.pushStates(curve, state.axisTime(seconds(m.timestamp)), m.joints);
    return;
  }
  switch (topic) {
    case '/status':
      state.status.value = data as Status;
      version = Math.max(version, state.status.value.gains?.version ?? 0);
      break;
    case '/balance': state.balance.value = data as Balance; state.touch(); break;
    case '/bus': state.bus.value = data as Bus; break;
    case '/residual': state.pushResiduals(state.axisTime(seconds((data as Residuals).timestamp)), (data as Residuals).joints); break;
    case '/gains': takeGains(data as Gains); break;
    case '/events':
      state.log.value = [data as LogLine, ...state.log.value].slice(0, kLogKept);
      if (state.logOpen.value || (data as LogLine).level < kWarning) break;
      ++state.unseen.value;
      if ((data as LogLine).level > kWarning) state.unseenErrors.value = true;
      break;
    case '/tf': case '/tf_measured':
      for (const f of (data as FrameTransforms).transforms) {
        const { x, y, z } = f.translation;
        state.poses.set(f.child_frame_id, { p: [x, y, z], q: [f.rotation.x, f.rotation.y, f.rotation.z, f.rotation.w] });
      }
      state.touch();
      break;
  }
}

function takeParameters(list: Parameter[]): void {
  for (const p of list) {
    if (p.name === '/tunables') {
      const parsed = typeof p.value === 'string' ? JSON.parse(p.value) : p.value;
      const table: Tunable[] = Array.isArray(parsed) ? parsed : parsed.tunables;
      state.tunables.value = table.map((t) => ({ ...t, name: t.name.replace(/^\//, '') }));
    } else if (typeof p.value === 'number') {
      state.valueOf(p.name.replace(/^\//, '')).value = p.value;
    }
  }
}

// the message has all values; the list of changes is about those that are new. The first one has the values in force.
function takeGains(all: Gains): void {
  version = Math.max(version, all.version);
  const isFirst = reported.size === 0;
  const fresh = Object.entries(all.values).filter(([name, value]) => reported.get(name) !== value);
  const before = state.inForce.value;
  state.inForce.value = Object.fromEntries(Object.entries(all.values).map(([name, value]) =>
    [name, { value, tick: all.since?.[name] ?? (reported.get(name) === value ? before[name].tick : all.tick) }]));
  for (const [name, value] of fresh) {
    reported.set(name, value);
    state.valueOf(name).value = value;
  }
  if (fresh.length === 0 || isFirst) return;
  const g = { ...all, values: Object.fromEntries(fresh) };
  const list = state.gainLog.value;
  if (list.length > 0 && list[0].version === g.version && list[0].tick === g.tick) return;
  state.gainLog.value = [g, ...list].slice(0, 100);
  try {
    sessionStorage.setItem(`kagami.gains.${state.session.value}`, JSON.stringify(state.gainLog.value.slice(0, 40)));
  } catch { /* no storage: the list is gone after a reload, the record has it */ }
}

// the list of changes survives a reload of the page within one session of the server
function recallGains(): void {
  try {
    state.gainLog.value = JSON.parse(sessionStorage.getItem(`kagami.gains.${state.session.value}`) ?? '[]');
  } catch {
    state.gainLog.value = [];
  }
}

/** Calls a service and shows the reason of a refusal. */
export async function ask<T = object>(name: string, request: object = {}, timeout?: number): Promise<Answer<T>> {
  const answer = await client.call<T>(name, request, timeout);
  if (!answer.ok) state.say(`${name.replaceAll('_', ' ')}: ${answer.error}`, true);
  return answer;
}

type Proposed = { ok: true; tick: number | null } | { ok: false; why: string };
let queue: Promise<unknown> = Promise.resolve();

/** Proposes values; resolves with the reason of a refusal, or with the tick at which they were applied where it is known. */
export function propose(changes: Record<string, number>): Promise<Proposed> {
  // in sequence: each is based on the version of the one before
  const result = queue.then(() => client.hasService('set') ? proposeSet(changes) : proposeParameters(changes));
  queue = result.catch(() => undefined);
  return result;
}

// a change by another page is not overwritten: the server refuses an old base
async function proposeSet(changes: Record<string, number>): Promise<Proposed> {
  const answer = await client.call('set', { base: version, changes });
  version = Math.max(version, answer.version ?? 0);
  return answer.ok ? { ok: true, tick: answer.tick ?? null } : { ok: false, why: answer.error };
}

async function proposeParameters(changes: Record<string, number>): Promise<Proposed> {
  const names = Object.keys(changes);
  const known = state.gainLog.value[0]?.version ?? -1;
  lastComplaint = '';
  const back = await client.setParameters(names.map((n) => ({ name: `/${n}`, value: changes[n], type: 'float64' })));
  if (!back) return { ok: false, why: 'no answer from the server' };
  const missed = names.find((n) => !back.some((p) => p.name === `/${n}` && same(p.value, changes[n])));
  if (missed) return { ok: false, why: lastComplaint || 'the server kept the old value' };
  // the acknowledgement and the /gains message travel separately
  for (let wait = 0; wait < 20; ++wait) {
    const g = state.gainLog.value.find((x) => x.version > known && names.every((n) => same(x.values[n], changes[n])));
    if (g) return { ok: true, tick: g.tick };
    await pause(20);
  }
  return { ok: true, tick: null };
}

const same = (a: unknown, b: number): boolean => typeof a === 'number' && Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));
