// Timers driven by the test. (node:test has its own, with different names in Node 18 and 20.)

interface Timer { due: number; call: () => void }

export class FakeClock {
  private now = 0;
  private nextId = 1;
  private readonly timers = new Map<number, Timer>();
  private readonly real = { set: globalThis.setTimeout, clear: globalThis.clearTimeout };

  constructor() {
    globalThis.setTimeout = ((call: () => void, ms = 0) => {
      const id = this.nextId++;
      this.timers.set(id, { due: this.now + ms, call });
      return id;
    }) as unknown as typeof setTimeout;
    globalThis.clearTimeout = ((id: number) => { this.timers.delete(id); }) as unknown as typeof clearTimeout;
  }

  /** Lets ms pass; timers that come due are called in their order. */
  tick(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const due = [...this.timers].filter(([, t]) => t.due <= end).sort(([, a], [, b]) => a.due - b.due)[0];
      if (!due) break;
      this.timers.delete(due[0]);
      this.now = due[1].due;
      due[1].call();
    }
    this.now = end;
  }

  /** The page is busy for ms: what comes due meanwhile is called at the end, once. */
  stall(ms: number): void {
    this.now += ms;
    for (const [id, timer] of [...this.timers].filter(([, t]) => t.due <= this.now)) {
      this.timers.delete(id);
      timer.call();
    }
  }

  restore(): void {
    globalThis.setTimeout = this.real.set;
    globalThis.clearTimeout = this.real.clear;
  }
}
