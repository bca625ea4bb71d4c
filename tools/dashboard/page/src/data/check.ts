// What the check before the start says of a motion; asked once for each.
import { signal } from '@preact/signals';
import type { Answer } from '../protocol/messages.ts';
import { client } from './live.ts';

export interface Verdict { word: string; kind: 'good' | 'warn' | 'bad'; text: string }

export const checks = signal<Record<string, Verdict>>({});
const kKinds: Record<string, Verdict['kind']> = { green: 'good', amber: 'warn', red: 'bad' };
const asked = new Set<string>();
const kPatience = 120_000;   // ms: the server plays the motion in simulation

/** Asks for the verdict on a motion where the server checks motions. */
export async function check(motion: string): Promise<void> {
  if (!motion || checks.value[motion] || asked.has(motion) || !client.hasService('check')) return;
  asked.add(motion);
  const answer = await client.call<any>('check', { motion }, kPatience);
  asked.delete(motion);
  const verdict = verdictOf(answer);
  if (verdict) checks.value = { ...checks.value, [motion]: verdict };
}

/** The server's verdict as a word, and its findings in sentences. Null where there is none. */
export function verdictOf(answer: Answer<any>): Verdict | null {
  if (!answer.ok || !kKinds[answer.verdict]) return null;
  const findings: { level: string; joint?: string | null; text: string }[] = answer.findings ?? [];
  const text = findings.map((f) => `${f.level}: ${f.text}`).join('\n') || 'Checked: inside the limits of angle and speed';
  const word = findings.length === 0 ? 'checked' : findings.length === 1 ? '1 finding' : `${findings.length} findings`;
  return { word, kind: kKinds[answer.verdict], text };
}
