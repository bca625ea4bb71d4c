// Light, dark or the system's theme; colours for canvases.
import { computed, effect, signal } from '@preact/signals';
import { kept } from '../data/state.ts';

export type Theme = 'auto' | 'light' | 'dark';
export const theme = kept<Theme>('theme', 'auto');
const query = matchMedia('(prefers-color-scheme: dark)');
const systemDark = signal(query.matches);
query.addEventListener('change', (e) => { systemDark.value = e.matches; });
export const dark = computed(() => theme.value === 'dark' || (theme.value === 'auto' && systemDark.value));
effect(() => { document.documentElement.dataset.theme = dark.value ? 'dark' : 'light'; });

export interface Palette {
  command: string; measured: string; twin: string; loop: string; error: string; text: string; muted: string; grid: string;
  zero: string; panel: string; band: string; runs: string[];
}

// command grey, measured blue, twin orange and dashed: distinguishable with colour blindness, and by the dashes
const kLight: Palette = {
  command: '#6b7480', measured: '#0b6bb8', twin: '#c25e00', loop: '#8a4a9e', error: '#9b2c4f', text: '#1b222c', muted: '#56606e',
  grid: '#e4e8ec', zero: '#b3bcc7', panel: '#ffffff', band: 'rgba(194,94,0,0.16)',
  runs: ['#0b6bb8', '#c25e00', '#2b7a5b', '#8a4a9e', '#9b2c4f'],
};
const kDark: Palette = {
  command: '#98a3b1', measured: '#5cb3f0', twin: '#f2a14a', loop: '#c792d9', error: '#f08fae', text: '#e7ecf2', muted: '#9aa7b6',
  grid: '#242c36', zero: '#465261', panel: '#161c24', band: 'rgba(242,161,74,0.18)',
  runs: ['#5cb3f0', '#f2a14a', '#5cc39a', '#c792d9', '#f08fae'],
};
export const palette = computed(() => dark.value ? kDark : kLight);
export const kDash = [6, 4];
