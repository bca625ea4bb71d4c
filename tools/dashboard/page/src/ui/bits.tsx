// Small parts that every tab uses.
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { say } from '../data/state.ts';

/** What each figure means; shown by its "i". */
export const kDefinitions: Record<string, string> = {
  rms: 'Root of the mean square of simulated minus measured angle over what is shown.',
  max: 'Greatest distance between measured and simulated angle.',
  bias: 'Mean of simulated minus measured, as kagami compare prints it: an offset that stays, such as a trim or a sag under load.',
  gaps: 'Display frames that this page did not get, within what is shown. Nothing is drawn over them, and no figure contains them.',
  lag: 'Shift in time for which measured and simulated differ least; positive: the robot is later than the twin. Unknown when the joint hardly moves.',
  rise: 'Time from 10 % to 90 % of the step.',
  overshoot: 'How far the answer passes the step, as a share of it.',
  settling: 'Time until the answer stays within 2 % of the step.',
  steady: 'What is left between target and answer at the end.',
  peak_rate: 'Greatest speed of the joint during the test.',
  saturation: 'Share of the time for which the command stood at its limit.',
  spectrum: 'Frequency at which the answer oscillates most.',
  age: 'Age of the oldest joint angle in use, from the moment the board was asked.',
  loop: 'Cycles per second of the control loop, and ticks that began too late.',
  line: 'Share of the serial line that is busy, and replies that did not come.',
  twin: 'How much faster than the clock the twin computes; below 1 it falls behind.',
  rec: 'Length and size of the record, and rows that were lost.',
  significance: 'RMS as a multiple of what reading in whole degrees alone would show (0.29°; of a record, what it would show of this very motion). Near 1 there is nothing to explain.',
  causes: 'Shares of the mean square error: dark a constant offset, pale the reading in whole degrees, orange the movement.',
  tests: 'Step: a sudden change. Ramp: a steady one. Relay: the joint swings by itself, which shows its limit of stability. Chirp: a swing that grows faster, which shows what the joint can follow.',
  twin_first: 'Changes wait in a draft. The twin runs them from the present state in simulation; only Promote brings them to the robot.',
  sets: 'Two named sets of gains. Switching goes from one to the other in motion without a jump.',
  band: 'What several slightly different twins do: the robot should stay within.',
};

/** A button "i" that opens the definition of a figure. */
export function Info({ of: topic }: { of: string }) {
  const open = useRef(signal(false)).current;
  const id = `info-${topic}`;
  return (
    <span class="info">
      <button type="button" class="i" aria-label={`What is ${topic.replace('_', ' ')}?`} aria-expanded={open.value}
        aria-controls={id} onClick={() => { open.value = !open.value; }} onBlur={() => { open.value = false; }}>i</button>
      {open.value && <span role="note" id={id} class="tip">{kDefinitions[topic]}</span>}
    </span>
  );
}

/** A panel with a heading and, at its right, what belongs to it. */
export function Panel(props: { title: string; side?: ComponentChildren; class?: string; children: ComponentChildren; info?: string }) {
  return (
    <section class={`panel ${props.class ?? ''}`} aria-label={props.title}>
      <header><h2>{props.title}</h2>{props.info && <Info of={props.info} />}<span class="grow" />{props.side}</header>
      {props.children}
    </section>
  );
}

/** Copies a command of the command line that does the same. */
export function CopyCommand({ command }: { command: () => string }) {
  return (
    <button type="button" class="quiet" title="Copy as a command of the command line"
      onClick={() => { void copyText(command()); }}>Copy as CLI</button>
  );
}

/** Puts a text on the clipboard and says so; shows it where the browser forbids that. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied: ${text}`);
  } catch {
    say(text);
  }
}

/** Hands a file to the user. */
export function download(name: string, data: Blob | string, type = 'text/csv'): void {
  const blob = typeof data === 'string' ? new Blob([data], { type }) : data;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** What is shown in place of something that is not there (yet), and why. */
export function Calm({ children }: { children: ComponentChildren }) {
  return <p class="calm">{children}</p>;
}
