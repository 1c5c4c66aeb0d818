// SPDX-License-Identifier: MIT
// What a command drew, small, in the list of commands: made when it comes into view.

import { h } from './dom';
import { Command, Picture, pictureOf } from './model';
import { valueOf } from './numbers';
import { Source } from './source';

const kWidth = 96, kHeight = 54;

/** The first image that the command wrote; -1: none. */
function shownImage(command: Command): number {
  for (const role of ['target', 'storage', 'depth'])
    for (let i = 0; i < command.images.length; ++i) if (command.images[i].role === role) return i;
  return -1;
}

function draw(canvas: HTMLCanvasElement, p: Picture, srgb: boolean, depth: boolean): void {
  const scale = Math.min(kWidth / p.width, kHeight / p.height);
  const [width, height] = [Math.max(1, Math.round(p.width * scale)), Math.max(1, Math.round(p.height * scale))];
  canvas.width = width;
  canvas.height = height;
  const texels = p.width * p.height;
  const value = (c: number, i: number) => valueOf(p.words[c * texels + i], p.values);
  let low = 0, high = 1;
  if (depth || p.values !== 'float') {
    low = Infinity; high = -Infinity;
    for (let i = 0; i < texels; ++i) { const v = value(0, i); low = Math.min(low, v); high = Math.max(high, v); }
    if (!(high > low)) high = low + 1;
  }
  const context = canvas.getContext('2d')!;
  const image = context.createImageData(width, height);
  for (let y = 0; y < height; ++y)
    for (let x = 0; x < width; ++x) {
      const from = Math.floor((y + 0.5) / scale) * p.width + Math.floor((x + 0.5) / scale);
      for (let k = 0; k < 3; ++k) {
        const c = Math.max(0, p.channels.length < 3 ? 0 : p.channels.indexOf('RGB'[k]));
        const v = Math.min(1, Math.max(0, (value(c, Math.min(from, texels - 1)) - low) / (high - low)));
        image.data[4 * (y * width + x) + k] = Math.round(255 * (srgb ? v ** (1 / 2.2) : v));
      }
      image.data[4 * (y * width + x) + 3] = 255;
    }
  context.putImageData(image, 0, 0);
}

const waiting = new Map<Element, () => void>();
const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    watcher.unobserve(entry.target);
    waiting.get(entry.target)?.();
    waiting.delete(entry.target);
  }
});

/** Decoration: the picture itself stands beside the list. */
export function thumbnail(source: Source, command: Command): HTMLElement | null {
  const number = shownImage(command);
  if (number < 0) return null;
  const canvas = h('canvas', { class: 'thumbnail', 'aria-hidden': 'true', width: kWidth, height: kHeight });
  waiting.set(canvas, async () => {
    const info = command.images[number];
    const picture = await pictureOf(source, command, number, 'after', info.shownLevel, 0);
    if (picture) draw(canvas, picture, info.srgb, info.role === 'depth');
    else canvas.remove();
  });
  watcher.observe(canvas);
  return canvas;
}
