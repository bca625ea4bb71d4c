// Tests of a joint, the last five over each other, and autotune.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { merge } from '../data/columns.ts';
import { fixed, gain, kUnknown, percent, shell, readable } from '../data/format.ts';
import { lost } from '../data/state.ts';
import { autotune, busy, decide, robotBusy, runTest, telling, tests, tuned, type Autotune, type JointTest, type Metrics, type Where } from '../data/tuning.ts';
import { Calm, CopyCommand, Info, Panel } from '../ui/bits.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Plot, type Data, type Line } from '../ui/plot.tsx';
import { palette } from '../ui/theme.ts';

const kKinds = ['step', 'ramp', 'relay', 'chirp'];
const kMethods: [string, string][] = [['optimise', 'optimise'], ['relay', 'by relay']];
// metric, heading, how it is formatted
const kMetrics: [string, string, (m: Metrics) => string][] = [
  ['rise', 'Rise', (m) => ms(m.rise_s)], ['overshoot', 'Over', (m) => m.overshoot_pct === null ? kUnknown : `${fixed(m.overshoot_pct, 0)} %`],
  ['settling', 'Settle', (m) => ms(m.settling_s)], ['steady', 'Steady', (m) => `${fixed(m.steady_error_deg, 2)}°`],
  ['rms', 'RMS', (m) => `${fixed(m.rms_deg, 2)}°`], ['lag', 'Lag', (m) => ms(m.lag_s)], ['peak_rate', 'Rate', (m) => `${fixed(m.peak_rate_deg_s, 0)}°/s`],
  ['saturation', 'Sat.', (m) => percent(m.saturation)], ['spectrum', 'Peak', (m) => m.peak_hz === null ? kUnknown : `${fixed(m.peak_hz, 1)} Hz`],
];
const ms = (s: number | null) => s === null ? kUnknown : `${fixed(1000 * s, 0)} ms`;

export function TestsPanel({ joint }: { joint: string }) {
  const kind = useSignal('step');
  const size = useSignal(10);
  const seconds = useSignal(1.5);
  const method = useSignal('optimise');
  const spectrum = useSignal(false);
  const off = lost.value || busy.value !== '' || joint === '';
  const run = (where: Where) => runTest(kind.value, joint, size.value, seconds.value, where);
  const command = () => `kagami tune --${kind.value} ${shell(joint)}${kind.value === 'relay' ? '' : ` ${gain(size.value)}deg`} --json`;
  return (
    <Panel title="Tests" class="tests" info="tests" side={<>
      <select class="method" aria-label="Method of autotune" value={method.value} onChange={(e) => { method.value = e.currentTarget.value; }}>
        {kMethods.map(([id, label]) => <option key={id} value={id}>{label}</option>)}
      </select>
      <button type="button" disabled={off} title="Search on the twin; the robot does not move" onClick={() => autotune(joint, method.value)}>{busy.value === 'autotune' ? 'Searching …' : 'Autotune'}</button>
      <label class="check hint"><input type="checkbox" checked={spectrum.value} onChange={(e) => { spectrum.value = e.currentTarget.checked; }} /> Spectrum</label>
      <CopyCommand command={command} /></>}>
      <div class="toolbar">
        <select aria-label="Kind of test" value={kind.value} onChange={(e) => { kind.value = e.currentTarget.value; }}>
          {kKinds.map((k) => <option key={k} value={k}>{k}</option>)}
        </select>
        <label><input type="number" min="-90" max="90" step="1" value={size.value} aria-label="Size in degrees" onInput={(e) => { size.value = Number(e.currentTarget.value); }} /> °</label>
        <label><input type="number" min="0.2" max="60" step="0.1" value={seconds.value} aria-label="Length in seconds" onInput={(e) => { seconds.value = Number(e.currentTarget.value); }} /> s</label>
        <span class="grow" />
        <button type="button" class="main" disabled={off} onClick={() => run('twin')}>{busy.value === 'twin' ? 'Computing …' : 'Test on twin'}</button>
        <button type="button" class="moves" disabled={off || robotBusy.value !== ''} title={robotBusy.value || 'The joint moves within all limits; STOP aborts the test'} onClick={() => run('robot')}>
          {busy.value === 'robot' ? 'Moving …' : 'Test on robot'}<small>moves the robot</small></button>
      </div>
      {tests.value.length === 0 ? <Calm>The last five tests appear here as overlaid curves, with their gains.</Calm> : (
        <div class="body">
          {spectrum.value ? <Spectra list={tests.value} /> : <Overlay list={tests.value} />}
          <MetricsTable list={tests.value} />
        </div>
      )}
      {tuned.value && <Verdict result={tuned.value} joint={joint} />}
    </Panel>
  );
}

function runLines(list: JointTest[]): Line[] {
  return list.map((t, i) => ({ label: `#${t.number} ${t.where === 'robot' ? 'robot ' : ''}${telling(t, list)}`.trim(), colour: (p) => p.runs[i % p.runs.length], dashed: i % 2 === 1 }));
}

function Overlay({ list }: { list: JointTest[] }) {
  const curve = (t: JointTest, v: number[] | undefined) => ({ t: (v ?? []).map((_, i) => i * (t.curves?.dt_s ?? 0.005)), v: v ?? [] });
  // angle_deg of the robot is the reading of its boards
  const data = (): Data => merge([...list.map((t) => curve(t, t.curves?.angle_deg)), curve(list[0], list[0].curves?.reference_deg)]);
  const lines: Line[] = [...runLines(list), { label: 'command', colour: (p) => p.command }];
  const end = Math.max(...list.map((t) => t.seconds));
  return <Plot title={`${readable(list[0].joint)}, ${list[0].kind}`} unit="°" lines={lines} fixed={[0, end]} version={list[0].number} data={data} least={1} />;
}

function Spectra({ list }: { list: JointTest[] }) {
  const data = (): Data => merge(list.map((t) => {
    const s = t.metrics.spectrum;
    return { t: (s?.amplitude_deg ?? []).map((_, k) => k * (s?.resolution_hz ?? 1)), v: s?.amplitude_deg ?? [] };
  }).map((c) => ({ t: c.t, v: c.v })));
  return <Plot title={`Spectrum of the error, peak ${fixed(list[0].metrics.peak_hz, 1)} Hz`} unit="°" xLabel="Hz" digits={2} lines={runLines(list)} fixed={[0, 10]} version={list[0].number} data={data} least={0.1} />;
}

function MetricsTable({ list }: { list: JointTest[] }) {
  return (
    <div class="scroll" tabIndex={0}>
      <table>
        <thead><tr><th scope="col">Test</th>{kMetrics.map(([id, head]) => <th scope="col" key={id}>{head} <Info of={id} /></th>)}</tr></thead>
        <tbody>
          {list.map((t, i) => (
            <tr key={t.number}>
              <td title={t.tick_from === undefined ? t.gains : `${t.gains}; ticks ${t.tick_from} to ${t.tick_to} of the record`}><Swatch index={i} />#{t.number} {t.kind}{t.where === 'robot' ? ', robot' : ''}</td>
              {kMetrics.map(([id, , read]) => <td key={id}>{read(t.metrics)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Swatch({ index }: { index: number }): ComponentChildren {
  return <svg class="swatch" width="14" height="8" aria-hidden="true"><line x1="0" y1="4" x2="14" y2="4" stroke={palette.value.runs[index % 5]} stroke-width="2" stroke-dasharray={index % 2 ? '5 3' : undefined} /></svg>;
}

function Verdict({ result, joint }: { result: Autotune; joint: string }) {
  const names = Object.keys(result.after.gains);
  const [before, after] = [result.before.metrics[joint], result.after.metrics[joint]];
  return (
    <Dialog title={`Autotune of ${readable(joint)}`} close={() => { void decide(false); }}>
      {result.why && <p>{result.why}</p>}
      <table>
        <thead><tr><th scope="col">Gain</th><th scope="col">before</th><th scope="col">after</th></tr></thead>
        <tbody>
          {names.map((n) => <tr key={n}><td>{n}</td><td>{gain(result.before.gains[n])}</td><td>{gain(result.after.gains[n])}</td></tr>)}
          {before && after && kMetrics.map(([id, head, read]) => <tr key={id}><td>{head} <Info of={id} /></td><td>{read(before)}</td><td>{read(after)}</td></tr>)}
        </tbody>
      </table>
      <div class="buttons"><button type="button" onClick={() => decide(false)}>Reject and keep the old gains</button>
        <button type="button" class="main" onClick={() => decide(true)}>Accept</button></div>
    </Dialog>
  );
}
