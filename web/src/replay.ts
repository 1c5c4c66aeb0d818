// SPDX-License-Identifier: MIT
// The register file of a traced thread behind any of its steps.

import { Program, Trace } from './model';
import { elementText, typeBytes } from './numbers';

export class Registers {
  bytes = new Uint8Array(0);
  defined = new Uint8Array(0);
  predicates = new Map<number, number>();
  private grow(size: number): void {
    if (size <= this.bytes.length) return;
    const bytes = new Uint8Array(Math.max(size, 2 * this.bytes.length));
    const defined = new Uint8Array(bytes.length);
    bytes.set(this.bytes);
    defined.set(this.defined);
    this.bytes = bytes;
    this.defined = defined;
  }
  /** [at, hex digits, at, hex digits ...] */
  write(runs: (number | string)[]): void {
    for (let i = 0; i + 1 < runs.length; i += 2) {
      const at = runs[i] as number;
      const text = runs[i + 1] as string;
      this.grow(at + text.length / 2);
      for (let k = 0; k < text.length / 2; ++k) this.bytes[at + k] = parseInt(text.substr(2 * k, 2), 16);
      this.defined.fill(1, at, at + text.length / 2);
    }
  }
  isDefined(at: number, size: number): boolean {
    if (at + size > this.defined.length) return false;
    for (let i = 0; i < size; ++i) if (!this.defined[at + i]) return false;
    return true;
  }
}

/** Behind `step`; -1: before the first. */
export function registersBehind(trace: Trace, step: number): Registers {
  const registers = new Registers();
  registers.write(trace.start);
  for (let i = 0; i <= step; ++i) {
    const [, , , writes, predicates] = trace.steps[i];
    registers.write(writes);
    for (let k = 0; predicates && k + 1 < predicates.length; k += 2)
      registers.predicates.set(predicates[k], predicates[k + 1]);
  }
  return registers;
}

/** A row of the table of values: a variable's component, a value for each lane. */
export interface Row { name: string; group: string; type: string; at: number; size: number; lanes: number; predicate?: number; }

/** "plane_x" and "plane_y_2" are parts of vectors. */
export function splitName(name: string): { group: string; text: string } {
  const found = /^(.+)_([xyzw])(_\d+)?$/.exec(name);
  if (!found) return { group: name, text: name };
  const group = found[1] + (found[3] ?? '');
  return { group, text: `${group}.${found[2]}` };
}

export function rowsOf(program: Program, object: number, simd: number): Row[] {
  const rows: Row[] = [];
  for (const [name, type, at, bytes] of program.objects[object].variables) {
    const size = typeBytes[type] ?? 4;
    const elements = Math.floor(bytes / size);
    const { group, text } = splitName(name);
    if (elements <= simd) {
      rows.push({ name: text, group, type, at, size, lanes: elements });
      continue;
    }
    for (let c = 0; c * simd < elements; ++c)
      rows.push({ name: `${text}[${c}]`, group, type, at: at + c * simd * size, size,
        lanes: Math.min(simd, elements - c * simd) });
  }
  program.objects[object].predicates.forEach((name, i) =>
    rows.push({ name, group: name, type: 'bool', at: 0, size: 1, lanes: simd, predicate: i + 1 }));
  return rows;
}

/** What a lane has there; null: nobody wrote it. */
export function cellText(registers: Registers, row: Row, lane: number): string | null {
  if (row.predicate !== undefined) {
    const bits = registers.predicates.get(row.predicate);
    return bits === undefined ? null : (bits >>> lane & 1) !== 0 ? 'true' : 'false';
  }
  const at = row.at + (row.lanes === 1 ? 0 : lane) * row.size;
  if (row.lanes !== 1 && lane >= row.lanes) return null;
  return registers.isDefined(at, row.size) ? elementText(registers.bytes, at, row.type) : null;
}

/** Rows that a step wrote. */
export function isWritten(row: Row, trace: Trace, step: number): boolean {
  if (step < 0) return false;
  const [, , , writes, predicates] = trace.steps[step];
  if (row.predicate !== undefined)
    return predicates !== undefined && predicates.some((id, i) => i % 2 === 0 && id === row.predicate);
  for (let i = 0; i + 1 < writes.length; i += 2) {
    const from = writes[i] as number;
    const end = from + (writes[i + 1] as string).length / 2;
    if (from < row.at + row.lanes * row.size && row.at < end) return true;
  }
  return false;
}
