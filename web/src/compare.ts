// SPDX-License-Identifier: MIT
// Two reports of the same commands: the first command, pixel and instruction that differ.

import { h, replace, copyButton } from './dom';
import { Command, Index, fragmentsAt, pictureOf, traceOf } from './model';
import { Source } from './source';
import { Store } from './state';

interface Side { source: Source; index: Index; }
/** Pictures that only one of the reports has, of those that were looked at. */
interface Missing { count: number; }
interface Difference { image: number; slice: number; first: [number, number]; pixels: number; }

/** The first image of a command that differs, and where. */
async function differenceOf(a: Side, b: Side, number: number, missing: Missing): Promise<Difference | string | null> {
  const [x, y]: Command[] = [a.index.commands[number], b.index.commands[number]];
  for (let i = 0; i < x.images.length; ++i) {
    const info = x.images[i];
    if (info.role === 'read') continue;
    const other = y.images.findIndex((image) => image.name === info.name);
    if (other < 0) return `only one has the image ${info.name}`;
    for (let slice = 0; slice < info.layers * info.samples; ++slice) {
      const p = await pictureOf(a.source, x, i, 'after', info.shownLevel, slice);
      const q = await pictureOf(b.source, y, other, 'after', y.images[other].shownLevel, slice);
      if (!p || !q) { ++missing.count; continue; }
      if (p.width !== q.width || p.height !== q.height || p.channels !== q.channels) return `${info.name} has another size or format`;
      const texels = p.width * p.height;
      let pixels = 0;
      let first = -1;
      for (let k = 0; k < texels; ++k)
        for (let c = 0; c < p.channels.length; ++c)
          if (p.words[c * texels + k] !== q.words[c * texels + k]) { ++pixels; if (first < 0) first = k; break; }
      if (first >= 0) return { image: i, slice, first: [first % p.width, Math.floor(first / p.width)], pixels };
    }
  }
  return null;
}

/** The first step of the pixel's last thread whose instruction or result differs; -1: none. */
async function stepOf(a: Side, b: Side, number: number, [x, y]: [number, number]): Promise<number | null> {
  const traces = await Promise.all([a, b].map(async (side) => {
    const fragments = await fragmentsAt(side.source, number, x, y);
    const last = fragments?.[fragments.length - 1];
    return last ? traceOf(side.source, number, last.thread) : null;
  }));
  const [p, q] = traces;
  if (!p || !q) return null;
  const part = (step: (typeof p.steps)[number]) => JSON.stringify([step[0], step[1], step[3], step[4] ?? []]);
  const count = Math.max(p.steps.length, q.steps.length);
  for (let i = 0; i < count; ++i)
    if (!p.steps[i] || !q.steps[i] || part(p.steps[i]) !== part(q.steps[i])) return i;
  return -1;
}

export async function compareReports(element: HTMLElement, a: Side, b: Side, store: Store): Promise<void> {
  const count = Math.min(a.index.commands.length, b.index.commands.length);
  const lines: HTMLElement[] = [];
  const missing: Missing = { count: 0 };
  if (a.index.commands.length !== b.index.commands.length)
    lines.push(h('p', {}, `${a.index.commands.length} commands here, ${b.index.commands.length} there.`));
  for (let number = 0; number < count; ++number) {
    const found = await differenceOf(a, b, number, missing);
    if (found === null) continue;
    if (typeof found === 'string') { lines.push(h('p', { class: 'bad' }, `command ${number}: ${found}`)); break; }
    const image = a.index.commands[number].images[found.image].name;
    const step = await stepOf(a, b, number, found.first);
    lines.push(h('p', { class: 'bad' }, `The first that differs is command ${number}: ${found.pixels} pixels of ${image}, the first at ${found.first.join(', ')}.`),
      h('p', {}, step === null ? 'The reports have no traces of that pixel.' : step < 0 ? 'Its instructions give the same: what came before differs.'
        : `Its first instruction that differs is step ${step + 1}.`),
      h('button', { type: 'button', onclick: () => store.set({ draw: number, image, slice: found.slice, pixel: found.first, fragment: -1,
        step: step !== null && step >= 0 ? step : -1, view: step !== null && step >= 0 ? 'instructions' : 'history' }) }, 'Show it'), ' ',
      copyButton('Copy as command', () => `diff ${[a, b].map((side) =>
        `<(${side.index.commands[number].commandLine} --trace-file - --trace-pixel ${found.first.join(',')} -q)`).join(' ')}`));
    break;
  }
  if (missing.count > 0) lines.push(h('p', { class: 'bad' }, `${missing.count} pictures are not in both reports: whether they differ is not known.`));
  if (lines.length === 0) lines.push(h('p', { class: 'good' }, 'All pictures that both have are the same, bit for bit.'));
  replace(element, ...lines);
}
