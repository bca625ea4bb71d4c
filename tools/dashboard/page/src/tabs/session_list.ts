// The sessions on the server.
import { signal } from '@preact/signals';
import { client } from '../data/live.ts';

/** Folder of one run. Unknown values are absent. */
export interface Session {
  name: string; path: string; motion?: string; started?: string; seconds?: number; bytes?: number; tags?: string[]; report?: boolean | string;
}

export const sessions = signal<{ list: Session[]; why: string; loaded: boolean }>({ list: [], why: '', loaded: false });

/** Requests the list; after a refusal `why` has the reason. */
export async function fetchSessions(): Promise<void> {
  const answer = await client.call<{ sessions: (Session | string)[] }>('sessions');
  if (!answer.ok) { sessions.value = { list: [], why: answer.error, loaded: true }; return; }
  const list = (answer.sessions ?? []).map((s) => typeof s === 'string' ? { name: s.split('/').pop()!, path: s } : { ...s, path: s.path ?? s.name });
  sessions.value = { list, why: '', loaded: true };
}
