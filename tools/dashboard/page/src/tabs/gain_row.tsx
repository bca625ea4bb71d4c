// One gain: a number, a slider, steps, its range, and what became of the last change.
import { useSignal } from '@preact/signals';
import { gain, shell, words } from '../data/format.ts';
import { fromSlider, kSliderMax, step, toSlider } from '../data/gain_scale.ts';
import { joints, lost, tunables, valueOf } from '../data/state.ts';
import { draft, favourites, gainsFor, phases, setGain, toggleFavourite } from '../data/tuning.ts';

export function GainRow({ name, whole = false }: { name: string; whole?: boolean }) {
  const t = tunables.value.find((x) => x.name === name)!;
  const inForce = valueOf(name).value;
  const wanted = draft.value[name];
  const dragged = useSignal<number | null>(null);
  // while somebody types nothing else writes into the field
  const typed = useSignal<string | null>(null);
  const shown = dragged.value ?? wanted ?? inForce;
  const label = name.split('/').pop()!;
  const isFavourite = favourites.value.includes(name);
  const set = (v: number) => { dragged.value = typed.value = null; void setGain(name, v); };
  const off = lost.value;
  const phase = phases.value[name];
  const state = wanted !== undefined ? { kind: 'draft', text: `draft, in force ${gain(inForce)}` } : phase ?? { kind: '', text: '' };
  const change = (direction: 1 | -1) => (e: MouseEvent) => set(step(shown, direction, e.shiftKey, t.min, t.max));
  return (
    <div class="gain" data-gain={name}>
      {whole && <span class="of">{words(name.split('/').slice(-2, -1)[0] ?? '')}</span>}
      <span class="name" title={name}>{label}</span>
      <input type="range" min="0" max={kSliderMax} step="1" value={toSlider(shown, t.min, t.max)} disabled={off} aria-label={`${label}, slider`}
        aria-valuetext={`${gain(shown)} ${t.unit}`} onInput={(e) => { dragged.value = fromSlider(Number(e.currentTarget.value), t.min, t.max); }}
        onChange={(e) => set(fromSlider(Number(e.currentTarget.value), t.min, t.max))} />
      <button type="button" class="step" disabled={off} aria-label={`${label} down`} title="A tenth less; with Shift a hundredth" onClick={change(-1)}>−</button>
      <input type="number" min={t.min} max={t.max} step="any" value={typed.value ?? (Number.isNaN(shown) ? '' : gain(shown))} disabled={off} aria-label={`${label} in ${t.unit}`}
        onInput={(e) => { typed.value = e.currentTarget.value; }} onBlur={() => { typed.value = null; }}
        onChange={(e) => set(e.currentTarget.value === '' ? NaN : Number(e.currentTarget.value))} />
      <button type="button" class="step" disabled={off} aria-label={`${label} up`} title="A tenth more; with Shift a hundredth" onClick={change(1)}>+</button>
      <span class="about" title={t.text}><button type="button" class="star" aria-pressed={isFavourite} aria-label={`Favourite ${label}`} onClick={() => toggleFavourite(name)}>{isFavourite ? '★' : '☆'}</button>
        {gain(t.min)} … {gain(t.max)} {t.unit === '1' ? '' : t.unit} · {t.text}</span>
      <output class={`state ${state.kind}`} role="status" aria-live="polite" title={state.text}>{state.text}</output>
    </div>
  );
}

/** The command that sets the same gains and shows a step. */
export function setCommand(joint: string): string {
  const gains = gainsFor(joint, joints.value).map((n) => `--set ${shell(n.replace(/^pid\//, ''))}=${gain(draft.value[n] ?? valueOf(n).value)}`);
  return ['kagami tune', ...gains, joint ? `--step ${shell(joint)} 10deg` : '', '--json'].filter(Boolean).join(' ');
}
