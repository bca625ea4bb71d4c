// Events of the run, newest first, over the tabs at the right.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { cell, fixed } from '../data/format.ts';
import { axisTime, cursor, log, logOpen } from '../data/state.ts';
import { seconds, type LogLine } from '../protocol/messages.ts';
import { Calm, download } from './bits.tsx';

const kSigns: Record<number, [string, string]> = { 3: ['▲', 'warn'], 4: ['✕', 'bad'], 5: ['✕', 'bad'] };
const kLevels: [number, string][] = [[0, 'all'], [3, 'warnings and errors'], [4, 'errors']];

export function EventList() {
  const filter = useSignal('');
  const least = useSignal(0);
  useEffect(() => () => { cursor.value = null; }, []);
  const wanted = filter.value.toLowerCase();
  const shown = log.value.filter((e) => e.level >= least.value && `${e.name ?? ''} ${e.message}`.toLowerCase().includes(wanted));
  return (
    <aside class="events" aria-label="Events">
      <header>
        <h2>Events</h2><span class="hint">{shown.length} of {log.value.length}</span><span class="grow" />
        <button type="button" class="quiet" disabled={shown.length === 0} title="Save the listed events" onClick={() => save(shown)}>CSV</button>
        <button type="button" class="quiet" aria-label="Close the events" onClick={() => { logOpen.value = false; }}>✕</button>
      </header>
      <div class="form">
        <input type="search" class="grow" placeholder="filter" aria-label="Filter the events" value={filter.value} onInput={(e) => { filter.value = e.currentTarget.value; }} />
        <select aria-label="Lowest level" value={least.value} onChange={(e) => { least.value = Number(e.currentTarget.value); }}>
          {kLevels.map(([level, label]) => <option key={level} value={level}>{label}</option>)}
        </select>
      </div>
      {shown.length === 0 ? <Calm>{log.value.length === 0 ? 'No events since this page was opened.' : 'No matching events.'}</Calm> : (
        <ol class="scroll" tabIndex={0} aria-label="Events, newest first">{shown.map((e, i) => <Line key={`${log.value.length - i}`} e={e} />)}</ol>
      )}
    </aside>
  );
}

function Line({ e }: { e: LogLine }) {
  const [sign, kind] = kSigns[e.level] ?? ['·', ''];
  const t = axisTime(seconds(e.timestamp));
  return (
    <li class={kind} onPointerEnter={() => { cursor.value = t; }} onPointerLeave={() => { cursor.value = null; }}>
      <span class="at">{fixed(t, 2)} s</span><span aria-hidden="true">{sign}</span>
      <span class="grow">{kind && <span class="visually-hidden">{kind === 'warn' ? 'warning: ' : 'error: '}</span>}{e.message}
        {e.name && <small>{e.name.replaceAll('_', ' ')}</small>}</span>
    </li>
  );
}

function save(list: LogLine[]): void {
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const rows = [...list].reverse().map((e) => [cell(axisTime(seconds(e.timestamp))), e.level, quoted(e.name ?? ''), quoted(e.message)].join(','));
  download('events.csv', ['t_s,level,name,message', ...rows].join('\n') + '\n');
}
