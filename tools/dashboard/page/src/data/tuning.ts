// The life of a gain in the page: draft, pending, applied at a tick or refused; the trial on the twin; tests.
import { computed, effect, signal } from '@preact/signals';
import type { Answer } from '../protocol/messages.ts';
import { gain } from './format.ts';
import { ask, client, propose } from './live.ts';
import { gainLog, inForce, kept, say, session, status, tunables, valueOf, values, waiting } from './state.ts';

export interface Phase { kind: 'pending' | 'good' | 'bad'; text: string; tick?: number | null }

/** State of each proposed gain, by name. */
export const phases = signal<Record<string, Phase>>({});
effect(() => { void session.value; phases.value = {}; });   // ticks of another run are meaningless in this one
/** Changes go to the draft for the twin instead of to the robot. */
export const twinFirst = kept<boolean>('twinFirst', false);
/** Changes in the draft. */
export const draft = signal<Record<string, number>>({});
export const drafted = computed(() => Object.keys(draft.value).length > 0);
effect(() => { waiting.value = drafted.value; });

/** The twin's prediction for a draft. Angles in rad, t in s from now. */
export interface Trial {
  id: string;
  t: number[];
  predicted: Record<string, { low: number[]; mean: number[]; high: number[] }>;
  reference?: Record<string, number[]>;
  rms?: Record<string, { before_deg: number; after_deg: number }>;
  /** whether the twin advises it; beside the service's own "ok" */
  advised?: boolean;
  why?: string;
}
export const trial = signal<Trial | null>(null);
/** What is being computed, for the buttons. */
export const busy = signal('');

/** Metrics of a test as the tuning library reports them. */
export interface Metrics {
  rms_deg: number | null; steady_error_deg: number | null; peak_rate_deg_s: number | null; lag_s: number | null;
  saturation: number | null; peak_hz: number | null; peak_deg: number | null; rise_s: number | null;
  settling_s: number | null; overshoot_pct: number | null;
  spectrum?: { resolution_hz: number; amplitude_deg: number[] };
}
/** What is tested: the twin, in simulation, or the robot, which moves. */
export type Where = 'twin' | 'robot';
export interface JointTest {
  kind: string; joint: string; size_deg: number; seconds: number; status?: string; metrics: Metrics; where: Where;
  curves?: { dt_s: number; reference_deg: number[]; angle_deg: number[]; reading_s?: number[]; reading_deg?: number[] };
  /** of a test on the robot: its ticks in the record */
  tick_from?: number;
  tick_to?: number;
  /** gains in force during the test, as text; ours */
  gains: string;
  number: number;
}
/** The last tests, newest first. */
export const tests = signal<JointTest[]>([]);
const kTestsKept = 5;
let testNumber = 0;

export interface Autotune {
  id: string;
  why?: string;
  before: { gains: Record<string, number>; metrics: Record<string, Metrics>; cost_deg?: number };
  after: { gains: Record<string, number>; metrics: Record<string, Metrics>; cost_deg?: number };
}
export const tuned = signal<Autotune | null>(null);

const kTrialSeconds = 2;
const kSlow = 40_000;   // ms that a computation may take

/** Sets a gain: into the draft, or to the robot. Out of range it is refused here already. */
export async function setGain(name: string, value: number): Promise<void> {
  const t = tunables.value.find((x) => x.name === name);
  if (!Number.isFinite(value) || (t && (value < t.min || value > t.max))) {
    setPhase(name, { kind: 'bad', text: `Rejected: expected ${gain(t?.min)} to ${gain(t?.max)} ${t?.unit ?? ''}` });
    return;
  }
  if (twinFirst.value) {
    trial.value = null;
    const next = { ...draft.value };
    if (value === valueOf(name).value) delete next[name]; else next[name] = value;
    draft.value = next;
    return;
  }
  if (value === valueOf(name).value) return;
  setPhase(name, { kind: 'pending', text: `Pending: ${gain(value)}` });
  const result = await propose({ [name]: value });
  setPhase(name, result.ok ? { kind: 'good', text: result.tick === null ? 'Applied' : `Applied at tick ${result.tick}`, tick: result.tick }
    : { kind: 'bad', text: `Rejected: ${result.why}` });
}

/** State line of a gain: the result of the last change, and always the tick of the value in force. */
export function gainState(name: string): { kind: string; text: string } {
  const live = inForce.value[name];
  const isKnown = live !== undefined && live.value === valueOf(name).value;
  const since = `in force since tick ${isKnown ? live.tick : '–'}`;
  const waits = draft.value[name] !== undefined;
  if (waits) return { kind: 'draft', text: `draft, in force ${gain(valueOf(name).value)} since tick ${isKnown ? live.tick : '–'}` };
  const phase = phases.value[name];
  // a later change by undo, a set or another page makes the old text invalid
  if (!phase || (phase.kind === 'good' && isKnown && !(Number(phase.tick) >= live.tick))) return { kind: '', text: since };
  if (phase.kind === 'good') return phase;
  return { kind: phase.kind, text: `${phase.text} · ${since}` };
}

function setPhase(name: string, phase: Phase): void { phases.value = { ...phases.value, [name]: phase }; }

/** Runs the draft on the twin. */
export async function tryOnTwin(): Promise<void> {
  busy.value = 'try';
  const answer = await client.call<Trial>('try', { changes: draft.value, seconds: kTrialSeconds }, kSlow);
  busy.value = '';
  // "ok" is the twin's advice as well: an answer with a prediction is one
  const prediction = answer as unknown as Trial;
  if (prediction.predicted) trial.value = { ...prediction, advised: prediction.advised ?? answer.ok };
  else if (!answer.ok) say(`try: ${answer.error}`, true);
}

/** Applies the tried draft to the robot. */
export async function promote(): Promise<void> {
  const t = trial.value;
  if (!t) return;
  const names = Object.keys(draft.value);
  for (const n of names) setPhase(n, { kind: 'pending', text: 'Pending: promoted' });
  const answer = await ask('promote', { id: t.id });
  for (const n of names) {
    setPhase(n, answer.ok ? { kind: 'good', text: answer.tick === undefined ? 'Applied' : `Applied at tick ${answer.tick}`, tick: answer.tick } : { kind: 'bad', text: `Rejected: ${answer.error}` });
  }
  if (answer.ok) dropDraft();
}

export function dropDraft(): void { draft.value = {}; trial.value = null; }

/** Undoes or redoes a change and reports it. */
export async function step(direction: 'undo' | 'redo'): Promise<void> {
  const answer = await ask(direction);
  if (answer.ok) say(`${direction === 'undo' ? 'Undone' : 'Redone'}${answer.tick === undefined ? '' : ` at tick ${answer.tick}`}`);
}

/** Why the robot cannot be tested now; empty: it can. */
export const robotBusy = computed(() => {
  const s = status.value;
  if (s?.writer && !s.writer.you && s.writer.taken) return 'another page controls the robot';
  return s?.state === 'hold' ? '' : 'requires the state hold: press Hold';
});

/** Tests one joint; the answer joins the last five. */
export async function runTest(kind: string, joint: string, sizeDeg: number, seconds: number, where: Where): Promise<void> {
  busy.value = where;
  const gains = gainsOf(joint);
  const answer = await ask<JointTest>('experiment', { kind, joint, size_deg: sizeDeg, seconds, where }, kSlow + 1000 * seconds);
  busy.value = '';
  if (!answer.ok) return;
  // only the answer of a test on the robot has its ticks
  const made: Where = where === 'robot' && answer.tick_from !== undefined ? 'robot' : 'twin';
  if (made !== where) say('Tested on the twin: this server cannot test the robot', true);
  const test = { ...answer, joint: answer.joint ?? joint, kind: answer.kind ?? kind, where: made, gains, number: ++testNumber };
  tests.value = [test, ...tests.value].slice(0, kTestsKept);
}

/** Searches gains for a joint on the twin. */
export async function autotune(joint: string, method: string): Promise<void> {
  busy.value = 'autotune';
  const answer = await ask<Autotune>('autotune', { joint, method }, kSlow);
  busy.value = '';
  tuned.value = answer.ok ? answer : null;
}

export async function decide(accept: boolean): Promise<void> {
  const t = tuned.value;
  if (!t) return;
  const answer = await ask(accept ? 'accept' : 'reject', { id: t.id });
  if (answer.ok) tuned.value = null;
  if (answer.ok) say(accept ? `Accepted${answer.tick === undefined ? '' : `, applied at tick ${answer.tick}`}` : 'Rejected: the old gains remain in force');
}

/** Gains that the user has grouped, of any joint. */
export const favourites = kept<string[]>('favourites', []);
export function toggleFavourite(name: string): void {
  favourites.value = favourites.value.includes(name) ? favourites.value.filter((n) => n !== name) : [...favourites.value, name];
}

/** Tunables of a joint, or with '' those of no joint. */
export function gainsFor(joint: string, joints: string[]): string[] {
  return tunables.value.map((t) => t.name).filter((n) => {
    const parts = n.split('/');
    return joint ? parts.includes(joint) : !parts.some((p) => joints.includes(p));
  });
}

/** "kp 5 · ki 10": the gains of a joint that are not zero. */
export function gainsOf(joint: string): string {
  return [...values].filter(([n, v]) => n.split('/').includes(joint) && v.value !== 0)
    .map(([n, v]) => `${n.split('/').pop()} ${gain(v.value)}`).join(' · ');
}

/** The gains of a test that differ from those of the other tests shown. */
export function telling(test: JointTest, list: JointTest[]): string {
  const common = test.gains.split(' · ').filter((g) => list.every((t) => t.gains.split(' · ').includes(g)));
  return test.gains.split(' · ').filter((g) => list.length === 1 || !common.includes(g)).join(' ');
}

/** Names of gains changed since the start of the session. */
export const changed = computed(() => new Set(gainLog.value.filter((g) => g.why !== 'start').flatMap((g) => Object.keys(g.values).length < 60 ? Object.keys(g.values) : [])));

/** Rows of a difference, whichever of the two shapes the server sends. */
export function differenceRows(answer: Answer<any>): { name: string; a: number; b: number }[] {
  if (!answer.ok) return [];
  const d = answer.difference ?? answer.rows ?? [];
  if (Array.isArray(d)) return d.map((r: any) => ({ name: r.name, a: r.a ?? r.A, b: r.b ?? r.B }));
  return Object.entries(d).map(([name, r]: [string, any]) => Array.isArray(r) ? { name, a: r[0], b: r[1] } : { name, a: r.a ?? r.A, b: r.b ?? r.B });
}
