import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOf } from '../../src/data/check.ts';
import { bytes, cell, decimals, degrees, duration, fixed, gain, kUnknown, percent, shell, short, readable } from '../../src/data/format.ts';
import { fromSlider, kSliderMax, step, toSlider } from '../../src/data/gain_scale.ts';
import { kRamp, rampColour } from '../../src/view3d/ramp.ts';

test('what is not known is a dash, in every format', () => {
  for (const f of [fixed, degrees, percent, bytes, duration, gain]) {
    for (const x of [null, undefined, NaN, Infinity]) assert.equal(f(x), kUnknown);
  }
  assert.equal(cell(NaN), '');
});

test('numbers have true minus signs and no negative zero', () => {
  assert.equal(fixed(-1.25, 1), '−1.3');
  assert.equal(fixed(-0.01, 1), '0.0');
  assert.equal(degrees(Math.PI / 2), '90.0°');
  assert.equal(percent(0.123, 1), '12.3 %');
});

test('sizes and times', () => {
  assert.deepEqual([0, 999, 1000, 12_345, 3_900_000, 5e12].map(bytes), ['0 B', '999 B', '1.0 kB', '12 kB', '3.9 MB', '5000 GB']);
  assert.deepEqual([0, 59.9, 61, 3661].map(duration), ['0:00', '0:59', '1:01', '1:01:01']);
});

test('gains have four digits that any program reads', () => {
  assert.deepEqual([0, 5, 0.123456, 12345.6, 1e-7, 123456].map(gain), ['0', '5', '0.1235', '12350', '1.00e-7', '1.23e+5']);
});

test('names of joints, arguments of a shell', () => {
  assert.equal(readable('left_hip_roll'), 'left hip roll');
  assert.equal(short('left_hip_roll'), 'L hip roll');
  assert.equal(shell('run.mcap'), 'run.mcap');
  assert.equal(shell("it's $HOME"), "'it'\\''s $HOME'");
});

test('a slider is the inverse of itself within its resolution, ends exactly', () => {
  for (const [min, max] of [[0, 60], [0.1, 2], [-1, 1], [1, 5000]]) {
    assert.equal(fromSlider(0, min, max), min);
    assert.equal(fromSlider(kSliderMax, min, max), max);
    assert.equal(toSlider(max + 1, min, max), kSliderMax);
    let last = -Infinity;
    for (let p = 1; p < kSliderMax; p += 7) {
      const x = fromSlider(p, min, max);
      assert.ok(x >= last && x >= min && x <= max, `${p} ${x}`);
      last = x;
      // three digits: half a per cent is five positions of a decade's 250
      assert.ok(Math.abs(toSlider(x, min, max) - p) <= 3, `${p} of [${min}, ${max}] comes back as ${toSlider(x, min, max)}`);
    }
  }
});

test('a slider from zero reaches small gains', () => {
  assert.ok(fromSlider(250, 0, 60) < 0.1);
  assert.equal(toSlider(0, 0, 60), 0);
});

test('steps are a tenth, a hundredth when fine, leave zero and stay in range', () => {
  near(step(5, 1, false, 0, 60), 5.5);
  near(step(5, -1, true, 0, 60), 4.95);
  assert.ok(step(0, 1, false, 0, 60) > 0);
  assert.equal(step(0, -1, false, 0, 60), 0);
  assert.equal(step(60, 1, false, 0, 60), 60);
  function near(a: number, b: number) { assert.ok(Math.abs(a - b) < 1e-9, `${a} ${b}`); }
});

test("the ghost's colour grows darker (on light) with the error and stops at its end", () => {
  const colours = kRamp(false);
  const light = (e: number) => rampColour(e, colours).reduce((s, c, i) => s + c * [0.21, 0.72, 0.07][i], 0);
  for (let e = 0; e < 6; e += 0.5) assert.ok(light(e + 0.5) < light(e), `${e}`);
  assert.deepEqual(rampColour(50, colours), rampColour(6, colours));
  assert.deepEqual(rampColour(-2, colours), rampColour(2, colours));
});

test("an axis's ticks have the digits that their distance needs", () => {
  assert.deepEqual([[0, 20], [0, 2.5], [0.2, 0.4], [0, 0.25], [0, 1e-9]].map(decimals), [0, 1, 1, 2, 4]);
  assert.equal(decimals([5]), 0);
});

test('the verdict on a motion is a label with its findings; a refusal is none', () => {
  const finding = (level: string) => ({ level, kind: 'speed', joint: 'left_knee', at_s: 1.2, text: 'left knee: too fast' });
  const of = (verdict: string, findings: object[]) => verdictOf({ ok: true, verdict, findings });
  assert.deepEqual(of('green', []), { label: 'checked', kind: 'good', text: 'Checked: inside the limits of angle and speed' });
  assert.deepEqual(of('amber', [finding('amber')]), { label: '1 finding', kind: 'warn', text: 'amber: left knee: too fast' });
  assert.equal(of('red', [finding('red'), finding('amber')])?.label, '2 findings');
  assert.equal(of('red', [finding('red')])?.kind, 'bad');
  assert.equal(of('blue', []), null);
  assert.equal(verdictOf({ ok: false, error: 'unknown' }), null);
});
