// SPDX-License-Identifier: MIT
// speed.mjs HEDDLE NODE_MODULES CHROMIUM: how long a reader of the explorer waits, as rows of a table (docs/explorer.md):
// until a report is open, until a served pixel is there, until many draws are listed. Run at the root of the repository, on an
// idle machine, behind ./dev run, which makes the textures.
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Desk } from './page.mjs';

const kRounds = 5, kPixels = 20, kDraws = 1000;
const desk = new Desk([resolve(process.argv[2]), ...process.argv.slice(3)]);
const here = dirname(fileURLToPath(import.meta.url));
const job = (name) => resolve(here, '..', '..', 'examples', `${name}.toml`);

const row = (what, milliseconds, wanted) => {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  const text = (value) => value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${Math.round(value)} ms`;
  console.log(`| ${what} | ${text(sorted[sorted.length >> 1])} | ${text(sorted[sorted.length - 1])} | ${wanted} |`);
};
async function opened(address) {
  const times = [];
  for (let n = 0; n < kRounds; ++n) {
    const start = performance.now();
    await desk.open(address);
    times.push(performance.now() - start);
  }
  return times;
}

desk.test('report', async () => {
  desk.run('explore', job('gbuffer'), '-q', '-o', 'report.html');
  const megabytes = (statSync(desk.at('report.html')).size / 1e6).toFixed(1);
  row(`a report of ${megabytes} MB opens`, await opened(`file://${desk.at('report.html')}#pixel=256,256&view=instructions`), '2 s');
});

for (const name of ['environment', 'gbuffer', 'shadow-3-filters'])
  desk.test(name, async () => {
    const address = await desk.serve(job(name), '--trace', '0,0,1x1');
    await desk.open(address);
    const times = [];
    for (let n = 0; n < kPixels; ++n) {
      const at = [10 + n * 97 % 480, 10 + n * 61 % 380];  // within the pictures of all of them
      const start = performance.now();
      await desk.page.evaluate(([x, y]) => { location.hash = `#pixel=${x},${y}&view=instructions&step=100000`; }, at);
      await desk.ready();
      times.push(performance.now() - start);
    }
    row(`a pixel of ${name}, served`, times, '200 ms');
  });

desk.test('draws', async () => {
  mkdirSync(desk.at('draws'));
  for (const name of ['places.frag', 'corners.vert']) copyFileSync(join(here, 'scene', name), desk.at(`draws/${name}`));
  const text = 'program = "places.frag"\n[images.color]\nformat = "R8G8B8A8_UNORM"\nsize = [16, 16]\n[pixels]\nvertex = "corners.vert"\nvertices = 3\n';
  for (let n = 0; n < kDraws; ++n) writeFileSync(desk.at(`draws/${String(n).padStart(6, '0')}.toml`), `# label: draw ${n}\n${text}`);
  desk.run('explore', 'draws', '-q', '--trace', '8,8', '-o', 'draws.html');
  const times = await opened(`file://${desk.at('draws.html')}`);
  const listed = await desk.page.locator('.commands li').count();
  if (listed !== kDraws) throw new Error(`${listed} of ${kDraws} draws are listed`);
  row(`${kDraws} draws are listed (${(readFileSync(desk.at('draws.html')).length / 1e6).toFixed(1)} MB)`, times, '2 s');
});

console.log('| what | median | longest | wanted |\n|---|---|---|---|');
process.exit(await desk.work());
