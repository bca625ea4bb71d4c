// A slider that commits on release of the pointer. A stop during a drag cancels the drag: nothing is sent.
import { useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { presses, pressing } from '../data/stop.ts';

interface Props {
  min: string;
  max: string | number;
  step: string;
  disabled: boolean;
  'aria-label'?: string;
  'aria-valuetext': string;
  /** position of the value that is shown */
  value: number;
  /** while it is dragged; null: the drag was cancelled */
  preview: (position: number | null) => void;
  commit: (position: number) => void;
}

export function Slider({ value, preview, commit, ...more }: Props) {
  const begun = useRef(presses);   // how often STOP had been pressed when the drag began
  const begin = () => { begun.current = presses; };
  const isDropped = () => begun.current !== presses;
  useSignalEffect(() => { if (pressing.value) preview(null); });
  return (
    <input type="range" {...more} value={value} onPointerDown={begin} onKeyDown={(e) => { if (/^(Arrow|Page|Home|End)/.test(e.key)) begin(); }}
      onInput={(e) => preview(isDropped() ? null : Number(e.currentTarget.value))}
      onChange={(e) => {
        if (!isDropped()) return commit(Number(e.currentTarget.value));
        preview(null);
        e.currentTarget.value = String(value);
        begin();
      }} />
  );
}
