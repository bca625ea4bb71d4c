// The bar that is always visible: state of the robot, STOP, and the timing of loop, line and record.
import { computed } from '@preact/signals';
import { bytes, duration, fixed, kUnknown, percent } from '../data/format.ts';
import { client } from '../data/live.ts';
import { Info } from './bits.tsx';
import { watchHeight } from './bar_height.ts';
import { connection, lost, serverName, status } from '../data/state.ts';
import { kStopTexts, liftStop, nextLevel, pressing, pressStop, stopless, stopText } from '../data/stop.ts';

const kSigns: Record<string, [string, string]> = {   // state -> sign, kind
  idle: ['○', 'calm'], homing: ['◐', 'live'], running: ['▶', 'live'], hold: ['❚❚', 'calm'], 'soft stop': ['◣', 'warn'],
  released: ['◇', 'warn'], fault: ['✕', 'bad'],
};

const state = computed(() => {
  if (connection.value === 'connecting') return { label: 'connecting', sign: '…', kind: 'calm' };
  if (connection.value === 'ended') return { label: 'ended', sign: '■', kind: 'calm' };
  if (connection.value === 'refused') return { label: 'NO ACCESS', sign: '✕', kind: 'bad' };
  if (lost.value) return { label: 'LOST', sign: '✕', kind: 'bad' };
  const label = status.value?.state ?? 'waiting';
  const [sign, kind] = kSigns[label] ?? ['○', 'calm'];
  return { label, sign, kind };
});

// the robot: the part of the server's name after "on"
const robot = computed(() => lost.value ? '' : / on (?:the )?(.+)$/.exec(serverName.value)?.[1] ?? serverName.value);

// a command counts as confirmed when the boards have acknowledged it
const confirmed = computed(() => {
  const s = status.value;
  if (stopText.value.text) return stopText.value;
  if (lost.value || !s) return { text: 'no message from the server', kind: 'bad' };
  // motion has nothing to confirm: only holding, stopping and release are confirmed
  if (s.confirmed === null || (!s.confirmed && ['idle', 'homing', 'running'].includes(s.state))) return { text: `tick ${s.tick}`, kind: 'quiet' };
  return s.confirmed ? { text: `confirmed at tick ${s.tick}`, kind: 'good' } : { text: `NOT confirmed at tick ${s.tick}`, kind: 'bad' };
});
// why it holds, stopped or failed
const reason = computed(() => lost.value ? '' : status.value?.reason ?? '');
// for a screen reader: changes of state, not each tick
const spoken = computed(() => {
  const kind = confirmed.value.kind === 'bad' ? 'not confirmed' : stopText.value.kind === 'good' ? stopText.value.text : '';
  return `State: ${state.value.label}. ${kind} ${reason.value}`;
});

export function Bar() {
  return (
    <header class="bar" role="banner" ref={watchHeight}>
      <div class="brand"><h1>Kagami</h1><small title={serverName.value}>{robot.value}</small></div>
      <div class={`state ${state.value.kind}`} data-state={state.value.label}>
        <span class="sign" aria-hidden="true">{state.value.sign}</span><strong>{state.value.label}</strong>
      </div>
      <Confirmed />
      <span class="visually-hidden" role="status" aria-live="assertive">{spoken.value}</span>
      <span class="grow" />
      <Readouts />
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

function Readouts() {
  const s = lost.value ? null : status.value;
  const loop = s?.loop;
  const line = s?.line;
  const sent = line?.sent ?? 0;
  const loss = line && sent > 0 && line.answered !== null ? 1 - line.answered / sent : null;
  const late = (loop?.late_ticks ?? 0) + (loop?.skipped_ticks ?? 0);
  const rec = s?.recording;
  const factor = s?.twin_realtime_factor;
  return (
    <dl class="readouts">
      <Readout name="Loop" value={loop?.rate_hz ? `${fixed(loop.rate_hz, 0)} Hz` : kUnknown}
        more={loop ? `${late} late` : ''} bad={late > 0} />
      <Readout name="Line" value={percent(line?.utilisation)} more={loss === null ? '' : `${percent(loss, 1)} lost`} bad={(loss ?? 0) > 0.01} />
      <Readout name="Age" value={line?.age_ms === null || line?.age_ms === undefined ? kUnknown : `${fixed(line.age_ms, 0)} ms`}
        bad={(line?.age_ms ?? 0) > 250} />
      <Readout name="Twin" value={factor ? `× ${fixed(factor, factor < 10 ? 1 : 0)}` : kUnknown} bad={(factor ?? 1) < 1} />
      <Readout name="Rec" value={rec ? duration(rec.seconds) : s ? 'off' : kUnknown} more={rec ? bytes(rec.bytes) : ''} bad={(rec?.lost ?? 0) > 0} />
    </dl>
  );
}

function Readout(p: { name: string; value: string; more?: string; bad?: boolean }) {
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
      title={stopless.value ? `This STOP does not reach the robot: ${stopless.value}.` : `${kStopTexts[level]}; hold 2 s: ${kStopTexts.release}. Same keys: Space, Esc.`}
      onPointerDown={(e) => { if (e.button === 0) pressStop(); }} onPointerUp={liftStop} onPointerLeave={liftStop}
      onKeyDown={(e) => { if (e.key === 'Enter' && !e.repeat) pressStop(); }} onKeyUp={liftStop}>
      STOP<small>{stopless.value || (pressing.value ? 'hold 2 s: release' : level === 'slow' ? 'Space · Esc' : 'again: hold now')}</small>
    </button>
  );
}
