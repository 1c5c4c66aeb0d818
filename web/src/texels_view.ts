// SPDX-License-Identifier: MIT
// One sample or gather of the chosen lane: from the coordinates to the sum, with the texels on their level.

import { h, replace, copyButton, Child } from './dom';
import { Command, Footprint, Program, Tap, TexelLane, TexelLevel, TexelSteps, Trace, pictureOf, texelAt } from './model';
import { floatOf, floatText, hex, valueOf, wordText, Values } from './numbers';
import { placeText } from './history_view';
import { ruleLink } from './rules';
import { Source } from './source';
import { Store } from './state';

const fixed = (lod: number) => `${floatText(lod / 256)} (${lod}/256)`;

/** The weight of a tap in its level: products of what the two taps of each axis get. */
export function tapWeight(level: TexelLevel, probe: number, tap: number): number {
  let weight = 1 / level.probes.length;
  if (level.probes[probe].taps.length === 1) return weight;
  for (let axis = 0; axis < level.axes; ++axis) {
    const second = level.probes[probe].weight[axis] / 256;
    weight *= (tap >> axis & 1) !== 0 ? second : 1 - second;
  }
  return weight;
}

export class TexelsView {
  readonly element = h('div', { class: 'texels' });
  private shown = 0;
  constructor(private source: Source, private store: Store) {}

  async show(command: Command, program: Program | null, trace: Trace | null, lane: number, why: string): Promise<void> {
    const mine = ++this.shown;
    if (!trace) { replace(this.element, h('p', {}, why)); return; }
    const steps = trace.steps.map((s, i) => [i, s[5]] as const).filter(([, t]) => t?.lanes.some((l) => l.lane === lane));
    if (steps.length === 0) { replace(this.element, h('p', {}, 'This lane reads no texels through a sampler.')); return; }
    const at = this.store.state.step;
    const chosen = steps.find(([i]) => i >= at) ?? steps[steps.length - 1];
    const list = h('ul', { class: 'steps', 'aria-label': 'Texture instructions' }, ...steps.map(([i, t]) => h('li', {},
      h('button', { type: 'button', 'aria-pressed': String(i === chosen[0]), onclick: () => this.store.set({ step: i }) },
        `${placeText(program, trace.steps[i][0])}  ${t!.op} ${t!.name}`))));
    const texels = chosen[1]!;
    const one = texels.lanes.find((l) => l.lane === lane)!;
    const values = command.images[texels.surface]?.values ?? 'float';
    const levels = await Promise.all(one.levels.map((level, n) => this.level(command, texels, one, level, n, values)));
    if (mine !== this.shown) return;  // something else is shown by now
    replace(this.element, list, h('div', { class: 'detail' }, this.lod(texels, one), ...levels, this.sum(texels, one, values),
      copyButton('Copy as command', () => `${command.commandLine} --texels ${texels.name}=${texels.name}.png`)));
  }

  private row(name: string, ...what: Child[]): HTMLElement { return h('tr', {}, h('th', { scope: 'row' }, name), h('td', {}, ...what)); }

  /** Level of detail step by step. */
  private lod(t: TexelSteps, l: TexelLane): HTMLElement {
    const sampled = !t.gather && (l.dx.some((v) => Number(v) !== 0) || l.dy.some((v) => Number(v) !== 0));
    return h('section', {}, h('h3', {}, `${t.op} of ${t.name}`), h('table', { class: 'facts' },
      this.row('coordinates', l.coordinate.join(', '), ' ', ruleLink('CRD-1')),
      l.offset.some((o) => o !== 0) && this.row('offsets', l.offset.join(', '), ' ', ruleLink('CRD-4')),
      this.row('array index, face', `${l.index}, ${l.face}`),
      this.row('address modes', t.address.join(', '), ' ', ruleLink('ADR-0')),
      sampled && this.row('derivatives in x', l.dx.join(', '), ' ', ruleLink('LOD-2')),
      sampled && this.row('derivatives in y', l.dy.join(', ')),
      sampled && this.row('lengths in texels', `ρx² = ${l.rho2[0]}, ρy² = ${l.rho2[1]} `, ruleLink('LOD-4')),
      sampled && l.anisotropic > 1 && this.row('anisotropy', `${l.anisotropic} probes (at most ${l.ratio}) along (${l.line.join(', ')}) `, ruleLink('ANI-1')),
      this.row('level of detail', `${fixed(l.lod)}, of it the sampler's bias ${fixed(l.bias)}${l.laneLod ? `, the instruction's ${fixed(l.laneLod)}` : ''} `, ruleLink('LOD-5')),
      this.row('clamped', `${fixed(l.chosen)} in ${fixed(l.minLod)} to ${fixed(l.maxLod)} `, ruleLink('LOD-7')),
      this.row('filter', `${l.filter}, ${l.magnify ? 'magnified' : 'minified'}, mip ${t.mip} `, ruleLink('LOD-6')),
      l.compare && this.row('compared with', l.reference, ' ', ruleLink('CMP-1')),
      l.outOfBounds && this.row('out of bounds', 'the resource has no such level ', ruleLink('LOD-8'))));
  }

  /** A level's taps: on its picture, and as a table. */
  private async level(command: Command, t: TexelSteps, l: TexelLane, level: TexelLevel, n: number, values: Values): Promise<HTMLElement> {
    const share = l.levels.length === 2 ? (n === 0 ? 256 - l.beta : l.beta) / 256 : 1;
    const rows: HTMLElement[] = [];
    let order = 0;
    level.probes.forEach((probe, p) => probe.taps.forEach((tap, k) => {
      const [kind, x, y, slice, weighted, ...words] = tap;
      const weight = t.gather ? 1 : tapWeight(level, p, k);
      rows.push(h('tr', { class: weighted ? '' : 'off' }, h('td', {}, ++order), level.probes.length > 1 && h('td', {}, p),
        h('td', {}, kind === 'texel' ? `${x}, ${y}` : kind), h('td', {}, slice),
        h('td', {}, t.gather ? '' : weighted ? floatText(Math.fround(weight)) : '0, not read'),
        ...words.map((w) => h('td', { title: hex(w) }, wordText(w, values)))));
    }));
    const canvas = h('canvas', { class: 'taps', role: 'img', 'aria-label': `texels of level ${level.level}; the table says the same` });
    await this.drawTaps(canvas, command, t, level, values);
    return h('section', {}, h('h3', {}, `Level ${level.level}, ${level.size.slice(0, level.axes).join('×')}`,
      l.levels.length === 2 ? `, weight ${256 - (n === 0 ? l.beta : 256 - l.beta)}/256 = ${share}` : ''),
      canvas, h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `taps of level ${level.level}` }, h('table', {},
        h('thead', {}, h('tr', {}, ...['#', level.probes.length > 1 && 'probe', 'texel', 'slice', 'weight', 'R', 'G', 'B', 'A']
          .filter((text) => text !== false).map((text) => h('th', { scope: 'col' }, text as string)))), h('tbody', {}, ...rows))),
      level.footprint && this.footprint(t, l, level.footprint, n),
      level.value && h('p', {}, 'gives ', level.value.map((w) => wordText(w, values)).join(', '), ' ', ruleLink('FLT-3'),
        level.probes.length > 1 && ' ', level.probes.length > 1 && ruleLink('ANI-1')));
  }

  /** The answer of OpImageSampleFootprintNV to the same sample, asked for its smallest groups. */
  private footprint(t: TexelSteps, l: TexelLane, f: Footprint, n: number): HTMLElement {
    const clamped = t.address.slice(0, f.anchor.length).every((mode) => mode === 'clamp');
    return h('p', { class: 'footprint' }, `Footprint${n === 1 ? ' of the coarse level' : ''}: anchor ${f.anchor.join(', ')}, offset ${f.offset.join(', ')}, ` +
      `mask (0x${f.mask.slice(8)}, 0x${f.mask.slice(0, 8)}), granularity ${f.granularity} (groups of ${f.group.join('×')} texels)${l.levels.length === 1 ? ', single level' : ''}: ` +
      `${f.groups.length === 1 ? 'group' : 'groups'} ${f.groups.map((g) => `(${g.join(', ')})`).join(' ')} `, ruleLink('FP-11'), ' ', ruleLink('FP-12'),
      !clamped && ' The extension itself asks for clamp_to_edge ', !clamped && ruleLink('FC14'));
  }

  private async drawTaps(canvas: HTMLCanvasElement, command: Command, t: TexelSteps, level: TexelLevel, values: Values): Promise<void> {
    const taps = level.probes.flatMap((p) => p.taps);
    const real = taps.filter((tap) => tap[0] !== 'border');
    const slice = real[0]?.[3] ?? 0;
    const same = real.filter((tap) => tap[3] === slice);
    const xs = same.map((tap) => tap[1]);
    const ys = same.map((tap) => tap[2]);
    let x0 = Math.min(...xs) - 2, x1 = Math.max(...xs) + 3, y0 = Math.min(...ys) - 2, y1 = Math.max(...ys) + 3;
    if (!Number.isFinite(x0) || x1 - x0 > 96 || y1 - y0 > 96) { x0 = 0; y0 = 0; x1 = Math.min(96, level.size[0]); y1 = Math.min(96, level.size[1]); }
    const cell = Math.max(5, Math.min(44, Math.floor(480 / Math.max(x1 - x0, y1 - y0))));
    canvas.width = (x1 - x0) * cell + 1;
    canvas.height = (y1 - y0) * cell + 1;
    const c = canvas.getContext('2d')!;
    const picture = await pictureOf(this.source, command, t.surface, 'before', level.level, slice);
    const shade = (words: number[]) => {
      const byte = (w: number) => Math.round(255 * Math.min(1, Math.max(0, values === 'float' ? floatOf(w) : valueOf(w, values) / 255)));
      return words.length < 3 ? `rgb(${byte(words[0])},${byte(words[0])},${byte(words[0])})` : `rgb(${words.slice(0, 3).map(byte).join(',')})`;
    };
    for (let y = y0; y < y1; ++y)
      for (let x = x0; x < x1; ++x) {
        const inside = x >= 0 && y >= 0 && x < level.size[0] && y < level.size[1];
        c.fillStyle = picture && inside ? shade(texelAt(picture, x, y)) : inside ? '#888' : '#555';
        c.fillRect((x - x0) * cell, (y - y0) * cell, cell, cell);
        c.strokeStyle = 'rgba(128,128,128,.7)';
        c.strokeRect((x - x0) * cell + 0.5, (y - y0) * cell + 0.5, cell, cell);
      }
    const sums = new Map<string, { tap: Tap; weight: number; order: number[] }>();
    let order = 0;
    level.probes.forEach((probe, p) => probe.taps.forEach((tap, k) => {
      ++order;
      if (tap[0] === 'border' || tap[3] !== slice) return;
      const key = `${tap[1]},${tap[2]}`;
      const sum = sums.get(key) ?? { tap, weight: 0, order: [] };
      sum.weight += t.gather ? 1 : tapWeight(level, p, k);
      sum.order.push(order);
      sums.set(key, sum);
    }));
    c.setLineDash([3, 3]);
    c.strokeStyle = '#00b8d9';
    c.lineWidth = 2;
    const [gw, gh] = level.footprint?.group ?? [1, 1];
    for (const [gx, gy, gz] of level.footprint?.groups ?? [])
      if (gz === undefined || Math.floor(slice / level.footprint!.group[2]) === gz)
        c.strokeRect((gx * gw - x0) * cell + 1, (gy * gh - y0) * cell + 1, gw * cell - 1, gh * cell - 1);
    c.setLineDash([]);
    c.font = `${Math.min(12, cell / 3)}px ui-monospace, monospace`;
    c.textAlign = 'center';
    for (const { tap, weight, order: numbers } of sums.values()) {
      const [sx, sy] = [(tap[1] - x0) * cell, (tap[2] - y0) * cell];
      if (!picture) { c.fillStyle = shade(tap.slice(5) as number[]); c.fillRect(sx + 1, sy + 1, cell - 1, cell - 1); }
      c.lineWidth = weight > 0 ? 1 + 2 * Math.min(1, weight) : 1;
      c.strokeStyle = weight > 0 ? '#ff2d78' : '#ffb3cd';
      c.strokeRect(sx + 1.5, sy + 1.5, cell - 2, cell - 2);
      if (cell < 24) continue;
      c.lineWidth = 3;
      for (const [text, dy] of [[numbers.length > 3 ? `${numbers[0]}…` : numbers.join(' '), 0.38], [t.gather ? '' : String(Number(weight.toPrecision(3))), 0.75]] as const) {
        c.strokeStyle = '#000';
        c.strokeText(text, sx + cell / 2, sy + cell * dy);
        c.fillStyle = '#fff';
        c.fillText(text, sx + cell / 2, sy + cell * dy);
      }
    }
  }

  private sum(t: TexelSteps, l: TexelLane, values: Values): HTMLElement {
    const text = (words: number[]) => words.map((w) => l.compare ? floatText(floatOf(w)) : wordText(w, values)).join(', ');
    const parts: Child[] = [];
    if (t.gather) parts.push(h('p', {}, `channel ${'RGBA'[t.channel ?? 0]} of the four: lower left, lower right, upper right, upper left `, ruleLink('GA-4')));
    else if (l.levels.length === 2)
      parts.push(h('p', {}, `(${text(l.levels[0].value!)}) + ((${text(l.levels[1].value!)}) − (${text(l.levels[0].value!)})) · ${l.beta}/256 `, ruleLink('FLT-4')));
    if (l.value) parts.push(h('p', {}, `= ${text(l.value)}`));
    return h('section', {}, h('h3', {}, 'Result'), ...parts, h('p', {}, h('strong', {}, text(l.result)), ' ', ruleLink('SUR-7')));
  }
}
