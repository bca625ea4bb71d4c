// A pretended robot for the page's tests: seventeen joints that follow a walk-like motion with a lag that kp shortens.

export const kJoints = ['head_yaw', 'left_shoulder_pitch', 'left_shoulder_roll', 'left_elbow', 'right_shoulder_pitch',
  'right_shoulder_roll', 'right_elbow', 'left_hip_roll', 'left_hip_pitch', 'left_knee', 'left_ankle_pitch', 'left_ankle_roll',
  'right_hip_roll', 'right_hip_pitch', 'right_knee', 'right_ankle_pitch', 'right_ankle_roll'];
const kDuration = 9.3;
const kRad = Math.PI / 180;
// middle, amplitude (degrees), phase (rad), harmonics per step cycle
const kMoves = {
  head_yaw: [0, 28, 0, 1], left_shoulder_pitch: [-10, 12, 2, 1], left_shoulder_roll: [11, 0, 0, 1], left_elbow: [0, 0, 0, 1],
  right_shoulder_pitch: [-10, 12, -1, 1], right_shoulder_roll: [-11, 0, 0, 1], right_elbow: [0, 0, 0, 1],
  left_hip_roll: [3, 12, 0, 1], left_hip_pitch: [-38, 26, 1.2, 1], left_knee: [70, 36, 1.8, 1], left_ankle_pitch: [-30, 22, 2.4, 1],
  left_ankle_roll: [-1, 13, 3, 1], right_hip_roll: [3, 12, 0.2, 1], right_hip_pitch: [-38, 26, 4.3, 1], right_knee: [70, 36, 4.9, 1],
  right_ankle_pitch: [-30, 22, 5.5, 1], right_ankle_roll: [-1, 12, 3.2, 1],
};

/** The law's tunables as the server describes them. */
export function tunables() {
  const list = [];
  const gain = (joint, name, start, max, unit, text) =>
    list.push({ name: `pid/${joint}/${name}`, value: start, default: start, min: 0, max, unit, text });
  for (const joint of kJoints) {
    gain(joint, 'kp', 5, 60, '1/s', 'proportional gain');
    gain(joint, 'ki', 10, 200, '1/s^2', 'integral gain');
    gain(joint, 'kd', 0.5, 10, '1', 'derivative gain');
    gain(joint, 'lead_time', 0, 0.5, 's', "the servo's own lag, answered ahead");
  }
  list.push({ name: 'motion/speed', value: 1, default: 1, min: 0.1, max: 2, unit: '1', text: "factor on the motion's time" });
  return list;
}

export class Plant {
  time = 0;          // of the robot's clock, s
  tick = 0;
  motion = { name: 'walk_forward', time: 0, speed: 1, loop: false, reverse: false };
  state = 'hold';
  reason = null;     // why it holds without a request
  confirms = true;   // whether the boards answer a stop
  gains = new Map(tunables().map((t) => [t.name, t.value]));
  measured = new Float64Array(kJoints.length);
  simulated = new Float64Array(kJoints.length);
  commanded = new Float64Array(kJoints.length);

  constructor() {
    this.commanded = this.reference();
    this.measured.set(this.commanded);
    this.simulated.set(this.commanded);
  }

  reference() {
    const t = this.motion.time;
    const swell = Math.min(1, t / 1.2, Math.max(0, (kDuration - t) / 1.2));
    return kJoints.map((j) => {
      const [middle, amplitude, phase, n] = kMoves[j];
      return kRad * (middle + swell * amplitude * Math.sin(2 * Math.PI * n * t / 1.55 + phase));
    });
  }

  /** One step of dt seconds: the twin follows exactly, the robot in whole degrees and a little later. */
  step(dt) {
    this.time += dt;
    this.tick = Math.round(this.time * 200);
    if (this.state === 'running') this.motion.time = Math.max(0, this.motion.time + (this.motion.reverse ? -dt : dt) * this.motion.speed);
    if (this.motion.time >= kDuration) {
      if (this.motion.loop) this.motion.time = 0; else { this.motion.time = kDuration; this.state = 'hold'; }
    }
    this.commanded = this.reference();
    kJoints.forEach((joint, i) => {
      const rate = 6 + this.gains.get(`pid/${joint}/kp`);
      this.simulated[i] += (1 - Math.exp(-dt * rate)) * (this.commanded[i] - this.simulated[i]);
      this.measured[i] += (1 - Math.exp(-dt * 0.85 * rate)) * (this.commanded[i] - 0.6 * kRad - this.measured[i]);
    });
  }

  get duration() { return kDuration; }
  /** Angles as the boards read them: whole degrees. */
  readings() { return Array.from(this.measured, (q) => Math.round(q / kRad) * kRad); }

  /** A step test's answer as the tuning library reports it. */
  test(kind, joint, size, seconds, gains = this.gains) {
    const kp = gains.get(`pid/${joint}/kp`);
    const dt = 0.005;
    const w = 3 + kp;
    const z = Math.max(0.25, 1.1 - kp / 40);
    const wd = w * Math.sqrt(Math.max(0.01, 1 - Math.min(z, 0.99) ** 2));
    const reference = [];
    const angle = [];
    for (let t = 0; t < seconds; t += dt) {
      const r = kind === 'step' ? size : kind === 'ramp' ? size * Math.min(1, 4 * t / seconds) : size * Math.sin(2 * Math.PI * (0.2 + 1.4 * t / seconds) * t);
      const s = Math.max(0, t - 0.06);
      const part = 1 - Math.exp(-z * w * s) * Math.cos(wd * s);
      reference.push(r);
      angle.push(kind === 'step' || kind === 'relay' ? size * part : (reference[reference.length - 13] ?? 0) * 0.93);
    }
    const readings = angle.map((q, i) => [i * dt, Math.round(q)]).filter((_, i) => i % 8 === 0);
    const peak = Math.max(...angle);
    return {
      kind, joint, size_deg: size, seconds, status: 'ok',
      metrics: { rms_deg: 0.4 * Math.abs(size) / Math.sqrt(w), steady_error_deg: 0.08, peak_rate_deg_s: size * w * 0.6, lag_s: 0.06 + 0.7 / w,
        saturation: Math.min(1, kp / 80), peak_hz: w / 7, peak_deg: 0.6, rise_s: 1.6 / w, delay_s: 0.9 / w, settling_s: 4 / (z * w),
        overshoot_pct: Math.max(0, 100 * (peak - size) / size), settling_band_deg: 0.02 * size,
        spectrum: { resolution_hz: 0.25, amplitude_deg: Array.from({ length: 40 }, (_, k) => 0.8 / (1 + (k * 0.25 - w / 7) ** 2)) } },
      curves: { dt_s: dt, reference_deg: reference, angle_deg: angle, target_deg: reference,
        reading_s: readings.map((r) => r[0]), reading_deg: readings.map((r) => r[1]) },
    };
  }
}
