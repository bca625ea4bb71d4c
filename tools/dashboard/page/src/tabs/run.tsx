// Run: play a motion; shows robot and twin in 3D, an overview of all joints and one joint in detail.
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { duration, fixed, shell, readable } from '../data/format.ts';
import { jointColumns } from '../data/joint_data.ts';
import { check, checks } from '../data/check.ts';
import { ask } from '../data/live.ts';
import { held, joints, lost, motions, selected, status, type Curve } from '../data/state.ts';
import { Calm, CopyCommand, Panel } from '../ui/bits.tsx';
import { Plot, type Line } from '../ui/plot.tsx';
import { Slider } from '../ui/slider.tsx';
import { Sparks } from '../ui/sparks.tsx';

export const kJointLines: Line[] = [
  { label: 'command', colour: (p) => p.command },
  { label: 'measured', colour: (p) => p.measured },
  { label: 'twin', colour: (p) => p.twin, dashed: true },
];
export const kJointCurves: Curve[] = ['commanded', 'measured', 'simulated'];
/** The same with the controller's own curve. */
export const kLoopLines: Line[] = [...kJointLines, { label: 'controller', colour: (p) => p.loop, dashed: true }];
export const kLoopCurves: Curve[] = [...kJointCurves, 'loop'];

export function RunTab() {
  return (
    <div class="run">
      <div class="left">
        <Panel title="Robot and twin" class="view3d"><View3d /></Panel>
        <Panel title="Motion" class="transport" side={<CopyCommand command={playCommand} />}><Transport /></Panel>
      </div>
      <div class="right">
        <section class="panel big" aria-label="Selected joint">
          {joints.value.length > 0
            ? <Plot title={readable(selected.value)} unit="°" lines={kJointLines} least={4} side={<LiveMark />}
                data={(from, to) => jointColumns(selected.value, kJointCurves, from, to)} />
            : <Calm>No joint angles yet. They appear with the first reply of the robot.</Calm>}
        </section>
        <Panel title="All joints" class="joints" side={<span class="hint">simulated − measured, °</span>}><Sparks /></Panel>
      </div>
    </div>
  );
}

/** Shows whether the plots are live, and makes them live again. */
export function LiveMark() {
  if (held.value === null) return <span class="follows" role="img" aria-label="live" title="The plots show live data" />;
  return <button type="button" class="quiet" onClick={() => { held.value = null; }}>Follow live</button>;
}

function playCommand(): string {
  const s = status.value;
  const speed = s?.motion?.speed ?? 1;
  return ['kagami replay', shell(s?.motion?.name ?? 'walk_forward'), s?.controller ? `--controller ${shell(s.controller)}` : '',
    speed === 1 ? '' : `--speed ${fixed(speed, 2)}`].filter(Boolean).join(' ');
}

// the 3D view is in a separate bundle, loaded after the first paint
function View3d() {
  const view = useSignal<ComponentType | null>(null);
  const why = useSignal('');
  useEffect(() => {
    const load = () => import('../view3d/view.tsx').then((m) => { view.value = m.View; },
      () => { why.value = 'The 3D view could not be loaded from the server.'; });
    const id = setTimeout(load, 50);
    return () => clearTimeout(id);
  }, []);
  if (why.value) return <Calm>{why.value}</Calm>;
  return view.value ? <view.value /> : <Calm>Loading the 3D view …</Calm>;
}

function Transport() {
  const s = status.value;
  const m = s?.motion;
  const chosen = useSignal('');
  const loop = useSignal(false);
  const list = motions.value.length > 0 ? motions.value : m ? [{ name: m.name }] : [];
  const name = chosen.value || m?.name || list[0]?.name || '';
  const running = s?.state === 'running' && !m?.paused;
  const off = lost.value || !s;   // the effect of a press is known from the first status on
  return (
    <div class="controls">
      <div class="row">
        <label class="grow"><span class="visually-hidden">Motion</span>
          <select value={name} onChange={(e) => { chosen.value = e.currentTarget.value; }} disabled={off}>
            {list.map((x) => <option key={x.name} value={x.name}>{readable(x.name)}</option>)}
          </select>
        </label>
        <Checked motion={name} />
        {running
          ? <button type="button" class="main" disabled={off} onClick={() => ask('pause')}>❚❚ Pause</button>
          : <button type="button" class="main" disabled={off} onClick={() => ask('play', name === m?.name && m.paused ? {} : { motion: name, loop: loop.value })}>▶ Play</button>}
        <button type="button" disabled={off || running} title="One step of 20 ms" onClick={() => ask('step', { ms: 20 })}>Step</button>
        <button type="button" disabled={off} title="Stop the motion; the servos hold the position" onClick={() => ask('hold')}>Hold</button>
      </div>
      <Timeline />
      <div class="row">
        <Speed disabled={off} />
        <label class="check"><input type="checkbox" checked={loop.value} disabled={off} onChange={(e) => { loop.value = e.currentTarget.checked; }} /> Loop</label>
        <label class="check" title="Play backwards to the beginning of the motion"><input type="checkbox" checked={m?.reverse ?? false} disabled={off || m?.reverse === undefined}
          onChange={(e) => ask('reverse', { on: e.currentTarget.checked })} /> Reverse</label>
      </div>
    </div>
  );
}

// result of the check of a motion before its start
function Checked({ motion }: { motion: string }) {
  const verdict = checks.value[motion];
  // the list comes once the services are known; the check computes for a second or two, so it waits while the robot moves
  const waits = status.value?.state === 'running' || motions.value.length === 0;
  useEffect(() => { if (!waits) void check(motion); }, [motion, waits, motions.value]);
  if (!verdict) return null;
  return <span class={`tag ${verdict.kind}`} tabIndex={0} title={verdict.text}>{verdict.label}</span>;
}

function Timeline() {
  const m = status.value?.motion;
  const part = m && m.duration_s > 0 ? Math.min(1, m.time_s / m.duration_s) : 0;
  return (
    <div class="row">
      <div class="timeline" role="progressbar" aria-label="Motion time" aria-valuenow={Math.round(100 * part)} aria-valuemin={0} aria-valuemax={100}>
        <svg width="100%" height="18" aria-hidden="true">
          <rect class="rail" x="0" y="7" width="100%" height="4" rx="2" />
          <rect class="done" x="0" y="7" width={`${100 * part}%`} height="4" rx="2" />
          {m?.keyframes?.map((t, i) => <line key={i} class="key" x1={`${100 * t / m.duration_s}%`} x2={`${100 * t / m.duration_s}%`} y1="4" y2="14" />)}
          <circle class="head" cx={`${100 * part}%`} cy="9" r="5" />
        </svg>
      </div>
      <span class="time">{m ? `${fixed(m.time_s, 1)} / ${fixed(m.duration_s, 1)} s` : duration(null)}</span>
    </div>
  );
}

function Speed({ disabled }: { disabled: boolean }) {
  const speed = status.value?.motion?.speed ?? 1;
  const wanted = useSignal<number | null>(null);
  const shown = wanted.value ?? speed;
  const set = async (factor: number) => { await ask('speed', { factor }); wanted.value = null; };
  return (
    <label class="row speed grow"><span>Speed</span>
      <Slider min="0.1" max="2" step="0.05" value={shown} disabled={disabled} aria-valuetext={`${Math.round(100 * shown)} per cent`}
        preview={(factor) => { wanted.value = factor; }} commit={(factor) => { void set(factor); }} />
      <span class="time">{Math.round(100 * shown)} %</span>
    </label>
  );
}
