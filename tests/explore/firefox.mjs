// SPDX-License-Identifier: MIT
// firefox.mjs HEDDLE FIREFOX: the explorer's page in Firefox ESR: a report from disk and a served page, by mouse and keys, whose
// numbers are the attachment's.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Firefox } from './marionette.mjs';

const [heddle, program] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'heddle-explore-'));
const at = (name) => join(folder, name);
const run = (...words) => execFileSync(heddle, words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const kWidth = 40, kHeight = 30;
const flags = ['mixed.frag', '--image', 'wall=wall.pfm:mips', '--sampler', 'wall=trilinear,repeat',
  '--target', `color=out.bin:r32g32b32a32_sfloat:${kWidth}x${kHeight}`];

const texels = new Float32Array(8 * 8 * 3).map((_, i) => (i * 37 % 101) / 100);
writeFileSync(at('wall.pfm'), Buffer.concat([Buffer.from('PF\n8 8\n-1.0\n'), Buffer.from(texels.buffer)]));
copyFileSync(join(dirname(fileURLToPath(import.meta.url)), 'scene', 'mixed.frag'), at('mixed.frag'));
run('run', ...flags);
run('explore', ...flags, '--trace', `0,0,${kWidth}x${kHeight}`, '-o', 'report.html');
const attachment = new Float32Array(new Uint8Array(readFileSync(at('out.bin'))).buffer);
const texel = (x, y) => [...attachment.subarray(4 * (y * kWidth + x), 4 * (y * kWidth + x) + 4)];

let firefox, server;
/** Until the page shows what its address says. */
const ready = () => firefox.until(() => document.body.dataset.ready !== undefined &&
  (document.body.dataset.ready === location.hash || (document.body.dataset.ready === '#' && location.hash === '')));
async function open(address) {
  await firefox.open('about:blank');  // only the fragment may differ, which loads nothing
  await firefox.open(address);
  await ready();
}
const shown = async () => [...(await firefox.text('.status')).matchAll(/[RGBA] (\S+)/g)].map((m) => Math.fround(Number(m[1])));
const hash = () => firefox.run(() => location.hash);

const cases = [];
const test = (name, body) => cases.push([name, body]);

test('a report from disk: the mouse picks, and its values are the attachment\'s', async () => {
  await open(`file://${at('report.html')}`);
  await firefox.clickRight('canvas.picture');
  await ready();
  const [x, y] = /pixel=(\d+),(\d+)/.exec(await hash()).slice(1).map(Number);
  assert.ok(Math.abs(x - kWidth / 2) <= 1 && Math.abs(y - kHeight / 2) <= 1, `${x}, ${y}`);
  assert.deepEqual(await shown(), texel(x, y));
});

test('keys move and pick', async () => {
  await open(`file://${at('report.html')}#pixel=12,9`);
  await firefox.run(() => document.querySelector('canvas.picture').focus());
  await firefox.press('\uE014', '\uE015');  // right, down
  await ready();
  assert.match(await hash(), /pixel=13,10/);
  assert.deepEqual(await shown(), texel(13, 10));
});

test('the history ends with the attachment\'s value, the instructions too', async () => {
  await open(`file://${at('report.html')}#pixel=20,15&view=history`);
  const row = await firefox.run(() => [...document.querySelectorAll('.history tbody tr:last-child td')].map((cell) => cell.textContent));
  assert.equal(row[3], 'written');
  assert.deepEqual(row[7].split(', ').map((text) => Math.fround(Number(text))), texel(20, 15));
  await open(`file://${at('report.html')}#pixel=20,15&view=instructions&step=100000`);
  const value = await firefox.run(() => [...document.querySelectorAll('.values tbody tr')]
    .find((line) => line.querySelector('th').textContent === 'color.x').querySelector('td.own').textContent);
  assert.equal(Math.fround(Number(value)), texel(20, 15)[0]);
});

test('texels: four, whose weights add up to one, and their footprint', async () => {
  await open(`file://${at('report.html')}#pixel=20,15&view=texels`);
  const weights = await firefox.run(() => [...document.querySelectorAll('.texels .detail section:nth-of-type(2) tbody tr')]
    .map((line) => line.cells[3].textContent));
  assert.equal(weights.length, 4);
  const sum = weights.reduce((all, text) => all + (text.startsWith('0, ') ? 0 : Number(text)), 0);
  assert.ok(Math.abs(sum - 1) < 1e-6, weights.join());
  assert.match(await firefox.text('.texels .footprint'), /granularity 1 \(groups of 2×2 texels\)/);
});

test('the page loads nothing', async () => {
  await open(`file://${at('report.html')}`);
  assert.deepEqual(await firefox.run(() => performance.getEntriesByType('resource').map((entry) => entry.name)), []);
  assert.equal(await firefox.run(() => fetch('https://example.org/').then(() => 'loaded', () => 'refused')), 'refused');
});

test('served: a pixel is traced when it is picked', async () => {
  server = spawn(heddle, ['explore', ...flags, '--trace', '0,0,1x1', '--serve'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise((resolve, reject) => {
    let text = '';
    server.stdout.on('data', (part) => { text += part; if (text.includes('\n')) resolve(text.trim()); });
    server.on('exit', (code) => reject(new Error(`heddle explore --serve ended with ${code}`)));
  });
  await open(`${address}#pixel=30,10&view=instructions&step=100000`);
  assert.deepEqual(await shown(), texel(30, 10));
  assert.match(await firefox.text('.instructions [role="status"]'), /pixel 30, 10/);
  const asked = await firefox.run(() => performance.getEntriesByType('resource').map((entry) => entry.name));
  assert.ok(asked.length > 0 && asked.every((name) => name.startsWith(address)), asked.join());
});

process.on('exit', () => server?.kill('SIGKILL'));  // where a signal ends the test
let failed = 0;
try {
  firefox = await Firefox.start(program);
  for (const [name, body] of cases) {
    try {
      await body();
      console.log(`ok      ${name}`);
    } catch (problem) {
      ++failed;
      console.log(`FAILED  ${name}\n${problem.stack}`);
    }
  }
} finally {
  server?.removeAllListeners('exit');
  server?.kill('SIGINT');
  await firefox?.end();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);
