// One gain: a number, a slider, steps, its range, and the result of the last change.
import { useSignal } from '@preact/signals';
import { gain, shell, readable } from '../data/format.ts';
import { fromSlider, kSliderMax, step, toSlider } from '../data/gain_scale.ts';
import { joints, lost, tunables, valueOf } from '../data/state.ts';
import { draft, favourites, gainsFor, gainState, setGain, toggleFavourite } from '../data/tuning.ts';
import { Slider } from '../ui/slider.tsx';

export function GainRow({ name, whole = false }: { name: string; whole?: boolean }) {
  const t = tunables.value.find((x) => x.name === name)!;
  const dragged = useSignal<number | null>(null);
  const unsent = useSignal('');   // text that was left in the field without Enter or Tab
  const shown = dragged.value ?? draft.value[name] ?? valueOf(name).value;
  const label = name.split('/').pop()!;
  const isFavourite = favourites.value.includes(name);
  const set = (v: number) => { dragged.value = null; unsent.value = ''; void setGain(name, v); };
  const off = lost.value;
  const state = unsent.value ? { kind: 'draft', text: `${unsent.value} not sent: press Enter or Tab to send · ${gainState(name).text}` } : gainState(name);
  const change = (direction: 1 | -1) => (e: MouseEvent) => set(step(shown, direction, e.shiftKey, t.min, t.max));
  return (
    <div class="gain" data-gain={name}>
      {whole && <span class="of">{readable(name.split('/').slice(-2, -1)[0] ?? '')}</span>}
      <span class="name" title={name}>{label}</span>
      <Slider min="0" max={kSliderMax} step="1" value={toSlider(shown, t.min, t.max)} disabled={off} aria-label={`${label}, slider`}
        aria-valuetext={`${gain(shown)} ${t.unit}`} preview={(p) => { dragged.value = p === null ? null : fromSlider(p, t.min, t.max); }}
        commit={(p) => set(fromSlider(p, t.min, t.max))} />
      <button type="button" class="step" disabled={off} aria-label={`${label} down`} title="Decrease by 10 %; with Shift by 1 %" onClick={change(-1)}>−</button>
      <NumberField shown={shown} label={`${label} in ${t.unit}`} min={t.min} max={t.max} disabled={off} commit={set} leave={(text) => { unsent.value = text; }} />
      <button type="button" class="step" disabled={off} aria-label={`${label} up`} title="Increase by 10 %; with Shift by 1 %" onClick={change(1)}>+</button>
      <span class="about" title={t.text}><button type="button" class="star" aria-pressed={isFavourite} aria-label={`Favourite ${label}`} onClick={() => toggleFavourite(name)}>{isFavourite ? '★' : '☆'}</button>
        {gain(t.min)} … {gain(t.max)} {t.unit === '1' ? '' : t.unit} · {t.text}</span>
      <output class={`state ${state.kind}`} role="status" aria-live="polite" title={state.text}>{state.text}</output>
    </div>
  );
}

interface FieldProps {
  shown: number; label: string; min: number; max: number; disabled: boolean;
  commit: (value: number) => void;
  /** '' when typing begins or the text is discarded; else what was left unsent */
  leave: (text: string) => void;
}

// only Enter or Tab sends the typed value: a click beside the field, such as on STOP, must not change a gain
function NumberField(p: FieldProps) {
  // while a text is being typed nothing else writes into the field
  const typed = useSignal<string | null>(null);
  const take = (text: string) => { typed.value = null; p.commit(text === '' ? NaN : Number(text)); };
  const discard = () => { typed.value = null; p.leave(''); };
  const onKey = (e: KeyboardEvent) => {
    if (typed.value === null) return;   // Ctrl Z outside of an edit undoes a gain, see the tab
    const key = e.key.toLowerCase();
    if ((e.ctrlKey || e.metaKey) && (key === 'z' || key === 'y')) {
      discard();
      e.preventDefault();
      e.stopPropagation();
    } else if (key === 'escape') {
      discard();   // and the robot stops: see installStopKeys
    } else if ((key === 'enter' || key === 'tab') && !e.ctrlKey && !e.altKey && !e.metaKey) {
      take(typed.value);
    }
  };
  return (
    <input type="number" min={p.min} max={p.max} step="any" value={typed.value ?? (Number.isNaN(p.shown) ? '' : gain(p.shown))} disabled={p.disabled}
      aria-label={p.label} title="Enter or Tab: send. Esc: discard and stop the robot. Ctrl Z: discard" onKeyDown={onKey}
      onInput={(e) => { typed.value = e.currentTarget.value; p.leave(''); }}
      onBlur={() => { if (typed.value !== null) p.leave(typed.value); typed.value = null; }} />
  );
}

/** The command that sets the same gains and shows a step. */
export function setCommand(joint: string): string {
  const gains = gainsFor(joint, joints.value).map((n) => `--set ${shell(n.replace(/^pid\//, ''))}=${gain(draft.value[n] ?? valueOf(n).value)}`);
  return ['kagami tune', ...gains, joint ? `--step ${shell(joint)} 10deg` : '', '--json'].filter(Boolean).join(' ');
}
