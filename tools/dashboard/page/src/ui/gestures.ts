// Wheel zooms, drag moves, double-click fits, hovering holds; the same by the keyboard.

export interface Target {
  range(): [number, number];
  set(range: [number, number]): void;
  fit(): void;
  /** Time at x pixels from the left edge of the element. */
  toTime(x: number): number;
  hover(inside: boolean): void;
  /** A click: marker A, or B. */
  mark(time: number, second: boolean): void;
  /** Takes the last mark back. */
  unmark(): void;
  cursor(time: number | null): void;
}

const kClick = 4;     // px that a click may move
const kDouble = 400;  // ms between two clicks that are one double-click

/** Adds the gestures to an element; returns the function that removes them. */
export function installGestures(element: HTMLElement, target: Target): () => void {
  const end = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(type: K, f: (e: HTMLElementEventMap[K]) => void, passive = true) =>
    element.addEventListener(type, f, { signal: end.signal, passive });
  const local = (e: MouseEvent) => e.clientX - element.getBoundingClientRect().left;
  let clicked = { at: -Infinity, x: 0 };
  let drag: { x: number; range: [number, number]; perPixel: number; moved: boolean } | null = null;

  on('wheel', (e) => {
    e.preventDefault();
    zoom(target, Math.exp(Math.sign(e.deltaY) * 0.2), target.toTime(local(e)));
  }, false);
  on('pointerdown', (e) => {
    if (e.button !== 0) return;
    drag = { x: local(e), range: target.range(), perPixel: target.toTime(1) - target.toTime(0), moved: false };
    element.setPointerCapture(e.pointerId);
  });
  on('pointermove', (e) => {
    target.cursor(target.toTime(local(e)));
    if (!drag) return;
    const dx = local(e) - drag.x;
    if (Math.abs(dx) > kClick) drag.moved = true;
    if (drag.moved) shift(target, drag.range, -dx * drag.perPixel);
  });
  on('pointerup', (e) => {
    // the second click of a double-click sets no mark and removes that of the first
    if (drag && !drag.moved) {
      const again = e.timeStamp - clicked.at < kDouble && Math.abs(local(e) - clicked.x) <= kClick;
      if (again) target.unmark(); else target.mark(target.toTime(local(e)), e.shiftKey);
      clicked = { at: e.timeStamp, x: local(e) };
    }
    drag = null;
  });
  on('pointercancel', () => { drag = null; });
  on('pointerenter', () => target.hover(true));
  on('pointerleave', () => { if (!drag) target.hover(false); });
  on('dblclick', () => target.fit());
  on('keydown', (e) => {
    const [from, to] = target.range();
    const middle = (from + to) / 2;
    const key = e.key;
    if (key === '+' || key === '=') zoom(target, 0.8, middle);
    else if (key === '-') zoom(target, 1.25, middle);
    else if (key === 'ArrowLeft') shift(target, [from, to], -(to - from) / 10);
    else if (key === 'ArrowRight') shift(target, [from, to], (to - from) / 10);
    else if (key === 'f' || key === '0') target.fit();
    else return;
    e.preventDefault();
  }, false);
  return () => end.abort();
}

function zoom(target: Target, factor: number, about: number): void {
  const [from, to] = target.range();
  const width = Math.min(600, Math.max(0.02, (to - from) * factor));
  const part = (about - from) / (to - from);
  target.set([about - part * width, about + (1 - part) * width]);
}

const shift = (target: Target, [from, to]: [number, number], by: number): void => target.set([from + by, to + by]);
