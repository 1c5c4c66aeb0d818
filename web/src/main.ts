// SPDX-License-Identifier: MIT
// The explorer's page: commands at the left, the picture, and what is known of the picked pixel.

import { h, replace, copyButton } from './dom';
import { Command, Finding, Fragment, Index, Program, Trace, fragmentsAt, kNoThread, primitiveOf, traceOf } from './model';
import { EmbeddedSource, Source, getJson, openSource } from './source';
import { Store } from './state';
import { PictureView } from './picture_view';
import { HistoryView } from './history_view';
import { InstructionsView } from './instructions_view';
import { TexelsView } from './texels_view';
import { setRules, ruleLink } from './rules';
import { compareReports } from './compare';
import { WhatIfView } from './what_if_view';
import { thumbnail } from './thumbnails';

const kViews: [string, string][] = [['history', 'History'], ['instructions', 'Instructions'], ['texels', 'Texels'], ['findings', 'Findings'], ['compare', 'Compare'], ['whatif', 'What if']];

/** 5466619 as 5 466 619, with spaces that do not break. */
const grouped = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, '\u202f');

class App {
  private picture: PictureView;
  private history: HistoryView;
  private instructions: InstructionsView;
  private texels: TexelsView;
  private whatIf: WhatIfView;
  private views: [string, string][];
  private programs = new Map<string, Program | null>();
  private fragments: Fragment[] | null = null;
  private fragmentsKey = '';
  private trace: Trace | null = null;
  private traceKey = '';
  private why = '';
  private list = h('nav', { 'aria-label': 'Commands', class: 'commands' });
  private tabs = h('div', { role: 'tablist', 'aria-label': 'The picked pixel', class: 'tabs' });
  private findings = h('div', { class: 'findings' });
  private compare = h('div', { class: 'compare' });
  private panels = new Map<string, HTMLElement>();
  private other: { source: Source; index: Index } | null = null;
  private problem = h('p', { class: 'bad', role: 'alert', hidden: true });
  private updating = Promise.resolve();

  constructor(private source: Source, private index: Index, private store: Store) {
    this.picture = new PictureView(source, () => this.index.commands, store);
    this.history = new HistoryView(source, () => this.index.commands, store);
    this.instructions = new InstructionsView(store);
    this.texels = new TexelsView(source, store);
    this.whatIf = new WhatIfView(source, store, () => this.index.commands, (command) => {
      this.index.commands[command.number] = command;
      this.showCommands();
    });
    // A report cannot run anything.
    this.views = kViews.filter(([id]) => source.served || id !== 'whatif');
  }

  start(root: HTMLElement): void {
    const views: Record<string, HTMLElement> = { history: this.history.element, instructions: this.instructions.element,
      texels: this.texels.element, findings: this.findings, compare: this.compare, whatif: this.whatIf.element };
    for (const [id, label] of this.views) {
      this.tabs.append(h('button', { type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': `panel-${id}`,
        onclick: () => this.store.set({ view: id }) }, label));
      this.panels.set(id, h('div', { role: 'tabpanel', id: `panel-${id}`, 'aria-labelledby': `tab-${id}`, hidden: true }, views[id]));
    }
    this.tabs.addEventListener('keydown', (e) => {
      const at = this.views.findIndex(([id]) => id === this.store.state.view);
      const step = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
      if (step === 0) return;
      const next = this.views[(at + step + this.views.length) % this.views.length][0];
      this.store.set({ view: next });
      document.getElementById(`tab-${next}`)?.focus();
      e.preventDefault();
    });
    replace(root, h('header', {}, h('h1', {}, this.index.title), h('p', { class: 'hint' }, 'Heddle: every value is what ran, bit for bit.'), this.problem),
      h('div', { class: 'body' }, this.list, h('div', { class: 'content' }, this.picture.element,
        h('section', { class: 'detail-pane', 'aria-label': 'Details' }, this.tabs, ...this.panels.values()))));
    this.showCommands();
    this.showCompare();
    this.store.listen(() => this.update());
    this.update();
  }

  private get command(): Command { return this.index.commands[this.store.state.draw] ?? this.index.commands[0]; }

  /** Of a command; `stage`: of one before its pixels. */
  private async program(number: number, stage = ''): Promise<Program | null> {
    const name = `program/${number}${stage && `/${stage}`}`;
    if (!this.programs.has(name)) this.programs.set(name, await getJson<Program>(this.source, name));
    return this.programs.get(name) ?? null;
  }

  private update(): void {
    this.updating = this.updating.then(() => this.refresh()).then(() => { this.problem.hidden = true; }, (problem) => this.fail(problem));
  }

  /** What could not be shown is said; the next update tries again. */
  private fail(problem: unknown): void {
    replace(this.problem, `This cannot be shown: ${problem}`);
    this.problem.hidden = false;
    this.fragmentsKey = this.traceKey = '';
    document.body.classList.remove('busy');
    reportError(problem);
  }

  private async refresh(): Promise<void> {
    const { state } = this.store;
    if (!this.index.commands[state.draw]) { this.store.set({ draw: 0 }); return; }
    const command = this.command;
    if (state.stage && !command.stages?.some((s) => s.stage === state.stage)) { this.store.set({ stage: '', thread: -1 }); return; }
    if (!this.panels.has(state.view)) { this.store.set({ view: 'history' }); return; }
    document.body.classList.toggle('picked', state.pixel !== null);
    for (const [id] of this.views) {
      const chosen = id === state.view;
      this.panels.get(id)!.hidden = !chosen;
      const tab = document.getElementById(`tab-${id}`)!;
      tab.setAttribute('aria-selected', String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    }
    for (const button of this.list.querySelectorAll('button[data-command]'))
      button.setAttribute('aria-current', String(button.getAttribute('data-command') === String(state.draw)));
    await this.picture.show();
    const program = await this.program(command.number);
    await this.findPixel(command);
    const lane = state.lane >= 0 ? state.lane : state.stage ? 0 : this.laneOf();
    const shown = state.stage ? await this.program(command.number, state.stage) : program;
    const fragment = this.chosenFragment();
    const primitive = fragment && command.kind === 'draw' ? await primitiveOf(this.source, command.number, fragment.primitive) : null;
    if (state.view === 'history') await this.history.show(command, program, this.fragments, primitive);
    if (state.view === 'whatif') await this.whatIf.show(command);
    if (state.view === 'instructions') this.instructions.show(command, shown, this.trace, lane, this.why);
    if (state.view === 'texels') await this.texels.show(command, shown, this.trace, lane, this.why);
    if (state.view === 'findings') this.showFindings(command);
    this.store.write();
    document.body.dataset.ready = this.store.fragment();
  }

  private chosenFragment(): Fragment | null {
    const list = this.fragments;
    if (!list || list.length === 0) return null;
    return list[this.store.state.fragment] ?? list[list.length - 1];
  }

  /** The lane of the chosen fragment, or of the picked invocation. */
  private laneOf(): number {
    const fragment = this.chosenFragment();
    if (fragment && fragment.thread === this.trace?.thread) return fragment.lane;
    const pixel = this.store.state.pixel;
    const lane = this.trace && pixel ? this.trace.places.findIndex(([x, y], i) =>
      x === pixel[0] && y === pixel[1] && (this.trace!.mask >>> i & 1) !== 0) : -1;
    return Math.max(0, lane);
  }

  /** The picked pixel's history, and the trace of the thread that shaded it. */
  private async findPixel(command: Command): Promise<void> {
    const { pixel } = this.store.state;
    const key = JSON.stringify([command.number, pixel]);
    if (key !== this.fragmentsKey) {
      this.fragments = pixel ? await fragmentsAt(this.source, command.number, pixel[0], pixel[1]) : null;
      this.fragmentsKey = key;
    }
    const { stage } = this.store.state;
    const fragment = this.chosenFragment();
    const thread = stage ? Math.max(0, this.store.state.thread) : fragment ? (fragment.thread === kNoThread ? -1 : fragment.thread) : command.fragments === 0 ? await this.threadAt(command) : -1;
    const traceKey = JSON.stringify([command.number, stage, thread]);
    if (traceKey === this.traceKey) return;
    this.traceKey = traceKey;
    document.body.classList.add('busy');
    this.trace = thread >= 0 ? await traceOf(this.source, command.number, thread, stage) : null;
    document.body.classList.remove('busy');
    const rectangles = command.traced.map(([x, y, w, hh]) => `${w}×${hh} at ${x}, ${y}`).join('; ');
    const front = command.stages?.find((s) => s.stage === stage);
    this.why = front ? `The report has no trace of thread ${thread}. Traced of the ${front.name} shader: threads ${front.traced.join(', ')}.` : fragment?.thread === kNoThread ? 'Early tests kept this fragment away: no thread ran for it.' : !pixel ? 'Pick a pixel of the picture: right click, or Enter at the cursor.'
      : `The report has no trace of this ${command.kind === 'draw' ? 'pixel' : 'invocation'}. Traced: ${rectangles}. heddle explore --trace ${pixel.join(',')} adds it.`;
  }

  /** Of a dispatch that writes no images: the traced thread that has the picked invocation, or the first. */
  private async threadAt(command: Command): Promise<number> {
    const { pixel } = this.store.state;
    if (!pixel) return command.tracedThreads[0] ?? -1;
    for (const thread of command.tracedThreads) {
      const trace = await traceOf(this.source, command.number, thread);
      if (trace?.places.some(([x, y], i) => x === pixel[0] && y === pixel[1] && (trace.mask >>> i & 1) !== 0)) return thread;
    }
    return -1;
  }

  private showCommands(): void {
    const between = (lines?: string[]) => (lines ?? []).map((text) => h('li', { class: 'passing' }, text));
    const items = this.index.commands.flatMap((c) => [...between(c.before), h('li', { class: c.of === undefined ? '' : 'changed' }, h('button', { type: 'button', 'data-command': String(c.number),
      onclick: () => this.store.set({ draw: c.number, image: '', level: -1, slice: 0, fragment: -1, step: -1, lane: -1 }) },
      thumbnail(this.source, c),
      h('strong', {}, `${c.number} ${c.kind}`), ` ${c.of === undefined ? '' : `(${c.of} changed) `}${c.label || c.name}`, h('br'),
      h('span', { class: 'hint' }, `${c.fragments ? `${grouped(c.fragments)} fragments, ` : ''}${grouped(c.instructions)} instructions, ${grouped(c.texelsRead)} texels read`),
      c.findings.length > 0 && h('span', { class: 'bad' }, ` ${c.findings.length} finding${c.findings.length === 1 ? '' : 's'}`),
      c.differs.length > 0 && h('span', { class: 'bad' }, ` engines differ in ${c.differs.join(', ')}`)))]);
    replace(this.list, h('h2', {}, 'Commands'), h('ol', { start: '0' }, ...items, ...between(this.index.behind)));
  }

  private openFinding(command: Command, finding: Finding): void {
    const at = finding.pixel ?? finding.global;
    if (at) this.store.set({ pixel: [at[0], at[1]], fragment: -1, lane: finding.lane ?? -1, step: -1, view: 'instructions', draw: command.number });
  }

  private showFindings(command: Command): void {
    const copy = copyButton('Copy as command', () => `${command.commandLine} --check warn`);
    if (command.findings.length === 0) { replace(this.findings, h('p', {}, 'The checks found nothing in this command.'), copy); return; }
    replace(this.findings, copy, h('ul', {}, ...command.findings.map((f) => h('li', { class: f.severity },
      h('p', {}, h('strong', {}, f.severity), ` ${f.message} `, ruleLink(f.id), f.count > 1 && ` (${f.count} times)`),
      h('p', { class: 'hint' }, `${f.file}:${f.line}${f.who ?? ''}`),
      (f.pixel || f.global) && h('button', { type: 'button', onclick: () => this.openFinding(command, f) }, 'Show the invocation')))));
  }

  private showCompare(): void {
    const file = h('input', { type: 'file', accept: '.html', 'aria-label': 'another report', onchange: async () => {
      const chosen = file.files?.[0];
      if (!chosen) return;
      flip.hidden = true;
      flip.setAttribute('aria-pressed', 'false');
      this.picture.flipped = false;
      this.picture.other = this.other = null;
      try {
        const text = await chosen.text();
        const source = new EmbeddedSource(new DOMParser().parseFromString(text, 'text/html'));
        const index = await getJson<Index>(source, 'index');
        if (!index) { replace(result, h('p', { class: 'bad' }, `${chosen.name} is no report of heddle explore.`)); return; }
        const other = { source, index };
        await compareReports(result, { source: this.source, index: this.index }, other, this.store);
        this.other = other;
        this.picture.other = source;
        flip.hidden = false;
      } catch (problem) {
        replace(result, h('p', { class: 'bad' }, `${chosen.name} cannot be compared: it is not whole (${problem}).`));
      }
    } });
    const flip = h('button', { type: 'button', hidden: true, 'aria-pressed': 'false', onclick: () => {
      this.picture.flipped = !this.picture.flipped;
      flip.setAttribute('aria-pressed', String(this.picture.flipped));
      this.update();
    } }, 'Show the other picture');
    const result = h('div', { class: 'result', 'aria-live': 'polite' });
    replace(this.compare, h('label', {}, 'Another report of the same commands: ', file), flip, result);
  }
}

async function main(): Promise<void> {
  const root = document.getElementById('app')!;
  const source = openSource(document);
  const index = await getJson<Index>(source, 'index');
  if (!index) { replace(root, h('p', {}, 'This report has no index: the file is not whole.')); return; }
  setRules(await getJson(source, 'rules'));
  document.title = `${index.title} - Heddle`;
  new App(source, index, new Store(index.start)).start(root);
}
main().catch((problem) => replace(document.getElementById('app')!, h('p', {}, `The report cannot be shown: ${problem}`)));
