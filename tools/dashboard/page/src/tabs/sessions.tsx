// Sessions: what was recorded, and what can be done with it.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { bytes, duration, kUnknown, shell } from '../data/format.ts';
import { status } from '../data/state.ts';
import { Calm, copyText, Panel } from '../ui/bits.tsx';
import { fetchSessions, sessions, type Session } from './session_list.ts';

export function SessionsTab() {
  const chosen = useSignal('');
  const filter = useSignal('');
  useEffect(() => { void fetchSessions(); }, []);
  const { list, why, asked } = sessions.value;
  const shown = list.filter((s) => `${s.name} ${s.motion ?? ''} ${s.tags?.join(' ') ?? ''}`.includes(filter.value));
  const detail = list.find((s) => s.path === chosen.value) ?? shown[0];
  return (
    <div class="sessions">
      <Panel title="Sessions" side={<><input type="search" placeholder="filter" aria-label="Filter the sessions" value={filter.value} onInput={(e) => { filter.value = e.currentTarget.value; }} />
        <button type="button" class="quiet" onClick={() => fetchSessions()}>Refresh</button></>}>
        {shown.length === 0 ? <Calm>{why || (asked ? 'No session yet: every run of kagami tune or kagami replay leaves one.' : 'Asking …')}</Calm> : (
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
      <Panel title={detail ? 'What can be done with it' : 'This run'}>{detail ? <Detail s={detail} /> : <Current />}</Panel>
    </div>
  );
}

function Current() {
  const r = status.value?.recording;
  return r ? <div class="detail"><dl><dt>Record</dt><dd>{r.file}</dd><dt>Length</dt><dd>{duration(r.seconds)}</dd><dt>Size</dt><dd>{bytes(r.bytes)}</dd></dl></div>
    : <Calm>Nothing is recorded.</Calm>;
}

function Detail({ s }: { s: Session }) {
  const record = s.path.endsWith('.mcap') ? s.path : `${s.path}/run.mcap`;
  const commands: [string, string][] = [
    ['Compare with its twin', `kagami compare ${shell(record)}`],
    ['Verify: run it again, bit for bit', `kagami verify ${shell(record)}`],
    ['Export as CSV', `kagami log export ${shell(record)}`],
    ['What is in it', `kagami log info ${shell(record)}`],
  ];
  return (
    <div class="detail">
      <dl><dt>Name</dt><dd>{s.name}</dd><dt>Started</dt><dd>{s.started ?? kUnknown}</dd><dt>Record</dt><dd class="mono">{record}</dd>
        <dt>Report</dt><dd>{s.report === true ? <span class="mono">{s.path}/report.html</span> : typeof s.report === 'string' ? <span class="mono">{s.report}</span> : 'none'}</dd></dl>
      <p class="hint">These run in a terminal; the record is a file in MCAP, which Foxglove, Lichtblick and PlotJuggler open.</p>
      <ul class="commands">
        {commands.map(([what, command]) => (
          <li key={what}><span class="visually-hidden">{what}</span><code title={what} tabIndex={0}>{command}</code>
            <button type="button" title={`Copy: ${what}`} onClick={() => copyText(command)}>Copy</button></li>
        ))}
      </ul>
    </div>
  );
}
