// SPDX-License-Identifier: MIT
// The thread that shaded the pixel, step by step: source, vISA and values side by side, lines joined by color.

import { h, replace, copyButton } from './dom';
import { Command, Program, Stage, Trace } from './model';
import { Registers, Row, cellText, isWritten, registersBehind, rowsOf } from './replay';
import { Store } from './state';

export class InstructionsView {
  readonly element = h('div', { class: 'instructions' });
  private bar = h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Steps' });
  private sources = h('div', { class: 'code', tabindex: '0', role: 'region', 'aria-label': 'Source' });
  private code = h('div', { class: 'code', tabindex: '0', role: 'region', 'aria-label': 'vISA' });
  private values = h('div', { class: 'values scroll', tabindex: '0', role: 'region', 'aria-label': 'Values' });
  private note = h('p', {});
  private stages = h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Stages' });
  private program: Program | null = null;
  private trace: Trace | null = null;
  private command: Command | null = null;
  private lane = 0;
  private which: 'written' | 'all' = 'written';
  private lanes: 'quad' | 'all' = 'quad';
  private lines = new Map<string, HTMLElement>();      // "source:line" and "visa:line"
  private instructionsAt = new Map<string, number[]>();
  private shownProgram: Program | null = null;

  constructor(private store: Store) {
    this.element.append(this.stages, this.note, this.bar, h('div', { class: 'three' },
      h('div', { class: 'column' }, h('h3', {}, 'Source'), this.sources),
      h('div', { class: 'column' }, h('h3', {}, 'vISA'), this.code),
      h('div', { class: 'column' }, h('h3', {}, 'Values'), this.values)));
    this.element.addEventListener('keydown', (e) => this.key(e));
  }

  show(command: Command, program: Program | null, trace: Trace | null, lane: number, why: string): void {
    this.command = command;
    this.program = program;
    this.trace = trace;
    this.lane = lane;
    if (program && program !== this.shownProgram) this.showProgram(program);
    this.note.textContent = trace ? '' : why;
    this.note.hidden = trace !== null;
    this.showStages(command);
    this.mark();
  }

  private get stage(): Stage | undefined { return this.command?.stages?.find((s) => s.stage === this.store.state.stage); }
  private get simd(): number { return this.stage?.simd ?? this.command!.simd; }

  /** The stages of a draw, and which thread of one before the pixels is shown. */
  private showStages(command: Command): void {
    const list = command.stages ?? [];
    this.stages.hidden = list.length === 0;
    const go = (stage: string, thread: number) => this.store.set({ stage, thread, step: -1, lane: -1 });
    const focus = this.stages.contains(document.activeElement) ? document.activeElement!.getAttribute('aria-label') : null;
    const choice = h('select', { 'aria-label': 'stage', onchange: () => {
      const stage = list.find((s) => s.stage === choice.value);
      go(choice.value, stage ? stage.traced[0] ?? 0 : -1);
    } }, ...list.map((s) => h('option', { value: s.stage }, s.name)), h('option', { value: '' }, 'fragment'));
    choice.value = this.store.state.stage;
    const stage = this.stage;
    const thread = stage && h('input', { type: 'number', min: '0', max: String(stage.threads - 1), value: String(Math.max(0, this.store.state.thread)),
      'aria-label': 'thread', onchange: () => go(stage.stage, Math.max(0, Math.min(stage.threads - 1, Math.trunc(Number(thread!.value))))) });
    replace(this.stages, h('label', {}, 'Stage ', choice), stage && h('label', {}, 'thread ', thread), stage && h('span', { class: 'hint' }, `of ${stage.threads}, ${stage.simd} lanes each`));
    if (focus) this.stages.querySelector<HTMLElement>(`[aria-label="${focus}"]`)?.focus();
  }

  private hue(source: number, line: number): string { return String((line * 47 + source * 131) % 360); }

  private codeLine(key: string, number: number, text: string, hue: string | null): HTMLElement {
    const line = h('div', { class: hue === null ? 'line' : 'line joined', 'data-key': key },
      h('span', { class: 'number' }, number), h('span', { class: 'text' }, text));
    if (hue !== null) {
      line.style.setProperty('--hue', hue);
      line.addEventListener('mouseenter', () => this.light(key, true));
      line.addEventListener('mouseleave', () => this.light(key, false));
      line.addEventListener('click', () => this.goToLine(key));
    }
    this.lines.set(key, line);
    return line;
  }

  private showProgram(program: Program): void {
    this.shownProgram = program;
    this.lines.clear();
    this.instructionsAt.clear();
    const ofLine = new Map<number, [number, number]>();
    program.instructions.forEach(([line, source, sourceLine], i) => {
      const add = (key: string) => this.instructionsAt.set(key, [...this.instructionsAt.get(key) ?? [], i]);
      add(`visa:${line}`);
      if (source >= 0) { add(`${source}:${sourceLine}`); ofLine.set(line, [source, sourceLine]); }
    });
    replace(this.code, ...program.text.split('\n').map((text, i) => {
      const from = ofLine.get(i + 1);
      const runs = this.instructionsAt.has(`visa:${i + 1}`);
      return this.codeLine(`visa:${i + 1}`, i + 1, text, from ? this.hue(...from) : runs ? '0' : null);
    }));
    const parts: HTMLElement[] = [];
    program.sources.forEach(({ name, text }, s) => {
      parts.push(h('h4', {}, name));
      if (!text) parts.push(h('p', { class: 'hint' }, 'its text is not at hand'));
      text.split('\n').forEach((line, i) => {
        const key = `${s}:${i + 1}`;
        parts.push(this.codeLine(key, i + 1, line, this.instructionsAt.has(key) ? this.hue(s, i + 1) : null));
      });
    });
    if (parts.length === 0) parts.push(h('p', { class: 'hint' }, 'The program is its own source.'));
    replace(this.sources, ...parts);
  }

  /** The lines that belong to a line, lit with it. */
  private light(key: string, on: boolean): void {
    for (const i of this.instructionsAt.get(key) ?? []) {
      const [line, source, sourceLine] = this.program!.instructions[i];
      this.lines.get(`visa:${line}`)?.classList.toggle('lit', on);
      this.lines.get(`${source}:${sourceLine}`)?.classList.toggle('lit', on);
    }
  }

  private get step(): number {
    return this.trace ? Math.min(this.store.state.step, this.trace.steps.length - 1) : -1;
  }
  go(step: number): void {
    if (this.trace) this.store.set({ step: Math.max(-1, Math.min(this.trace.steps.length - 1, step)) });
  }
  /** The next step from here for which `good` holds, around the end if need be. */
  private find(good: (step: number) => boolean, direction = 1): void {
    const count = this.trace?.steps.length ?? 0;
    for (let k = 1; k <= count; ++k) {
      const step = ((this.step + direction * k) % count + count) % count;
      if (good(step)) { this.go(step); return; }
    }
  }
  private goToLine(key: string): void {
    const wanted = new Set(this.instructionsAt.get(key));
    this.find((step) => wanted.has(this.trace!.steps[step][0]));
  }
  private sourceLine(step: number): string {
    const row = step >= 0 ? this.program!.instructions[this.trace!.steps[step][0]] : null;
    return row ? `${row[1]}:${row[2]}` : '';
  }
  private key(e: KeyboardEvent): void {
    if (!this.trace || e.target instanceof HTMLInputElement || e.ctrlKey || e.altKey || e.metaKey) return;
    if (e.key === ']') this.go(this.step + 1);
    else if (e.key === '[') this.go(this.step - 1);
    else if (e.key === 'x') this.find((s) => this.makesNaN(s));
    else if (e.key === 't') this.find((s) => this.trace!.steps[s][5] !== undefined);
    else if (e.key === 'n') { const from = this.sourceLine(this.step); this.find((s) => this.sourceLine(s) !== from); }
    else return;
    e.preventDefault();
  }

  /** Whether a step writes a float of the lane that is no finite number. */
  private makesNaN(step: number): boolean {
    const trace = this.trace!;
    const [, lanes, object, writes] = trace.steps[step];
    if ((lanes >>> this.lane & 1) === 0 || writes.length === 0) return false;
    const written = new Registers();
    written.write(writes);
    return rowsOf(this.program!, object, this.simd).some((row) => (row.type === 'f' || row.type === 'hf') &&
      /NaN|∞/.test(cellText(written, row, this.lane) ?? ''));
  }

  private mark(): void {
    for (const line of this.lines.values()) line.classList.remove('ran', 'now', 'off');
    const { trace, program } = this;
    if (!trace || !program) { replace(this.bar); replace(this.values); return; }
    for (const [i, lanes] of trace.steps) {
      const [line, source, sourceLine] = program.instructions[i];
      if ((lanes >>> this.lane & 1) === 0) continue;
      this.lines.get(`visa:${line}`)?.classList.add('ran');
      this.lines.get(`${source}:${sourceLine}`)?.classList.add('ran');
    }
    const step = this.step;
    if (step >= 0) {
      const [line, source, sourceLine] = program.instructions[trace.steps[step][0]];
      for (const key of [`visa:${line}`, `${source}:${sourceLine}`]) {
        const element = this.lines.get(key);
        element?.classList.add('now');
        if (element?.parentElement) {
          const box = element.parentElement;
          const top = element.offsetTop;
          if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 40) box.scrollTop = top - box.clientHeight / 3;
        }
      }
    }
    this.showBar();
    this.showValues();
  }

  private showBar(): void {
    const trace = this.trace!;
    const count = trace.steps.length;
    const step = this.step;
    const button = (label: string, text: string, action: () => void) =>
      h('button', { type: 'button', title: label, 'aria-label': label, onclick: action }, text);
    const slider = h('input', { type: 'range', min: '-1', max: String(count - 1), value: String(step), 'aria-label': 'step',
      oninput: () => this.go(Number(slider.value)) });
    const active = step >= 0 ? (trace.steps[step][1] >>> this.lane & 1) !== 0 : true;
    const pixel = trace.places[this.lane];
    const focus = document.activeElement instanceof HTMLElement && this.bar.contains(document.activeElement)
      ? document.activeElement.getAttribute('aria-label') : null;
    replace(this.bar, button('first step', 'first', () => this.go(-1)), button('step back, [', 'back', () => this.go(this.step - 1)),
      button('step forward, ]', 'forward', () => this.go(this.step + 1)), button('last step', 'last', () => this.go(count - 1)),
      button('next line, N', 'next line', () => { const from = this.sourceLine(this.step); this.find((s) => this.sourceLine(s) !== from); }),
      button('next NaN or infinity, X', 'next NaN', () => this.find((s) => this.makesNaN(s))),
      button('next texture instruction, T', 'next texture', () => this.find((s) => trace.steps[s][5] !== undefined)),
      slider, h('span', { role: 'status' }, `step ${step + 1} of ${count}, lane ${this.lane} (${trace.pixels ? 'pixel' : 'invocation'} ${(trace.pixels ? pixel.slice(0, 2) : trace.stage && !['task', 'mesh'].includes(trace.stage) ? pixel.slice(0, 1) : pixel).join(', ')})${active ? '' : ': not active'}`),
      button(this.which === 'written' ? 'show all values' : 'only what was written', this.which === 'written' ? 'all values' : 'only what was written', () => { this.which = this.which === 'written' ? 'all' : 'written'; this.mark(); }),
      button(this.lanes === 'quad' ? 'show all lanes' : 'only the quad', this.lanes === 'quad' ? 'all lanes' : 'only the quad', () => { this.lanes = this.lanes === 'quad' ? 'all' : 'quad'; this.mark(); }),
      copyButton('Copy as command', () => this.commandText()));
    if (focus) this.bar.querySelector<HTMLElement>(`[aria-label="${focus}"]`)?.focus();
  }

  private commandText(): string {
    const trace = this.trace!;
    const place = trace.places[this.lane];
    const who = trace.pixels ? `--trace-pixel ${place[0]},${place[1]}`
      : `--trace-group ${trace.group.join(',')} --trace-thread ${trace.inGroup} --trace-lane ${this.lane}`;
    return `${this.command!.commandLine} --trace ${who}`;
  }

  private showValues(): void {
    const trace = this.trace!;
    const step = this.step;
    const object = step >= 0 ? trace.steps[step][2] : trace.steps[0]?.[2] ?? 0;
    const registers = registersBehind(trace, step);
    const simd = this.simd;
    const quad = this.lane & ~3;
    const lanes = this.lanes === 'quad' ? [0, 1, 2, 3].map((k) => quad + k) : [...Array(simd).keys()];
    const lastWritten = (row: Row) => isWritten(row, trace, step);
    const rows = rowsOf(this.program!, object, simd).filter((row) => this.which === 'all' || lanes.some((l) => cellText(registers, row, l) !== null));
    rows.sort((a, b) => Number(lastWritten(b)) - Number(lastWritten(a)));
    const activeMask = step >= 0 ? trace.steps[step][1] : trace.mask;
    const head = lanes.map((l) => h('th', { scope: 'col', class: l === this.lane ? 'own' : '',
      title: (trace.helpers >>> l & 1) ? 'helper invocation' : (activeMask >>> l & 1) ? 'active' : 'not active' },
      h('button', { type: 'button', onclick: () => this.store.set({ lane: l }), 'aria-label': `lane ${l}` },
        `${l}${(trace.helpers >>> l & 1) ? ' h' : ''}`)));
    const body = rows.map((row) => h('tr', { class: lastWritten(row) ? 'changed' : '' },
      h('th', { scope: 'row' }, row.name), h('td', { class: 'type' }, row.type),
      ...lanes.map((l) => {
        const text = cellText(registers, row, l);
        return h('td', { class: (l === this.lane ? 'own ' : '') + (text === null ? 'undefined' : '') + ((activeMask >>> l & 1) ? '' : ' off') }, text ?? 'undefined');
      })));
    replace(this.values, h('table', {}, h('caption', { class: 'hint' }, step >= 0 ? `behind step ${step + 1}; what it wrote stands first` : 'before the first step'),
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'name'), h('th', { scope: 'col' }, 'type'), ...head)), h('tbody', {}, ...body)));
  }
}
