// STOP: one press slows down along the path, a second one holds at once, holding for two seconds releases the servos.
import { computed, signal } from '@preact/signals';
import type { StopLevel } from '../protocol/messages.ts';
import { ask } from './live.ts';
import { connection, goodbye, hasToken, lost, say, status } from './state.ts';

const kHoldMs = 2000;

/** Level requested last, until the server reports its own. */
const requested = signal<StopLevel | null>(null);
/** True while the button or key is held. */
export const pressing = signal(false);
/** How often STOP was pressed on this page: an edit begun before a press must not be sent after it. */
export let presses = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

export const kStopTexts: Record<StopLevel, string> =
  { slow: 'slow down and hold', hold: 'hold now', release: 'release the servos' };

/** Level that the next press requests. */
export const nextLevel = computed<StopLevel>(() => {
  const level = status.value?.stop?.level ?? 'none';
  return level === 'none' && requested.value === null ? 'slow' : 'hold';
});

/** The sentence beside the button: whether the boards confirmed. */
export const stopText = computed<{ text: string; kind: 'quiet' | 'good' | 'bad' }>(() => {
  const s = status.value;
  if (connection.value === 'ended') return { text: `The run has ended: ${goodbye.value}`, kind: /NOT/.test(goodbye.value) ? 'bad' : 'quiet' };
  if (connection.value === 'refused') return { text: 'NOT confirmed: no access to the server', kind: 'bad' };
  if (lost.value) return { text: 'NOT confirmed: no connection to the server', kind: 'bad' };
  const stop = s?.stop;
  if (!s || !stop || stop.level === 'none') {
    if (requested.value) return { text: 'NOT confirmed: stop requested', kind: 'bad' };
    return { text: '', kind: 'quiet' };
  }
  const what = stop.level === 'release' ? 'Release' : 'Stop';
  if (stop.confirmed) return { text: `${what} confirmed${stop.tick === null ? '' : ` at tick ${stop.tick}`}`, kind: 'good' };
  return { text: `${what} NOT confirmed`, kind: 'bad' };
});

/** Why STOP of this page does not reach the robot; empty: it does. */
export const stopless = computed(() => {
  if (connection.value === 'refused') return 'no access';
  if (connection.value === 'ended') return 'the run has ended';
  if (lost.value) return connection.value === 'connecting' ? '' : 'no connection';
  return hasToken.value ? '' : 'no token: cannot stop';
});

/** Begins a press: sends the stop at once, and the release when it is held. */
export function pressStop(): void {
  if (pressing.value) return;
  pressing.value = true;
  ++presses;
  void send(nextLevel.value);
  timer = setTimeout(() => { pressing.value = false; void send('release'); }, kHoldMs);
}

export function liftStop(): void {
  pressing.value = false;
  clearTimeout(timer);
}

async function send(level: StopLevel): Promise<void> {
  requested.value = level;
  const answer = await ask('stop', { level });
  if (!answer.ok) say(`STOP is NOT confirmed: ${hasToken.value ? answer.error : 'this page was opened without the token'}`, true);
  // from here on the status reports the result
  setTimeout(() => { requested.value = null; }, answer.ok ? 1000 : 0);
}

/** Space and Esc stop wherever the focus is; a space typed into a text field stays a space. */
export function installStopKeys(target: EventTarget = document): void {
  target.addEventListener('keydown', (e) => onKey(e as KeyboardEvent, true), true);
  target.addEventListener('keyup', (e) => onKey(e as KeyboardEvent, false), true);
  window.addEventListener('blur', liftStop);
}

function onKey(e: KeyboardEvent, down: boolean): void {
  if (e.key !== ' ' && e.key !== 'Escape') return;
  const to = e.target as HTMLElement | null;
  const typed = to instanceof HTMLTextAreaElement || (to instanceof HTMLInputElement && ['text', 'search'].includes(to.type));
  if (e.key === ' ' && typed) return;
  e.preventDefault();   // no click by the keyboard, no scrolling
  if (e.key === ' ') e.stopPropagation();
  if (!down) liftStop();
  else if (!e.repeat) pressStop();
}
