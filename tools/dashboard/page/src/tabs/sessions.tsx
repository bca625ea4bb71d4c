// Sessions: recorded runs and their actions.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { bytes, duration, kUnknown, shell } from '../data/format.ts';
import { client } from '../data/live.ts';
import { lost, status } from '../data/state.ts';
import type { Answer } from '../protocol/messages.ts';
import { Calm, copyText, Panel } from '../ui/bits.tsx';
import { fetchSessions, sessions, type Session } from './session_list.ts';

export function SessionsTab() {
  const chosen = useSignal('');
  const filter = useSignal('');
  useEffect(() => { void fetchSessions(); }, []);
  const { list, why, loaded } = sessions.value;
  const shown = list.filter((s) => `${s.name} ${s.motion ?? ''} ${s.tags?.join(' ') ?? ''}`.includes(filter.value));
  const detail = list.find((s) => s.path === chosen.value) ?? shown[0];
  return (
    <div class="sessions">
      <Panel title="Sessions" side={<><input type="search" placeholder="filter" aria-label="Filter the sessions" value={filter.value} onInput={(e) => { filter.value = e.currentTarget.value; }} />
        <button type="button" class="quiet" onClick={() => fetchSessions()}>Refresh</button></>}>
        {shown.length === 0 ? <Calm>{why || (loaded ? 'No sessions yet: every run of kagami tune or kagami replay records one.' : 'Loading …')}</Calm> : (
          <div class="scroll" tabIndex={0}>
            <table>
              <thead><tr><th scope="col">Session</th><th scope="col">Motion</th><th scope="col">Tags</th><th scope="col">Length</th><th scope="col">Size</th></tr></thead>
              <tbody>
                {shown.map((s) => (
                  <tr key={s.path} class={s === detail ? 'chosen' : ''}>
                    <td><button type="button" class="link" onClick={() => { chosen.value = s.path; }}>{s.name}</button></td>
                    <td>{s.motion ?? kUnknown}</td><td><span class="tags">{s.tags?.map((t) => <span class="tag" key={t}>{t}</span>)}</span></td>
                    <td>{duration(s.seconds)}</td><td>{bytes(s.bytes)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Panel>
      <Panel title={detail ? 'Selected session' : 'This run'}>{detail ? <Detail s={detail} /> : <Current />}</Panel>
    </div>
  );
}

function Current() {
  const r = status.value?.recording;
  return r ? <div class="detail"><dl><dt>Record</dt><dd>{r.file}</dd><dt>Length</dt><dd>{duration(r.seconds)}</dd><dt>Size</dt><dd>{bytes(r.bytes)}</dd></dl></div>
    : <Calm>This run is not recorded.</Calm>;
}

type Action = { what: string; action: 'verify' | 'report' | 'export'; format?: string; command: string };

function Detail({ s }: { s: Session }) {
  const folder = s.path.replace(/\/run\.mcap$/, '');
  const record = s.path.endsWith('.mcap') ? s.path : `${s.path}/run.mcap`;
  const busy = useSignal('');
  const result = useSignal<{ name: string; text: string; kind: string; path?: string } | null>(null);
  const actions: Action[] = [
    { what: 'Verify', action: 'verify', command: `kagami verify ${shell(record)}` },
    { what: 'Report', action: 'report', command: `kagami compare ${shell(record)} --html ${shell(`${folder}/report.html`)}` },
    { what: 'Export CSV', action: 'export', format: 'csv', command: `kagami log export ${shell(record)} --out ${shell(`${folder}/export.csv`)}` },
    { what: 'Export MCAP', action: 'export', format: 'mcap', command: `kagami log recover ${shell(record)} --out ${shell(`${folder}/export.mcap`)}` },
  ];
  const run = async ({ what, action, format }: Action) => {
    busy.value = what;
    const answer = await client.call<any>('session', { name: s.name, action, ...(format ? { format } : {}) }, kSlow);
    busy.value = '';
    result.value = { name: s.name, ...outcome(action, answer) };
    if (action === 'report') void fetchSessions();
  };
  const latest = result.value?.name === s.name ? result.value : null;
  return (
    <div class="detail">
      <dl><dt>Name</dt><dd>{s.name}</dd><dt>Started</dt><dd>{s.started ?? kUnknown}</dd><dt>Record</dt><dd class="mono">{record}</dd>
        <dt>Report</dt><dd>{s.report ? <span class="mono">{typeof s.report === 'string' ? s.report : `${folder}/report.html`}</span> : 'none yet'}</dd></dl>
      <ul class="actions">
        {actions.map((a) => (
          <li key={a.what}><button type="button" disabled={lost.value || busy.value !== ''} onClick={() => run(a)}>{busy.value === a.what ? 'Running …' : a.what}</button>
            <span class="grow hint">{kAbout[a.what]}</span>
            <button type="button" class="quiet" title={`Copy: ${a.command}`} aria-label={`Copy as CLI: ${a.what}`} onClick={() => copyText(a.command)}>Copy as CLI</button></li>
        ))}
      </ul>
      <div role="status" aria-live="polite">{latest && (
        <p class={`outcome ${latest.kind}`}>{latest.text}{latest.path && <> <span class="mono">{latest.path}</span>{' '}
          <button type="button" class="quiet" onClick={() => copyText(latest.path!)}>Copy the path</button></>}</p>)}</div>
      <p class="hint">The record is an MCAP file; Foxglove, Lichtblick and PlotJuggler open it. Use the tab Compare to compare two records.</p>
    </div>
  );
}

const kSlow = 120_000;   // ms that a long record may take
const kAbout: Record<string, string> = {
  Verify: 'recomputes the run and compares bit for bit', Report: 'an HTML page with metrics and curves', 'Export CSV': 'one line per tick', 'Export MCAP': 'an indexed copy without damaged parts',
};

/** Result of an action as a sentence. */
function outcome(action: string, answer: Answer<any>): { text: string; kind: string; path?: string } {
  if (!answer.ok) return { text: answer.error, kind: 'bad' };
  if (action !== 'verify') return { text: `Written, ${bytes(answer.bytes)}:`, kind: 'good', path: answer.path };
  if (answer.identical) return { text: `Identical, ${answer.ticks} ticks, state hash ${answer.state_hash}.`, kind: 'good' };
  return { text: `Differs at tick ${answer.tick}, ${answer.field}: ${answer.recorded} recorded, ${answer.computed} computed. ${answer.note ?? ''}`, kind: 'bad' };
}
