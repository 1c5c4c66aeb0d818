// SPDX-License-Identifier: MIT
// How often each value stands in a picture: counts of one channel, and what is no number.

import { Picture } from './model';
import { valueOf } from './numbers';

const kBins = 128;

export interface ChannelCounts {
  name: string;
  bins: Uint32Array;
  least: number;     // finite values alone; Infinity and -Infinity where there are none
  greatest: number;
  nan: number;
  infinite: number;  // of either sign
  first: number;     // the first texel, row after row, that is NaN or infinite; -1: none
}
export interface Histogram { low: number; high: number; channels: ChannelCounts[]; }

/** A channel's values, texel after texel. */
function reader(picture: Picture, c: number): (texel: number) => number {
  const from = c * picture.width * picture.height;
  if (picture.values === 'float') {
    const floats = new Float32Array(picture.words.buffer, picture.words.byteOffset, picture.words.length);
    return (i) => floats[from + i];
  }
  return (i) => valueOf(picture.words[from + i], picture.values);
}

/** The named channels over one range: that of their finite values. Integers have bins of whole numbers. */
export function histogramOf(picture: Picture, names: Iterable<string>): Histogram {
  const texels = picture.width * picture.height;
  const read: ((texel: number) => number)[] = [];
  const channels: ChannelCounts[] = [];
  for (const name of names) {
    const c = picture.channels.indexOf(name);
    if (c < 0) continue;
    const value = reader(picture, c);
    const counts: ChannelCounts = { name, bins: new Uint32Array(0), least: Infinity, greatest: -Infinity, nan: 0, infinite: 0, first: -1 };
    for (let i = 0; i < texels; ++i) {
      const v = value(i);
      if (Number.isFinite(v)) {
        if (v < counts.least) counts.least = v;
        if (v > counts.greatest) counts.greatest = v;
      } else {
        if (Number.isNaN(v)) ++counts.nan; else ++counts.infinite;
        if (counts.first < 0) counts.first = i;
      }
    }
    channels.push(counts);
    read.push(value);
  }
  let low = Math.min(...channels.map((c) => c.least));
  let high = Math.max(...channels.map((c) => c.greatest));
  if (!(low <= high)) [low, high] = [0, 0];
  let bins = low === high ? 1 : kBins;
  if (picture.values !== 'float') {  // whole numbers: each bin holds as many of them as the others
    const each = Math.ceil((high - low + 1) / kBins);
    bins = Math.ceil((high - low + 1) / each);
    high = low + bins * each;
  }
  channels.forEach((counts, k) => {
    counts.bins = new Uint32Array(bins);
    const scale = high > low ? bins / (high - low) : 0;
    for (let i = 0; i < texels; ++i) {
      const v = read[k](i);
      if (Number.isFinite(v)) ++counts.bins[Math.min(bins - 1, Math.floor((v - low) * scale))];
    }
  });
  return { low, high, channels };
}
