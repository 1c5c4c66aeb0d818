// SPDX-License-Identifier: MIT
// Blending written out with its numbers (OM-9, OM-26).

import { Blend, Command, Fragment } from './model';
import { floatOf, floatText } from './numbers';

const kFactors: Record<number, [text: string, value: (s: number[], d: number[], c: number) => number | null]> = {
  0x01: ['1', () => 1], 0x02: ['source', (s, _, c) => s[c]], 0x03: ['source alpha', (s) => s[3]],
  0x04: ['destination alpha', (_, d) => d[3]], 0x05: ['destination', (_, d, c) => d[c]],
  0x06: ['min(source alpha, 1 − destination alpha)', (s, d, c) => c === 3 ? 1 : Math.min(s[3], 1 - d[3])],
  0x07: ['constant', () => null], 0x08: ['constant alpha', () => null], 0x09: ['second source', () => null],
  0x0a: ['second source alpha', () => null], 0x11: ['0', () => 0], 0x12: ['1 − source', (s, _, c) => 1 - s[c]],
  0x13: ['1 − source alpha', (s) => 1 - s[3]], 0x14: ['1 − destination alpha', (_, d) => 1 - d[3]],
  0x15: ['1 − destination', (_, d, c) => 1 - d[c]], 0x17: ['1 − constant', () => null], 0x18: ['1 − constant alpha', () => null],
  0x19: ['1 − second source', () => null], 0x1a: ['1 − second source alpha', () => null] };
const kFunctions = ['+', '−', 'reverse −', 'min', 'max'];

const blendOf = (command: Command, f: Fragment): Blend | undefined => command.blend[command.images[f.target] ? targetNumber(command, f.target) : 0];
/** The rule that the blending follows. */
export const blendRule = (command: Command, f: Fragment) => blendOf(command, f)?.advanced === undefined ? 'OM-9' : 'OM-26';

/** A line for each channel; empty where nothing was blended. */
export function blendText(command: Command, f: Fragment, channels: string): string[] {
  const blend = blendOf(command, f);
  if (!blend?.enable || f.fate !== 0) return [];
  const source = f.color.map(floatOf);
  const destination = f.before.map(floatOf);
  const text = (value: number | null, name: string) => value === null ? name : floatText(Math.fround(value));
  return [...channels].map((name) => {
    const c = 'RGBA'.indexOf(name);
    const [from, operation, to] = c === 3 ? blend.alpha : blend.color;
    const a = kFactors[from];
    const b = kFactors[to];
    const stored = floatText(floatOf(f.after[c]));
    if (blend.advanced !== undefined)
      return `${name}: ${blend.advanced} of ${floatText(source[c])} over ${floatText(destination[c])}, alphas ${floatText(source[3])} and ${floatText(destination[3])}, stored ${stored}`;
    if (operation > 2) return `${name}: ${kFunctions[operation]}(${floatText(source[c])}, ${floatText(destination[c])}), stored ${stored}`;
    return `${name}: ${floatText(source[c])} · ${text(a[1](source, destination, c), a[0])} ${kFunctions[operation]} ` +
      `${floatText(destination[c])} · ${text(b[1](source, destination, c), b[0])}, stored ${stored}  (${a[0]}; ${b[0]})`;
  });
}

/** The blend entry of a target: targets in the order of the command's images. */
function targetNumber(command: Command, image: number): number {
  return command.images.slice(0, image).filter((i) => i.role === 'target').length;
}
