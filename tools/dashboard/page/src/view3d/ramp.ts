// Colours of the ghost by its error: from the twin's orange to a deep violet, in brightness too.

/** Error that takes the last colour, degrees. */
export const kErrorFull = 6;

/** The colours from no error to kErrorFull. */
export const kRamp = (dark: boolean): string[] =>
  dark ? ['#ffcf8f', '#f2913f', '#d8486e', '#a33bd1'] : ['#f2b56b', '#d9701a', '#b02a5b', '#5b1a8a'];

/** Colour of an error in degrees, as three shares of 1. */
export function rampColour(errorDeg: number, colours: string[]): [number, number, number] {
  const at = Math.min(1, Math.max(0, Math.abs(errorDeg) / kErrorFull)) * (colours.length - 1);
  const i = Math.min(colours.length - 2, Math.floor(at));
  const [a, b] = [channels(colours[i]), channels(colours[i + 1])];
  return [0, 1, 2].map((k) => a[k] + (at - i) * (b[k] - a[k])) as [number, number, number];
}

const channels = (hex: string): number[] => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
