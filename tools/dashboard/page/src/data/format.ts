// Numbers as people read them. Unknown (null, undefined, not finite) is an en dash.

export const kUnknown = '–';
export const kDeg = 180 / Math.PI;

type Maybe = number | null | undefined;
const known = (x: Maybe): x is number => x !== null && x !== undefined && Number.isFinite(x);

/** Fixed digits, a true minus sign, no negative zero. */
export function fixed(x: Maybe, digits = 1): string {
  if (!known(x)) return kUnknown;
  const text = Math.abs(x).toFixed(digits);
  return x < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** Radians as degrees, with the sign. */
export const degrees = (rad: Maybe, digits = 1): string => known(rad) ? `${fixed(rad * kDeg, digits)}°` : kUnknown;

/** A share as per cent. */
export const percent = (x: Maybe, digits = 0): string => known(x) ? `${fixed(100 * x, digits)} %` : kUnknown;

/** Bytes with a decimal prefix. */
export function bytes(n: Maybe): string {
  if (!known(n)) return kUnknown;
  if (n < 1000) return `${n} B`;
  const power = Math.min(3, Math.floor(Math.log10(n) / 3));
  const value = n / 1000 ** power;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${['B', 'kB', 'MB', 'GB'][power]}`;
}

/** Seconds as m:ss, or h:mm:ss. */
export function duration(s: Maybe): string {
  if (!known(s)) return kUnknown;
  const whole = Math.floor(s);
  const two = (x: number) => String(x).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${two(whole % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}

/** A gain: four significant digits, no trailing zeros, a point that any program reads. */
export function gain(x: Maybe): string {
  if (!known(x)) return kUnknown;
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-4) return x.toExponential(2);
  return String(Number(x.toPrecision(4)));
}

/** "left_hip_roll" as "left hip roll". */
export const readable = (name: string): string => name.replaceAll('_', ' ');

/** The same, shorter: "L hip roll". */
export const short = (name: string): string => readable(name.replace(/^left_/, 'L_').replace(/^right_/, 'R_'));

/** A CSV cell: full digits, a point, empty when unknown. */
export const cell = (x: Maybe): string => known(x) ? String(x) : '';

/** An argument of a shell command, quoted where necessary. */
export const shell = (argument: string): string => /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;

/** The digits that the distance of an axis's ticks needs: 2.5 one, 0.25 two; at most four. */
export function decimals(ticks: number[]): number {
  const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : 1;
  for (let digits = 0; digits < 4; ++digits) {
    const whole = step * 10 ** digits;
    if (Math.abs(whole - Math.round(whole)) < 1e-6 * whole) return digits;
  }
  return 4;
}
