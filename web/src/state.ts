// SPDX-License-Identifier: MIT
// What is shown, kept in the URL's fragment: #draw=3&pixel=412,88&image=color&step=12&view=texels

export interface State {
  draw: number;
  image: string;       // name; empty: the first that was written
  when: 'after' | 'before';
  level: number;       // -1: the one that was drawn to
  slice: number;
  pixel: [number, number] | null;
  fragment: number;    // which of the pixel's history; -1: the last
  step: number;        // -1: before the first
  lane: number;        // -1: the picked pixel's
  stage: string;       // before the pixels: "vert" ...; empty: the pixels' own
  thread: number;      // of that stage; -1: its first one
  view: string;
}
export const start: State = { draw: 0, image: '', when: 'after', level: -1, slice: 0, pixel: null, fragment: -1,
  step: -1, lane: -1, stage: '', thread: -1, view: 'history' };
/** What is picked leads back to the pixels' own shader. */
const kPicks = ['draw', 'pixel', 'fragment'] as const;

type Listener = (state: State, changed: Set<keyof State>) => void;

export class Store {
  state: State = { ...start };
  private listeners: Listener[] = [];
  /** `begin`: what an address without a fragment shows. */
  constructor(private begin: Partial<State> = {}) {
    this.state = this.read();
    window.addEventListener('hashchange', () => this.set(this.read()));
  }
  listen(listener: Listener): void { this.listeners.push(listener); }
  set(change: Partial<State>): void {
    const changed = new Set<keyof State>();
    for (const key of Object.keys(change) as (keyof State)[])
      if (JSON.stringify(change[key]) !== JSON.stringify(this.state[key])) changed.add(key);
    if (this.state.stage && change.stage === undefined && kPicks.some((key) => changed.has(key))) {
      change = { ...change, stage: '', thread: -1 };
      changed.add('stage').add('thread');
    }
    if (changed.size === 0) return;
    this.state = { ...this.state, ...change };
    this.write();
    for (const listener of this.listeners) listener(this.state, changed);
  }
  /** The address says what is shown. */
  write(): void {
    if (location.hash === this.fragment()) return;
    try {
      history.replaceState(null, '', this.fragment());
    } catch (problem) {
      // In a notebook the page is the text of a frame (srcdoc): its address may not be changed.
      if (!(problem instanceof DOMException)) throw problem;
    }
  }
  fragment(): string {
    const parts: string[] = [];
    for (const key of Object.keys(start) as (keyof State)[]) {
      const value = this.state[key];
      if (JSON.stringify(value) !== JSON.stringify(start[key])) parts.push(`${key}=${encodeURIComponent(String(value))}`);
    }
    return '#' + parts.join('&').replaceAll('%2C', ',');
  }
  private read(): State {
    if (location.hash.length < 2) return { ...start, ...this.begin };
    const state: State = { ...start };
    const words = new URLSearchParams(location.hash.slice(1));
    const number = (key: 'draw' | 'level' | 'slice' | 'fragment' | 'step' | 'lane' | 'thread') => {
      const value = Number(words.get(key) ?? NaN);
      if (Number.isInteger(value)) state[key] = value;
    };
    for (const key of ['draw', 'level', 'slice', 'fragment', 'step', 'lane', 'thread'] as const) number(key);
    state.stage = words.get('stage') ?? '';
    state.image = words.get('image') ?? '';
    state.view = words.get('view') ?? start.view;
    if (words.get('when') === 'before') state.when = 'before';
    const pixel = /^(\d+),(\d+)$/.exec(words.get('pixel') ?? '');
    if (pixel) state.pixel = [Number(pixel[1]), Number(pixel[2])];
    return state;
  }
}
