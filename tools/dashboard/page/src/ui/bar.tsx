// The bar that is always visible: what state the robot is in, STOP, and whether loop, line and record keep up.
import { computed } from '@preact/signals';
import { bytes, duration, fixed, kUnknown, percent } from '../data/format.ts';
import { client } from '../data/live.ts';
import { Info } from './bits.tsx';
import { watchHeight } from './bar_height.ts';
import { connection, lost, serverName, status } from '../data/state.ts';
import { kStopWords, liftStop, nextLevel, pressing, pressStop, stopless, stopWords } from '../data/stop.ts';

const kSigns: Record<string, [string, string]> = {   // state -> sign, kind
  idle: ['○', 'calm'], homing: ['◐', 'live'], running: ['▶', 'live'], hold: ['❚❚', 'calm'], 'soft stop': ['◣', 'warn'],
  released: ['◇', 'warn'], fault: ['✕', 'bad'],
};

const state = computed(() => {
  if (connection.value === 'connecting') return { word: 'connecting', sign: '…', kind: 'calm' };
  if (connection.value === 'ended') return { word: 'ended', sign: '■', kind: 'calm' };
  if (connection.value === 'refused') return { word: 'NO ACCESS', sign: '✕', kind: 'bad' };
  if (lost.value) return { word: 'LOST', sign: '✕', kind: 'bad' };
  const word = status.value?.state ?? 'waiting';
  const [sign, kind] = kSigns[word] ?? ['○', 'calm'];
  return { word, sign, kind };
});

// which robot it is: what the server's name says after "on"
const robot = computed(() => lost.value ? '' : / on (?:the )?(.+)$/.exec(serverName.value)?.[1] ?? serverName.value);

// a command counts as confirmed when the boards' answers say so
const confirmed = computed(() => {
  const s = status.value;
  if (stopWords.value.text) return stopWords.value;
  if (lost.value || !s) return { text: 'no word from the server', kind: 'bad' };
  // what moves has nothing to confirm: the word is about holding, stopping and letting go
  if (s.confirmed === null || (!s.confirmed && ['idle', 'homing', 'running'].includes(s.state))) return { text: `tick ${s.tick}`, kind: 'quiet' };
  return s.confirmed ? { text: `confirmed at tick ${s.tick}`, kind: 'good' } : { text: `NOT confirmed at tick ${s.tick}`, kind: 'bad' };
});
// why it holds, stopped or failed
const reason = computed(() => lost.value ? '' : status.value?.reason ?? '');
// for a screen reader: changes of state, not each tick
const spoken = computed(() => {
  const kind = confirmed.value.kind === 'bad' ? 'not confirmed' : stopWords.value.kind === 'good' ? stopWords.value.text : '';
  return `State: ${state.value.word}. ${kind} ${reason.value}`;
});

export function Bar() {
  return (
    <header class="bar" role="banner" ref={watchHeight}>
      <div class="brand"><h1>Kagami</h1><small title={serverName.value}>{robot.value}</small></div>
      <div class={`state ${state.value.kind}`} data-state={state.value.word}>
        <span class="sign" aria-hidden="true">{state.value.sign}</span><strong>{state.value.word}</strong>
      </div>
      <Confirmed />
      <span class="visually-hidden" role="status" aria-live="assertive">{spoken.value}</span>
      <span class="grow" />
      <Figures />
      <Stop />
    </header>
  );
}

function Confirmed() {
  const c = confirmed.value;
  return (
    <div class={`confirmed ${c.kind}`} data-confirmed={c.kind}>
      <span>{c.text}{reason.value && <small class="reason" title={reason.value}>{reason.value}</small>}</span>
      {(connection.value === 'lost' || connection.value === 'ended') && <button type="button" class="quiet" onClick={() => client.retryNow()}>Reconnect</button>}
    </div>
  );
}

function Figures() {
  const s = lost.value ? null : status.value;
  const loop = s?.loop;
  const line = s?.line;
  const asked = line?.sent ?? 0;
  const loss = line && asked > 0 && line.answered !== null ? 1 - line.answered / asked : null;
  const late = (loop?.late_ticks ?? 0) + (loop?.skipped_ticks ?? 0);
  const rec = s?.recording;
  const factor = s?.twin_realtime_factor;
  return (
    <dl class="figures">
      <Figure name="Loop" value={loop?.rate_hz ? `${fixed(loop.rate_hz, 0)} Hz` : kUnknown}
        more={loop ? `${late} late` : ''} bad={late > 0} />
      <Figure name="Line" value={percent(line?.utilisation)} more={loss === null ? '' : `${percent(loss, 1)} lost`} bad={(loss ?? 0) > 0.01} />
      <Figure name="Age" value={line?.age_ms === null || line?.age_ms === undefined ? kUnknown : `${fixed(line.age_ms, 0)} ms`}
        bad={(line?.age_ms ?? 0) > 250} />
      <Figure name="Twin" value={factor ? `× ${fixed(factor, factor < 10 ? 1 : 0)}` : kUnknown} bad={(factor ?? 1) < 1} />
      <Figure name="Rec" value={rec ? duration(rec.seconds) : s ? 'off' : kUnknown} more={rec ? bytes(rec.bytes) : ''} bad={(rec?.lost ?? 0) > 0} />
    </dl>
  );
}

function Figure(p: { name: string; value: string; more?: string; bad?: boolean }) {
  return (
    <div class={p.bad ? 'bad' : ''}>
      <dt>{p.name} <Info of={p.name.toLowerCase()} /></dt><dd>{p.value}{p.more && <small>{p.more}</small>}</dd>
    </div>
  );
}

function Stop() {
  const level = nextLevel.value;
  return (
    <button type="button" class={`stop ${pressing.value ? 'pressing' : ''} ${stopless.value ? 'dead' : ''}`} aria-keyshortcuts="Space Escape"
      title={stopless.value ? `This STOP does not reach the robot: ${stopless.value}.` : `${kStopWords[level]}; hold 2 s: ${kStopWords.release}. Space or Esc does the same.`}
      onPointerDown={(e) => { if (e.button === 0) pressStop(); }} onPointerUp={liftStop} onPointerLeave={liftStop}
      onKeyDown={(e) => { if (e.key === 'Enter' && !e.repeat) pressStop(); }} onKeyUp={liftStop}>
      STOP<small>{stopless.value || (pressing.value ? 'hold 2 s: limp' : level === 'slow' ? 'Space · Esc' : 'again: at once')}</small>
    </button>
  );
}
