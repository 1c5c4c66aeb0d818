// SPDX-License-Identifier: MIT
// Each fragment that met the pixel, in order.

import { h, replace, copyButton } from './dom';
import { blendText } from './blend';
import { Command, Fragment, Primitive, Program, kNoThread } from './model';
import { Store } from './state';
import { floatOf, floatText, hex, wordText } from './numbers';
import { ruleLink } from './rules';

const kFates = ['written', 'failed a test', 'discarded by the shader', 'kept away early'];
const kReasons = ['', 'alpha test', 'depth bounds', 'stencil test', 'depth test', 'stencil or depth test', 'no sample left'];
const kReasonRules = ['', 'OM-4', 'OM-24', 'OM-5', 'OM-6', 'OM-5', 'RTW-8'];

/** Why it was not written, with the numbers that were compared. */
function reasonText(f: Fragment): string {
  if (f.fate === 0 || f.fate === 2 || f.reason === 0) return '';
  return `: ${kReasons[f.reason] ?? ''}${f.reason === 4 ? ` (${floatText(floatOf(f.depth))} against ${floatText(floatOf(f.stored))})` : ''}`;
}

/** Where an instruction was made from. */
export function placeText(program: Program | null, instruction: number): string {
  const row = program?.instructions[instruction];
  if (!program || !row) return '';
  return row[1] >= 0 ? `${program.sources[row[1]].name.split('/').pop()}:${row[2]}` : `${program.name.split('/').pop()}:${row[0]}`;
}

export class HistoryView {
  readonly element = h('div', { class: 'history' });
  constructor(private store: Store) {}

  show(command: Command, program: Program | null, fragments: Fragment[] | null, primitive: Primitive | null): void {
    const { pixel, fragment } = this.store.state;
    if (!pixel) { replace(this.element, h('p', {}, 'Pick a pixel of the picture: right click, or Enter at the cursor.')); return; }
    const copy = copyButton('Copy as command', () => `${command.commandLine} --trace --trace-pixel ${pixel.join(',')}`);
    if (fragments === null) {
      replace(this.element, h('p', {}, 'The report has no history of this pixel: a greater --budget has room for it.'), copy);
      return;
    }
    if (fragments.length === 0) {
      replace(this.element, h('p', {}, `Nothing that ran wrote pixel ${pixel.join(', ')}: no primitive covers it, or early tests kept all away.`), copy);
      return;
    }
    const chosen = fragment < 0 ? fragments.length - 1 : fragment;
    const color = (words: number[], values: 'float' | 'uint' | 'sint', channels: string) =>
      h('span', { title: words.map((w) => hex(w)).join(' ') }, channels.split('').map((c) => wordText(words['RGBA'.indexOf(c)], values)).join(', '));
    const rows = fragments.map((f, i) => {
      const image = command.images[f.target];
      const values = image?.values ?? 'float';
      const channels = image?.channels ?? 'RGBA';
      const written = f.fate === 0;
      const open = () => this.store.set({ fragment: i, step: -1, lane: -1 });
      return h('tr', { class: i === chosen ? 'chosen' : '', 'aria-current': i === chosen ? 'true' : null, onclick: open },
        h('td', {}, h('button', { type: 'button', onclick: open, 'aria-label': `fragment ${i}` }, i)),
        h('td', {}, f.primitive), h('td', {}, written ? `${image?.name ?? ''}${image && image.samples > 1 ? ` sample ${f.sample % image.samples}` : ''}` : ''),
        h('td', { class: written ? 'good' : 'bad' }, kFates[f.fate] ?? '', f.fate === 2 ? ` at ${placeText(program, f.instruction)}` : reasonText(f)),
        h('td', {}, f.fate >= 2 ? '' : color(f.color, values, 'RGBA')),
        h('td', {}, command.kind === 'draw' ? floatText(floatOf(f.depth)) : ''),
        h('td', {}, written ? color(f.before, values, channels) : ''), h('td', {}, written ? color(f.after, values, channels) : ''),
        h('td', {}, f.thread === kNoThread ? 'none ran' : `${f.thread}, lane ${f.lane}`));
    });
    const head = ['#', 'Primitive', 'Target', 'Fate', 'Shader output', 'Depth', 'Before', 'After', 'Thread'];
    replace(this.element, h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'fragments of the pixel' },
      h('table', {}, h('caption', {}, `Pixel ${pixel.join(', ')}, command ${command.number}`),
        h('thead', {}, h('tr', {}, ...head.map((t) => h('th', { scope: 'col' }, t)))), h('tbody', {}, ...rows))),
      ...this.detail(command, fragments[chosen], primitive), copy);
  }

  /** The chosen fragment: its primitive, its test, its blending. */
  private detail(command: Command, f: Fragment, primitive: Primitive | null): HTMLElement[] {
    const parts: HTMLElement[] = [];
    if (primitive)
      parts.push(h('p', {}, `Primitive ${f.primitive}, ${primitive.front ? 'front' : 'back'}: vertices ${primitive.vertices.join(', ')} at ` +
        primitive.x.map((x, k) => `(${x}, ${primitive.y[k]}, ${floatText(primitive.z[k])})`).join(', ')));
    if (f.fate !== 0 && kReasonRules[f.reason]) parts.push(h('p', {}, `Kept away by the ${kReasons[f.reason]} `, ruleLink(kReasonRules[f.reason])));
    const image = command.images[f.target];
    const blended = blendText(command, f, image?.channels ?? 'RGBA');
    if (blended.length > 0) parts.push(h('p', {}, 'Blended ', ruleLink('OM-9')), h('ul', { class: 'sums' }, ...blended.map((line) => h('li', {}, line))));
    else if (f.fate === 0 && command.kind === 'draw') parts.push(h('p', {}, 'Stored without blending ', ruleLink('OM-14')));
    if (command.state) parts.push(h('p', { class: 'hint' }, `state = ${command.state}`));
    return parts;
  }
}
