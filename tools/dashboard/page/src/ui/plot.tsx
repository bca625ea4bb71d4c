// One plot over time: uPlot behind a component, with the page's zoom, pan, cursor, legend, PNG and CSV.
import { effect, signal, useSignal, type Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { valueAt, type Cell } from '../data/columns.ts';
import { cell, decimals, fixed, kUnknown } from '../data/format.ts';
import { everyFrame } from '../data/frame.ts';
import { SlowRange } from '../data/range.ts';
import { cursor, held, hovering, revision, shown, span } from '../data/state.ts';
import { download } from './bits.tsx';
import { installGestures } from './gestures.ts';
import { dark, kDash, palette, type Palette } from './theme.ts';

export type Data = [number[], ...Cell[][]];

export interface Line {
  label: string;
  colour: (p: Palette) => string;
  dashed?: boolean;
  /** draws dots, for values that are measured now and then */
  dots?: boolean;
  /** filled up to the line before it: a band; neither is in the legend */
  bandTo?: boolean;
  hidden?: boolean;
}

export interface PlotProps {
  title: string;
  unit: string;
  lines: Line[];
  /** Columns for a stretch of time. */
  data: (from: number, to: number) => Data;
  /** Its own stretch in place of the live one: a finished test. */
  fixed?: [number, number];
  /** Least height shown, in the plot's unit. */
  least?: number;
  /** Changes when data of a fixed plot change. */
  version?: unknown;
  digits?: number;
  xLabel?: string;
  /** Times of the markers A and B; a click sets A, with Shift B. */
  markers?: Signal<[number | null, number | null]>;
  /** Shown before the buttons. */
  side?: ComponentChildren;
}

export function Plot(props: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLDivElement>(null);
  const live = useRef(props);
  live.current = props;
  const hidden = useSignal<boolean[]>([]);
  const plot = useRef<LivePlot | null>(null);

  useEffect(() => {
    const p = new LivePlot(box.current!, legend.current!, () => live.current);
    plot.current = p;
    return () => p.close();
  }, [props.lines.map((l) => l.label + l.bandTo).join('|')]);
  useEffect(() => { plot.current?.refresh(); }, [props.version, props.fixed?.[0], props.fixed?.[1]]);

  const toggle = (i: number) => {
    const next = props.lines.map((_, k) => (hidden.value[k] ?? false) !== (k === i));
    hidden.value = next;
    plot.current?.hide(next);
  };
  const name = props.title.replace(/[^\w-]+/g, '_');
  return (
    <figure class="plot" aria-label={props.title}>
      <figcaption>
        <span class="title">{props.title}</span><span class="unit">{props.unit}</span>
        <span class="legend" ref={legend}>
          {props.lines.map((l, i) => l.bandTo !== undefined ? null : (
            <button type="button" key={l.label} class={hidden.value[i] ? 'off' : ''} aria-pressed={!hidden.value[i]}
              title={`Show or hide ${l.label}`} onClick={() => toggle(i)}>
              <Swatch line={l} />{l.label}{!props.fixed && <output data-line={i}>{kUnknown}</output>}
            </button>
          ))}
        </span>
        <span class="tools">
          {props.side}
          <button type="button" class="quiet" title="Show all (double-click)" onClick={() => plot.current?.fit()}>Fit</button>
          <button type="button" class="quiet" title="Save as PNG picture" onClick={() => plot.current?.png(name)}>PNG</button>
          <button type="button" class="quiet" title="Save the visible values as CSV" onClick={() => plot.current?.csv(name)}>CSV</button>
        </span>
      </figcaption>
      <div class="canvas" ref={box} tabIndex={0} role="application" title={props.markers ? 'Click: marker A; Shift and click: marker B' : undefined}
        aria-label={`${props.title} in ${props.unit}. Plus and minus zoom, arrows move, F fits.`} />
    </figure>
  );
}

function Swatch({ line }: { line: Line }) {
  return (
    <svg class="swatch" width="18" height="8" aria-hidden="true">
      <line x1="0" y1="4" x2="18" y2="4" stroke={line.colour(palette.value)} stroke-width="2"
        stroke-dasharray={line.dashed ? '5 3' : undefined} />
    </svg>
  );
}

/** The uPlot of a component, and its updates. */
class LivePlot {
  private readonly plot: uPlot;
  private readonly slow: SlowRange;
  private data: Data;
  private range: [number, number] = [0, 1];
  private seen = '';
  private stale = true;
  private lastLegend = 0;
  private unmarked: [number | null, number | null] | null = null;   // markers before the last click
  private readonly own = signal<[number, number] | null>(null);   // zoom of a fixed plot
  private readonly ends: (() => void)[] = [];

  constructor(private readonly box: HTMLElement, private readonly legend: HTMLElement, private readonly props: () => PlotProps) {
    this.slow = new SlowRange(props().least ?? 1);
    this.data = [[], ...props().lines.map(() => [])] as unknown as Data;
    this.plot = new uPlot(this.options(), this.data as uPlot.AlignedData, box);
    const size = new ResizeObserver(() => this.resize());
    size.observe(box);
    this.ends.push(() => size.disconnect());
    this.ends.push(everyFrame(() => this.paint(), 30, () => this.dirty()));
    this.ends.push(effect(() => { void dark.value; void props().markers?.value; this.stale = true; }));
    this.ends.push(effect(() => this.showCursor(cursor.value)));
    this.ends.push(installGestures(box, {
      range: () => this.range,
      set: (r) => { if (this.props().fixed) this.own.value = r; else held.value = r; this.stale = true; },
      fit: () => this.fit(),
      toTime: (x) => this.plot.posToVal(x - this.plot.over.offsetLeft, 'x'),
      hover: (inside) => this.hover(inside),
      mark: (t, second) => {
        const m = this.props().markers;
        if (!m) return;
        this.unmarked = m.value;
        m.value = second ? [m.value[0], t] : [t, m.value[1]];
      },
      unmark: () => { const m = this.props().markers; if (m && this.unmarked) m.value = this.unmarked; },
      cursor: (t) => { cursor.value = t; },
    }));
    this.resize();
  }

  close(): void {
    for (const end of this.ends) end();
    this.plot.destroy();
  }

  refresh(): void { this.slow.reset(); this.own.value = null; this.stale = true; }

  fit(): void {
    this.slow.reset();
    this.own.value = null;
    if (!this.props().fixed) { held.value = null; hovering.value = null; span.value = 10; }
    this.stale = true;
  }

  hide(hidden: boolean[]): void {
    hidden.forEach((h, i) => this.plot.setSeries(i + 1, { show: !h }));
    this.slow.reset();
    this.stale = true;
  }

  csv(name: string): void {
    const { lines, unit } = this.props();
    const at = (column: Cell[], i: number) => cell(column[i]);
    const head = ['t_s', ...lines.map((l) => `${l.label.replace(/[,/\s]+/g, '_')}_${unit === '°' ? 'deg' : unit.replace(/[,/\s]+/g, '_')}`)];
    const rows = this.data[0].map((t, i) => [cell(t), ...lines.map((_, k) => at(this.data[k + 1] as Cell[], i))].join(','));
    download(`${name}.csv`, [head.join(','), ...rows].join('\n') + '\n');
  }

  png(name: string): void {
    const { title, unit, lines } = this.props();
    const source = this.plot.ctx.canvas;
    const scale = devicePixelRatio || 1;
    const canvas = document.createElement('canvas');
    canvas.width = source.width;
    canvas.height = source.height + 28 * scale;
    const g = canvas.getContext('2d')!;
    g.fillStyle = palette.value.panel;
    g.fillRect(0, 0, canvas.width, canvas.height);
    g.font = `${12 * scale}px system-ui, sans-serif`;
    g.fillStyle = palette.value.text;
    g.fillText(`${title} (${unit})`, 8 * scale, 18 * scale);
    let x = (24 * scale) + g.measureText(`${title} (${unit})`).width;
    for (const l of lines) {
      if (l.bandTo !== undefined) continue;
      g.strokeStyle = g.fillStyle = l.colour(palette.value);
      g.lineWidth = 2 * scale;
      g.setLineDash(l.dashed ? kDash.map((d) => d * scale) : []);
      g.beginPath();
      g.moveTo(x, 14 * scale);
      g.lineTo(x + 20 * scale, 14 * scale);
      g.stroke();
      g.fillText(l.label, x + 26 * scale, 18 * scale);
      x += 42 * scale + g.measureText(l.label).width;
    }
    g.drawImage(source, 0, 28 * scale);
    canvas.toBlob((blob) => { if (blob) download(`${name}.png`, blob); });
  }

  private hover(inside: boolean): void {
    if (this.props().fixed) return;
    hovering.value = inside ? shown() : null;
    if (!inside) cursor.value = null;
    this.stale = true;
  }

  private dirty(): boolean {
    if (this.stale) return true;
    const [from, to] = this.wanted();
    return this.seen !== `${this.props().fixed ? 0 : revision} ${from} ${to}`;
  }

  private wanted(): [number, number] { return this.props().fixed ? this.own.value ?? this.props().fixed! : shown(); }

  private paint(): void {
    this.range = this.wanted();
    this.seen = `${this.props().fixed ? 0 : revision} ${this.range[0]} ${this.range[1]}`;
    this.stale = false;
    this.data = this.props().data(this.range[0], this.range[1]);
    this.plot.setData(this.data as uPlot.AlignedData);
    if (performance.now() - this.lastLegend > 180) this.showLegend();
  }

  private showLegend(): void {
    this.lastLegend = performance.now();
    const { digits = 1, unit } = this.props();
    for (const out of this.legend.querySelectorAll('output')) {
      const column = this.data[Number(out.dataset.line) + 1] as Cell[] | undefined;
      const value = column ? valueAt(this.data[0], column, cursor.value) : null;
      const text = value === null ? kUnknown : fixed(value, digits) + (unit === '°' ? '°' : '');
      if (out.textContent !== text) out.textContent = text;
    }
  }

  private showCursor(t: number | null): void {
    if (t === null || t < this.range[0] || t > this.range[1] || this.props().fixed) this.plot.setCursor({ left: -10, top: -10 }, false);
    else this.plot.setCursor({ left: this.plot.valToPos(t, 'x'), top: -10 }, false);
    if (this.data[0].length > 0) this.showLegend();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.box;
    if (width > 40 && height > 40) this.plot.setSize({ width, height });
  }

  private options(): uPlot.Options {
    const { lines, xLabel } = this.props();
    const axis = { stroke: () => palette.value.muted, grid: { stroke: () => palette.value.grid, width: 1 }, ticks: { show: false },
      font: '11px system-ui, sans-serif' };
    const bands: uPlot.Band[] = [];
    lines.forEach((l, i) => { if (l.bandTo) bands.push({ series: [i + 1, i], fill: () => palette.value.band }); });
    return {
      width: 300, height: 150, legend: { show: false }, bands, padding: [8, 16, 0, 0],
      cursor: { x: true, y: false, drag: { x: false, y: false }, points: { show: false } },
      scales: {
        x: { time: false, range: () => this.range },
        y: { range: (_u, low, high) => this.slow.update(low ?? NaN, high ?? NaN) },
      },
      axes: [
        { ...axis, size: 30, gap: 2, values: (_u, ticks) => ticks.map((v, i) => `${fixed(v, decimals(ticks))}${i === ticks.length - 1 ? ` ${xLabel ?? 's'}` : ''}`) },
        { ...axis, size: 44, gap: 4, space: 22, values: (_u, ticks) => ticks.map((v) => fixed(v, decimals(ticks))) },
      ],
      series: [{}, ...lines.map((l): uPlot.Series => ({
        label: l.label, width: l.bandTo !== undefined ? 0 : 1.5, stroke: () => l.colour(palette.value), dash: l.dashed ? kDash : undefined,
        points: { show: l.dots ?? false, size: 4, width: 1, fill: () => l.colour(palette.value) }, show: !l.hidden,
      }))],
      hooks: { drawAxes: [(u) => drawZero(u)], draw: [(u) => drawMarkers(u, this.props().markers?.value)] },
    };
  }
}

function drawZero(u: uPlot): void {
  const y = Math.round(u.valToPos(0, 'y', true)) + 0.5;
  if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) return;
  strokeLine(u, palette.value.zero, [u.bbox.left, y, u.bbox.left + u.bbox.width, y]);
}

function drawMarkers(u: uPlot, markers?: [number | null, number | null]): void {
  markers?.forEach((t, k) => {
    if (t === null) return;
    const x = Math.round(u.valToPos(t, 'x', true)) + 0.5;
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
    strokeLine(u, palette.value.text, [x, u.bbox.top, x, u.bbox.top + u.bbox.height]);
    u.ctx.fillStyle = palette.value.text;
    u.ctx.textAlign = 'left';
    u.ctx.fillText(k === 0 ? 'A' : 'B', x + 4, u.bbox.top + 12);
  });
}

function strokeLine(u: uPlot, colour: string, [x0, y0, x1, y1]: number[]): void {
  u.ctx.save();
  u.ctx.strokeStyle = colour;
  u.ctx.lineWidth = 1;
  u.ctx.setLineDash([]);
  u.ctx.beginPath();
  u.ctx.moveTo(x0, y0);
  u.ctx.lineTo(x1, y1);
  u.ctx.stroke();
  u.ctx.restore();
}
