// The sessions that the server knows.
import { signal } from '@preact/signals';
import { client } from '../data/live.ts';

/** One folder of a run. What is not known is absent. */
export interface Session {
  name: string; path: string; motion?: string; started?: string; seconds?: number; bytes?: number; tags?: string[]; report?: boolean | string;
}

export const sessions = signal<{ list: Session[]; why: string; asked: boolean }>({ list: [], why: '', asked: false });

/** Asks for the list; a refusal leaves its reason. */
export async function fetchSessions(): Promise<void> {
  const answer = await client.call<{ sessions: (Session | string)[] }>('sessions');
  if (!answer.ok) { sessions.value = { list: [], why: answer.error, asked: true }; return; }
  const list = (answer.sessions ?? []).map((s) => typeof s === 'string' ? { name: s.split('/').pop()!, path: s } : { ...s, path: s.path ?? s.name });
  sessions.value = { list, why: '', asked: true };
}
