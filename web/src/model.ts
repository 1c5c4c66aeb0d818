// SPDX-License-Identifier: MIT
// The documents of a report (docs/explorer.md) and what is read out of them.

import { Source, fromPlanes, getJson } from './source';
import { Values, floatOf } from './numbers';

export interface ImageInfo {
  name: string; role: string; format: string; type: string;
  width: number; height: number; depth: number; levels: number; layers: number; samples: number;
  channels: string; srgb: boolean; values: Values; bits: number; unorm: boolean; shownLevel: number;
}
export interface Finding {
  id: string; message: string; severity: string; count: number; file: string; line: number; subject: string;
  who?: string; pixel?: [number, number]; global?: [number, number, number]; lane?: number;
}
/** Factors and function as numbers of the hardware's enumerations: [source, function, destination]. */
export interface Blend { enable: boolean; advanced?: string; color: [number, number, number]; alpha: [number, number, number]; }
export interface Command {
  number: number; name: string; label: string; before?: string[]; kind: 'draw' | 'dispatch'; commandLine: string; engine: string;
  platform: string; simd: number; kernel: string; instructions: number; threads: number; texelsRead: number;
  fragments: number; state: string; blend: Blend[]; differs: string[]; images: ImageInfo[]; traced: number[][]; tracedThreads: number[];
  printed: string[]; findings: Finding[];
  stages?: Stage[]; samplers: { name: string; text: string }[]; args: { name: string; count: number }[]; of?: number;
}
/** A stage before the pixels; `corners`: it is the last one, whose invocations made the corners of what was drawn. */
export interface Stage { stage: string; name: string; simd: number; threads: number; corners: boolean; traced: number[]; }
/** `before` of a command, and `behind` of the last one: passes and transfers that are no commands of the report.
 *  `start`: what the page shows where its address says nothing. */
export interface Index { version: number; title: string; commands: Command[]; behind?: string[];
  start?: { draw: number; image: string; pixel: [number, number] }; }

export interface Program {
  name: string; text: string;
  instructions: [line: number, source: number, sourceLine: number, column: number, kind: number][];
  objects: { name: string; variables: [name: string, type: string, at: number, bytes: number][]; predicates: string[] }[];
  sources: { name: string; text: string }[];
}

export type Tap = [kind: string, x: number, y: number, slice: number, weighted: boolean,
  r: number, g: number, b: number, a: number];
/** What OpImageSampleFootprintNV answers; `groups`: which groups of texels it names. */
export interface Footprint { anchor: number[]; offset: number[]; mask: string; granularity: number; group: number[]; groups: number[][]; }
export interface TexelLevel {
  level: number; size: number[]; linear: boolean; axes: number; value?: number[]; footprint?: Footprint;
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
  stage?: string; thread: number; mask: number; helpers: number; group: number[]; inGroup: number; pixels: boolean;
  places: [number, number, number][]; start: (number | string)[]; steps: Step[];
}

export interface Fragment {
  x: number; y: number; thread: number; primitive: number; target: number; lane: number; fate: number;
  sample: number; instruction: number; depth: number; stored: number; reason: number; color: number[]; before: number[]; after: number[];
}
export const kTile = 64;
const kColumns = 20;
export const kNoThread = 0xffffffff;

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
      fate: bits >> 16 & 255, reason: bits >>> 24, sample: column(4), instruction: column(5), depth: column(6),
      stored: column(7), color: four(8), before: four(12), after: four(16) });
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

/** `stage`: a stage before the pixels, by its word; empty: the pixels', or the grid's. */
export async function traceOf(source: Source, command: number, thread: number, stage = ''): Promise<Trace | null> {
  const name = `trace/${command}/${stage ? `${stage}/` : ''}${thread}`;
  return source.has(name) ? getJson<Trace>(source, name) : null;
}

const kNoInvocation = 0xffffffff;
/** `madeBy`: thread and lane of the invocation that made each corner, where that is known. */
export interface Primitive {
  vertices: number[]; x: number[]; y: number[]; z: number[]; front: boolean; madeBy: ([number, number] | null)[];
}
/** A primitive of the draw's mesh, in window coordinates. */
export async function primitiveOf(source: Source, command: number, number: number): Promise<Primitive | null> {
  const name = `primitives/${command}`;
  const bytes = source.has(name) ? await source.get(name) : null;
  if (!bytes) return null;
  const words = fromPlanes(bytes);
  const count = words.length / 17;
  const row = words.subarray(0, count).indexOf(number);
  if (row < 0) return null;
  const column = (c: number) => words[c * count + row];
  const three = (c: number) => [column(c), column(c + 1), column(c + 2)];
  return { vertices: three(1), x: three(4).map((w) => (w | 0) / 256), y: three(7).map((w) => (w | 0) / 256),
    z: three(10).map((w) => floatOf(w)), front: column(13) !== 0,
    madeBy: three(14).map((w) => w === kNoInvocation ? null : [w >>> 5, w & 31]) };
}
