// What all plots of the report share: axes, zoom by dragging, one cursor for all of them.
import uPlot from 'uplot';
import { colour } from './colours.ts';
import type { Zoom } from './zoom.ts';

export const kGutter = 56;   // px left of every plot, so that their time axes lie below each other

const kFont = '12px system-ui, "Segoe UI", "Noto Sans", sans-serif';

const places = (ticks: number[]) => {
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
  return Math.min(6, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
};
export const tickTexts = (_u: uPlot, ticks: number[]) => ticks.map((t) => t.toFixed(places(ticks)));

const line = { stroke: () => colour('grid'), width: 1 };
export const timeAxis = (label: boolean): uPlot.Axis => ({
  stroke: () => colour('muted'), grid: line, ticks: { show: false }, font: kFont, size: label ? 22 : 6, gap: 4,
  values: label ? tickTexts : () => [], ...(label ? { label: 'time, s', labelSize: 16, labelFont: kFont, labelGap: 0 } : {}),
});

/** Options of a plot over time; its size comes from its box. */
export function options(zoom: Zoom, part: Partial<uPlot.Options>): uPlot.Options {
  return {
    width: 300, height: 100, padding: [10, 16, 0, 0], ...part,
    cursor: {
      y: false, drag: { x: true, y: false, setScale: false }, points: { size: 6 }, ...part.cursor,
      sync: { key: 'report', scales: ['x', null] }, bind: { dblclick: () => null },
    },
    scales: { x: { time: false, range: () => zoom.range }, ...part.scales },
    hooks: {
      ...part.hooks,
      setSelect: [(u) => {
        if (u.select.width < 4) return;
        const range: [number, number] = [u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')];
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        zoom.set(range);
      }],
    },
  } as uPlot.Options;
}

/** Puts the plot into the box and keeps its width, its stretch of time and its gestures. */
export function mounted(zoom: Zoom, box: HTMLElement, height: number, opts: uPlot.Options, data: uPlot.AlignedData): uPlot {
  const width = () => Math.max(200, box.clientWidth);
  const plot = new uPlot({ ...opts, width: width(), height }, data, box);
  new ResizeObserver(() => { if (plot.width !== width()) plot.setSize({ width: width(), height }); }).observe(box);
  zoom.onChange(() => plot.setScale('x', { min: zoom.range[0], max: zoom.range[1] }));
  plot.over.addEventListener('dblclick', () => zoom.set(zoom.all));
  // without Ctrl the wheel scrolls the page
  plot.over.addEventListener('wheel', (e) => {
    if (!e.ctrlKey) return;
    e.preventDefault();
    zoom.by(Math.exp(Math.sign(e.deltaY) * 0.25), plot.posToVal(e.clientX - plot.over.getBoundingClientRect().left, 'x'));
  }, { passive: false });
  return plot;
}
