// Small parts that every tab uses.
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { say } from '../data/state.ts';

/** Definition of each value; shown by its "i". */
export const kDefinitions: Record<string, string> = {
  rms: 'Root mean square of simulated minus measured angle over the visible time.',
  max: 'Largest absolute difference between measured and simulated angle.',
  bias: 'Mean of simulated minus measured, as printed by kagami compare: a constant offset, such as trim or sag under load.',
  gaps: 'Display frames that this page did not receive, in the visible time. They are drawn as gaps and excluded from the statistics.',
  lag: 'Time shift with the smallest difference between measured and simulated; positive: the robot lags the twin. Unknown when the joint hardly moves.',
  rise: 'Time from 10 % to 90 % of the step.',
  overshoot: 'Overshoot of the response, in per cent of the step.',
  settling: 'Time until the response stays within 2 % of the step.',
  steady: 'Error between reference and response at the end.',
  peak_rate: 'Largest speed of the joint during the test.',
  saturation: 'Share of the time in which the command is at its limit.',
  spectrum: 'Frequency of the largest oscillation of the response.',
  age: 'Age of the oldest joint angle in use, counted from the request to the board.',
  loop: 'Rate of the control loop, and number of late ticks.',
  line: 'Utilisation of the serial line, and share of missing replies.',
  twin: 'Simulation speed of the twin relative to real time; below 1 it falls behind.',
  rec: 'Length and size of the record; red: samples were lost.',
  significance: 'RMS as a multiple of the error that the resolution of 1° alone causes (0.29°; for a record, computed for its motion). Near 1 the resolution explains all of it.',
  causes: 'Shares of the mean square error. Dark: constant offset. Pale: resolution of 1°. Orange: motion.',
  tests: 'Step: sudden change. Ramp: constant speed. Relay: limit cycle, which shows the stability limit. Chirp: sine of rising frequency, which shows the bandwidth.',
  twin_first: 'Changes are collected in a draft. The twin simulates them from the present state; only Promote applies them to the robot.',
  sets: 'Two sets of gains. Switching between them is bumpless, also during a motion.',
  band: 'Range of the responses of several slightly different twins; the robot should stay inside.',
};

/** A button "i" that opens the definition of a value. */
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

/** A panel with a heading and, at its right, its tools. */
export function Panel(props: { title: string; side?: ComponentChildren; class?: string; children: ComponentChildren; info?: string }) {
  return (
    <section class={`panel ${props.class ?? ''}`} aria-label={props.title}>
      <header><h2>{props.title}</h2>{props.info && <Info of={props.info} />}<span class="grow" />{props.side}</header>
      {props.children}
    </section>
  );
}

/** Copies the equivalent command line. */
export function CopyCommand({ command }: { command: () => string }) {
  return (
    <button type="button" class="quiet" title="Copy the equivalent command line"
      onClick={() => { void copyText(command()); }}>Copy as CLI</button>
  );
}

/** Puts a text on the clipboard and reports that; shows the text where the browser forbids it. */
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

/** Shown where there is nothing to show, with the reason. */
export function Calm({ children }: { children: ComponentChildren }) {
  return <p class="calm">{children}</p>;
}
