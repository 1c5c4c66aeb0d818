// SPDX-License-Identifier: MIT
// browser.mjs HEDDLE NODE_MODULES CHROMIUM: the explorer's page, driven by mouse and keys. What it shows is compared with the
// attachment and with the trace of `heddle run`.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, copyFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync, inflateSync } from 'node:zlib';

const [heddle, modules, chromiumPath] = process.argv.slice(2);
const require = createRequire(join(modules, 'x.js'));
const { chromium } = require('playwright-core');
const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'heddle-explore-'));
const at = (name) => join(folder, name);
const run = (...words) => execFileSync(heddle, words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const kWidth = 40, kHeight = 30;
const flags = ['mixed.frag', '--image', 'wall=wall.pfm:mips', '--sampler', 'wall=trilinear,repeat',
  '--target', `color=out.bin:r32g32b32a32_sfloat:${kWidth}x${kHeight}`];

/** A texture whose texels all differ. */
function makeTexture() {
  const texels = new Float32Array(8 * 8 * 3);
  for (let i = 0; i < texels.length; ++i) texels[i] = (i * 37 % 101) / 100;
  writeFileSync(at('wall.pfm'), Buffer.concat([Buffer.from('PF\n8 8\n-1.0\n'), Buffer.from(texels.buffer)]));
}

function makeReports() {
  makeTexture();
  copyFileSync(join(here, 'scene', 'mixed.frag'), at('mixed.frag'));
  run('run', ...flags);
  run('explore', ...flags, '--trace', `0,0,${kWidth}x${kHeight}`, '-o', 'report.html');
  writeFileSync(at('changed.frag'), readFileSync(at('mixed.frag'), 'utf8').replace('sum.rgb * uv.x', 'sum.rgb * uv.x * (uv.y > 0.5 ? 0.5 : 1.0)'));
  run('explore', 'changed.frag', ...flags.slice(1), '--trace', `0,0,${kWidth}x${kHeight}`, '-o', 'other.html');
  // Sixteen columns: red is the column's number, green 1/4 or 3/4; one texel is no number, one is infinite.
  writeFileSync(at('columns.frag'), `#version 450
layout(location = 0) out vec4 color;
void main() {
  vec2 at = floor(gl_FragCoord.xy);
  color = vec4(at.x, at.y < 2.0 ? 0.25 : 0.75, 0.0, 1.0);
  if (at == vec2(5.0, 3.0)) color.r = intBitsToFloat(0x7fc00000);
  if (at == vec2(9.0, 6.0)) color.g = intBitsToFloat(0xff800000);
}
`);
  run('explore', 'columns.frag', '--target', 'color=columns.bin:r32g32b32a32_sfloat:16x8', '-o', 'columns.html');
}

const cases = [];
const test = (name, body) => cases.push([name, body]);
let page, requests;

async function open(hash = '', file = 'report.html', options = {}) {
  if (page) await page.close();
  page = await context.newPage();
  if (options.viewport) await page.setViewportSize(options.viewport);
  requests = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => { throw error; });
  await page.goto('file://' + at(file) + hash);
  await ready();
}
/** Until the page shows what its address says. */
const ready = () => page.waitForFunction(() => document.body.dataset.ready !== undefined &&
  (document.body.dataset.ready === location.hash || (document.body.dataset.ready === '#' && location.hash === '')), null, { timeout: 0 });

const attachment = () => new Float32Array(new Uint8Array(readFileSync(at('out.bin'))).buffer);
const texel = (x, y) => [...attachment().subarray(4 * (y * kWidth + x), 4 * (y * kWidth + x) + 4)];
/** The numbers that the status line shows. */
const shown = async () => [...(await page.locator('.status').textContent()).matchAll(/[RGBA] (\S+)/g)].map((m) => Math.fround(Number(m[1])));

test('a report may say where it begins, and an address says otherwise', async () => {
  const text = readFileSync(at('report.html'), 'utf8').replace(/(data-name="index">)([^<]*)/, (_, begin, block) => {
    const index = JSON.parse(inflateSync(Buffer.from(block, 'base64')));
    return begin + deflateSync(JSON.stringify({ ...index, start: { draw: 0, image: 'color', pixel: [7, 11] } })).toString('base64');
  });
  writeFileSync(at('begins.html'), text);
  await open('', 'begins.html');
  assert.equal(new URL(page.url()).hash, '#image=color&pixel=7,11');
  assert.deepEqual(await shown(), texel(7, 11));
  await open('#pixel=20,15', 'begins.html');
  assert.deepEqual(await shown(), texel(20, 15));
});

test('no request leaves, and the page opens from disk', async () => {
  await open('#pixel=20,15');
  assert.deepEqual(requests.map((url) => url.split('#')[0]), ['file://' + at('report.html')]);
});

test('the content security policy lets nothing through', async () => {
  await open();
  const refused = await page.evaluate(() => fetch('https://example.org/').then(() => false, () => true));
  assert.ok(refused);
});

test('a pixel is picked by the mouse, and its values are the attachment\'s', async () => {
  await open();
  const box = await page.locator('canvas.picture').boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2, { button: 'right' });
  await ready();
  const [x, y] = /pixel=(\d+),(\d+)/.exec(await page.evaluate(() => location.hash)).slice(1).map(Number);
  assert.ok(Math.abs(x - kWidth / 2) <= 1 && Math.abs(y - kHeight / 2) <= 1, `${x}, ${y}`);
  assert.deepEqual(await shown(), texel(x, y));
});

/** Colors of a screenshot at places: PNG is decoded by another page, as this one may load nothing. */
async function colorsOf(png, places) {
  const other = await context.newPage();
  const colors = await other.evaluate(async ([base64, spots]) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    canvas.drawImage(bitmap, 0, 0);
    return spots.map(([x, y]) => [...canvas.getImageData(x, y, 1, 1).data.slice(0, 3)]);
  }, [png.toString('base64'), places]);
  await other.close();
  return colors;
}

test('a screenshot of the picture has the attachment\'s colors, before the command and behind it', async () => {
  await open();
  const picture = () => page.locator('canvas.picture');
  const { width, height } = await picture().boundingBox();
  const zoom = Math.floor(Math.min(width / kWidth, height / kHeight));  // pixels of the screen for a texel, in the middle
  const texels = [...Array(kWidth * kHeight).keys()].map((i) => [i % kWidth, Math.floor(i / kWidth)]).filter(([x, y]) => x + y > 2);  // not the cursor's
  const places = texels.map(([x, y]) => [Math.round((width - kWidth * zoom) / 2 + (x + 0.5) * zoom), Math.round((height - kHeight * zoom) / 2 + (y + 0.5) * zoom)]);
  const png = await picture().screenshot();
  const colors = await colorsOf(png, places);
  texels.forEach(([x, y], i) => {
    const expected = texel(x, y).slice(0, 3).map((v) => Math.round(255 * Math.min(1, Math.max(0, v))));
    assert.ok(colors[i].every((v, c) => Math.abs(v - expected[c]) <= 1), `texel ${x}, ${y}: ${colors[i]} is shown for ${expected}`);
  });
  await open();
  assert.ok(png.equals(await picture().screenshot()), 'the same address looks the same');
  await page.getByRole('button', { name: 'Before' }).click();
  await ready();
  for (const color of await colorsOf(await picture().screenshot(), places)) assert.deepEqual(color, [0, 0, 0]);
});

test('arrow keys and Enter move and pick', async () => {
  await open('#pixel=12,9');
  await page.locator('canvas.picture').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await ready();
  assert.match(await page.evaluate(() => location.hash), /pixel=13,10/);
  assert.deepEqual(await shown(), texel(13, 10));
});

test('the histogram counts values, says what is no number and leads there, and its lines are black and white', async () => {
  await open('', 'columns.html');
  const pane = page.locator('.histogram-pane');
  await pane.locator('summary').click();
  await pane.locator('tbody tr').first().waitFor();  // filled when the browser says that the pane is open
  const rows = (await pane.locator('tbody tr').allTextContents());
  assert.deepEqual(rows, ['R01510Go to the first', 'G0.250.7501Go to the first', 'B0000']);
  const canvas = pane.locator('canvas');
  assert.match(await canvas.getAttribute('aria-label'), /R from 0 to 15, 1 NaN, 0 infinite; G from 0.25 to 0.75, 0 NaN, 1 infinite; B from 0 to 0/);
  const box = await canvas.boundingBox();
  // The axis goes from 0 to 15: the first bin holds column 0 of red and all of blue.
  await page.mouse.move(box.x + 2, box.y + 50);
  assert.match(await pane.locator('p').textContent(), /^0 to 0\.1172: R 8, G 0, B 128$/);
  await page.mouse.move(box.x + box.width * 0.25 / 15 + 1, box.y + 50);
  assert.match(await pane.locator('p').textContent(), /: R 0, G 32, B 0$/);
  await page.mouse.move(box.x + box.width - 2, box.y + 50);
  assert.match(await pane.locator('p').textContent(), /^14\.88 to 15: R 8, G 0, B 0$/);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 8 / 15, box.y + 50);
  await page.mouse.up();
  const white = Number(await page.getByLabel('White').inputValue());
  assert.ok(Math.abs(white - 8) < 0.05, `white is ${white}`);
  assert.equal(await page.getByLabel('Black').inputValue(), '0');
  await pane.getByLabel('Go to the first of R that is no finite number').click();
  await ready();
  assert.match(await page.evaluate(() => location.hash), /pixel=5,3/);
  assert.match(await page.locator('.status').textContent(), /R NaN/);
});

// As heddle.explore shows it in a notebook: the text of a frame, which has no address that could say what is shown.
test('in a notebook the page is picked and stepped too', async () => {
  const text = readFileSync(at('report.html'), 'utf8').replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  writeFileSync(at('notebook.html'), '<!doctype html><meta charset="utf-8">' +
    `<iframe sandbox="allow-scripts" style="width:100%;height:90vh" srcdoc="${text}"></iframe>`);
  if (page) await page.close();
  page = await context.newPage();
  page.on('pageerror', (error) => { throw error; });
  await page.goto('file://' + at('notebook.html'));
  const frame = page.mainFrame().childFrames()[0];
  const says = (words) => frame.waitForFunction((wanted) => document.body.dataset.ready?.includes(wanted), words, { timeout: 0 });
  await says('#');
  await frame.locator('canvas.picture').click({ button: 'right' });
  await says('pixel=');
  const [x, y] = /pixel=(\d+),(\d+)/.exec(await frame.evaluate(() => document.body.dataset.ready)).slice(1).map(Number);
  const values = [...(await frame.locator('.status').textContent()).matchAll(/[RGBA] (\S+)/g)].map((m) => Math.fround(Number(m[1])));
  assert.deepEqual(values, texel(x, y));
  await frame.locator('#tab-instructions').click();
  await says('view=instructions');
  await frame.locator('.code').first().focus();
  await page.keyboard.press(']');
  await says('step=0');  // counted from -1, before the first
  assert.match(await frame.locator('.instructions [role="status"]').textContent(), /step 1 of/);
});

// One view that fails is said, and the page goes on with what is asked next.
test('a failure does not end the page', async () => {
  await open('#pixel=20,15');
  page.removeAllListeners('pageerror');
  const failures = [];
  page.on('pageerror', (error) => failures.push(error.message));
  await page.evaluate(() => {
    const real = globalThis.DecompressionStream;
    globalThis.DecompressionStream = class { constructor() { globalThis.DecompressionStream = real; throw new Error('broken once'); } };
    location.hash = '#pixel=5,3&view=instructions';
  });
  await page.locator('header [role="alert"]').waitFor();
  assert.match(await page.locator('header [role="alert"]').textContent(), /This cannot be shown: Error: broken once/);
  assert.deepEqual(failures, ['broken once']);
  await page.evaluate(() => { location.hash = '#pixel=4,3&view=instructions'; });  // of the same thread
  await ready();
  assert.deepEqual(await shown(), texel(4, 3));
  assert.match(await page.locator('.instructions [role="status"]').textContent(), /pixel 4, 3/);
  assert.ok(await page.locator('header [role="alert"]').isHidden());
});

test('100 random pixels: the last history row is the attachment\'s bits', async () => {
  await open();
  let seed = 12345;
  const random = (below) => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor(seed / 2147483648 * below); };
  for (let n = 0; n < 100; ++n) {
    const [x, y] = [random(kWidth), random(kHeight)];
    await page.evaluate(([px, py]) => { location.hash = `#pixel=${px},${py}&view=history`; }, [x, y]);
    await ready();
    const row = page.locator('.history tbody tr').last();
    const fate = await row.locator('td').nth(3).textContent();
    if (fate === 'written') {
      const after = (await row.locator('td').nth(7).textContent()).split(', ').map((t) => Math.fround(Number(t)));
      assert.deepEqual(after, texel(x, y), `pixel ${x}, ${y}`);
    } else {
      assert.match(fate, /discarded by the shader at mixed\.frag:9/);
      assert.deepEqual(texel(x, y), [0, 0, 0, 0]);
    }
  }
});

test('the values of the last step are those of heddle run --trace', async () => {
  await open('#pixel=20,15&view=instructions&step=100000');
  const trace = run('run', ...flags, '--engine', 'reference', '--trace-file', '-', '--trace-pixel', '20,15', '-q');
  const last = trace.split('\n').filter((line) => /\bcolor_x\(0,0\)/.test(line) && / = /.test(line)).pop();
  const expected = / = (\S+)/.exec(last)[1];
  const cell = page.locator('.values tbody tr', { has: page.locator('th', { hasText: /^color\.x$/ }) }).locator('td.own');
  assert.equal(Number(await cell.textContent()), Number(expected));
  assert.equal(Math.fround(Number(expected)), texel(20, 15)[0]);
});

test('steps go forward and back, to the next line and texture instruction', async () => {
  await open('#pixel=20,15&view=instructions');
  await page.locator('.code').first().focus();
  const step = async () => Number(/step (\d+) of/.exec(await page.locator('.instructions [role="status"]').textContent())[1]);
  assert.equal(await step(), 0);
  await page.keyboard.press(']');
  await ready();
  assert.equal(await step(), 1);
  await page.keyboard.press('[');
  await ready();
  assert.equal(await step(), 0);
  await page.keyboard.press('t');
  await ready();
  assert.match(await page.locator('.line.now .text').last().textContent(), /sample/);
  const before = await page.locator('.column').first().locator('.line.now').textContent();
  await page.locator('.code').first().focus();
  await page.keyboard.press('n');
  await ready();
  assert.notEqual(await page.locator('.column').first().locator('.line.now').textContent(), before);
});

test('lines of source and vISA are lit together', async () => {
  await open('#pixel=20,15&view=instructions&step=5');
  await page.locator('.column').first().locator('.line.joined').first().hover();
  assert.ok(await page.locator('.column').nth(1).locator('.line.lit').count() > 0);
});

test('texels: weights add up to one, and the result is the trace\'s', async () => {
  await open('#pixel=20,15&view=texels');
  assert.equal(await page.locator('.steps button').count(), 3);
  const rows = await page.locator('.texels .detail section').nth(1).locator('tbody tr').allTextContents();
  assert.equal(rows.length, 4);
  const cells = await page.locator('.texels .detail section').nth(1).locator('tbody tr td:nth-child(4)').allTextContents();
  const sum = cells.reduce((a, t) => a + (t.startsWith('0, ') ? 0 : Number(t)), 0);
  assert.ok(Math.abs(sum - 1) < 1e-6, cells.join());
  await page.locator('.rule', { hasText: 'LOD-4' }).click();
  assert.match(await page.locator('dialog').textContent(), /LOD-4/);
  await page.keyboard.press('Escape');
});

test('another report: the first pixel and instruction that differ', async () => {
  await open('#view=compare');
  await page.setInputFiles('input[type=file]', at('other.html'));
  await page.locator('.compare .result p').first().waitFor();
  const text = await page.locator('.compare .result').textContent();
  const [, x, y] = /the first at (\d+), (\d+)/.exec(text);
  assert.equal(Number(y), kHeight / 2);
  assert.match(text, /first instruction that differs is step \d+/);
  const command = await page.locator('.compare .copy').getAttribute('title');
  assert.ok(command.startsWith('diff <(heddle run ') && command.includes(`--trace-pixel ${x},${y} `), command);
  const done = spawnSync('bash', ['-c', command], { cwd: folder, encoding: 'utf8', env: { ...process.env, PATH: `${dirname(heddle)}:${process.env.PATH}` } });
  assert.equal(done.status, 1, done.stderr);  // diff's: they differ
  assert.match(done.stdout, /^[<>] .* = /m);
  await page.getByText('Show it').click();
  await ready();
  assert.match(await page.evaluate(() => location.hash), new RegExp(`pixel=${x},${y}`));
});

test('another report that is none, is broken, or has lost its pictures is told', async () => {
  await open('#view=compare');
  const text = readFileSync(at('report.html'), 'utf8');
  const files = { 'none.html': ['hello', /no report of heddle explore/],
    'broken.html': [text.replace(/(data-name="index">)[A-Za-z0-9+/]{12}/, '$1AAAAAAAAAAAA'), /cannot be compared: it is not whole/],
    'bare.html': [text.replace(/<script[^>]*data-name="image[^>]*>[^<]*<\/script>/g, ''), /pictures are not in both reports/] };
  for (const [name, [content, wanted]] of Object.entries(files)) {
    writeFileSync(at(name), content);
    await page.setInputFiles('input[type=file]', at(name));
    await page.locator('.compare .result', { hasText: wanted }).waitFor();
  }
});

test('no serious problem for screen readers, light and dark, and at 200 %', async () => {
  const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
  for (const scheme of ['light', 'dark'])
    for (const view of ['history', 'instructions', 'texels', 'findings', 'compare']) {
      await open(`#pixel=20,15&view=${view}&step=10`, 'report.html', { viewport: { width: 640, height: 900 } });  // 1280 at 200 %
      await page.emulateMedia({ colorScheme: scheme });
      // Colors that fade are between two schemes for a while: what is measured then depends on the machine's load.
      assert.equal(await page.evaluate(() => document.getAnimations().length), 0, 'nothing moves');
      await page.locator('.histogram-pane summary').click();
      await page.evaluate(axe);
      const found = await page.evaluate(async () => (await window.axe.run()).violations
        .filter((v) => v.impact === 'serious' || v.impact === 'critical').map((v) => `${v.id}: ${v.nodes.map((n) => n.html).slice(0, 2).join(' ')}`));
      assert.deepEqual(found, [], `${scheme}, ${view}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${view} is ${wide} pixels too wide`);
    }
});

let context, browser, failed = 0;
try {
  makeReports();
  browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
  context = await browser.newContext({ viewport: { width: 1300, height: 950 }, bypassCSP: false });
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
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);
