// Dialogs and the list of events below the bar must not cover STOP: the bar's height is a property of the page.

let observer: ResizeObserver | undefined;

/** Keeps --bar at the height of the element, px; for its ref. */
export function watchHeight(bar: HTMLElement | null): void {
  observer?.disconnect();
  if (!bar) return;
  observer = new ResizeObserver(() => document.documentElement.style.setProperty('--bar', `${bar.offsetHeight}px`));
  observer.observe(bar);
}
