// Messages and answers of the server, see docs/dashboard.md. SI units; unknown values are null.

/** A time on the robot's clock. */
export interface Stamp { sec: number; nsec: number }

/** foxglove.JointStates: radians, rad/s, N*m. */
export interface JointStates {
  timestamp: Stamp;
  joints: { name: string; position?: number | null; velocity?: number | null; effort?: number | null }[];
}

/** kagami.Residual: rad, simulated minus measured, at the time of a board's reading. */
export interface Residuals { timestamp: Stamp; joints: { name: string; residual?: number | null }[] }

/** foxglove.FrameTransforms. */
export interface FrameTransforms {
  transforms: {
    parent_frame_id: string; child_frame_id: string;
    translation: { x: number; y: number; z: number };
    rotation: { x: number; y: number; z: number; w: number };
  }[];
}

/** foxglove.Log; level 1 debug, 2 info, 3 warning, 4 error, 5 fatal. */
export interface LogLine { timestamp: Stamp; level: number; message: string; name?: string }

export type StopLevel = 'slow' | 'hold' | 'release';

/** kagami.Status, 10 Hz. */
export interface Status {
  timestamp: Stamp;
  tick: number;
  state: string;
  phase: string;
  confirmed: boolean | null;
  /** why the run holds by a fault, stops softly, lies limp: a sentence */
  reason?: string | null;
  stop: { level: 'none' | StopLevel; confirmed: boolean | null; tick: number | null } | null;
  loop: { rate_hz: number | null; late_ticks: number | null; skipped_ticks: number | null; p99_us: number | null } | null;
  line: {
    cycle_hz: number | null; utilisation: number | null; sent: number | null; answered: number | null;
    late: number | null; bad_sum: number | null; silent: number | null; age_ms: number | null;
  } | null;
  twin_realtime_factor: number | null;
  recording: { file: string; bytes: number | null; seconds: number | null; lost: number | null } | null;
  motion: {
    name: string; time_s: number; duration_s: number; progress: number; speed: number; paused: boolean;
    keyframes?: number[] | null; loop?: boolean; reverse?: boolean;
  } | null;
  controller: string | null;
  controllers: string[] | null;
  gains: { version: number; dirty: boolean; set: 'A' | 'B' | null; can_undo: boolean; can_redo: boolean } | null;
  writer: { you: boolean; taken: boolean } | null;
  dropped: number | null;
  /** the last promotion that was taken back without a request */
  rollback?: { joint: string; reason: string; tick: number; timestamp: Stamp } | null;
}

/** kagami.Gains: values in force from `tick` on, and why. */
export interface Gains {
  timestamp: Stamp; tick: number; version: number; values: Record<string, number>; why: string;
  /** of each value the tick from which on it has been in force */
  since?: Record<string, number>;
}

/** kagami.Balance, world frame of the twin, metres and newtons. */
export interface Balance {
  timestamp: Stamp;
  com: number[] | null;
  measured_com: number[] | null;
  zmp: number[] | null;
  support: number[][] | null;
  reactions: { point: number[]; force: number[] }[] | null;
  /** by how much the point that must be stepped on lies inside the soles; negative: cannot be saved */
  margin_m?: number | null;
}

/** kagami.Bus: the last cycle of the line, and how it went since the start. */
export interface Bus {
  frames: { at_ms: number; out: boolean; hex: string; text: string; duration_ms?: number }[];
  latency_ms: Histogram | number[] | null;
  period_ms: Histogram | number[] | null;
  counters: Record<string, number>;
  plan?: { at_ms: number; duration_ms: number; text: string; out: boolean }[] | null;
}

/** Counts per bin; `edges` has one entry more than `counts`; `mean` is that of what was measured, not of the bins. */
export interface Histogram { edges?: number[]; from?: number; step?: number; counts: number[]; mean?: number | null }

/** One tunable of the controllers or of the motion. */
export interface Tunable { name: string; min: number; max: number; unit: string; text: string; default?: number | null }

/** Answer of a service. */
export type Answer<T = object> = ({ ok: true; tick?: number; version?: number } & T) | { ok: false; error: string; version?: number };

/** Seconds of a stamp, as a double (1e-7 s). */
export const seconds = (stamp: Stamp): number => stamp.sec + stamp.nsec * 1e-9;
