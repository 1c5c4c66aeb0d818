// SPDX-License-Identifier: MIT
// The histogram of the shown picture. A drag moves what black and white stand for; a table says the same in words.

import { h, replace } from './dom';
import { Histogram, histogramOf } from './histogram';
import { Picture } from './model';
import { shortText } from './numbers';

const kHeight = 96;
const kColors: Record<string, string> = { R: '--red', G: '--green', B: '--blue' };

export class HistogramView {
  readonly element: HTMLDetailsElement;
  private canvas = h('canvas', { class: 'histogram', role: 'img' });
  private under = h('p', { class: 'hint', 'aria-hidden': 'true' });
  private table = h('div', { class: 'scroll' });
  private picture: Picture | null = null;
  private names: string[] = [];
  private counts: Histogram | null = null;
  private black = 0;
  private white = 1;

  /** onrange: other numbers for black and white; ongo: a texel that is no number is asked for. */
  constructor(private onrange: (black: number, white: number) => void, private ongo: (x: number, y: number) => void) {
    this.element = h('details', { class: 'histogram-pane' }, h('summary', {}, 'Histogram'), this.canvas, this.under, this.table);
    this.element.addEventListener('toggle', () => this.update());
    this.canvas.addEventListener('mousemove', (e) => { if (e.buttons === 0) this.tell(e); });
    this.canvas.addEventListener('mouseleave', () => this.explain());
    this.canvas.addEventListener('mousedown', (e) => this.drag(e));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  show(picture: Picture | null, names: string[], black: number, white: number): void {
    if (picture !== this.picture || names.join() !== this.names.join()) this.counts = null;
    this.picture = picture;
    this.names = names;
    this.black = black;
    this.white = white;
    this.element.hidden = picture === null;
    this.update();
  }

  /** Counting is left until somebody looks. */
  private update(): void {
    if (!this.element.open || !this.picture) return;
    if (!this.counts) {
      this.counts = histogramOf(this.picture, this.names);
      this.showTable();
      this.explain();
    }
    this.draw();
  }

  private explain(): void {
    this.under.textContent = 'Heights are logarithms of counts. Drag the lines of black and white, or write their numbers above.';
  }

  private showTable(): void {
    const { channels } = this.counts!;
    const width = this.picture!.width;
    const number = (v: number) => Number.isFinite(v) ? shortText(v) : '–';
    replace(this.table, h('table', {},
      h('caption', { class: 'hint' }, 'Values of the shown channels'),
      h('thead', {}, h('tr', {}, ...['Channel', 'Least', 'Greatest', 'NaN', 'Infinite', ''].map((t) => h('th', { scope: 'col' }, t)))),
      h('tbody', {}, ...channels.map((c) => h('tr', {}, h('th', { scope: 'row' }, c.name),
        h('td', {}, number(c.least)), h('td', {}, number(c.greatest)), h('td', { class: c.nan > 0 && 'bad' }, String(c.nan)),
        h('td', { class: c.infinite > 0 && 'bad' }, String(c.infinite)),
        h('td', {}, c.first >= 0 && h('button', { type: 'button', 'aria-label': `Go to the first of ${c.name} that is no finite number`,
          onclick: () => this.ongo(c.first % width, Math.floor(c.first / width)) }, 'Go to the first')))))));
    this.canvas.setAttribute('aria-label', 'Histogram: ' + channels.map((c) =>
      `${c.name} from ${number(c.least)} to ${number(c.greatest)}, ${c.nan} NaN, ${c.infinite} infinite`).join('; '));
  }

  /** The axis holds the values, black and white. */
  private get axis(): [number, number] {
    const { low, high } = this.counts!;
    const [from, to] = [Math.min(low, this.black, this.white), Math.max(high, this.black, this.white)];
    return to > from ? [from, to] : [from - 0.5, from + 0.5];
  }
  private xOf(value: number, width: number): number {
    const [from, to] = this.axis;
    return (value - from) / (to - from) * width;
  }
  private valueAt(e: MouseEvent, [from, to] = this.axis): number {
    const box = this.canvas.getBoundingClientRect();
    return from + (e.clientX - box.left) / box.width * (to - from);
  }

  private tell(e: MouseEvent): void {
    if (!this.counts) return;
    const { low, high, channels } = this.counts;
    const bins = channels[0]?.bins.length ?? 0;
    const step = (high - low) / bins;
    const bin = step > 0 ? Math.floor((this.valueAt(e) - low) / step) : 0;
    if (bin < 0 || bin >= bins) { this.explain(); return; }
    const whole = this.picture!.values !== 'float';
    const [from, to] = [low + bin * step, low + (bin + 1) * step - (whole ? 1 : 0)];
    const range = from === to ? shortText(from) : `${shortText(from)} to ${shortText(to)}`;
    this.under.textContent = `${range}: ` + channels.map((c) => `${c.name} ${c.bins[bin]}`).join(', ');
  }

  /** The nearer of black and white follows the mouse, on the axis that there was when the button went down. */
  private drag(e: MouseEvent): void {
    if (e.button !== 0 || !this.counts) return;
    e.preventDefault();
    const axis = this.axis;
    const start = this.valueAt(e, axis);
    const moves = Math.abs(start - this.black) <= Math.abs(start - this.white) ? 'black' : 'white';
    const move = (m: MouseEvent) => {
      const value = Math.min(axis[1], Math.max(axis[0], this.valueAt(m, axis)));
      const [black, white] = moves === 'black' ? [value, this.white] : [this.black, value];
      if (black !== white) this.onrange(black, white);  // which shows them here too
    };
    const up = () => {
      window.removeEventListener('mousemove', move);
      window.removeEventListener('mouseup', up);
    };
    move(e);
    window.addEventListener('mousemove', move);
    window.addEventListener('mouseup', up);
  }

  private draw(): void {
    const width = this.canvas.clientWidth;
    if (!this.counts || width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(kHeight * ratio);
    const c = this.canvas.getContext('2d')!;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(this.canvas);
    const { low, high, channels } = this.counts;
    const most = Math.log1p(Math.max(1, ...channels.map((k) => Math.max(0, ...k.bins))));
    for (const counts of channels) {
      c.fillStyle = style.getPropertyValue(kColors[counts.name] ?? '--ink');
      c.globalAlpha = channels.length > 1 ? 0.45 : 0.8;
      counts.bins.forEach((count, i) => {
        if (count === 0) return;
        const left = this.xOf(low + (high - low) * i / counts.bins.length, width);
        const right = this.xOf(low + (high - low) * (i + 1) / counts.bins.length, width);
        const tall = Math.max(1, Math.log1p(count) / most * kHeight);
        c.fillRect(left, kHeight - tall, Math.max(2, right - left), tall);
      });
    }
    c.globalAlpha = 1;
    c.font = '11px system-ui, sans-serif';
    c.textBaseline = 'top';
    for (const [name, value] of [['black', this.black], ['white', this.white]] as [string, number][]) {
      const x = Math.min(width - 1, Math.max(1, this.xOf(value, width)));
      c.strokeStyle = c.fillStyle = style.color;
      c.lineWidth = 1.5;
      c.beginPath();
      c.moveTo(x, 0);
      c.lineTo(x, kHeight);
      c.stroke();
      c.textAlign = x > width / 2 ? 'right' : 'left';
      c.fillText(name, x + (x > width / 2 ? -4 : 4), name === 'black' ? 2 : 15);
    }
  }
}
