// SPDX-License-Identifier: MIT
// Numbers as people read them, exactly.

const view = new DataView(new ArrayBuffer(8));

export function floatOf(word: number): number {
  view.setUint32(0, word);
  return view.getFloat32(0);
}

/** The shortest text that is this binary32 number and no other. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '-∞';
  if (Object.is(value, -0)) return '-0';
  for (let digits = 1; digits <= 9; ++digits) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(value);
}

/** The same, short: for cells. */
export function shortText(value: number): string {
  if (!Number.isFinite(value)) return floatText(value);
  const text = floatText(value);
  return text.length <= 7 ? text : String(Number(value.toPrecision(4)));
}

export function hex(word: number, digits = 8): string {
  return '0x' + (word >>> 0).toString(16).padStart(digits, '0');
}

export function halfOf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = bits >> 10 & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

export type Values = 'float' | 'uint' | 'sint';

/** A texel's channel as a number. */
export function valueOf(word: number, values: Values): number {
  return values === 'float' ? floatOf(word) : values === 'sint' ? word | 0 : word >>> 0;
}

export function wordText(word: number, values: Values): string {
  return values === 'float' ? floatText(floatOf(word)) : String(valueOf(word, values));
}

/** Bytes of the sizes of vISA's types. */
export const typeBytes: Record<string, number> = {
  ud: 4, d: 4, uw: 2, w: 2, ub: 1, b: 1, df: 8, f: 4, uq: 8, q: 8, hf: 2, bf: 2, bool: 1, uv: 4, v: 4, vf: 4 };

/** An element of a register as its type has it. */
export function elementText(bytes: Uint8Array, at: number, type: string): string {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (type) {
    case 'f': return floatText(data.getFloat32(at, true));
    case 'df': return String(data.getFloat64(at, true));
    case 'hf': return floatText(halfOf(data.getUint16(at, true)));
    case 'd': return String(data.getInt32(at, true));
    case 'w': return String(data.getInt16(at, true));
    case 'b': return String(data.getInt8(at));
    case 'uw': return String(data.getUint16(at, true));
    case 'ub': return String(data.getUint8(at));
    case 'q': return String(data.getBigInt64(at, true));
    case 'uq': return String(data.getBigUint64(at, true));
    default: return String(data.getUint32(at, true));
  }
}
