// The stretch of time that all plots show, and the buttons that change it.

export type Range = [number, number];

const kLeast = 0.02;   // s

export class Zoom {
  range: Range;
  private readonly listeners: (() => void)[] = [];

  constructor(readonly all: Range) { this.range = all; }

  onChange(listener: () => void): void { this.listeners.push(listener); }

  /** Moved and shortened so that it lies inside the run. */
  set([from, to]: Range): void {
    const [first, last] = this.all;
    const width = Math.min(last - first, Math.max(kLeast, to - from));
    const begin = Math.min(Math.max(from, first), last - width);
    this.range = [begin, begin + width];
    for (const listener of this.listeners) listener();
  }

  /** By a factor about a time; the middle where none is named. */
  by(factor: number, about = (this.range[0] + this.range[1]) / 2): void {
    const [from, to] = this.range;
    const share = (about - from) / (to - from);
    const width = (to - from) * factor;
    this.set([about - share * width, about + (1 - share) * width]);
  }

  move(share: number): void {
    const [from, to] = this.range;
    this.set([from + share * (to - from), to + share * (to - from)]);
  }
}

export function addButtons(zoom: Zoom, place: Element): void {
  const shown = document.createElement('output');
  const button = (text: string, label: string, act: () => void) => {
    const b = document.createElement('button');
    b.type = 'button';
    b.textContent = text;
    b.setAttribute('aria-label', label);
    b.title = label;
    b.addEventListener('click', act);
    return b;
  };
  place.append(shown,
    button('\u2212', 'Zoom out in time', () => zoom.by(2)),
    button('+', 'Zoom in in time', () => zoom.by(0.5)),
    button('\u25c0', 'Earlier', () => zoom.move(-0.5)),
    button('\u25b6', 'Later', () => zoom.move(0.5)),
    button('All', 'All: show the whole run', () => zoom.set(zoom.all)));
  const show = () => { shown.textContent = `${zoom.range[0].toFixed(2)} to ${zoom.range[1].toFixed(2)} s`; };
  zoom.onChange(show);
  show();
}
