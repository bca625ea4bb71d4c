// State of the page: signals for texts, rings for curves.
import { computed, signal, type Signal } from '@preact/signals';
import type { Balance, Bus, Gains, LogLine, Status, Tunable } from '../protocol/messages.ts';
import type { Curve as Samples } from './columns.ts';
import { difference, newestBefore } from './error.ts';
import { Series } from './ring.ts';

export type Curve = 'measured' | 'simulated' | 'commanded' | 'reference' | 'loop';
export const kCurves: Curve[] = ['measured', 'simulated', 'commanded', 'reference', 'loop'];
const kCapacity = 8192;   // 2 minutes at 60 Hz, 4.5 at 30 Hz
const kFrameDelay = 0.027;   // s that a display frame may be later than its rate implies: rows of the run come every 10 to 20 ms
/** Display frames that are further apart, s, have lost one between them. */
export let frameGap = 1 / 30 + kFrameDelay;

export type Tab = 'run' | 'compare' | 'tune' | 'bus' | 'sessions';
export const kTabs: [Tab, string][] =
  [['run', 'Run'], ['compare', 'Compare'], ['tune', 'Tune'], ['bus', 'Bus & timing'], ['sessions', 'Sessions']];

/** ended: the server has closed the run; refused: the token of this page is wrong or missing. */
export const connection = signal<'connecting' | 'open' | 'lost' | 'ended' | 'refused'>('connecting');
/** The server's sentence how the run ended. */
export const goodbye = signal('');
/** False on a read-only connection: it was opened without the token. */
export const hasToken = signal(true);
export const status = signal<Status | null>(null);
export const tab = signal<Tab>('run');
export const joints = signal<string[]>([]);
export const selected = signal('');
export const pinned = signal<string[]>([]);
export const motions = signal<{ name: string; badge?: string; note?: string; duration_s?: number }[]>([]);
export const tunables = signal<Tunable[]>([]);
export const values = new Map<string, Signal<number>>();   // of the tunables, by name without the leading slash
export const gainLog = signal<Gains[]>([]);
/** Of each gain by name: the value in force, and its first tick. */
export const inForce = signal<Record<string, { value: number; tick: number }>>({});
/** Events, newest first; how many warnings and errors of it are unread; whether the list is open. */
export const log = signal<LogLine[]>([]);
export const unseen = signal(0);
export const unseenErrors = signal(false);
export const logOpen = signal(false);
export const notice = signal<{ text: string; bad: boolean } | null>(null);
export const balance = signal<Balance | null>(null);
export const bus = signal<Bus | null>(null);
/** Shared time cursor, s on the plots' axis; null when no plot is under the pointer. */
export const cursor = signal<number | null>(null);
/** Length of what the live plots show, s, and the stretch they are held at (null: they follow). */
export const span = signal(10);
export const held = signal<[number, number] | null>(null);
/** Held while the pointer is over a plot, so that values can be read. */
export const hovering = signal<[number, number] | null>(null);

/** Whether the controller has a curve of its own: its loop's twin or its reference model. */
export const hasLoop = signal(false);

export const lost = computed(() => connection.value !== 'open');

export const rings: Record<Curve, Series> = {} as Record<Curve, Series>;
/** What the server computed: simulated minus measured at the time of each reading. Empty where it sends none. */
export let residuals = new Series(0, kCapacity);
export const poses = new Map<string, { p: number[]; q: number[] }>();   // frame -> position, quaternion x y z w
/** Time on the robot's clock that the plots' axis counts from, s. */
let origin: number | null = null;
let places = new Map<string, number>();
/** Counts what arrived, so that painters see whether there is something new. */
export let revision = 0;
export const touch = (): void => { ++revision; };

/** A time on the robot's clock as one on the plots' axis. */
export function axisTime(seconds: number): number {
  origin ??= Math.floor(seconds);
  return seconds - origin;
}

/** Learns the joints' names; other names than before start the rings anew. */
export function setJoints(names: string[]): void {
  if (names.length === joints.value.length && names.every((n, i) => n === joints.value[i])) return;
  places = new Map(names.map((n, i) => [n, i]));
  for (const c of kCurves) rings[c] = new Series(names.length, kCapacity, c === 'measured' ? Infinity : frameGap);
  residuals = new Series(names.length, kCapacity);
  joints.value = names;
  if (!names.includes(selected.value)) selected.value = names.find((n) => n.includes('knee')) ?? names[0] ?? '';
}

/** The rate at which display frames come, Hz: it determines which frames count as lost. */
export function setFrameRate(hz: number): void {
  frameGap = 1 / hz + kFrameDelay;
  for (const c of kCurves) if (rings[c] && c !== 'measured') rings[c].gap = frameGap;
}

export const place = (joint: string): number => places.get(joint) ?? -1;

const row = new Float64Array(128);
/** Takes the positions of one message into the ring of a curve. */
export function pushStates(curve: Curve, time: number, states: { name: string; position?: number | null }[]): void {
  // measured angles come by board; every other curve has all joints, in the model's order
  if (curve !== 'measured' && states.some((s) => !places.has(s.name))) setJoints(states.map((s) => s.name));
  if (joints.value.length === 0) return;
  if (push(rings[curve], time, states, (s) => s.position) && curve === 'loop') hasLoop.value = true;
}

/** Takes the residuals of one message. */
export function pushResiduals(time: number, list: { name: string; residual?: number | null }[]): void {
  if (joints.value.length > 0) push(residuals, time, list, (s) => s.residual);
}

function push<T extends { name: string }>(ring: Series, time: number, list: T[], value: (entry: T) => number | null | undefined): boolean {
  row.fill(NaN, 0, ring.columns);
  for (const entry of list) {
    const i = places.get(entry.name);
    if (i !== undefined) row[i] = value(entry) ?? NaN;
  }
  // a clock that went back means a new run: the old curves would lie in the future
  if (time < ring.last - 1) for (const r of [...kCurves.map((c) => rings[c]), residuals]) r.clear();
  if (!ring.push(time, row)) return false;
  touch();
  return true;
}

/** Newest time of any curve, s on the axis; 0 while there is none. */
export function now(): number {
  let last = 0;
  if (joints.value.length > 0) for (const c of kCurves) if (rings[c].last > last) last = rings[c].last;
  return last;
}

/**
 * Simulated minus measured of a joint, rad, at the readings' times. The server's own values where nothing is shifted;
 * shifted, the simulated curve is read between two frames, but never over a gap.
 */
export function errorCurve(joint: number, from: number, to: number, shift = 0): Samples {
  if (shift === 0 && !Number.isNaN(residuals.last)) return residuals.view(joint, from, to);
  return difference(rings.simulated, rings.measured, joint, from, to, shift);
}

const kErrorAge = 0.6;   // s: an older reading is not current
/** The same as one value: of the newest reading at or before a time (null: of the newest of all). */
export function errorOf(joint: number, t: number | null = null): number {
  const at = t ?? now();
  return newestBefore(errorCurve(joint, at - kErrorAge, at), at, kErrorAge);
}

/** The stretch of time that live plots show. */
export function shown(): [number, number] {
  const fixed = held.value ?? hovering.value;
  if (fixed) return fixed;
  const to = now();
  // at the beginning the curves grow from the left
  const from = Math.max(to - span.value, Math.min(...kCurves.map((c) => rings[c]?.first ?? NaN).filter((t) => !Number.isNaN(t)), to));
  return [from, Math.max(to, from + span.value)];
}

/** The signal of a tunable's value in force. */
export function valueOf(name: string): Signal<number> {
  let s = values.get(name);
  if (!s) values.set(name, s = signal(NaN));
  return s;
}

let noticeTimer: ReturnType<typeof setTimeout> | undefined;
/** Shows a message at the foot of the page, for a while; an error stays until it is closed. */
export function say(text: string, bad = false): void {
  clearTimeout(noticeTimer);
  notice.value = { text, bad };
  if (!bad) noticeTimer = setTimeout(() => { notice.value = null; }, 5000);
}

/** True while changes wait in a draft: leaving the page would lose them. */
export const waiting = signal(false);
/** Name of the server: "walk_forward on the virtual robot". */
export const serverName = signal('');
/** Name of the server's session: what is kept by version belongs to one. */
export const session = signal('');

const kStore = 'kagami.';
/** A setting of this browser, kept over reloads. */
export function kept<T>(name: string, start: T): Signal<T> {
  let value = start;
  try {
    const text = localStorage.getItem(kStore + name);
    if (text !== null) value = JSON.parse(text);
  } catch { /* no storage: the setting lasts as long as the page */ }
  const s = signal<T>(value);
  s.subscribe((v) => { try { localStorage.setItem(kStore + name, JSON.stringify(v)); } catch { /* the same */ } });
  return s;
}
