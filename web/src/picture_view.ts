// SPDX-License-Identifier: MIT
// The picture: zoom at the cursor, pick with the right button or Enter, arrow keys, exact values below.

import { h, replace, copyButton } from './dom';
import { histogramOf } from './histogram';
import { HistogramView } from './histogram_view';
import { Command, ImageInfo, Picture, levelSize, pictureName, pictureOf, texelAt } from './model';
import { Source } from './source';
import { Store } from './state';
import { Values, floatOf, floatText, hex, shortText, valueOf, wordText } from './numbers';

const kGridFrom = 8;      // screen pixels a texel from which the grid is drawn
const kNumbersFrom = 44;  // and numbers

export class PictureView {
  readonly element: HTMLElement;
  private canvas = h('canvas', { tabindex: '0', role: 'application', class: 'picture',
    'aria-roledescription': 'picture', 'aria-describedby': 'picture-help' });
  private status = h('p', { class: 'status', role: 'status', 'aria-live': 'polite' });
  private tools = h('div', { class: 'tools', role: 'group', 'aria-label': 'What is shown' });
  private note = h('p', { class: 'note', hidden: true });
  private help = h('p', { id: 'picture-help', class: 'hint help' },
    'Wheel or + and − zoom, drag or Shift with arrows moves the picture, arrows move the cursor, right click or Enter picks, 0 fits.');
  private histogram = new HistogramView(
    (black, white) => { this.low = black; this.high = white; this.showTools(); this.render(); this.draw(); },
    (x, y) => { this.moveTo([x, y]); this.scrollTo(this.cursor); this.pick(); });
  private scaled = document.createElement('canvas');
  private picture: Picture | null = null;
  private info: ImageInfo | null = null;
  private zoom = 1;
  private left = 0;
  private top = 0;
  private cursor: [number, number] = [0, 0];
  private fitted = false;
  private channels = new Set(['R', 'G', 'B']);
  private exposure = 0;
  private low = 0;
  private high = 1;
  private encode = false;
  private shownKey = '';
  /** The other report, in whose place this one is shown while they are compared. */
  other: Source | null = null;
  flipped = false;

  constructor(private source: Source, private commands: () => Command[], private store: Store) {
    this.element = h('section', { class: 'picture-pane', 'aria-labelledby': 'picture-title' },
      h('h2', { id: 'picture-title' }, 'Picture'), this.tools, this.note, this.canvas, this.status, this.help,
      this.histogram.element);
    this.canvas.addEventListener('wheel', (e) => { e.preventDefault(); this.zoomAt(e.deltaY < 0 ? 1.25 : 0.8, ...this.mouse(e)); },
      { passive: false });
    this.canvas.addEventListener('mousemove', (e) => this.hover(e));
    this.canvas.addEventListener('mousedown', (e) => this.drag(e));
    this.canvas.addEventListener('contextmenu', (e) => { e.preventDefault(); this.moveTo(this.texelUnder(e)); this.pick(); });
    this.canvas.addEventListener('dblclick', (e) => { this.moveTo(this.texelUnder(e)); this.pick(); });
    this.canvas.addEventListener('keydown', (e) => this.key(e));
    new ResizeObserver(() => { if (!this.fitted) this.fit(); this.draw(); }).observe(this.canvas);
  }

  get command(): Command { return this.commands()[this.store.state.draw]; }

  /** Number of the image that the state means. */
  imageNumber(command: Command): number {
    const named = command.images.findIndex((i) => i.name === this.store.state.image);
    if (named >= 0) return named;
    const rank = ['target', 'storage', 'depth', 'stencil', 'read'];
    let best = -1;
    command.images.forEach((image, i) => {
      if (best < 0 || rank.indexOf(image.role) < rank.indexOf(command.images[best].role)) best = i;
    });
    return best;
  }

  async show(): Promise<void> {
    const { state } = this.store;
    const command = this.command;
    const number = command ? this.imageNumber(command) : -1;
    const source = this.flipped && this.other ? this.other : this.source;
    this.info = number >= 0 ? command.images[number] : null;
    const key = JSON.stringify([command?.number, number, state.when, state.level, state.slice, this.flipped]);
    if (key === this.shownKey) { this.moveToPicked(); return; }
    const changedImage = this.shownKey.split(',').slice(0, 2).join() !== key.split(',').slice(0, 2).join();
    this.shownKey = key;
    this.picture = null;
    if (this.info) {
      const level = state.level < 0 ? this.info.shownLevel : state.level;
      const when = this.info.role === 'read' ? 'before' : state.when;
      this.picture = await pictureOf(source, command, number, when, level, state.slice);
      if (changedImage) this.setRange();
    }
    this.note.hidden = this.picture !== null;
    this.note.textContent = this.info ? 'The report has no room for this picture (--budget).' : 'This command has no images.';
    this.showTools();
    this.render();
    if (changedImage || !this.fitted) this.fit();
    this.moveToPicked();
  }

  private moveToPicked(): void {
    const { pixel } = this.store.state;
    if (pixel) this.cursor = this.picture ? [Math.min(pixel[0], this.picture.width - 1), Math.min(pixel[1], this.picture.height - 1)] : pixel;
    this.scrollTo(this.cursor);
    this.draw();
    this.tell();
  }

  /** What numbers black and white stand for. */
  private setRange(): void {
    const info = this.info!;
    this.low = 0;
    this.high = 1;
    this.encode = info.srgb;
    this.channels = new Set(info.channels.includes('R') ? ['R', 'G', 'B'].filter((c) => info.channels.includes(c)) : [...info.channels]);
    if (info.values !== 'float' || info.role === 'depth' || info.role === 'stencil') this.setRangeOfValues();
  }

  private setRangeOfValues(): void {
    if (!this.picture) return;
    const counted = histogramOf(this.picture, this.channels).channels;
    const low = Math.min(...counted.map((c) => c.least));
    const high = Math.max(...counted.map((c) => c.greatest));
    this.low = low <= high ? low : 0;
    this.high = high > this.low ? high : this.low + 1;
  }

  private select(label: string, value: string, options: [string, string][], change: (value: string) => void): HTMLElement {
    const list = h('select', { 'aria-label': label, onchange: () => change(list.value) },
      ...options.map(([v, text]) => h('option', { value: v, selected: v === value }, text)));
    return h('label', {}, label + ' ', list);
  }

  private showTools(): void {
    const { state } = this.store;
    const command = this.command;
    const info = this.info;
    if (!command || !info) { replace(this.tools); return; }
    const number = command.images.indexOf(info);
    const level = state.level < 0 ? info.shownLevel : state.level;
    const has = (when: string, l: number, s: number) => this.source.has(pictureName(command.number, number, when, l, s));
    const items: HTMLElement[] = [
      this.select('Image', info.name, command.images.map((i) => [i.name, `${i.name} (${i.role}, ${i.format})`]),
        (image) => this.store.set({ image, level: -1, slice: 0 }))];
    if (info.role !== 'read' && has('before', level, state.slice))
      items.push(h('button', { type: 'button', 'aria-pressed': String(state.when === 'before'), title: 'B',
        onclick: () => this.store.set({ when: state.when === 'before' ? 'after' : 'before' }) }, 'Before'));
    if (info.levels > 1)
      items.push(this.select('Level', String(level), [...Array(info.levels).keys()].map((l) =>
        [String(l), `${l}: ${levelSize(info, l).join('×')}`]), (l) => this.store.set({ level: Number(l), slice: 0 })));
    const slices = info.type === '3d' ? Math.max(1, info.depth >> level) : info.layers * info.samples;
    if (slices > 1)
      items.push(this.select(info.samples > 1 ? 'Layer, sample' : 'Layer', String(state.slice),
        [...Array(slices).keys()].map((s) => [String(s), info.samples > 1
          ? `${Math.floor(s / info.samples)}, ${s % info.samples}` : String(s)]),
        (s) => this.store.set({ slice: Number(s) })));
    for (const c of info.channels)
      items.push(h('button', { type: 'button', class: 'channel', 'aria-pressed': String(this.channels.has(c)),
        'aria-label': `channel ${c}`, onclick: () => {
          if (this.channels.has(c)) this.channels.delete(c); else this.channels.add(c);
          this.showTools(); this.render(); this.draw();
        } }, c));
    const number_ = (label: string, value: number, change: (v: number) => void) => {
      const input = h('input', { type: 'number', step: 'any', value: String(Number(value.toPrecision(6))), 'aria-label': label,
        onchange: () => { change(Number(input.value)); this.render(); this.draw(); } });
      return h('label', {}, label + ' ', input);
    };
    items.push(number_('Black', this.low, (v) => { this.low = v; }), number_('White', this.high, (v) => { this.high = v; }),
      number_('Exposure', this.exposure, (v) => { this.exposure = v; }),
      h('button', { type: 'button', onclick: () => { this.setRangeOfValues(); this.showTools(); this.render(); this.draw(); } }, 'Fit range'),
      h('button', { type: 'button', 'aria-pressed': String(this.encode), title: 'shows linear values as a screen expects them',
        onclick: () => { this.encode = !this.encode; this.showTools(); this.render(); this.draw(); } }, 'sRGB'),
      copyButton('Copy as command', () => command.commandLine));
    replace(this.tools, ...items);
  }

  private shownChannels(picture: Picture): string[] { return [...picture.channels].filter((c) => this.channels.has(c)); }

  /** The texels as a screen shows them. */
  private render(): void {
    const p = this.picture;
    this.histogram.show(p, p ? this.shownChannels(p) : [], this.low, this.high);
    if (!p) return;
    this.scaled.width = p.width;
    this.scaled.height = p.height;
    const context = this.scaled.getContext('2d')!;
    const image = context.createImageData(p.width, p.height);
    const texels = p.width * p.height;
    const scale = 2 ** this.exposure / (this.high - this.low);
    const byte = (value: number) => {
      let v = Math.min(1, Math.max(0, (value - this.low) * scale));
      if (Number.isNaN(v)) return 0;
      if (this.encode) v = v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055;
      return Math.round(255 * v);
    };
    const shown = this.shownChannels(p);
    const floats = p.values === 'float' ? new Float32Array(p.words.buffer) : null;
    const plane = (name: string) => {
      const c = p.channels.indexOf(name);
      return (i: number) => byte(floats ? floats[c * texels + i] : valueOf(p.words[c * texels + i], p.values));
    };
    const gray = shown.length === 1 ? plane(shown[0]) : null;
    const planes = ['R', 'G', 'B'].map((c) => shown.includes(c) ? plane(c) : () => 0);
    for (let i = 0; i < texels; ++i) {
      for (let k = 0; k < 3; ++k) image.data[4 * i + k] = gray ? (k === 0 ? gray(i) : image.data[4 * i]) : planes[k](i);
      image.data[4 * i + 3] = 255;
    }
    context.putImageData(image, 0, 0);
  }

  fit(): void {
    const p = this.picture;
    const box = this.canvas.getBoundingClientRect();
    if (!p || box.width === 0) return;
    this.zoom = Math.min(box.width / p.width, box.height / p.height);
    if (this.zoom > 1) this.zoom = Math.min(32, Math.floor(this.zoom));
    this.left = (box.width - p.width * this.zoom) / 2;
    this.top = (box.height - p.height * this.zoom) / 2;
    this.fitted = true;
    this.draw();
  }

  private mouse(e: MouseEvent): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  }
  private texelUnder(e: MouseEvent): [number, number] {
    const [x, y] = this.mouse(e);
    return [Math.floor((x - this.left) / this.zoom), Math.floor((y - this.top) / this.zoom)];
  }
  private zoomAt(factor: number, x: number, y: number): void {
    const next = Math.min(256, Math.max(0.02, this.zoom * factor));
    this.left = x - (x - this.left) * next / this.zoom;
    this.top = y - (y - this.top) * next / this.zoom;
    this.zoom = next;
    this.draw();
  }
  private moveTo([x, y]: [number, number]): void {
    if (!this.picture) return;
    this.cursor = [Math.min(this.picture.width - 1, Math.max(0, x)), Math.min(this.picture.height - 1, Math.max(0, y))];
    this.draw();
    this.tell();
  }
  private pick(): void {
    this.store.set({ pixel: [...this.cursor], fragment: -1, step: -1, lane: -1 });
    this.tell();
  }
  private hover(e: MouseEvent): void {
    if (!this.picture || e.buttons !== 0) return;
    const [x, y] = this.texelUnder(e);
    if (x >= 0 && y >= 0 && x < this.picture.width && y < this.picture.height) this.tell([x, y]);
  }
  private drag(e: MouseEvent): void {
    this.canvas.focus();
    if (e.button !== 0) return;
    let [x, y] = [e.clientX, e.clientY];
    let moved = false;
    const move = (m: MouseEvent) => {
      moved ||= Math.hypot(m.clientX - x, m.clientY - y) > 3;
      if (!moved) return;
      this.left += m.clientX - x;
      this.top += m.clientY - y;
      [x, y] = [m.clientX, m.clientY];
      this.draw();
    };
    const up = (m: MouseEvent) => {
      window.removeEventListener('mousemove', move);
      window.removeEventListener('mouseup', up);
      if (!moved) this.moveTo(this.texelUnder(m));
    };
    window.addEventListener('mousemove', move);
    window.addEventListener('mouseup', up);
  }

  private key(e: KeyboardEvent): void {
    const arrows: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const arrow = arrows[e.key];
    const box = this.canvas.getBoundingClientRect();
    const [cx, cy] = [(this.cursor[0] + 0.5) * this.zoom + this.left, (this.cursor[1] + 0.5) * this.zoom + this.top];
    if (arrow && e.shiftKey) {
      this.left -= arrow[0] * box.width / 8;
      this.top -= arrow[1] * box.height / 8;
      this.draw();
    } else if (arrow) {
      this.moveTo([this.cursor[0] + arrow[0], this.cursor[1] + arrow[1]]);
      this.scrollTo(this.cursor);
      if (this.store.state.pixel) this.pick();
    } else if (e.key === 'Enter' || e.key === ' ') this.pick();
    else if (e.key === '+' || e.key === '=') this.zoomAt(1.5, cx, cy);
    else if (e.key === '-') this.zoomAt(1 / 1.5, cx, cy);
    else if (e.key === '0') this.fit();
    else if (e.key === 'b' && this.info?.role !== 'read')
      this.store.set({ when: this.store.state.when === 'before' ? 'after' : 'before' });
    else return;
    e.preventDefault();
  }

  private scrollTo([x, y]: [number, number]): void {
    const box = this.canvas.getBoundingClientRect();
    const sx = (x + 0.5) * this.zoom + this.left;
    const sy = (y + 0.5) * this.zoom + this.top;
    if (sx < 0 || sx > box.width) this.left += box.width / 2 - sx;
    if (sy < 0 || sy > box.height) this.top += box.height / 2 - sy;
    this.draw();
  }

  draw(): void {
    const box = this.canvas.getBoundingClientRect();
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(box.width * ratio), Math.round(box.height * ratio)];
    if (width === 0) return;
    if (this.canvas.width !== width || this.canvas.height !== height) { this.canvas.width = width; this.canvas.height = height; }
    const c = this.canvas.getContext('2d')!;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, box.width, box.height);
    const p = this.picture;
    if (!p) return;
    c.imageSmoothingEnabled = this.zoom < 1;
    c.drawImage(this.scaled, this.left, this.top, p.width * this.zoom, p.height * this.zoom);
    if (this.zoom >= kGridFrom) this.drawGrid(c, box.width, box.height);
    const style = getComputedStyle(this.canvas);
    c.strokeStyle = style.getPropertyValue('--accent');
    c.lineWidth = 1;
    for (const [x, y, w, hh] of this.command?.traced ?? [])
      if (this.info?.role !== 'read') c.strokeRect(x * this.zoom + this.left, y * this.zoom + this.top, w * this.zoom, hh * this.zoom);
    this.frame(c, this.cursor, style.color);
    if (this.store.state.pixel) this.frame(c, this.store.state.pixel, '#ff2d78');
  }

  private frame(c: CanvasRenderingContext2D, [x, y]: [number, number], color: string): void {
    const size = Math.max(this.zoom, 5);
    const sx = (x + 0.5) * this.zoom + this.left - size / 2;
    const sy = (y + 0.5) * this.zoom + this.top - size / 2;
    c.lineWidth = 3;
    c.strokeStyle = '#000';
    c.strokeRect(sx, sy, size, size);
    c.lineWidth = 1.5;
    c.strokeStyle = color;
    c.strokeRect(sx, sy, size, size);
  }

  private drawGrid(c: CanvasRenderingContext2D, width: number, height: number): void {
    const p = this.picture!;
    const x0 = Math.max(0, Math.floor(-this.left / this.zoom));
    const y0 = Math.max(0, Math.floor(-this.top / this.zoom));
    const x1 = Math.min(p.width, Math.ceil((width - this.left) / this.zoom));
    const y1 = Math.min(p.height, Math.ceil((height - this.top) / this.zoom));
    c.strokeStyle = 'rgba(128,128,128,0.6)';
    c.lineWidth = 1;
    c.beginPath();
    for (let x = x0; x <= x1; ++x) { c.moveTo(x * this.zoom + this.left, y0 * this.zoom + this.top); c.lineTo(x * this.zoom + this.left, y1 * this.zoom + this.top); }
    for (let y = y0; y <= y1; ++y) { c.moveTo(x0 * this.zoom + this.left, y * this.zoom + this.top); c.lineTo(x1 * this.zoom + this.left, y * this.zoom + this.top); }
    c.stroke();
    if (this.zoom < kNumbersFrom) return;
    c.font = '10px ui-monospace, monospace';
    c.textAlign = 'center';
    c.textBaseline = 'middle';
    for (let y = y0; y < y1; ++y)
      for (let x = x0; x < x1; ++x)
        texelAt(p, x, y).forEach((word, k, all) => {
          const sx = (x + 0.5) * this.zoom + this.left;
          const sy = (y + 0.5) * this.zoom + this.top + (k - (all.length - 1) / 2) * 10.5;
          const text = p.values === 'float' ? shortText(floatOf(word)) : wordText(word, p.values);
          c.lineWidth = 2.5;
          c.strokeStyle = '#000';
          c.strokeText(text, sx, sy);
          c.fillStyle = '#fff';
          c.fillText(text, sx, sy);
        });
  }

  /** Coordinates, numbers and words of a texel. */
  private tell(at: [number, number] = this.cursor): void {
    const p = this.picture;
    const info = this.info;
    if (!p || !info || at[0] >= p.width || at[1] >= p.height) { this.status.textContent = ''; return; }
    const words = texelAt(p, ...at);
    const text = words.map((word, c) => `${p.channels[c]} ${wordText(word, p.values)}`).join('  ');
    const bits = words.map((word) => hex(word)).join(' ');
    const stored = info.unorm && !info.srgb && p.values === 'float' && info.bits <= 16
      ? '  stored ' + words.map((word) => Math.round(floatOf(word) * (2 ** info.bits - 1))).join(' ') : '';
    const label = `${info.name} ${at[0]}, ${at[1]}: ${text}`;
    replace(this.status, h('span', {}, `(${at[0]}, ${at[1]})  ${text}`), h('span', { class: 'bits' }, `  ${bits}${stored}`));
    this.canvas.setAttribute('aria-label', label);
  }

  /** The value of the picked pixel in the shown image. */
  static text(words: number[], values: Values): string {
    return words.map((w) => values === 'float' ? floatText(floatOf(w)) : wordText(w, values)).join(', ');
  }
}
