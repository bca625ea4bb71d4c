// What stays until it is dealt with: no token, no access, a release, gains that were taken back, a run that has ended.
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { words } from '../data/format.ts';
import { takeToken, useToken } from '../data/live.ts';
import { connection, hasToken, kept, lost, say, session, status } from '../data/state.ts';
import { seconds } from '../protocol/messages.ts';

const kHelp = 'To stop the robot use Ctrl-C at the terminal of kagami tune, or its switch.';

export function BannerList() {
  if (connection.value === 'refused') return <Refused />;
  return lost.value ? null : <><NoToken /><Rollback /><Released /></>;
}

function NoToken() {
  if (hasToken.value) return null;
  return (
    <div class="banner bad" role="alert" data-banner="no-token">
      <p><strong>STOP cannot work on this page:</strong> it was opened without the token, so it may only look. {kHelp}</p>
      <TokenForm />
    </div>
  );
}

// in place of the view where the server does not let this page in
function Refused() {
  const had = takeToken() !== '';
  return (
    <div class="banner bad refused" role="alert" data-banner="refused">
      <h2>{had ? 'This address has expired' : 'This address lacks its token'}</h2>
      <p>{had ? 'The server was started anew since, and has another token.' : 'This server shows the robot only to those who have its token.'} <strong>STOP cannot work on
        this page.</strong> {kHelp}</p>
      <p>Open the address that <code>kagami tune</code> printed, or enter it here:</p>
      <TokenForm />
      {had && <p><button type="button" onClick={() => useToken('')}>Go on without a token: only look</button></p>}
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

const seen = kept('rollback', '');   // the one that was closed

function Rollback() {
  const r = status.value?.rollback;
  const key = `${session.value}/${r?.tick}`;
  if (!r || seen.value === key) return null;
  return (
    <div class="banner bad" role="alert" data-banner="rollback">
      <p class="grow"><strong>{words(r.joint)} left its band</strong> at tick {r.tick}, {new Date(1000 * seconds(r.timestamp)).toLocaleTimeString()}: {r.reason}.</p>
      <button type="button" class="quiet" aria-label="Close this message" onClick={() => { seen.value = key; }}>✕</button>
    </div>
  );
}

const dialog = signal<ComponentType<{ close: () => void }> | null>(null);

// the dialog comes in a bundle of its own
async function save(): Promise<void> {
  try {
    dialog.value = (await import('../tabs/save_gains.tsx')).SaveGains;
  } catch {
    say('The dialog could not be loaded: the server is lost.', true);
  }
}

function Released() {
  const s = status.value;
  if (s?.state !== 'released' || connection.value !== 'open') return null;
  const Save = dialog.value;
  const isLimp = s.stop && s.stop.level !== 'none' ? s.stop.confirmed : s.confirmed;
  return (
    <div class={`banner ${isLimp ? '' : 'bad'}`} role="status" data-banner="released">
      <p class="grow"><strong>{isLimp ? 'The robot is limp.' : 'The release is NOT confirmed: the servos may still be powered.'}</strong> Only a new run moves it again; Ctrl-C at the terminal ends this one.
        {s.gains?.dirty ? ' Its gains are not saved yet.' : ''}</p>
      {s.gains && <button type="button" class={s.gains.dirty ? 'main' : ''} onClick={save}>Save the gains …</button>}
      {Save && <Save close={() => { dialog.value = null; }} />}
    </div>
  );
}
