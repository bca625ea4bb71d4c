// Dialog that saves the gains under a name: in the tab Tune, and after a release in every tab.
import { useSignal } from '@preact/signals';
import { ask } from '../data/live.ts';
import { say } from '../data/state.ts';
import { Dialog } from '../ui/dialog.tsx';

export function SaveGains({ close }: { close: () => void }) {
  const name = useSignal('my_gains');
  const note = useSignal('');
  const save = async (e: Event) => {
    e.preventDefault();
    const answer = await ask<{ path?: string }>('save', { name: name.value, note: note.value });
    if (!answer.ok) return;
    say(`Saved ${answer.path ?? name.value}`);
    close();
  };
  return (
    <Dialog title="Save the gains" close={close}>
      <form onSubmit={save}>
        <label>Name<input type="text" required pattern="[A-Za-z0-9_\-]+" value={name.value} onInput={(e) => { name.value = e.currentTarget.value; }} /></label>
        <label>Note<input type="text" value={note.value} onInput={(e) => { note.value = e.currentTarget.value; }} /></label>
        <div class="buttons"><button type="button" onClick={close}>Cancel</button><button type="submit" class="main">Save</button></div>
      </form>
    </Dialog>
  );
}
