// What the check before the start says of a motion; asked once for each.
import { signal } from '@preact/signals';
import type { Answer } from '../protocol/messages.ts';
import { client } from './live.ts';

export interface Verdict { word: string; kind: 'good' | 'warn' | 'bad'; text: string }

export const checks = signal<Record<string, Verdict>>({});
const asked = new Set<string>();

/** Asks for the verdict on a motion where the server checks motions. */
export async function check(motion: string): Promise<void> {
  if (!motion || checks.value[motion] || asked.has(motion) || !client.hasService('check')) return;
  asked.add(motion);
  const answer = await client.call<any>('check', { motion }, 30_000);
  asked.delete(motion);
  const verdict = verdictOf(answer);
  if (verdict) checks.value = { ...checks.value, [motion]: verdict };
}

/** A verdict in a word, and its findings. Null where there is none. */
export function verdictOf(answer: Answer<any>): Verdict | null {
  if (!answer.ok) return null;
  const findings: any[] = answer.findings ?? [];
  const text = findings.map((f) => typeof f === 'string' ? f : f.message ?? f.sentence ?? f.text).join('\n');
  if (findings.length === 0) return { word: 'checked', kind: 'good', text: 'Checked: inside all limits' };
  return { word: findings.length === 1 ? '1 finding' : `${findings.length} findings`, kind: answer.passed === false ? 'bad' : 'warn', text };
}
