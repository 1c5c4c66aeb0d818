// SPDX-License-Identifier: MIT
// Each fragment that met the pixel, in order.

import { h, replace, copyButton } from './dom';
import { blendRule, blendText } from './blend';
import { Command, Fragment, Primitive, Program, fragmentsAt, kNoThread } from './model';
import { Source } from './source';
import { Store } from './state';
import { floatOf, floatText, hex, wordText } from './numbers';
import { ruleLink } from './rules';

const kFates = ['written', 'failed a test', 'discarded by the shader', 'kept away early', 'passed; nothing to store it in'];
const kReasons = ['', 'alpha test', 'depth bounds', 'stencil test', 'depth test', 'stencil or depth test', 'no sample left'];
const kReasonRules = ['', 'OM-4', 'OM-24', 'OM-5', 'OM-6', 'OM-5', 'RTW-8'];

/** Why it was not written, with the numbers that were compared. */
function reasonText(f: Fragment): string {
  if (f.fate === 0 || f.fate === 2 || f.fate === 4 || f.reason === 0) return '';
  return `: ${kReasons[f.reason] ?? ''}${f.reason === 4 ? ` (${floatText(floatOf(f.depth))} against ${floatText(floatOf(f.stored))})` : ''}`;
}

/** Where an instruction was made from. */
export function placeText(program: Program | null, instruction: number): string {
  const row = program?.instructions[instruction];
  if (!program || !row) return '';
  return row[1] >= 0 ? `${program.sources[row[1]].name.split('/').pop()}:${row[2]}` : `${program.name.split('/').pop()}:${row[0]}`;
}

const kHead = ['#', 'Primitive', 'Target', 'Fate', 'Shader output', 'Depth', 'Before', 'After', 'Thread'];

/** Whether two commands draw to an image of one name and shape. */
function sharesTarget(a: Command, b: Command): boolean {
  return a.images.some((i) => i.role !== 'read' && b.images.some((j) => j.role !== 'read' && i.name === j.name &&
    i.width === j.width && i.height === j.height && i.format === j.format));
}

export class HistoryView {
  readonly element = h('div', { class: 'history' });
  private all = false;  // fragments of all commands
  private shown = 0;
  constructor(private source: Source, private commands: () => Command[], private store: Store) {}

  async show(command: Command, program: Program | null, fragments: Fragment[] | null, primitive: Primitive | null): Promise<void> {
    const mine = ++this.shown;
    const { pixel, fragment } = this.store.state;
    if (!pixel) { replace(this.element, h('p', {}, 'Pick a pixel of the picture: right click, or Enter at the cursor.')); return; }
    const copy = copyButton('Copy as command', () => `${command.commandLine} --trace --trace-pixel ${pixel.join(',')}`);
    const others = command.kind === 'draw' ? this.commands().filter((c) => c.of === undefined && c.kind === 'draw' && sharesTarget(c, command)) : [];
    const toggle = others.length > 1 ? h('button', { type: 'button', 'aria-pressed': String(this.all), class: 'all-commands',
      onclick: () => { this.all = !this.all; void this.show(command, program, fragments, primitive); } }, `All ${others.length} commands`) : null;
    const bodies = this.all && toggle ? await this.rowsOfAll(others, pixel)
      : fragments && fragments.length > 0 ? [this.rows(command, program, fragments, fragment < 0 ? fragments.length - 1 : fragment)] : [];
    if (mine !== this.shown) return;
    if (bodies.flat().length === 0) {
      replace(this.element, h('p', {}, fragments === null ? 'The report has no history of this pixel: a greater --budget has room for it.'
        : `No fragment of this command met pixel ${pixel.join(', ')}: no primitive covers it.`), toggle, copy);
      return;
    }
    const chosen = fragments && fragments.length > 0 ? fragments[fragment < 0 ? fragments.length - 1 : fragment] : null;
    replace(this.element, toggle, h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'fragments of the pixel' },
      h('table', {}, h('caption', {}, `Pixel ${pixel.join(', ')}, ${this.all && toggle ? 'all commands' : `command ${command.number}`}`),
        h('thead', {}, h('tr', {}, ...kHead.map((t) => h('th', { scope: 'col' }, t)))), h('tbody', {}, ...bodies.flat()))),
      ...(chosen ? this.detail(command, chosen, primitive) : []), copy);
  }

  /** Each command's rows under a line with its name; what changed the pixel between two of them shows. */
  private async rowsOfAll(commands: Command[], pixel: [number, number]): Promise<HTMLElement[][]> {
    const bodies: HTMLElement[][] = [];
    const last = new Map<string, number[]>();  // what the commands so far left, by image and slice
    for (const command of commands) {
      const fragments = await fragmentsAt(this.source, command.number, ...pixel);
      const rows = fragments ? this.rows(command, null, fragments, command.number === this.store.state.draw
        ? (this.store.state.fragment < 0 ? fragments.length - 1 : this.store.state.fragment) : -1) : [];
      const line = (text: string, name = ''): HTMLElement => h('tr', { class: 'between' }, h('th', { colspan: String(kHead.length), scope: 'rowgroup', class: name }, text));
      const list = [line(`command ${command.number}${command.label ? `: ${command.label}` : ''}${fragments === null ? ' (its history is not in the report)' : rows.length === 0 ? ': no fragment' : ''}`)];
      (fragments ?? []).forEach((f, i) => {
        if (f.fate === 0) {
          const key = `${command.images[f.target]?.name} ${f.sample}`;
          const was = last.get(key);
          if (was && was.join() !== f.before.join())
            list.push(line('something else wrote the pixel in between: a clear, a copy, or a command that is not here', 'bad'));
          last.set(key, f.after);
        }
        list.push(rows[i]);
      });
      bodies.push(list);
    }
    return bodies;
  }

  private rows(command: Command, program: Program | null, fragments: Fragment[], chosen: number): HTMLElement[] {
    const color = (words: number[], values: 'float' | 'uint' | 'sint', channels: string) =>
      h('span', { title: words.map((w) => hex(w)).join(' ') }, channels.split('').map((c) => wordText(words['RGBA'.indexOf(c)], values)).join(', '));
    return fragments.map((f, i) => {
      const image = command.images[f.target];
      const values = image?.values ?? 'float';
      const channels = image?.channels ?? 'RGBA';
      const written = f.fate === 0;
      const passed = written || f.fate === 4;
      const open = () => this.store.set({ draw: command.number, fragment: i, step: -1, lane: -1 });
      return h('tr', { class: i === chosen ? 'chosen' : '', 'aria-current': i === chosen ? 'true' : null, onclick: open },
        h('td', {}, h('button', { type: 'button', onclick: open, 'aria-label': `fragment ${i}` }, i)),
        h('td', {}, f.primitive), h('td', {}, written ? `${image?.name ?? ''}${image && image.samples > 1 ? ` sample ${f.sample % image.samples}` : ''}` : ''),
        h('td', { class: passed ? 'good' : 'bad' }, kFates[f.fate] ?? '', f.fate === 2 ? ` at ${placeText(program, f.instruction)}` : reasonText(f)),
        h('td', {}, f.fate === 2 || f.fate === 3 ? '' : color(f.color, values, 'RGBA')),
        h('td', {}, command.kind === 'draw' ? floatText(floatOf(f.depth)) : ''),
        h('td', {}, written ? color(f.before, values, channels) : ''), h('td', {}, written ? color(f.after, values, channels) : ''),
        h('td', {}, f.thread === kNoThread ? 'none ran' : `${f.thread}, lane ${f.lane}`));
    });
  }

  /** A corner, with the way to the invocation that made it. */
  private corner(command: Command, primitive: Primitive, vertex: number, k: number): HTMLElement | string {
    const stage = command.stages?.find((s) => s.corners);
    const made = primitive.madeBy[k];
    if (!stage || !made) return `vertex ${vertex}`;
    return h('button', { type: 'button', class: 'corner', title: `its ${stage.name} shader`,
      onclick: () => this.store.set({ stage: stage.stage, thread: made[0], lane: made[1], step: -1, view: 'instructions' }) }, `vertex ${vertex}`);
  }

  /** The chosen fragment: its primitive, its test, its blending. */
  private detail(command: Command, f: Fragment, primitive: Primitive | null): HTMLElement[] {
    const parts: HTMLElement[] = [];
    if (primitive)
      parts.push(h('p', {}, `Primitive ${f.primitive}, ${primitive.front ? 'front' : 'back'}: `,
        ...primitive.vertices.flatMap((vertex, k) => [k > 0 && ', ', this.corner(command, primitive, vertex, k),
          ` at (${primitive.x[k]}, ${primitive.y[k]}, ${floatText(primitive.z[k])})`])));
    if (f.fate !== 0 && f.fate !== 4 && kReasonRules[f.reason]) parts.push(h('p', {}, `Kept away by the ${kReasons[f.reason]} `, ruleLink(kReasonRules[f.reason])));
    const image = command.images[f.target];
    const blended = blendText(command, f, image?.channels ?? 'RGBA');
    if (blended.length > 0) parts.push(h('p', {}, 'Blended ', ruleLink(blendRule(command, f))), h('ul', { class: 'sums' }, ...blended.map((line) => h('li', {}, line))));
    else if (f.fate === 0 && command.kind === 'draw' && image?.role !== 'depth') parts.push(h('p', {}, 'Stored without blending ', ruleLink('OM-14')));
    if (command.state) parts.push(h('details', {}, h('summary', {}, 'State of the draw'), h('p', { class: 'hint state' }, command.state)));
    return parts;
  }
}
