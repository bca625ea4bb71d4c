// Right end of the tabs' row: events, control of the robot, the controller, the colours, the licences.
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { ask } from '../data/live.ts';
import { logOpen, lost, say, status, unseen, unseenErrors } from '../data/state.ts';
import { theme, type Theme } from './theme.ts';

const kNext: Record<Theme, Theme> = { auto: 'light', light: 'dark', dark: 'auto' };
const kThemeSign: Record<Theme, string> = { auto: '◐', light: '☀', dark: '☾' };
const licences = document.querySelector<HTMLLinkElement>('link[rel=license]')?.href;

export function Corner() {
  return (
    <div class="corner">
      <Events />
      <Writer />
      <ControllerChoice />
      <button type="button" class="quiet" title={`Colours: ${theme.value}`} aria-label={`Colours: ${theme.value}. Change`}
        onClick={() => { theme.value = kNext[theme.value]; }}>{kThemeSign[theme.value]}</button>
      <a class="quiet" href={licences} target="_blank" rel="noreferrer" title="Licences of the libraries in this page">§<span class="visually-hidden"> Licences</span></a>
    </div>
  );
}

// the list is in a separate bundle
function Events() {
  const list = useSignal<{ it: ComponentType } | null>(null);
  const toggle = async () => {
    logOpen.value = !logOpen.value;
    unseen.value = 0;
    unseenErrors.value = false;
    if (list.value) return;
    try {
      list.value = { it: (await import('./events.tsx')).EventList };
    } catch {
      say('The list of events could not be loaded: no connection to the server.', true);
    }
  };
  const n = unseen.value;
  const List = list.value?.it;
  return (
    <>
      <button type="button" class="quiet" aria-expanded={logOpen.value} onClick={toggle}>Events
        {n > 0 && <span class={`tag ${unseenErrors.value ? 'bad' : 'warn'}`}>{n}<span class="visually-hidden"> new warnings or errors</span></span>}</button>
      {logOpen.value && List && <List />}
    </>
  );
}

function Writer() {
  const w = status.value?.writer;
  if (!w || lost.value) return null;
  if (w.you) {
    return <span class="writer"><span class="tag good">you control</span>
      <button type="button" class="quiet" title="Give up control so that another page can take it" onClick={() => ask('hand_over')}>Hand over</button></span>;
  }
  return <span class="writer"><span class="tag">{w.taken ? 'another page controls' : 'read only'}</span>
    <button type="button" class="quiet" onClick={() => ask('take_writer')}>Take control</button></span>;
}

function ControllerChoice() {
  const s = status.value;
  const names = s?.controllers;
  if (!names || names.length === 0 || lost.value) return null;
  return (
    <label class="controller">Controller{' '}
      <select value={s?.controller ?? ''} onChange={(e) => ask('set_controller', { name: e.currentTarget.value })}>
        <option value="">none</option>
        {names.map((n) => <option key={n} value={n}>{n}</option>)}
      </select>
    </label>
  );
}
