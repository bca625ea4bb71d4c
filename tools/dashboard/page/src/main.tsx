// The page: one bar that is always visible, five tabs, one notice. Every tab but Run is loaded when it is opened.
import { render, type ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { signal } from '@preact/signals';
import { startFrames } from './data/frame.ts';
import { start } from './data/live.ts';
import { connection, kTabs, notice, say, status, tab, waiting, type Tab } from './data/state.ts';
import { installStopKeys } from './data/stop.ts';
import { RunTab } from './tabs/run.tsx';
import { Banners } from './ui/banner_slot.tsx';
import { Bar } from './ui/bar.tsx';
import { Corner } from './ui/corner.tsx';

const kLazy: Record<Exclude<Tab, 'run'>, () => Promise<ComponentType>> = {
  compare: () => import('./tabs/compare.tsx').then((m) => m.CompareTab),
  tune: () => import('./tabs/tune.tsx').then((m) => m.TuneTab),
  bus: () => import('./tabs/bus.tsx').then((m) => m.BusTab),
  sessions: () => import('./tabs/sessions.tsx').then((m) => m.SessionsTab),
};
const loaded = signal<Partial<Record<Tab, ComponentType>>>({ run: RunTab });

function open(next: Tab): void {
  tab.value = next;
  history.replaceState(null, '', `#tab=${next}`);   // a reload returns to it
  if (next === 'run' || loaded.value[next]) return;
  kLazy[next]().then((component) => { loaded.value = { ...loaded.value, [next]: component }; },
    () => say('This tab could not be loaded: no connection to the server. Open it again after reconnecting.', true));
}

/** Arrow keys, Home and End go through the tabs; Alt with 1 to 5 opens one from anywhere. */
function onTabKey(e: KeyboardEvent): void {
  const i = kTabs.findIndex(([id]) => id === tab.value);
  const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: kTabs.length - 1 }[e.key];
  if (to === undefined) return;
  const next = kTabs[(to + kTabs.length) % kTabs.length][0];
  open(next);
  document.getElementById(`tab-${next}`)?.focus();
  e.preventDefault();
}

function App() {
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const i = Number(e.key) - 1;
      if (e.altKey && kTabs[i]) { open(kTabs[i][0]); e.preventDefault(); }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const Current = loaded.value[tab.value];
  return (
    <>
      <Bar />
      <nav>
        <div role="tablist" aria-label="Views" onKeyDown={onTabKey}>{kTabs.map(([id, label]) => (
          <button type="button" role="tab" key={id} id={`tab-${id}`} aria-selected={tab.value === id} aria-controls="view"
            tabIndex={tab.value === id ? 0 : -1} onClick={() => open(id)}>
            {label}{id === 'tune' && status.value?.gains?.dirty && <span class="dot" title="unsaved gains" aria-label="unsaved gains" />}
          </button>
        ))}</div>
        <span class="grow" />
        <Corner />
      </nav>
      <Banners />
      <main>
        <div id="view" role="tabpanel" aria-labelledby={`tab-${tab.value}`}>{connection.value === 'refused' ? null : Current ? <Current /> : <p class="calm">Loading …</p>}</div>
      </main>
      <Notice />
    </>
  );
}

function Notice() {
  const n = notice.value;
  return (
    <div class="notices" role="status" aria-live="polite">
      {n && <div class={`notice ${n.bad ? 'bad' : ''}`}><span>{n.text}</span>
        <button type="button" class="quiet" aria-label="Close this message" onClick={() => { notice.value = null; }}>✕</button></div>}
    </div>
  );
}

window.addEventListener('beforeunload', (e) => { if (status.value?.gains?.dirty || waiting.value) e.preventDefault(); });
installStopKeys();
startFrames();
start();
const wanted = /[#&]tab=(\w+)/.exec(location.hash)?.[1] as Tab;
if (kTabs.some(([id]) => id === wanted)) open(wanted);
render(<App />, document.getElementById('app')!);
