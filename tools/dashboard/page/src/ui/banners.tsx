// Banners that stay until their cause is gone or they are closed: no token, no access, a release, gains that were reverted.
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { readable } from '../data/format.ts';
import { takeToken, useToken } from '../data/live.ts';
import { connection, hasToken, kept, lost, say, session, status } from '../data/state.ts';
import { seconds } from '../protocol/messages.ts';

const kHelp = 'To stop the robot, press Ctrl-C at the terminal of kagami tune or switch off the servo power.';

export function BannerList() {
  if (connection.value === 'refused') return <Refused />;
  return lost.value ? null : <><NoToken /><Rollback /><Released /></>;
}

function NoToken() {
  if (hasToken.value) return null;
  return (
    <div class="banner bad" role="alert" data-banner="no-token">
      <p><strong>STOP does not work on this page:</strong> it was opened without the token and is read-only. {kHelp}</p>
      <TokenForm />
    </div>
  );
}

// in place of the view where the server refuses this page
function Refused() {
  const had = takeToken() !== '';
  return (
    <div class="banner bad refused" role="alert" data-banner="refused">
      <h2>{had ? 'This address has expired' : 'This address has no token'}</h2>
      <p>{had ? 'The server was restarted and has a new token.' : 'This server requires its token.'} <strong>STOP does not work on
        this page.</strong> {kHelp}</p>
      <p>Open the address printed by <code>kagami tune</code>, or enter it here:</p>
      <TokenForm />
      {had && <p><button type="button" onClick={() => useToken('')}>Continue without a token, read-only</button></p>}
    </div>
  );
}

function TokenForm() {
  const enter = (e: Event) => {
    e.preventDefault();
    const text = new FormData(e.currentTarget as HTMLFormElement).get('token') as string;
    const token = decodeURIComponent(/token=([^&\s]+)/.exec(text)?.[1] ?? text.trim());
    if (token) useToken(token);
  };
  return (
    <form class="row" onSubmit={enter}>
      <input type="text" name="token" class="grow" autocomplete="off" aria-label="Address or token" placeholder="http://…/#token=…" />
      <button type="submit" class="main">Enter</button>
    </form>
  );
}

const closed = kept('rollback', '');   // the one that was closed

function Rollback() {
  const r = status.value?.rollback;
  const key = `${session.value}/${r?.tick}`;
  if (!r || closed.value === key) return null;
  return (
    <div class="banner bad" role="alert" data-banner="rollback">
      <p class="grow"><strong>Gains reverted: {readable(r.joint)} left its predicted band</strong> at tick {r.tick}, {new Date(1000 * seconds(r.timestamp)).toLocaleTimeString()}: {r.reason}.</p>
      <button type="button" class="quiet" aria-label="Close this message" onClick={() => { closed.value = key; }}>✕</button>
    </div>
  );
}

const dialog = signal<ComponentType<{ close: () => void }> | null>(null);

// the dialog is in a separate bundle
async function save(): Promise<void> {
  try {
    dialog.value = (await import('../tabs/save_gains.tsx')).SaveGains;
  } catch {
    say('The dialog could not be loaded: no connection to the server.', true);
  }
}

function Released() {
  const s = status.value;
  if (s?.state !== 'released' || connection.value !== 'open') return null;
  const Save = dialog.value;
  const isLimp = s.stop && s.stop.level !== 'none' ? s.stop.confirmed : s.confirmed;
  return (
    <div class={`banner ${isLimp ? '' : 'bad'}`} role="status" data-banner="released">
      <p class="grow"><strong>{isLimp ? 'Servos released: the robot is limp.' : 'The release is NOT confirmed: the servos may still be powered.'}</strong> Only a new run can move it again; Ctrl-C at the terminal ends this run.
        {s.gains?.dirty ? ' The gains are not saved.' : ''}</p>
      {s.gains && <button type="button" class={s.gains.dirty ? 'main' : ''} onClick={save}>Save the gains …</button>}
      {Save && <Save close={() => { dialog.value = null; }} />}
    </div>
  );
}
