// Bus & timing: the last cycle of the line to scale, times of replies and periods, counters, frames.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Answers, frameLength } from '../data/answers.ts';
import { fixed, percent } from '../data/format.ts';
import { frameTimes } from '../data/frame.ts';
import { client, rate, setRate } from '../data/live.ts';
import { bus, joints, lost, status } from '../data/state.ts';
import type { Bus, Histogram as Bins } from '../protocol/messages.ts';
import { Calm, Panel } from '../ui/bits.tsx';
import { SaveTools } from '../ui/save_tools.tsx';

type Frame = Bus['frames'][number];

const answers = new Answers();   // of the cycles that this tab received: one every 0.1 s
let counted: Bus | null = null;

export function BusTab() {
  const kind = useSignal('');   // of request; '': the server's count of all
  useEffect(() => client.want('/bus'), []);
  const b = bus.value;
  if (b && b !== counted) { counted = b; answers.add(b.frames); }
  return (
    <div class="bus">
      <Panel title="Last cycle of the line" class="cycle" side={<><span class="hint">grey: to the boards, blue: from them</span>
        <SaveTools name="line_cycle" picture={() => document.querySelector<SVGElement>('.cycle svg')}
          table={() => ['at_ms,to_boards,bytes,meaning', ...(b?.frames ?? []).map((f) => `${f.at_ms},${f.out ? 1 : 0},${f.hex},"${f.text.replaceAll('"', '""')}"`)]} /></>}>
        {b && b.frames.length > 0 ? <Cycle bus={b} /> : <Calm>{lost.value ? 'No connection to the server.' : 'No frames yet. They appear when the line is in use.'}</Calm>}
      </Panel>
      <Counts title="Reply times, ms" class="answers" counts={kind.value ? answers.histogram(kind.value) : b?.latency_ms ?? null}
        side={<select aria-label="Kind of request" value={kind.value} onChange={(e) => { kind.value = e.currentTarget.value; }}>
          <option value="">all</option>{answers.kinds.map((k) => <option key={k} value={k}>{k}</option>)}</select>} />
      <Counts title="Period of the line" about="ms between cycles" class="periods" counts={b?.period_ms ?? null} />
      <Frames frames={b?.frames ?? []} />
      <Panel title="Counters" class="counters" side={<label class="hint">Frames{' '}
        <select value={rate.value} onChange={(e) => setRate(Number(e.currentTarget.value))}><option value="30">30 Hz</option><option value="60">60 Hz</option></select></label>}>
        <Counters bus={b} /></Panel>
    </div>
  );
}

function Cycle({ bus: b }: { bus: Bus }) {
  const end = Math.max(10, ...b.frames.map((f) => f.at_ms + frameLength(f)), ...(b.plan ?? []).map((p) => p.at_ms + p.duration_ms));
  const step = [1, 2, 5, 10, 20, 50, 100, 200].find((s) => end / s <= 12) ?? 500;
  const x = (ms: number) => `${(100 * ms / end).toFixed(3)}%`;
  const ticks = Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
  return (
    <div class="histogram">
      <svg height="86" role="img" aria-label={`${b.frames.length} frames in ${fixed(end, 0)} milliseconds`}>
        {ticks.map((t) => <g key={t}><line x1={x(t)} x2={x(t)} y1="4" y2="66" stroke="var(--line)" /><text x={x(t)} y="80" text-anchor={t / end > 0.97 ? 'end' : 'start'}>{t}{t === 0 ? ' ms' : ''}</text></g>)}
        {b.plan?.map((p, i) => <rect key={`p${i}`} class="plan" x={x(p.at_ms)} width={x(p.duration_ms)} y={p.out ? 8 : 38} height="22"><title>plan: {p.text}</title></rect>)}
        {b.frames.map((f, i) => (
          <rect key={i} class={f.out ? 'out' : 'in'} x={x(f.at_ms)} width={x(frameLength(f))} y={f.out ? 8 : 38} height="22" rx="2">
            <title>{`${fixed(f.at_ms, 1)} ms: ${f.text}`}</title>
          </rect>
        ))}
      </svg>
    </div>
  );
}

function Counts(p: { title: string; about?: string; class: string; counts: Bins | number[] | null; side?: ComponentChildren }) {
  const table = () => {
    const h: Bins = Array.isArray(p.counts) ? { counts: p.counts } : p.counts ?? { counts: [] };
    return ['from_ms,count', ...h.counts.map((c, i) => `${h.edges?.[i] ?? (h.from ?? 0) + i * (h.step ?? 1)},${c}`)];
  };
  return (
    <Panel title={p.title} class={p.class} side={<>{p.side ?? <span class="hint">{p.about}</span>}
      <SaveTools name={p.class} picture={() => document.querySelector<SVGElement>(`.${p.class} svg`)} table={table} /></>}><Histogram counts={p.counts} /></Panel>
  );
}

function Histogram({ counts }: { counts: Bins | number[] | null }) {
  const h: Bins | null = Array.isArray(counts) ? { counts } : counts;
  const total = h?.counts.reduce((a, c) => a + c, 0) ?? 0;
  if (!h || total === 0) return <Calm>No data yet.</Calm>;
  const most = Math.max(...h.counts);
  const n = h.counts.length;
  const edge = (i: number) => h.edges?.[i] ?? (h.from ?? 0) + i * (h.step ?? 1);
  const mean = fixed(h.mean);   // measured: bins have a width, and the last one has no end
  return (
    <div class="histogram">
      <svg viewBox="0 0 300 110" preserveAspectRatio="none" role="img" aria-label={`${total} values, mean ${mean} milliseconds`}>
        {h.counts.map((c, i) => <rect key={i} x={300 * i / n + 0.5} width={300 / n - 1} y={100 - 92 * c / most} height={92 * c / most}><title>{`${fixed(edge(i))} to ${fixed(edge(i + 1))} ms: ${c}`}</title></rect>)}
        <line x1="0" x2="300" y1="100" y2="100" stroke="var(--line)" />
      </svg>
      <div class="row hint"><span>{fixed(edge(0))}</span><span class="grow" /><span>mean {mean} ms of {total}</span><span class="grow" /><span>{fixed(edge(n))}</span></div>
    </div>
  );
}

function Frames({ frames }: { frames: Frame[] }) {
  const filter = useSignal('');
  const frozen = useSignal<Frame[] | null>(null);
  const shown = (frozen.value ?? frames).filter((f) => `${f.text} ${f.hex}`.toLowerCase().includes(filter.value.toLowerCase()));
  return (
    <Panel title="Frames of the last cycle" class="frames" side={<>
      <input type="search" placeholder="filter" aria-label="Filter the frames" value={filter.value} onInput={(e) => { filter.value = e.currentTarget.value; }} />
      <label class="check"><input type="checkbox" checked={frozen.value !== null} onChange={(e) => { frozen.value = e.currentTarget.checked ? frames : null; }} /> Hold</label></>}>
      <div class="scroll" tabIndex={0}>
        <table>
          <thead><tr><th scope="col">ms</th><th scope="col"></th><th scope="col">Meaning</th><th scope="col">Bytes</th></tr></thead>
          <tbody>{shown.map((f, i) => <tr key={i}><td>{fixed(f.at_ms, 1)}</td><td>{f.out ? '→' : '←'}</td><td>{f.text}</td><td class="mono">{f.hex}</td></tr>)}</tbody>
        </table>
      </div>
    </Panel>
  );
}

const kCounterNames: Record<string, string> = {
  sent: 'requests sent', answered: 'replies', late: 'late replies', bad_sum: 'wrong check sums', silent: 'missing replies', lost: 'lost', dropped: 'frames skipped for this page',
};

function Counters({ bus: b }: { bus: Bus | null }) {
  const s = status.value;
  const f = frameTimes();
  const rows: [string, string][] = Object.entries(b?.counters ?? {}).map(([k, v]) => [kCounterNames[k] ?? k.replaceAll('_', ' '), String(v)]);
  if (s?.loop) {
    rows.push(['loop, 99 % within', `${fixed(s.loop.p99_us, 0)} µs`], ['ticks late', String(s.loop.late_ticks ?? '–')], ['ticks skipped', String(s.loop.skipped_ticks ?? '–')]);
  }
  if (s?.line) rows.push(['line cycles', `${fixed(s.line.cycle_hz, 1)} Hz`], ['line busy', percent(s.line.utilisation)]);
  rows.push(['samples lost by the record', String(s?.recording?.lost ?? '–')], ['messages skipped for this page', String(s?.dropped ?? '–')],
    ['script time per frame of this page, median / 95 %', `${fixed(f.median, 1)} / ${fixed(f.p95, 1)} ms`], ['joints', String(joints.value.length)]);
  return <div class="scroll" tabIndex={0}><table><tbody>{rows.map(([k, v]) => <tr key={k}><td>{k}</td><td>{v}</td></tr>)}</tbody></table></div>;
}
