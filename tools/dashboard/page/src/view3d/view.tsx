// The 3D view as a component: robot solid, twin translucent, and their balance.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { everyFrame } from '../data/frame.ts';
import { client } from '../data/live.ts';
import { fixed } from '../data/format.ts';
import { balance, revision } from '../data/state.ts';
import { Calm } from '../ui/bits.tsx';
import { dark, palette } from '../ui/theme.ts';
import { kErrorFull, kRamp } from './ramp.ts';
import { Scene } from './scene.ts';

export function View() {
  const box = useRef<HTMLDivElement>(null);
  const why = useSignal('');
  useEffect(() => {
    const ends: (() => void)[] = ['/tf', '/tf_measured', '/balance'].map((topic) => client.want(topic));
    let closed = false;
    Scene.open(box.current!).then((scene) => {
      if (closed) { scene.close(); return; }
      let seen = '';
      ends.push(() => scene.close());
      ends.push(everyFrame(() => { seen = `${revision} ${dark.value}`; scene.paint(); }, 33,
        () => scene.moving || seen !== `${revision} ${dark.value}`));
    }, (error: Error) => { why.value = error.message; });
    return () => { closed = true; for (const end of ends) end(); };
  }, []);
  if (why.value) return <Calm>{why.value}</Calm>;
  const ramp = kRamp(dark.value);
  return (
    <div class="scene" ref={box}>
      <p class="key">
        <span><Mark colour={palette.value.measured} />robot</span>
        <span>twin<span class="ramp" style={{ background: `linear-gradient(to right, ${ramp.join(',')})` }} />{kErrorFull}° error</span>
        <span><Mark colour={palette.value.text} round />centre of mass</span>
        <span><Mark colour={palette.value.error} />ZMP, reactions</span>
        <Margin />
      </p>
    </div>
  );
}

// margin of balance: how far the capture point lies inside the soles
function Margin() {
  const m = useSignal<number | null>(null);
  useEffect(() => {
    // a value to read: four times a second
    const id = setInterval(() => { m.value = balance.value?.margin_m ?? null; }, 250);
    return () => clearInterval(id);
  }, []);
  if (m.value === null) return null;
  return m.value < 0 ? <strong class="bad">capture point {fixed(-1000 * m.value, 0)} mm outside the soles: falls</strong>
    : <span>capture point {fixed(1000 * m.value, 0)} mm inside the soles</span>;
}

function Mark({ colour, round }: { colour: string; round?: boolean }) {
  return <svg width="10" height="10" aria-hidden="true"><rect width="10" height="10" rx={round ? 5 : 2} fill={colour} /></svg>;
}
