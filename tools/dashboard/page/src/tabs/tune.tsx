// Tune: the gains of a joint beside the response of the robot.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { fixed, gain, short, readable } from '../data/format.ts';
import { jointColumns } from '../data/joint_data.ts';
import { lagOf } from '../data/lag.ts';
import { ask } from '../data/live.ts';
import { gainLog, hasLoop, joints, kept, lost, place, rings, say, selected, session, shown, status, tunables } from '../data/state.ts';
import { changed, differenceRows, drafted, favourites, gainsFor, step, twinFirst } from '../data/tuning.ts';
import { Calm, CopyCommand, Info, Panel } from '../ui/bits.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Plot } from '../ui/plot.tsx';
import { DraftBox } from './draft.tsx';
import { SaveGains } from './save_gains.tsx';
import { GainRow, setCommand } from './gain_row.tsx';
import { kJointCurves, kJointLines, kLoopCurves, kLoopLines, LiveMark } from './run.tsx';
import { TestsPanel } from './tests.tsx';

const notes = kept<Record<string, string>>('notes', {});

export function TuneTab() {
  const group = useSignal<Group>('joint');
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (!(e.ctrlKey || e.metaKey) || lost.value || isEdited(e.target)) return;
      const key = e.key.toLowerCase();
      if (key === 'z' && !e.shiftKey) void step('undo');
      else if (key === 'y' || (key === 'z' && e.shiftKey)) void step('redo');
      else return;
      e.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const joint = group.value === 'joint' ? selected.value : '';
  const title = joint ? `Gains of ${readable(joint)}` : group.value === 'general' ? 'General' : 'Favourites';
  return (
    <div class="tune">
      <div><Panel title="Joints" class="grow"><JointList group={group} /></Panel></div>
      <div>
        <Panel title={title} class="grow" side={<CopyCommand command={() => setCommand(joint)} />}>
          <SetTools />
          {drafted.value && <DraftBox />}
          <GainList joint={joint} favourite={group.value === 'favourites'} />
        </Panel>
        <History />
      </div>
      <div>
        <LivePlot />
        <TestsPanel joint={selected.value} />
      </div>
    </div>
  );
}

// a text field has its own undo; the field of a gain handles the key itself
function isEdited(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && ['text', 'search', 'number'].includes(target.type) && !target.closest('.gain');
}

type Group = 'joint' | 'general' | 'favourites';

function JointList({ group }: { group: { value: Group } }) {
  const moved = new Set([...changed.value].flatMap((n) => n.split('/')));
  const row = (key: string, label: string, on: boolean, click: () => void) => (
    <button type="button" key={key} aria-pressed={on} onClick={click}>
      <span class="grow">{label}</span>{moved.has(key) && <span class="changed" title="changed since the start" />}
    </button>
  );
  return (
    <div class="joint-list">
      {favourites.value.length > 0 && row('favourites', '★ favourites', group.value === 'favourites', () => { group.value = 'favourites'; })}
      {joints.value.map((n) => row(n, short(n), group.value === 'joint' && n === selected.value, () => { group.value = 'joint'; selected.value = n; }))}
      {row('general', 'general', group.value === 'general', () => { group.value = 'general'; })}
    </div>
  );
}

function GainList({ joint, favourite }: { joint: string; favourite: boolean }) {
  const names = favourite ? favourites.value.filter((n) => tunables.value.some((t) => t.name === n)) : gainsFor(joint, joints.value);
  if (names.length === 0) return <Calm>{lost.value ? 'No connection to the server.' : 'This controller has no tunable values for this joint.'}</Calm>;
  return <div class="gains">{names.map((n) => <GainRow key={n} name={n} whole={favourite} />)}</div>;
}

// undo, redo, sets A and B, save
function SetTools() {
  const g = status.value?.gains;
  const off = lost.value;
  const difference = useSignal<{ name: string; a: number; b: number }[] | null>(null);
  const saving = useSignal(false);
  const compare = async () => { const a = await ask('difference'); if (a.ok) difference.value = differenceRows(a); };
  return (
    <>
      <div class="toolbar">
        <button type="button" disabled={off || !g?.can_undo} title="Ctrl Z" onClick={() => step('undo')}>Undo</button>
        <button type="button" disabled={off || !g?.can_redo} title="Ctrl Shift Z" onClick={() => step('redo')}>Redo</button>
        <span class="switch" role="group" aria-label="Gain set in force">
          {(['A', 'B'] as const).map((set) => (
            <button type="button" key={set} disabled={off} aria-pressed={g?.set === set} onClick={() => ask('select', { set })}>{set}</button>
          ))}
        </span>
        {(['A', 'B'] as const).map((set) => (
          <button type="button" key={`store${set}`} disabled={off} title={`Store the present gains as set ${set}`} onClick={async () => {
            const a = await ask('store', { set });
            if (a.ok) say(`Stored as set ${set}`);
          }}>→ {set}<span class="visually-hidden"> store the gains</span></button>
        ))}
        <button type="button" disabled={off} onClick={compare}>A ≠ B</button>
        <Info of="sets" />
      </div>
      <div class="toolbar">
        <label class="check"><input type="checkbox" checked={twinFirst.value} onChange={(e) => { twinFirst.value = e.currentTarget.checked; }} /> Twin first</label>
        <Info of="twin_first" />
        <span class="grow" />
        {g?.dirty ? <span class="tag warn">unsaved</span> : g && <span class="tag">saved</span>}
        <button type="button" class={g?.dirty ? 'main' : ''} disabled={off || !g?.dirty} onClick={() => { saving.value = true; }}>Save …</button>
      </div>
      {difference.value && <Difference rows={difference.value} close={() => { difference.value = null; }} />}
      {saving.value && <SaveGains close={() => { saving.value = false; }} />}
    </>
  );
}

function Difference({ rows, close }: { rows: { name: string; a: number; b: number }[]; close: () => void }) {
  return (
    <Dialog title="Sets A and B" close={close}>
      {rows.length === 0 ? <p>Both sets hold the same gains.</p> : (
        <table>
          <thead><tr><th scope="col">Gain</th><th scope="col">A</th><th scope="col">B</th><th scope="col">B − A</th></tr></thead>
          <tbody>{rows.map((r) => <tr key={r.name}><td>{r.name}</td><td>{gain(r.a)}</td><td>{gain(r.b)}</td><td>{gain(r.b - r.a)}</td></tr>)}</tbody>
        </table>
      )}
      <div class="buttons"><button type="button" class="main" onClick={close}>Close</button></div>
    </Dialog>
  );
}

function History() {
  const list = gainLog.value.filter((g) => g.why !== 'start');
  const summary = (v: Record<string, number>) => {
    const entries = Object.entries(v);
    const [name, value] = entries[0] ?? ['nothing', NaN];
    return entries.length > 1 ? `${entries.length} gains` : `${name.split('/').slice(-2).join('/')} = ${gain(value)}`;
  };
  return (
    <Panel title="Changes" class="history" side={<span class="hint">{list.length === 0 ? 'none yet' : `${list.length}`}</span>}>
      <ol>
        {list.map((g) => {
          const key = `${session.value}/${g.version}`;   // versions restart with each server
          return (
            <li key={key}><span class="tick">tick {g.tick}</span><span title={JSON.stringify(g.values)}>{summary(g.values)}</span>
              <span class="hint">{g.why}</span>
              <input type="text" aria-label={`Note on the change at tick ${g.tick}`} placeholder="note" defaultValue={notes.value[key] ?? ''}
                onChange={(e) => { notes.value = { ...notes.value, [key]: e.currentTarget.value }; }} /></li>
          );
        })}
      </ol>
    </Panel>
  );
}

function LivePlot() {
  const markers = useSignal<[number | null, number | null]>([null, null]);
  const [a, b] = markers.value;
  return (
    <section class="panel live" aria-label="Command, measured and twin">
      <Plot title={readable(selected.value)} unit="°" lines={hasLoop.value ? kLoopLines : kJointLines} least={4} markers={markers}
        data={(from, to) => jointColumns(selected.value, hasLoop.value ? kLoopCurves : kJointCurves, from, to)}
        side={<>{(a !== null || b !== null) && <button type="button" class="quiet" title="Remove the markers" onClick={() => { markers.value = [null, null]; }}>
          {a !== null && b !== null ? `B − A ${fixed((b - a) * 1000, 0)} ms ✕` : 'Shift-click: B ✕'}</button>}
          <Latency /><LiveMark /></>} />
    </section>
  );
}

// delay of the measured angle behind the command, estimated by correlation
function Latency() {
  const text = useSignal('');
  useEffect(() => {
    const id = setInterval(() => {
      const i = place(selected.value);
      if (i < 0) return;
      const lag = lagOf(rings.measured, rings.commanded, i, ...shown());
      text.value = lag === null ? '' : `${fixed(lag * 1000, 0)} ms late`;
    }, 1000);
    return () => clearInterval(id);
  }, []);
  return text.value ? <span class="hint" title="Delay of the measured angle behind the command, by correlation">{text.value}</span> : null;
}
