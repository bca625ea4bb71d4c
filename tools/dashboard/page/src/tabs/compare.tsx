// Compare: where robot and twin differ, by joint and time; live, or two records.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { degrees, fixed, kDeg, kUnknown, shell, short, words } from '../data/format.ts';
import { jointColumns, residualColumns } from '../data/joint_data.ts';
import { pairFigures, type PairFigures } from '../data/lag.ts';
import { client } from '../data/live.ts';
import { joints, rings, selected, shown } from '../data/state.ts';
import { Calm, CopyCommand, Info, Panel } from '../ui/bits.tsx';
import { Heat, HeatKey } from '../ui/heat.tsx';
import { Plot, type Line } from '../ui/plot.tsx';
import { kJointCurves, LiveMark } from './run.tsx';
import { fetchSessions, sessions } from './session_list.ts';

const kLines: Line[] = [
  { label: 'command', colour: (p) => p.command },
  { label: 'measured', colour: (p) => p.measured, dots: true },
  { label: 'twin', colour: (p) => p.twin, dashed: true },
];
const kRest: Line[] = [{ label: 'measured − twin', colour: (p) => p.error }];

export function CompareTab() {
  const shift = useSignal(0);   // s, measured curve drawn later
  const figures = useSignal<PairFigures[]>([]);
  useEffect(() => {
    const update = () => {
      const [from, to] = shown();
      figures.value = joints.value.map((_, i) => pairFigures(rings.measured, rings.simulated, i, from, to, -shift.value));
    };
    update();
    const id = setInterval(update, 1000);
    return () => clearInterval(id);
  }, []);
  const align = () => {
    const lags = figures.value.map((f) => f.lag).filter((l): l is number => l !== null).sort((a, b) => a - b);
    if (lags.length > 0) shift.value = -lags[lags.length >> 1];
  };
  if (joints.value.length === 0) return <Calm>No joint angles yet. They appear with the robot's first answer.</Calm>;
  return (
    <div class="compare">
      <Panel title="Size of the error, measured against twin" class="heat" side={<><HeatKey /><LiveMark /></>}><Heat shift={shift.value} /></Panel>
      <section class="panel" aria-label="The chosen joint">
        <Plot title={words(selected.value)} unit="°" lines={kLines} least={4} version={shift.value}
          data={(from, to) => jointColumns(selected.value, kJointCurves, from, to, shift.value)} side={<LiveMark />} />
      </section>
      <section class="panel" aria-label="Difference">
        <Plot title="Difference" unit="°" lines={kRest} least={1} digits={2} version={shift.value}
          data={(from, to) => residualColumns(selected.value, from, to, shift.value)} />
      </section>
      <div class="side">
        <Panel title="By joint, over what is shown" class="table" side={<button type="button" class="quiet" onClick={align}>Align</button>}>
          <div class="form">
            <label class="row grow"><span class="hint">Shift</span>
              <input class="grow" type="range" min="-300" max="300" step="5" value={Math.round(shift.value * 1000)} aria-label="Shift of the measured curves in milliseconds"
                onInput={(e) => { shift.value = Number(e.currentTarget.value) / 1000; }} />
              <span class="time">{fixed(shift.value * 1000, 0)} ms</span></label>
          </div>
          <FigureTable figures={figures.value} />
        </Panel>
        <Records />
      </div>
    </div>
  );
}

function FigureTable({ figures }: { figures: PairFigures[] }) {
  const head: [string, string][] = [['rms', 'RMS'], ['max', 'Max'], ['bias', 'Bias'], ['lag', 'Delay']];
  return (
    <div class="scroll" tabIndex={0}>
      <table>
        <thead><tr><th scope="col">Joint</th>{head.map(([id, h]) => <th scope="col" key={id}>{h} <Info of={id} /></th>)}<th scope="col">Causes <Info of="causes" /></th></tr></thead>
        <tbody>
          {joints.value.map((name, i) => {
            const f = figures[i];
            return (
              <tr key={name} class={name === selected.value ? 'chosen' : ''}>
                <td><button type="button" class="link" onClick={() => { selected.value = name; }}>{short(name)}</button></td>
                <td>{degrees(f?.rms, 2)}</td><td>{degrees(f?.max)}</td><td>{degrees(f?.bias)}</td>
                <td>{f?.lag === null || f?.lag === undefined ? kUnknown : `${fixed(f.lag * 1000, 0)} ms`}</td>
                <td><Causes f={f} /></td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

// shares of the mean square: a constant offset, reading in whole degrees, the rest
function Causes({ f }: { f?: PairFigures }) {
  if (!f || !(f.rms > 0)) return <>{kUnknown}</>;
  const square = (f.rms * kDeg) ** 2;
  const bias = Math.min(1, (f.bias * kDeg) ** 2 / square);
  const rounding = Math.min(1 - bias, 1 / 12 / square);
  const part = (share: number, colour: string) => <span style={{ width: `${100 * share}%`, background: colour }} />;
  return (
    <span class="shares" role="img" title={`offset ${Math.round(100 * bias)} %, whole degrees ${Math.round(100 * rounding)} %, movement ${Math.round(100 * (1 - bias - rounding))} %`}
      aria-label={`offset ${Math.round(100 * bias)} per cent, rounding ${Math.round(100 * rounding)} per cent`}>
      {part(bias, 'var(--muted)')}{part(rounding, 'var(--line)')}{part(1 - bias - rounding, 'var(--twin)')}
    </span>
  );
}

function Records() {
  const a = useSignal('');
  const b = useSignal('');
  const told = useSignal<{ text: string; rows: any[] } | null>(null);
  useEffect(() => { void fetchSessions(); }, []);
  const list = sessions.value.list;
  const run = async () => {
    const answer = await client.call<any>('compare', b.value ? { record: a.value, baseline: b.value } : { record: a.value }, 30_000);
    told.value = answer.ok ? { text: '', rows: answer.joints ?? answer.rows ?? [] } : { text: answer.error, rows: [] };
  };
  const command = () => `kagami compare ${shell(a.value || 'RECORD')}${b.value ? ` --baseline ${shell(b.value)}` : ''}`;
  const choice = (label: string, s: { value: string }, none: string) => (
    <select aria-label={label} value={s.value} onChange={(e) => { s.value = e.currentTarget.value; }}>
      <option value="">{none}</option>{list.map((x) => <option key={x.path} value={x.path}>{x.name}</option>)}
    </select>
  );
  return (
    <Panel title="Records A and B" side={<CopyCommand command={command} />}>
      <div class="form">{choice('Record A', a, 'A: choose a record')}{choice('Record B', b, 'B: none, A against its twin')}
        <button type="button" disabled={!a.value} onClick={run}>Compare</button></div>
      {list.length === 0 && <p class="calm">{sessions.value.why || 'No records yet.'}</p>}
      {told.value?.text && <p class="calm">{told.value.text}</p>}
      {told.value && told.value.rows.length > 0 && (
        <div class="scroll" tabIndex={0}><table>
          <thead><tr><th scope="col">Joint</th><th scope="col">RMS</th><th scope="col">Max</th><th scope="col">Bias</th><th scope="col">Delay</th></tr></thead>
          <tbody>{told.value.rows.map((r) => <tr key={r.joint ?? r.name}><td>{words(r.joint ?? r.name)}</td><td>{fixed(r.rms_deg, 2)}°</td><td>{fixed(r.max_deg)}°</td><td>{fixed(r.bias_deg)}°</td><td>{fixed(r.lag_ms, 0)} ms</td></tr>)}</tbody>
        </table></div>
      )}
    </Panel>
  );
}
