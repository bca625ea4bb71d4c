// Where the banners appear. They come in a bundle of their own, right after the first paint: while the server is there.
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { connection } from '../data/state.ts';

export function Banners() {
  const list = useSignal<{ it: ComponentType } | null>(null);
  const refused = connection.value === 'refused';
  useEffect(() => {
    const load = () => import('./banners.tsx').then((m) => { list.value = { it: m.BannerList }; }, () => { /* said below */ });
    const id = setTimeout(load, 20);
    return () => clearTimeout(id);
  }, [refused]);
  const List = list.value?.it;
  return (
    <div class="banners">
      {List ? <List /> : refused && <p class="banner bad" role="alert">This server does not know this page's token: STOP cannot work here. Open the address that kagami tune printed.</p>}
    </div>
  );
}
