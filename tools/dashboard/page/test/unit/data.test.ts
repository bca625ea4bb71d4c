import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Answers, frameLength, kindOf } from '../../src/data/answers.ts';
import { breakAtGaps, countGaps, decimate, gapOf, merge, valueAt } from '../../src/data/columns.ts';
import { difference, statisticsOf, newestBefore } from '../../src/data/error.ts';
import { lagOf } from '../../src/data/lag.ts';
import { extremes, SlowRange } from '../../src/data/range.ts';
import { Ring, Series } from '../../src/data/ring.ts';

const filled = (n: number, capacity: number, f: (t: number) => number, dt = 0.01) => {
  const ring = new Ring(1, capacity);
  for (let i = 0; i < n; ++i) ring.push(i * dt, [f(i * dt)]);
  return ring;
};
// Float32 keeps 24 bits
const near = (a: number, b: number, tolerance: number) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b} within ${tolerance}`);

test('a ring keeps the newest samples in order, whatever the number pushed', () => {
  for (const n of [0, 1, 7, 8, 9, 16, 17, 100]) {
    const ring = filled(n, 8, (t) => Math.round(100 * t));
    const { t, v } = ring.view(0);
    const first = Math.max(0, n - 8);
    assert.deepEqual([...v], Array.from({ length: Math.min(8, n) }, (_, i) => first + i), `${n} pushed`);
    assert.equal(t.length, ring.length);
    if (n > 0) near(ring.last, (n - 1) * 0.01, 1e-12);
    if (n > 0) near(ring.first, first * 0.01, 1e-12);
  }
});

test('a view has one sample beyond each end, so that lines reach the edge', () => {
  const ring = filled(20, 16, (t) => Math.round(100 * t));
  assert.deepEqual([...ring.view(0, 0.095, 0.125).v], [9, 10, 11, 12, 13]);
  assert.deepEqual([...ring.view(0, -5, -4).v], [4]);
  assert.deepEqual([...ring.view(0, 50, 60).v], [19]);
});

test('a ring refuses a time that is not later, and one that is no number', () => {
  const ring = filled(3, 8, () => 1);
  assert.equal(ring.push(0.02, [5]), false);
  assert.equal(ring.push(NaN, [5]), false);
  assert.equal(ring.length, 3);
  assert.equal(ring.push(0.03, []), true);
  assert.ok(Number.isNaN(ring.newest(0)), 'a missing value is not a number');
});

test('a series takes messages with some joints only, each joint at its own times', () => {
  const series = new Series(2, 8);
  series.push(1, [10, NaN]);
  series.push(0.9, [NaN, 20]);   // the other board's reading, older but not late
  series.push(2, [12, NaN]);
  assert.deepEqual([...series.view(0).v], [10, 12]);
  assert.deepEqual([...series.view(1).v], [20]);
  near(series.at(0, 1.5), 11, 1e-6);
  assert.equal(series.newest(1), 20);
  assert.deepEqual([series.lastOf(0), series.lastOf(1), series.first, series.last], [2, 0.9, 0.9, 2]);
  assert.equal(series.push(1.5, [5, NaN]), false, 'nothing new');
  assert.ok(Number.isNaN(new Series(2, 8).last));
});

test('at() lies on the straight line between neighbours and is unknown outside', () => {
  const ring = filled(20, 8, (t) => 3 * t);
  near(ring.at(0, 0.155), 0.465, 1e-6);
  near(ring.at(0, ring.last), 3 * ring.last, 1e-6);
  assert.ok(Number.isNaN(ring.at(0, 0.01)), 'older than the ring');
  assert.ok(Number.isNaN(ring.at(0, 1)));
});

test('decimation keeps every extreme, the order, and short curves as they are', () => {
  const n = 10_000;
  const t = Float64Array.from({ length: n }, (_, i) => i / 100);
  const v = Float64Array.from(t, (x) => Math.sin(x));
  v[4321] = 9;
  v[777] = -8;
  const small = decimate({ t, v }, 300);
  assert.ok(small.t.length <= 600 && small.t.length > 300, String(small.t.length));
  assert.ok([...(small.v as number[])].includes(9) && [...(small.v as number[])].includes(-8));
  for (let i = 1; i < small.t.length; ++i) assert.ok(small.t[i] > small.t[i - 1]);
  const same = { t: t.subarray(0, 600), v: v.subarray(0, 600) };
  assert.equal(decimate(same, 300), same);
});

test('merging keeps every sample once, on one rising axis', () => {
  const a = { t: [0, 0.1, 0.2, 0.3], v: [1, 2, 3, 4] };
  const b = { t: [0.05, 0.2], v: [10, 20] };
  const [t, va, vb] = merge([a, b], 2);
  assert.deepEqual(t, [0, 0.05, 0.1, 0.2, 0.3]);
  assert.deepEqual(va, [2, undefined, 4, 6, 8]);
  assert.deepEqual(vb, [undefined, 20, undefined, 40, undefined]);
});

test('a silent stretch becomes a gap, also in two curves at once; a value that is no number too', () => {
  const times = [0, 0.1, 0.2, 2, 2.1];
  near(gapOf(times), 0.4, 1e-9);
  const curve = { t: times, v: [1, 2, 3, 4, NaN] };
  const broken = breakAtGaps(curve, gapOf(times));
  const [t, a, b] = merge([broken, broken]);
  assert.equal(t.length, 6);
  assert.deepEqual(a, [1, 2, 3, null, 4, null]);
  assert.equal(countGaps(times, gapOf(times)), 1);
  assert.equal(valueAt(t, a, 1.5), null, 'within a gap nothing holds');
  assert.equal(breakAtGaps(curve, 5), curve, 'without a gap it is the same');
  assert.deepEqual(b, a);
  for (let i = 1; i < t.length; ++i) assert.ok(t[i] > t[i - 1]);
});

test('a gap lasts until the next sample of its own curve, whatever the others have meanwhile', () => {
  const twin = breakAtGaps({ t: [0, 0.1, 2, 2.1], v: [1, 2, 3, 4] }, 0.5);
  const measured = { t: [0.05, 1, 1.5, 2.05], v: [10, 11, 12, 13] };
  const [t, a, b] = merge([twin, measured]);
  assert.deepEqual(t.map((x) => Number(x.toFixed(3))), [0, 0.05, 0.1, 0.1, 1, 1.5, 2, 2.05, 2.1]);
  assert.deepEqual(a, [1, undefined, 2, null, null, null, 3, undefined, 4]);
  assert.deepEqual(b.filter((x) => x !== undefined), [10, 11, 12, 13]);
});

test('a range grows at once and shrinks slowly', () => {
  const range = new SlowRange(1, 0.1);
  const first = range.update(0, 10);
  assert.ok(first[0] < 0 && first[1] > 10);
  const grown = range.update(0, 100);
  assert.ok(grown[1] > 100);
  const shrunk = range.update(0, 10);
  assert.ok(shrunk[1] > 90 && shrunk[1] < grown[1]);
  for (let i = 0; i < 200; ++i) range.update(0, 10);
  near(range.high, first[1], 1e-3);
  assert.deepEqual(range.update(Infinity, -Infinity), [range.low, range.high], 'nothing to show changes nothing');
});

test('a range has its least height around flat curves', () => {
  const [low, high] = new SlowRange(4).update(5, 5);
  assert.deepEqual([low, high], [3, 7]);
  assert.deepEqual(extremes([3, null, undefined, -1]), [-1, 3]);
});

test('the lag of a curve is found to a millisecond', () => {
  const lag = 0.043;
  const f = (t: number) => Math.sin(5 * t);
  const b = filled(1000, 1024, f);
  const a = filled(1000, 1024, (t) => f(t - lag) - 0.1);
  const found = lagOf(a, b, 0, 1, 9);
  near(found!, lag, 1e-3);
  const statistics = statisticsOf(difference(b, a, 0, 1, 9, -lag), 1, 9);
  near(statistics.bias, 0.1, 2e-3);   // simulated minus measured
  near(statistics.rms, 0.1, 2e-3);
});

test('the error is simulated minus measured, as in the table of the command line', () => {
  const simulated = filled(100, 128, () => 2);
  const measured = filled(100, 128, () => 1.5);
  const statistics = statisticsOf(difference(simulated, measured, 0, 0, 1));
  near(statistics.bias, 0.5, 1e-6);
  near(statistics.max, 0.5, 1e-6);
});

// A swing of 60 deg at 1 Hz, 3.6 deg off; a second of the simulated frames is lost. A line over that second would
// make 17 deg and more of it.
test('what was lost is no part of an error: no statistic contains a line drawn over a gap', () => {
  const swing = (t: number) => 60 * Math.sin(2 * Math.PI * t);
  const simulated = new Series(1, 1024, 0.06);
  const measured = new Series(1, 1024);
  for (let i = 0; i < 300; ++i) {
    const t = i / 30;
    if (t < 3.1 || t > 4.2) simulated.push(t, [swing(t)]);
    measured.push(t, [swing(t) - 3.6]);
  }
  const error = difference(simulated, measured, 0, 0, 10);
  const statistics = statisticsOf(error, 0, 10);
  near(statistics.rms, 3.6, 1e-4);
  near(statistics.bias, 3.6, 1e-4);
  near(statistics.max, 3.6, 1e-4);
  assert.ok(statistics.samples < 270 && statistics.samples > 260, `${statistics.samples} of 300 readings have an error`);
  assert.ok(Number.isNaN(simulated.at(0, 3.5)));
  near(simulated.at(0, 2.0167), (swing(2) + swing(2 + 1 / 30)) / 2, 0.05);
  assert.ok(Number.isNaN(newestBefore(error, 4.1, 0.6)), 'nothing is known of the newest reading');
  near(newestBefore(error, 3.2, 0.6), 3.6, 1e-4);
});

test('decimation keeps a gap', () => {
  const n = 5000;
  const t = Float64Array.from({ length: n }, (_, i) => i / 100 + (i > 2500 ? 1 : 0));
  const small = decimate(breakAtGaps({ t, v: t }, 0.5), 300);
  const gap = [...(small.v as number[])].findIndex(Number.isNaN);
  assert.ok(gap > 0 && small.t[gap - 1] <= 25.0 && small.t[gap + 1] >= 26, String(gap));
  assert.equal([...(small.v as number[])].filter(Number.isNaN).length, 1);
});

test('no lag is claimed of a joint that hardly moves, or beyond the search', () => {
  const still = filled(500, 512, () => 0.3);
  assert.equal(lagOf(still, still, 0, 0, 5), null);
  const ramp = filled(500, 512, (t) => t);
  const rampLater = filled(500, 512, (t) => t);
  near(lagOf(rampLater, ramp, 0, 1, 4) ?? 0, 0, 0.3);
  const f = (t: number) => Math.sin(1.5 * t);
  assert.equal(lagOf(filled(500, 512, (t) => f(t - 0.6)), filled(500, 512, f), 0, 1, 4), null);
});

test('the value at a time is that of the sample before it; a gap is none, but the newest may be a little older', () => {
  const t = [1, 1.1, 1.2];
  assert.equal(valueAt(t, [5, undefined, 7], 1.15), 5);
  assert.equal(valueAt(t, [5, null, 7], 1.15), null);
  assert.equal(valueAt(t, [5, 6, null], null), 6, 'the last reading is newer than what it is compared with');
  assert.equal(valueAt([1, 1.1, 1.9], [5, null, null], null), null, 'but not by long');
  assert.equal(valueAt([], [], null), null);
});

test('replies are counted by kind of request, from the begin of the request to the end of the reply', () => {
  const frame = (at_ms: number, out: boolean, text: string, duration_ms?: number, hex = '00 06') => ({ at_ms, out, hex, text, duration_ms });
  assert.equal(kindOf('board 0: positions, speed 3: 9 11 90'), 'board 0: positions');
  assert.equal(kindOf('board 1: read positions'), 'board 1: read positions');
  assert.ok(Math.abs(frameLength(frame(0, true, '', undefined, 'fc 01 7d')) - 30 / 115.2) < 1e-12, 'three bytes of ten bits at 115200 baud');
  const a = new Answers();
  const cycle = [frame(0, true, 'board 0: positions, speed 3: 9'), frame(4, false, 'board 0: answered', 0.2), frame(5, true, 'board 1: read positions'),
    frame(6, true, 'board 1: read positions'), frame(40, false, 'board 1: at 85', 1)];
  a.add(cycle);
  a.add(cycle);
  assert.deepEqual(a.kinds, ['board 0: positions', 'board 1: read positions']);
  const counts = a.histogram('board 0: positions').counts;
  assert.equal(counts[16], 2, '4.2 ms');
  assert.equal(counts.reduce((x, y) => x + y), 2);
  assert.equal(a.histogram('board 1: read positions').counts[59], 2, 'beyond the last bin; a request without a reply does not count');
  near(a.histogram('board 0: positions').mean!, 4.2, 1e-9);   // of what was measured; the bin's centre is 4.125 ms
  near(a.histogram('board 1: read positions').mean!, 35, 1e-9);   // beyond the last bin
  assert.deepEqual(a.histogram('nothing').counts, []);
  assert.equal(a.histogram('nothing').mean, null);
});
