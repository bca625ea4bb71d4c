// Reply time of each kind of request, counted from the cycles of the line that this page received.
import type { Bus, Histogram } from '../protocol/messages.ts';

type Frame = Bus['frames'][number];

const kStep = 0.25;   // ms a bin
const kBins = 60;     // the last one holds what is beyond
/** 115200 baud, one stop bit. */
const kByteMs = 10 / 115.2;

/** How long a frame takes on the line, ms: as the server reports it, else by its bytes. */
export const frameLength = (f: Frame): number => f.duration_ms ?? Math.max(1, f.hex.replace(/\s+/g, '').length / 2) * kByteMs;

/** "board 0: positions" of "board 0: positions, speed 3: 9 11 90": the request without its numbers. */
export const kindOf = (text: string): string => /^\w+ \d+: [a-z]+(?: [a-z]+)*/i.exec(text)?.[0] ?? text;

/** Counts by kind, from the begin of a request to the end of its reply. */
export class Answers {
  private readonly counts = new Map<string, number[]>();
  private readonly sums = new Map<string, number>();   // ms

  /** Takes the frames of one cycle: a request and the reply that follows. */
  add(frames: Frame[]): void {
    for (let i = 0; i + 1 < frames.length; ++i) {
      const [request, reply] = [frames[i], frames[i + 1]];
      if (!request.out || reply.out) continue;
      const kind = kindOf(request.text);
      let bins = this.counts.get(kind);
      if (!bins) this.counts.set(kind, bins = new Array(kBins).fill(0));
      const ms = reply.at_ms + frameLength(reply) - request.at_ms;
      this.sums.set(kind, (this.sums.get(kind) ?? 0) + ms);
      ++bins[Math.max(0, Math.min(kBins - 1, Math.floor(ms / kStep)))];
    }
  }

  get kinds(): string[] { return [...this.counts.keys()].sort(); }
  histogram(kind: string): Histogram {
    const counts = [...this.counts.get(kind) ?? []];
    const n = counts.reduce((a, c) => a + c, 0);
    return { from: 0, step: kStep, counts, mean: n > 0 ? this.sums.get(kind)! / n : null };
  }
}
