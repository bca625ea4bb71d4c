// The check of a motion before its start; requested once for each.
import { signal } from '@preact/signals';
import type { Answer } from '../protocol/messages.ts';
import { client } from './live.ts';

export interface Verdict { label: string; kind: 'good' | 'warn' | 'bad'; text: string }

export const checks = signal<Record<string, Verdict>>({});
const kKinds: Record<string, Verdict['kind']> = { green: 'good', amber: 'warn', red: 'bad' };
const requested = new Set<string>();
const kPatience = 120_000;   // ms: the server plays the motion in simulation

/** Requests the verdict on a motion where the server checks motions. */
export async function check(motion: string): Promise<void> {
  if (!motion || checks.value[motion] || requested.has(motion) || !client.hasService('check')) return;
  requested.add(motion);
  const answer = await client.call<any>('check', { motion }, kPatience);
  requested.delete(motion);
  const verdict = verdictOf(answer);
  if (verdict) checks.value = { ...checks.value, [motion]: verdict };
}

/** The server's verdict as a label, and its findings as sentences. Null where there is none. */
export function verdictOf(answer: Answer<any>): Verdict | null {
  if (!answer.ok || !kKinds[answer.verdict]) return null;
  const findings: { level: string; joint?: string | null; text: string }[] = answer.findings ?? [];
  const text = findings.map((f) => `${f.level}: ${f.text}`).join('\n') || 'Checked: inside the limits of angle and speed';
  const label = findings.length === 0 ? 'checked' : findings.length === 1 ? '1 finding' : `${findings.length} findings`;
  return { label, kind: kKinds[answer.verdict], text };
}
