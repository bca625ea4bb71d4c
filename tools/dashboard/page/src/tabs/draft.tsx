// Changes in the draft: tried on the twin, then promoted to the robot. Two different buttons.
import { fixed, gain, kDeg, readable } from '../data/format.ts';
import { lost, selected } from '../data/state.ts';
import { busy, draft, dropDraft, promote, trial, tryOnTwin } from '../data/tuning.ts';
import { Info } from '../ui/bits.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Plot, type Data, type Line } from '../ui/plot.tsx';
import { useSignal } from '@preact/signals';

export function DraftBox() {
  const open = useSignal(false);
  const t = trial.value;
  const n = Object.keys(draft.value).length;
  const advised = t && t.advised !== false;
  return (
    <div class="draft">
      <div class="row">
        <strong>{n === 1 ? '1 change in the draft' : `${n} changes in the draft`}</strong>
        <span class="hint" title={Object.entries(draft.value).map(([k, v]) => `${k} = ${gain(v)}`).join('\n')}>{Object.keys(draft.value).map((k) => k.split('/').pop()).join(', ')}</span>
        <span class="grow" />
        <button type="button" class="quiet" onClick={dropDraft}>Discard</button>
      </div>
      <div class="row">
        <button type="button" class={t ? '' : 'main'} disabled={lost.value || busy.value !== ''} onClick={async () => { await tryOnTwin(); open.value = trial.value !== null; }}>
          {busy.value === 'try' ? 'Computing …' : 'Try on twin'}</button>
        {t && <button type="button" onClick={() => { open.value = true; }}>Prediction</button>}
        <span class="grow" />
        <button type="button" class={advised ? 'main' : ''} disabled={lost.value || !t} title={t ? 'Apply on the robot; reverted automatically when the robot leaves the band' : 'Try on the twin first'}
          onClick={() => { open.value = false; void promote(); }}>Promote to robot</button>
      </div>
      {t?.why && <span class={`hint ${advised ? '' : 'bad'}`}>{t.why}</span>}
      {open.value && t && <Prediction close={() => { open.value = false; }} />}
    </div>
  );
}

const kLines: Line[] = [
  { label: 'low', colour: (p) => p.twin, bandTo: false },
  { label: 'high', colour: (p) => p.twin, bandTo: true },
  { label: 'command', colour: (p) => p.command },
  { label: 'twin, mean', colour: (p) => p.twin, dashed: true },
];

function Prediction({ close }: { close: () => void }) {
  const t = trial.value!;
  const joint = selected.value;
  const band = t.predicted[joint];
  const rms = t.rms?.[joint];
  const deg = (v: number[] | undefined) => v?.map((x) => x * kDeg) ?? t.t.map(() => null);
  const data = (): Data => [t.t, deg(band?.low), deg(band?.high), deg(t.reference?.[joint]), deg(band?.mean)];
  return (
    <Dialog title={`Prediction of the twins for ${readable(joint)}`} close={close}>
      <p class="hint">Range of several slightly different twins, starting from the present state. <Info of="band" /></p>
      <div class="prediction">
        <Plot title={readable(joint)} unit="°" lines={kLines} fixed={[t.t[0], t.t[t.t.length - 1]]} version={t.id} data={data} least={2} />
      </div>
      {rms && <p>RMS error {fixed(rms.before_deg, 2)}° before, {fixed(rms.after_deg, 2)}° after.</p>}
      {t.why && <p>{t.why}</p>}
      <div class="buttons"><button type="button" onClick={close}>Close</button>
        <button type="button" class="main" onClick={() => { close(); void promote(); }}>Promote to robot</button></div>
    </Dialog>
  );
}
