// SPDX-License-Identifier: MIT
// The documents of a report (docs/explorer.md) and what is read out of them.

import { Source, fromPlanes, getJson } from './source';
import { Values } from './numbers';

export interface ImageInfo {
  name: string; role: string; format: string; type: string;
  width: number; height: number; depth: number; levels: number; layers: number; samples: number;
  channels: string; srgb: boolean; values: Values; bits: number; unorm: boolean; shownLevel: number;
}
export interface Finding {
  id: string; message: string; severity: string; count: number; file: string; line: number; subject: string;
  who?: string; pixel?: [number, number]; global?: [number, number, number]; lane?: number;
}
export interface Command {
  number: number; name: string; label: string; kind: 'draw' | 'dispatch'; commandLine: string; engine: string;
  platform: string; simd: number; kernel: string; instructions: number; threads: number; texelsRead: number;
  fragments: number; differs: string[]; images: ImageInfo[]; traced: number[][]; tracedThreads: number[];
  printed: string[]; findings: Finding[];
}
export interface Index { version: number; title: string; commands: Command[]; }

export interface Program {
  name: string; text: string;
  instructions: [line: number, source: number, sourceLine: number, column: number, kind: number][];
  objects: { name: string; variables: [name: string, type: string, at: number, bytes: number][]; predicates: string[] }[];
  sources: { name: string; text: string }[];
}

export type Tap = [kind: string, x: number, y: number, slice: number, weighted: boolean,
  r: number, g: number, b: number, a: number];
export interface TexelLevel {
  level: number; size: number[]; linear: boolean; axes: number; value?: number[];
  probes: { weight: number[]; taps: Tap[] }[];
}
export interface TexelLane {
  lane: number; coordinate: string[]; face: number; index: number; offset: number[]; dx: string[]; dy: string[];
  rho2: string[]; lod: number; bias: number; laneLod: number; minLod: number; maxLod: number; chosen: number;
  unclamped: number; magnify: boolean; outOfBounds: boolean; beta: number; ratio: string; filter: string;
  anisotropic: number; line: string[]; reference: string; compare: boolean; levels: TexelLevel[];
  value?: number[]; result: number[];
}
export interface TexelSteps {
  op: string; surface: number; name: string; address: string[]; mip: string; gather: boolean; channel?: number;
  lanes: TexelLane[];
}
export type Step = [instruction: number, lanes: number, object: number, writes: (number | string)[],
  predicates?: number[], texels?: TexelSteps];
export interface Trace {
  thread: number; mask: number; helpers: number; group: number[]; inGroup: number; pixels: boolean;
  places: [number, number, number][]; start: (number | string)[]; steps: Step[];
}

export interface Fragment {
  x: number; y: number; thread: number; primitive: number; target: number; lane: number; fate: number;
  sample: number; instruction: number; depth: number; color: number[]; before: number[]; after: number[];
}
export const kTile = 64;
const kColumns = 19;

/** Fragments of one pixel, in their order; null where the report has not got them. */
export async function fragmentsAt(source: Source, command: number, x: number, y: number): Promise<Fragment[] | null> {
  const name = `history/${command}/${Math.floor(x / kTile)}/${Math.floor(y / kTile)}`;
  if (!source.has(name)) return null;
  const bytes = await source.get(name);
  if (!bytes) return [];
  const words = fromPlanes(bytes);
  const count = words.length / kColumns;
  const place = (x | y << 16) >>> 0;
  const list: Fragment[] = [];
  for (let i = 0; i < count; ++i) {
    if (words[i] !== place) continue;
    const column = (c: number) => words[c * count + i];
    const four = (c: number) => [column(c), column(c + 1), column(c + 2), column(c + 3)];
    const bits = column(3);
    list.push({ x, y, thread: column(1), primitive: column(2), target: bits & 255, lane: bits >> 8 & 255,
      fate: bits >> 16 & 255, sample: column(4), instruction: column(5), depth: column(6), color: four(7),
      before: four(11), after: four(15) });
  }
  return list;
}

/** The texels of one level and slice: for each channel a word a texel. */
export interface Picture { width: number; height: number; channels: string; values: Values; words: Uint32Array; }

export function levelSize(image: ImageInfo, level: number): [number, number] {
  return [Math.max(1, image.width >> level), Math.max(1, image.height >> level)];
}

export function pictureName(command: number, image: number, when: string, level: number, slice: number): string {
  return `image/${command}/${image}/${when}/${level}/${slice}`;
}

export async function pictureOf(source: Source, command: Command, image: number, when: string, level: number,
  slice: number): Promise<Picture | null> {
  const name = pictureName(command.number, image, when, level, slice);
  if (!source.has(name)) return null;
  const bytes = await source.get(name);
  if (!bytes) return null;
  const info = command.images[image];
  const [width, height] = levelSize(info, level);
  return { width, height, channels: info.channels, values: info.values, words: fromPlanes(bytes) };
}

export function texelAt(picture: Picture, x: number, y: number): number[] {
  const texels = picture.width * picture.height;
  return [...picture.channels].map((_, c) => picture.words[c * texels + y * picture.width + x]);
}

export const traceName = (command: number, thread: number) => `trace/${command}/${thread}`;
export async function traceOf(source: Source, command: number, thread: number): Promise<Trace | null> {
  return source.has(traceName(command, thread)) ? getJson<Trace>(source, traceName(command, thread)) : null;
}
