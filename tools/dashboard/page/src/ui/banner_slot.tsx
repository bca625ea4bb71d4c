// Where the banners appear. They are in a separate bundle, loaded right after the first paint, while the server is reachable.
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { connection } from '../data/state.ts';

export function Banners() {
  const list = useSignal<{ it: ComponentType } | null>(null);
  const refused = connection.value === 'refused';
  useEffect(() => {
    const load = () => import('./banners.tsx').then((m) => { list.value = { it: m.BannerList }; }, () => { /* the fallback below is shown */ });
    const id = setTimeout(load, 20);
    return () => clearTimeout(id);
  }, [refused]);
  const List = list.value?.it;
  return (
    <div class="banners">
      {List ? <List /> : refused && <p class="banner bad" role="alert">The server refused the token of this page: STOP does not work here. Open the address printed by kagami tune.</p>}
    </div>
  );
}
