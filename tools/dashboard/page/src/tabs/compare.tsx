// Compare: differences between robot and twin by joint and time; live, or of two records.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { degrees, fixed, kDeg, kUnknown, shell, short, readable } from '../data/format.ts';
import { statisticsOf, type ErrorStatistics } from '../data/error.ts';
import { frameGaps, jointColumns, residualColumns } from '../data/joint_data.ts';
import { lagOf } from '../data/lag.ts';
import { client } from '../data/live.ts';
import { errorCurve, joints, rings, selected, shown } from '../data/state.ts';
import { Calm, CopyCommand, Info, Panel } from '../ui/bits.tsx';
import { Heat, HeatKey, heatTable } from '../ui/heat.tsx';
import { SaveTools } from '../ui/save_tools.tsx';
import { Plot, type Line } from '../ui/plot.tsx';
import { kJointCurves, LiveMark } from './run.tsx';
import { fetchSessions, sessions } from './session_list.ts';

const kLines: Line[] = [
  { label: 'command', colour: (p) => p.command },
  { label: 'measured', colour: (p) => p.measured, dots: true },
  { label: 'twin', colour: (p) => p.twin, dashed: true },
];
const kRest: Line[] = [{ label: 'simulated − measured', colour: (p) => p.error }];

/** Of one joint, over the visible time. */
interface JointStatistics extends ErrorStatistics { lag: number | null }

export function CompareTab() {
  const shift = useSignal(0);   // s, measured curve drawn later
  const statistics = useSignal<JointStatistics[]>([]);
  const gaps = useSignal(0);
  useEffect(() => {
    const update = () => {
      const [from, to] = shown();
      statistics.value = joints.value.map((_, i) => ({ ...statisticsOf(errorCurve(i, from, to, shift.value), from, to), lag: lagOf(rings.measured, rings.simulated, i, from, to) }));
      gaps.value = frameGaps(selected.value, from, to);
    };
    update();
    const id = setInterval(update, 1000);
    return () => clearInterval(id);
  }, []);
  const align = () => {
    const lags = statistics.value.map((f) => f.lag).filter((l): l is number => l !== null).sort((a, b) => a - b);
    if (lags.length > 0) shift.value = -lags[lags.length >> 1];
  };
  if (joints.value.length === 0) return <Calm>No joint angles yet. They appear with the first reply of the robot.</Calm>;
  return (
    <div class="compare">
      <Panel title="Absolute error, simulated minus measured" class="heat" side={<><HeatKey /><LiveMark />
        <SaveTools name="error_by_joint" picture={() => document.querySelector<HTMLCanvasElement>('.heat canvas')} table={() => heatTable(shift.value)} /></>}><Heat shift={shift.value} /></Panel>
      <section class="panel" aria-label="Selected joint">
        <Plot title={readable(selected.value)} unit="°" lines={kLines} least={4} version={shift.value}
          data={(from, to) => jointColumns(selected.value, kJointCurves, from, to, shift.value)} side={<LiveMark />} />
      </section>
      <section class="panel" aria-label="Difference">
        <Plot title="Difference" unit="°" lines={kRest} least={1} digits={2} version={shift.value}
          data={(from, to) => residualColumns(selected.value, from, to, shift.value)} />
      </section>
      <div class="side">
        <Panel title="By joint, over the visible time" class="table" side={<>
          {gaps.value > 0 && <span class="tag warn" data-gaps={gaps.value}>{gaps.value === 1 ? '1 gap' : `${gaps.value} gaps`} <Info of="gaps" /></span>}
          <button type="button" class="quiet" onClick={align}>Align</button></>}>
          <div class="form">
            <label class="row grow"><span class="hint">Shift</span>
              <input class="grow" type="range" min="-300" max="300" step="5" value={Math.round(shift.value * 1000)} aria-label="Shift of the measured curves in milliseconds"
                onInput={(e) => { shift.value = Number(e.currentTarget.value) / 1000; }} />
              <span class="time">{fixed(shift.value * 1000, 0)} ms</span></label>
          </div>
          <StatisticsTable statistics={statistics.value} />
        </Panel>
        <Records />
      </div>
    </div>
  );
}

function StatisticsTable({ statistics }: { statistics: JointStatistics[] }) {
  const head: [string, string][] = [['rms', 'RMS'], ['max', 'Max'], ['bias', 'Bias'], ['lag', 'Delay'], ['significance', 'Sig.']];
  return (
    <div class="scroll" tabIndex={0}>
      <table>
        <thead><tr><th scope="col">Joint</th>{head.map(([id, h]) => <th scope="col" key={id}>{h} <Info of={id} /></th>)}<th scope="col">Causes <Info of="causes" /></th></tr></thead>
        <tbody>
          {joints.value.map((name, i) => {
            const f = statistics[i];
            return (
              <tr key={name} class={name === selected.value ? 'chosen' : ''}>
                <td><button type="button" class="link" onClick={() => { selected.value = name; }}>{short(name)}</button></td>
                <td>{degrees(f?.rms, 2)}</td><td>{degrees(f?.max)}</td><td>{degrees(f?.bias)}</td>
                <td>{f?.lag === null || f?.lag === undefined ? kUnknown : `${fixed(f.lag * 1000, 0)} ms`}</td>
                <td>{times(f ? f.rms * kDeg / kRounding : NaN)}</td>
                <td><Causes rms={(f?.rms ?? NaN) * kDeg} bias={(f?.bias ?? NaN) * kDeg} floor={kRounding} /></td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const kRounding = 1 / Math.sqrt(12);   // degrees RMS of reading in whole degrees
const kSmall = 0.1;                    // degrees RMS below which no causes are shown
const times = (x: number | null | undefined) => x === null || x === undefined || !Number.isFinite(x) ? kUnknown : `× ${fixed(x, x < 10 ? 1 : 0)}`;

// shares of the mean square, all in degrees RMS: a constant offset, reading in whole degrees, the rest
function Causes({ rms, bias, floor }: { rms: number | null; bias: number | null; floor: number | null }) {
  if (rms === null || !(rms > kSmall)) return <>{kUnknown}</>;
  const offset = Math.min(1, ((bias ?? 0) / rms) ** 2);
  const rounding = Math.min(1 - offset, ((floor ?? kRounding) / rms) ** 2);
  const rest = 1 - offset - rounding;
  const part = (share: number, colour: string) => <span style={{ width: `${100 * share}%`, background: colour }} />;
  const text = `offset ${Math.round(100 * offset)} %, resolution of 1° ${Math.round(100 * rounding)} %, motion ${Math.round(100 * rest)} %`;
  return (
    <span class="shares" role="img" title={text} aria-label={text}>
      {part(offset, 'var(--muted)')}{part(rounding, 'var(--line)')}{part(rest, 'var(--twin)')}
    </span>
  );
}

/** One joint of the service's answer. */
interface Row { name: string; rms_deg: number | null; max_deg: number | null; bias_deg: number | null; lag_ms: number | null; floor_deg: number | null; significance?: number | null }
/** Its statistics above those of the baseline. */
interface Change { name: string; rms_deg: number | null }

function Records() {
  const a = useSignal('');
  const b = useSignal('');
  const result = useSignal<{ text: string; joints: Row[]; changes: Change[] } | null>(null);
  const busy = useSignal(false);
  useEffect(() => { void fetchSessions(); }, []);
  const list = sessions.value.list;
  const run = async () => {
    busy.value = true;
    const answer = await client.call<any>('compare', b.value ? { record: a.value, baseline: b.value } : { record: a.value }, 60_000);
    busy.value = false;
    result.value = answer.ok ? { text: '', joints: answer.joints ?? [], changes: answer.changes ?? [] } : { text: answer.error, joints: [], changes: [] };
  };
  const file = (name: string) => list.find((x) => x.name === name)?.path;
  const command = () => `kagami compare ${shell(file(a.value) ?? 'RECORD')}${b.value ? ` --baseline ${shell(file(b.value) ?? b.value)}` : ''} --json`;
  const choice = (label: string, s: { value: string }, none: string) => (
    <select aria-label={label} value={s.value} onChange={(e) => { s.value = e.currentTarget.value; }}>
      <option value="">{none}</option>{list.map((x) => <option key={x.path} value={x.name}>{x.name}</option>)}
    </select>
  );
  return (
    <Panel title="Records A and B" class="records" side={<CopyCommand command={command} />}>
      <div class="form">{choice('Record A', a, 'A: choose a record')}
        <button type="button" class="main" disabled={!a.value || busy.value} onClick={run}>{busy.value ? 'Comparing …' : 'Compare'}</button>
        {choice('Record B', b, 'B: none, compare A with its twin')}</div>
      {list.length === 0 && <p class="calm">{sessions.value.why || 'No records yet.'}</p>}
      {result.value?.text && <p class="calm">{result.value.text}</p>}
      {result.value && result.value.joints.length > 0 && <RecordTable joints={result.value.joints} changes={result.value.changes} />}
    </Panel>
  );
}

// statistics of record A; with a record B also the difference of the RMS
function RecordTable({ joints: rows, changes }: { joints: Row[]; changes: Change[] }) {
  const change = new Map(changes.map((c) => [c.name, c.rms_deg]));
  return (
    <div class="scroll" tabIndex={0}>
      <table>
        <thead><tr><th scope="col">Joint</th><th scope="col">RMS</th>{changes.length > 0 && <th scope="col">A − B</th>}
          <th scope="col">Max</th><th scope="col">Bias</th><th scope="col">Delay</th><th scope="col">Sig.</th><th scope="col">Causes</th></tr></thead>
        <tbody>{rows.map((r) => (
          <tr key={r.name}><td>{short(r.name)}</td><td>{fixed(r.rms_deg, 2)}°</td>{changes.length > 0 && <td>{fixed(change.get(r.name), 2)}°</td>}
            <td>{fixed(r.max_deg)}°</td><td>{fixed(r.bias_deg)}°</td><td>{r.lag_ms === null ? kUnknown : `${fixed(r.lag_ms, 0)} ms`}</td>
            <td>{times(r.significance ?? (r.rms_deg ?? NaN) / (r.floor_deg ?? kRounding))}</td><td><Causes rms={r.rms_deg} bias={r.bias_deg} floor={r.floor_deg} /></td></tr>
        ))}</tbody>
      </table>
    </div>
  );
}
