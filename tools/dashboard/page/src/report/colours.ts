// The page's colours, as its style sheet has them for light and dark.

const known = new Map<string, string>();

export function colour(name: string): string {
  let value = known.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    known.set(name, value);
  }
  return value;
}

/** Calls `redraw` whenever the system changes between light and dark. */
export function onScheme(redraw: () => void): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { known.clear(); redraw(); });
}
