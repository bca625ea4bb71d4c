// Right end of the tabs' row: who may change things, the controller, the colours, the licences.
import { ask } from '../data/live.ts';
import { lost, status } from '../data/state.ts';
import { theme, type Theme } from './theme.ts';

const kNext: Record<Theme, Theme> = { auto: 'light', light: 'dark', dark: 'auto' };
const kThemeSign: Record<Theme, string> = { auto: '◐', light: '☀', dark: '☾' };
const licences = document.querySelector<HTMLLinkElement>('link[rel=license]')?.href;

export function Corner() {
  return (
    <div class="corner">
      <Writer />
      <ControllerChoice />
      <button type="button" class="quiet" title={`Colours: ${theme.value}`} aria-label={`Colours: ${theme.value}. Change`}
        onClick={() => { theme.value = kNext[theme.value]; }}>{kThemeSign[theme.value]}</button>
      <a class="quiet" href={licences} target="_blank" rel="noreferrer" title="Licences of the libraries in this page">§<span class="visually-hidden"> Licences</span></a>
    </div>
  );
}

function Writer() {
  const w = status.value?.writer;
  if (!w || lost.value) return null;
  if (w.you) {
    return <span class="writer"><span class="tag good">you control</span>
      <button type="button" class="quiet" title="Let another page take over" onClick={() => ask('hand_over')}>Hand over</button></span>;
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
