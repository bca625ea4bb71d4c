// A modal dialog. Esc stops the robot even here, so it closes by its buttons.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export function Dialog(props: { title: string; close: () => void; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => { box.current?.showModal(); }, []);
  return (
    <dialog ref={box} class="dialog" aria-label={props.title} onClose={props.close} onCancel={(e) => e.preventDefault()}
      onClick={(e) => { if (e.target === box.current) props.close(); }}>
      <h2>{props.title}</h2>
      {props.children}
    </dialog>
  );
}
