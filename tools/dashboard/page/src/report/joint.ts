// The two plots of a joint: angles, and their difference.
import uPlot from 'uplot';
import { colour } from './colours.ts';
import { decoded, nearest, times, type Curve, type Joint, type Value } from './data.ts';
import { kGutter, mounted, options, tickTexts, timeAxis } from './plot.ts';
import type { Zoom } from './zoom.ts';

const kStyles: Record<string, { colour: string; dash?: number[] }> = {
  command: { colour: 'command' }, reference: { colour: 'reference', dash: [2, 3] }, measured: { colour: 'measured' },
  twin: { colour: 'twin', dash: [6, 3] }, loop: { colour: 'loop', dash: [1, 3] }, difference: { colour: 'difference' },
  base: { colour: 'base' }, 'base-twin': { colour: 'base', dash: [6, 3] }, 'base-difference': { colour: 'base' },
};
const isDifference = (curve: Curve) => curve.key.endsWith('difference');

/** "12.34 deg", or both extremes of the stretch. */
function valueText(values: ArrayLike<Value>, at: number | null): string {
  if (at === null) return '\u2013';
  const pair = [values[at - at % 2], values[at - at % 2 + 1]].filter((v): v is number => typeof v === 'number');
  const [low, high] = [Math.min(...pair), Math.max(...pair)];
  return high - low < 0.05 ? `${(values[at] as number).toFixed(2)} deg` : `${low.toFixed(2)} to ${high.toFixed(2)} deg`;
}

function drawZero(u: uPlot): void {
  const y = Math.round(u.valToPos(0, 'y', true)) + 0.5;
  if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) return;
  u.ctx.save();
  u.ctx.strokeStyle = colour('zero');
  u.ctx.lineWidth = 1;
  u.ctx.beginPath();
  u.ctx.moveTo(u.bbox.left, y);
  u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
  u.ctx.stroke();
  u.ctx.restore();
}

/** Draws a joint into its box. */
export function drawJoint(zoom: Zoom, joint: Joint, box: HTMLElement): uPlot[] {
  const count = Math.max(0, ...joint.curves.map((c) => Math.floor(c.values.length * 3 / 8)));
  const x = times(joint.stretch_s, count);
  const plot = (curves: Curve[], height: number, label: string, below: boolean) => {
    const place = box.appendChild(document.createElement('div'));
    place.className = 'plot';
    place.setAttribute('role', 'group');
    place.setAttribute('aria-label', `${joint.name}: ${label}`);
    const values = curves.map((c) => decoded(c, joint.stretch_s, count));
    const reach = curves.map((c) => Math.ceil(c.bridge_s / joint.stretch_s * 2) + 1);
    return mounted(zoom, place, height, options(zoom, {
      cursor: { dataIdx: (_u, s, at) => s === 0 ? at : nearest(values[s - 1], at, reach[s - 1]) ?? at },
      scales: { y: { range: (_u, low, high) => rangeOf(low, high, below) } },
      axes: [timeAxis(below), {
        stroke: () => colour('muted'), grid: { stroke: () => colour('grid'), width: 1 }, ticks: { show: false },
        size: kGutter - 16, gap: 5, space: 26, values: tickTexts, label, labelSize: 16, labelGap: 0,
        font: '12px system-ui, sans-serif', labelFont: '12px system-ui, sans-serif',
      }],
      series: [{ label: 'time', value: (_u, v) => v === null ? '\u2013' : `${v.toFixed(3)} s` }, ...curves.map((c, k): uPlot.Series => ({
        label: c.label, width: 1.3, stroke: () => colour(kStyles[c.key]?.colour ?? 'text'), dash: kStyles[c.key]?.dash,
        points: { show: false }, value: (_u, _v, _s, at) => valueText(values[k], at === null ? null : nearest(values[k], at, reach[k])),
      }))],
      hooks: { drawAxes: [drawZero] },
    }), [x, ...values] as uPlot.AlignedData);
  };
  const angles = joint.curves.filter((c) => !isDifference(c));
  const differences = joint.curves.filter(isDifference);
  const plots = [plot(angles, 220, 'angle, deg', differences.length === 0)];
  if (differences.length > 0) plots.push(plot(differences, 130, 'difference, deg', true));
  return plots;
}

function rangeOf(low: number | null, high: number | null, withZero: boolean): [number, number] {
  if (low === null || high === null) return [-1, 1];
  const [from, to] = withZero ? [Math.min(low, 0), Math.max(high, 0)] : [low, high];
  const margin = Math.max(0.05 * (to - from), 0.25);
  return [from - margin, to + margin];
}

/** The curves as the page has them, as CSV. */
export function jointCsv(joint: Joint): string {
  const count = Math.max(0, ...joint.curves.map((c) => Math.floor(c.values.length * 3 / 8)));
  const columns = joint.curves.map((c) => decoded(c, joint.stretch_s, count));
  const cell = (v: Value) => typeof v === 'number' ? String(Number(v.toFixed(4))) : '';
  const rows = times(joint.stretch_s, count).map((t, i) => ({ t, cells: columns.map((c) => cell(c[i])) }))
    .filter((row) => row.cells.some((c) => c !== '')).map((row) => [Number(row.t.toFixed(6)), ...row.cells].join(','));
  return [['t_s', ...joint.curves.map((c) => `${c.key.replaceAll('-', '_')}_deg`)].join(','), ...rows].join('\n') + '\n';
}
