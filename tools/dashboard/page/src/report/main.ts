// The script inside a report: its figures over time become plots that can be zoomed and read. Without it the page shows
// the same figures as pictures, which also are what is printed.
import type uPlot from 'uplot';
import style from 'uplot/dist/uPlot.min.css';
import { onScheme } from './colours.ts';
import { readReport, type Report } from './data.ts';
import { save, svgFile } from './files.ts';
import { drawJoint, jointCsv } from './joint.ts';
import { drawHeat, drawTimeline, heatCsv } from './strips.ts';
import { addButtons, Zoom } from './zoom.ts';

const report = readReport();
if (report) start(report);

function start(data: Report): void {
  const sheet = document.head.appendChild(document.createElement('style'));
  sheet.textContent = style;
  const zoom = new Zoom([0, Math.max(data.duration_s, 0.02)]);
  const plots: uPlot[] = [];
  onScheme(() => { for (const p of plots) p.redraw(); });
  const place = document.querySelector('.zoom');
  if (place) addButtons(zoom, place);

  // a plot is made when its place comes near: a long record has many
  const drawers = new Map<Element, (box: HTMLElement) => uPlot[]>();
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      const pictures = target.querySelector('.scroll');
      const box = document.createElement('div');
      box.className = 'drawn';
      pictures?.before(box);
      target.classList.add('is-drawn');
      plots.push(...drawers.get(target)!(box));
    }
  }, { rootMargin: '300px' });
  const draw = (figure: Element | null | undefined, drawer: (box: HTMLElement) => uPlot[]) => {
    if (!figure) return;
    drawers.set(figure, drawer);
    seen.observe(figure);
  };
  const csv = new Map<Element, () => string>();
  const known = (figure: Element | null | undefined, text: () => string) => { if (figure) csv.set(figure, text); };

  const heat = document.getElementById('figure-heat');
  draw(document.getElementById('figure-timeline'), (box) => [drawTimeline(zoom, data, box)]);
  draw(heat, (box) => [drawHeat(zoom, data, box)]);
  known(heat, () => heatCsv(data));
  for (const joint of data.joints) {
    const figure = document.getElementById(joint.id)?.querySelector('figure');
    if (joint.curves.length > 0) draw(figure, (box) => drawJoint(zoom, joint, box));
    known(figure, () => jointCsv(joint));
  }
  for (const [id, text] of Object.entries(data.csv)) known(document.getElementById(`figure-${id}`), () => text);
  for (const figure of document.querySelectorAll('figure')) addTools(figure, data.svg_style, csv.get(figure));
}

function addTools(figure: HTMLElement, svgStyle: string, csv?: () => string): void {
  const name = figure.id.replace('figure-', '');
  const tools = document.createElement('div');
  tools.className = 'tools';
  const button = (text: string, label: string, act: () => void) => {
    const b = tools.appendChild(document.createElement('button'));
    b.type = 'button';
    b.textContent = text;
    b.title = label;
    b.setAttribute('aria-label', `${label}: ${name}`);
    b.addEventListener('click', act);
  };
  const svg = figure.querySelector<SVGSVGElement>('.scroll > svg');
  if (svg) button('SVG', 'Save as SVG picture', () => save(`${name}.svg`, svgFile(svg, svgStyle), 'image/svg+xml'));
  if (csv) button('CSV', 'Save the values as CSV', () => save(`${name}.csv`, csv(), 'text/csv'));
  (figure.closest('.joint') ?? figure).prepend(tools);
}
