// A modal dialog. Esc and the STOP button stop the robot even here, so it closes by its buttons or a click beside it.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { liftStop, pressStop } from '../data/stop.ts';

export function Dialog(props: { title: string; close: () => void; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => { box.current?.showModal(); }, []);
  return (
    <dialog ref={box} class="dialog" aria-label={props.title} onClose={props.close} onCancel={(e) => e.preventDefault()}
      onPointerDown={(e) => { if (e.target === box.current && isOverStop(e)) pressStop(); }} onPointerUp={liftStop}
      onClick={(e) => { if (e.target === box.current && !isOverStop(e)) props.close(); }}>
      <h2>{props.title}</h2>
      {props.children}
    </dialog>
  );
}

// behind a modal dialog nothing can be hit; what is meant for STOP gets there
function isOverStop(e: MouseEvent): boolean {
  const r = document.querySelector('button.stop')?.getBoundingClientRect();
  return r !== undefined && e.clientX >= r.left && e.clientX <= r.right && e.clientY >= r.top && e.clientY <= r.bottom;
}
