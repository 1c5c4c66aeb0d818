// SPDX-License-Identifier: MIT
// "What if this were clamp?": the command once more with changed samplers, state or arguments, as a command of its own.

import { h, replace, copyButton } from './dom';
import { Command, pictureOf, texelAt } from './model';
import { wordText } from './numbers';
import { Source, getJson } from './source';
import { Store } from './state';

const kFilters = ['nearest', 'linear', 'anisotropic'];
const kAddresses = ['repeat', 'mirrored_repeat', 'clamp_to_edge', 'clamp_to_border', 'mirror_clamp_to_edge'];
const kCompares = ['never', 'less', 'equal', 'less_or_equal', 'greater', 'not_equal', 'greater_or_equal', 'always'];

interface Choice { name: string; words?: string[]; }
const kSampler: Choice[] = [{ name: 'address', words: kAddresses }, { name: 'filter', words: kFilters },
  { name: 'mip', words: ['none', 'nearest', 'linear'] }, { name: 'lod_bias' }, { name: 'min_lod' }, { name: 'max_lod' },
  { name: 'max_anisotropy' }, { name: 'compare_op', words: kCompares }];
const kState: Choice[] = [{ name: 'depth_test', words: ['true', 'false'] }, { name: 'depth_write', words: ['true', 'false'] },
  { name: 'depth_func', words: kCompares }];

/** A command with changes, or why it cannot be. */
export type Changed = Command | { refused: string };

export class WhatIfView {
  readonly element = h('div', { class: 'what-if' });
  private shown = -1;
  private inputs: { flag: string; key: string; member: string; value: () => string }[] = [];
  private result = h('div', { class: 'result', 'aria-live': 'polite' });
  constructor(private source: Source, private store: Store, private commands: () => Command[], private added: (command: Command) => void) {}

  async show(command: Command): Promise<void> {
    if (command.number !== this.shown) this.build(command);
    this.shown = command.number;
    if (command.of !== undefined) replace(this.result, ...await this.difference(this.commands()[command.of], command));
  }

  private field(flag: string, key: string, choice: Choice): HTMLElement {
    const label = `${key ? key + ' ' : ''}${choice.name}`;
    const input = choice.words
      ? h('select', { 'aria-label': label }, h('option', { value: '' }, 'as it is'), ...choice.words.map((w) => h('option', { value: w }, w)))
      : h('input', { type: 'text', size: 8, 'aria-label': label, placeholder: 'as it is' });
    this.inputs.push({ flag, key, member: choice.name, value: () => input.value });
    return h('label', {}, choice.name + ' ', input);
  }

  private build(command: Command): void {
    this.inputs = [];
    const rows = command.samplers.map((s) => h('fieldset', {}, h('legend', {}, `sampler ${s.name}`),
      h('p', { class: 'hint' }, s.text), h('div', { class: 'tools' }, ...kSampler.map((c) => this.field('sampler', s.name, c)))));
    if (command.kind === 'draw')
      rows.push(h('fieldset', {}, h('legend', {}, 'state'), h('div', { class: 'tools' }, ...kState.map((c) => this.field('state', '', c)))));
    if (command.args.length > 0)
      rows.push(h('fieldset', {}, h('legend', {}, 'arguments'), h('div', { class: 'tools' }, ...command.args.map((a) => this.field('arg', '', { name: a.name })))));
    replace(this.result);
    replace(this.element, h('p', {}, 'Change something and run the command again; what comes out is a command of its own, traced as any other.'),
      ...rows, h('button', { type: 'button', class: 'run', onclick: () => this.run(command) }, 'Run with the changes'), this.result);
  }

  private changes(): string[] {
    return this.inputs.filter((i) => i.value() !== '').map((i) => i.flag === 'sampler'
      ? `sampler ${i.key}=${i.member}=${i.value()}` : `${i.flag} ${i.member}=${i.value()}`);
  }

  private async run(command: Command): Promise<void> {
    const changes = this.changes();
    if (changes.length === 0) { replace(this.result, h('p', {}, 'Nothing is changed.')); return; }
    const hex = [...new TextEncoder().encode(changes.join('\n'))].map((b) => b.toString(16).padStart(2, '0')).join('');
    replace(this.result, h('p', {}, 'Running …'));
    document.body.classList.add('busy');
    const changed = await getJson<Changed>(this.source, `whatif/${command.number}/${hex}`);
    document.body.classList.remove('busy');
    if (!changed || 'refused' in changed) {
      replace(this.result, h('p', { class: 'bad' }, changed ? changed.refused : 'The program does not answer.'));
      return;
    }
    this.added(changed);
    this.store.set({ draw: changed.number, fragment: -1, step: -1, lane: -1 });
  }

  /** How many pixels of each written image the change made another. */
  private async difference(before: Command, after: Command): Promise<HTMLElement[]> {
    const lines: HTMLElement[] = [];
    for (let i = 0; i < after.images.length; ++i) {
      const info = after.images[i];
      const other = before.images.findIndex((image) => image.name === info.name);
      if (info.role === 'read' || other < 0) continue;
      const p = await pictureOf(this.source, before, other, 'after', info.shownLevel, 0);
      const q = await pictureOf(this.source, after, i, 'after', info.shownLevel, 0);
      if (!p || !q || p.words.length !== q.words.length) continue;
      const texels = p.width * p.height;
      let count = 0;
      for (let k = 0; k < texels; ++k)
        for (let c = 0; c < p.channels.length; ++c)
          if (p.words[c * texels + k] !== q.words[c * texels + k]) { ++count; break; }
      const { pixel } = this.store.state;
      const text = (words: number[]) => words.map((w) => wordText(w, p.values)).join(', ');
      lines.push(h('p', {}, `${info.name}: ${count} of ${texels} pixels differ from command ${before.number}. `,
        pixel && pixel[0] < p.width && pixel[1] < p.height
          && `Pixel ${pixel.join(', ')}: ${text(texelAt(p, ...pixel))} was, ${text(texelAt(q, ...pixel))} is.`));
    }
    lines.push(h('button', { type: 'button', onclick: () => this.store.set({ draw: before.number, fragment: -1, step: -1, lane: -1 }) },
      `Back to command ${before.number}`), copyButton('Copy as command', () => after.commandLine));
    return lines;
  }
}
