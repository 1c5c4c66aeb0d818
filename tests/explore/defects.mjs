// SPDX-License-Identifier: MIT
// defects.mjs HEDDLE NODE_MODULES CHROMIUM: six planted defects, each found by a reader who has the page alone; and the
// page as it is served, where a change is tried, and the stages before the pixels.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Desk } from './page.mjs';

const desk = new Desk(process.argv.slice(2));
const test = (name, body) => desk.test(name, body);
for (const folder of ['defects', 'scene']) cpSync(join(dirname(fileURLToPath(import.meta.url)), folder), desk.folder, { recursive: true });

/** 8x8 texels of three channels. PFM has its rows from below. */
function makeTexture(name, texel) {
  const values = new Float32Array(8 * 8 * 3);
  for (let y = 0; y < 8; ++y) for (let x = 0; x < 8; ++x) values.set(texel(x, y), 3 * ((7 - y) * 8 + x));
  writeFileSync(desk.at(name), Buffer.concat([Buffer.from('PF\n8 8\n-1.0\n'), Buffer.from(values.buffer)]));
}
const wall = (x, y) => [x / 8, y / 8, (x ^ y) & 1];
makeTexture('wall.pfm', wall);
makeTexture('bumps.pfm', () => [0.5, 0.5, 1]);

async function report(name, hash, ...words) {
  desk.run('explore', `${name}.toml`, '--trace', '0,0,32x32', ...words, '-o', `${name}.html`);
  await desk.open(`file://${desk.at(`${name}.html`)}${hash}`);
}
/** Opens the first texture instruction of an image. */
async function texelsOf(image) {
  await desk.tab('texels');
  await desk.page.locator('.texels .steps button', { hasText: new RegExp(` ${image}$`) }).first().click();
  await desk.ready();
}
const taps = () => desk.page.locator('.texels .detail table').nth(1).locator('tbody tr').evaluateAll((rows) =>
  rows.map((row) => [...row.cells].map((cell) => cell.textContent)));

test('wrong wrap mode: a coordinate beyond 1 reads the last texel', async () => {
  await report('wrap', '#pixel=24,24');
  await texelsOf('wall');
  const [u] = /coordinates([\d.]+), /.exec(await desk.fact('coordinates')).slice(1).map(Number);
  assert.ok(u > 1, `${u}`);  // 2 · 24.5/32
  assert.match(await desk.fact('address modes'), /clamp/i);
  for (const tap of await taps()) assert.equal(tap[1], '7, 7');
});

test('wrong level of detail: the sampler\'s bias stands in the sum', async () => {
  await report('level', '#pixel=8,8');
  await texelsOf('wall');
  assert.match(await desk.fact('level of detail'), /of it the sampler's bias 3 \(768\/256\)/);
  // 8 texels over 16 pixels: half a texel a pixel, log2 is -1, and 3 more.
  assert.match(await desk.fact('level of detail'), /^level of detail2 /);
});

test('swapped texture slots: the wall\'s texels are the bumps\'', async () => {
  await report('slots', '#pixel=8,8');
  await texelsOf('wall');
  for (const tap of await taps()) assert.deepEqual(tap.slice(4, 7), ['0.5', '0.5', '1']);
  await desk.page.getByLabel('Image').first().selectOption('bumps');
  await desk.ready();
  assert.deepEqual((await desk.status()).slice(0, 3), wall(7, 7));  // the cursor stays within the picture's 8x8 texels
});

test('depth test order: what was compared, and the function', async () => {
  await report('depth', '#pixel=16,20');
  const rows = await desk.page.locator('.history tbody tr').allTextContents();
  assert.equal(rows.length, 2);
  assert.match(rows[0], /depth test \(0\.25 against 1\)/);
  assert.match(rows[1], /depth test \(0\.75 against 1\)/);
  await desk.page.getByText('State of the draw').click();
  assert.match(await desk.page.locator('.state').textContent(), /depth_func = "GREATER"/);
  assert.deepEqual(await desk.status(), [0, 0, 0, 0]);
});

test('NaN from normalize: one key goes to its line', async () => {
  await report('normal', '#pixel=4,16&view=instructions');
  assert.ok((await desk.status()).slice(0, 3).every(Number.isNaN));
  await desk.page.locator('.code').first().focus();
  await desk.page.keyboard.press('x');
  await desk.ready();
  assert.match(await desk.page.locator('.column').first().locator('.line.now').textContent(), /normalize\(slope\)/);
});

/** What the shown view's button copies, run in the folder. */
function runCopied(text) {
  const path = { ...process.env, PATH: `${dirname(desk.heddle)}:${process.env.PATH}` };
  return spawnSync('bash', ['-c', text], { cwd: desk.folder, encoding: 'utf8', env: path });
}

test('a race: the finding leads to its invocation and line', async () => {
  await report('race', '#view=findings', '--check', 'warn');
  assert.match(await desk.page.locator('.findings').textContent(), /race/i);
  const run = runCopied(await desk.page.locator('.findings .copy').getAttribute('title'));
  assert.match(run.stderr, /race/i);
  await desk.page.getByText('Show the invocation').first().click();
  await desk.ready();
  assert.match(await desk.page.locator('.instructions').textContent(), /part\[\(k \+ 1u\) % 32u\]/);
});

const draw = ['places.frag', '--vertex', 'corners.vert', '--vertices', '3', '--target', 'color=out.bin:r32g32b32a32_sfloat:8x8'];
/** What the lane of the page has in a variable. */
const value = (name) => desk.page.locator('.values tbody tr', { has: desk.page.locator('th', { hasText: new RegExp(`^${name}$`) }) }).locator('td.own').textContent();

test('a corner of the primitive leads to the vertex shader, and back to the pixel', async () => {
  desk.run('explore', ...draw, '--trace', '5,3', '-o', 'corners.html');
  await desk.open(`file://${desk.at('corners.html')}#pixel=5,3`);
  assert.deepEqual(await desk.status(), [5.5 / 16, 3.5 / 16, 0, 1]);
  assert.equal(await desk.page.locator('.corner').count(), 3);
  const found = [];
  for (let k = 0; k < 3; ++k) {
    await desk.tab('history');
    await desk.page.locator('.corner').nth(k).click();
    await desk.ready();
    await desk.page.getByLabel('last step').click();
    await desk.ready();
    assert.match(await desk.page.locator('.instructions').textContent(), /gl_Position = vec4/);
    found.push([await value('place\\.x'), await value('place\\.y')].map(Number));
  }
  assert.deepEqual(found.sort(), [[0, 0], [0, 1], [1, 0]]);
  await desk.page.getByRole('combobox', { name: 'stage' }).selectOption('fragment');
  await desk.ready();
  assert.match(await desk.page.locator('.instructions [role="status"]').textContent(), /pixel 5, 3/);
});

// Triangles that become a column of pixels each, in order: which invocation made a corner is known by the column.
const kColumns = `#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) in vec2 at[];
layout(location = 0) out vec2 place;
void main() {
  for (int k = 0; k < 4; ++k) {
    place = vec2(gl_PrimitiveIDIn, k);
    gl_Position = vec4(at[0].x + (k & 1) * 0.25, (k >> 1) * 2.0 - 1.0, 0.25, 1.0);
    EmitVertex();
  }
}
`;
const kColumnCorners = `#version 450
layout(location = 0) out vec2 at;
void main() { at = vec2(gl_VertexIndex / 3 % 8 * 0.25 - 1.0, 0.0); gl_Position = vec4(0.0); }
`;
// A triangle over the whole picture, eight times, whose vertices three invocations write in another order than their own;
// indices and what primitives have lie in records of their own, which another invocation writes.
const kMesh = `#version 450
#extension GL_EXT_mesh_shader : require
layout(local_size_x = 32) in;
layout(triangles, max_vertices = 3, max_primitives = 8) out;
layout(location = 0) out vec2 place[];
layout(location = 1) perprimitiveEXT out vec2 mark[];
void main() {
  SetMeshOutputsEXT(3, 8);
  uint who = gl_LocalInvocationIndex;
  if (who == 31)
    for (int k = 0; k < 8; ++k) {
      gl_PrimitiveTriangleIndicesEXT[k] = uvec3(0, 1, 2);
      mark[k] = vec2(k);
    }
  if (who < 20 || who > 22) return;
  uint vertex = 22 - who;
  place[vertex] = vec2(who, vertex);
  gl_MeshVerticesEXT[vertex].gl_Position = vec4(vertex == 1 ? 3.0 : -1.0, vertex == 2 ? 3.0 : -1.0, 0.25, 1.0);
}
`;

/** `values` of the invocations that the corners of the chosen fragment lead to. */
async function cornersLeadTo(...names) {
  assert.equal(await desk.page.locator('.corner').count(), 3);
  const found = [];
  for (let k = 0; k < 3; ++k) {
    await desk.tab('history');
    await desk.page.locator('.corner').nth(k).click();
    await desk.ready();
    await desk.page.getByLabel('last step').click();
    await desk.ready();
    found.push((await Promise.all(names.map(value))).map(Number));
  }
  return found;
}

test('behind a geometry shader a corner leads to the invocation that emitted it', async () => {
  writeFileSync(desk.at('columns.geom'), kColumns);
  writeFileSync(desk.at('columns.vert'), kColumnCorners);
  desk.run('explore', 'places.frag', '--vertex', 'columns.vert', '--geometry-shader', 'columns.geom', '--vertices', '24',
    '--target', 'color=out.bin:r32g32b32a32_sfloat:8x8', '--trace', '5,3', '-o', 'columns.html');
  await desk.open(`file://${desk.at('columns.html')}#pixel=5,3`);
  assert.equal((await desk.status())[0], 5);
  assert.deepEqual(await cornersLeadTo('place\\.x'), [[5], [5], [5]]);
});

test('primitives have their numbers in the draw, and their makers, in every window of a geometry shader', async () => {
  writeFileSync(desk.at('columns.vert'), kColumnCorners);
  writeFileSync(desk.at('windows.geom'), kColumns.replace('max_vertices = 4', 'max_vertices = 256'));  // a window has 4 MiB of records
  desk.run('explore', 'places.frag', '--vertex', 'columns.vert', '--geometry-shader', 'windows.geom', '--vertices', '3000',
    '--target', 'color=out.bin:r32g32b32a32_sfloat:8x8', '--trace', '5,3', '-o', 'windows.html');
  await desk.open(`file://${desk.at('windows.html')}#pixel=5,3`);
  assert.equal((await desk.status())[0], 997);  // the last of 1,000 triangles whose number is 5 modulo 8
  const rows = await desk.page.locator('.history tbody tr td:nth-child(2)').allTextContents();
  assert.equal(rows.length, 125);
  rows.forEach((number, k) => assert.ok([2 * (5 + 8 * k), 2 * (5 + 8 * k) + 1].includes(Number(number)), `${k}: ${number}`));
  assert.deepEqual(await cornersLeadTo('place\\.x'), [[997], [997], [997]]);
});

test('behind a mesh shader a corner leads to the invocation that wrote its position', async () => {
  writeFileSync(desk.at('turned.mesh'), kMesh);
  desk.run('explore', 'places.frag', '--mesh-shader', 'turned.mesh', '--groups', '1', '--target', 'color=out.bin:r32g32b32a32_sfloat:8x8', '--trace', '5,3', '-o', 'turned.html');
  await desk.open(`file://${desk.at('turned.html')}#pixel=5,3`);
  assert.deepEqual(await cornersLeadTo('who', 'vertex'), [[22, 0], [21, 1], [20, 2]]);
});

test('passes and transfers of a program stand between its draws', async () => {
  const text = 'program = "places.frag"\n[images.color]\nformat = "R8G8B8A8_UNORM"\nsize = [8, 8]\n[pixels]\nvertex = "corners.vert"\nvertices = 3\n';
  mkdirSync(desk.at('frame'));
  for (const name of ['places.frag', 'corners.vert']) copyFileSync(desk.at(name), desk.at(`frame/${name}`));
  writeFileSync(desk.at('frame/000001.toml'), `# label: floor\n# before: clear image <b>sky</b> (8x8)\n# before: pass begins, 8x8\n${text}`);
  writeFileSync(desk.at('frame/000002.toml'), `# label: walls\n${text}`);
  writeFileSync(desk.at('frame/behind.txt'), 'pass ends\n');
  desk.run('explore', 'frame', '-o', 'frame.html');
  await desk.open(`file://${desk.at('frame.html')}`);
  const list = await desk.page.locator('.commands li').evaluateAll((items) => items.map((item) => `${item.className} ${item.textContent}`));
  assert.equal(list.length, 5);
  assert.deepEqual(list.slice(0, 2), ['passing clear image <b>sky</b> (8x8)', 'passing pass begins, 8x8']);
  assert.match(list[2], /0 draw floor/);
  assert.match(list[3], /1 draw walls/);
  assert.equal(list[4], 'passing pass ends');
});

test('served: vertices are traced when they are asked for', async () => {
  const address = await desk.serve(...draw, '--trace', '0,0,1x1');
  await desk.open(`${address}#stage=vert&thread=0&lane=2&view=instructions&step=100000`);
  assert.deepEqual([await value('place\\.x'), await value('place\\.y')].map(Number), [0, 1]);
});

test('served: any pixel is traced when it is picked, and only this server is asked', async () => {
  const address = await desk.serve('wrap.toml', '--trace', '0,0,1x1');
  await desk.open(`${address}#pixel=24,24`);
  await texelsOf('wall');
  assert.match(await desk.fact('address modes'), /clamp/i);
  for (const url of desk.requests) assert.ok(url.startsWith(address), url);
});

test('served: what if it were repeat?', async () => {
  await desk.tab('whatif');
  await desk.page.getByLabel('wall address').selectOption('repeat');
  await desk.page.getByText('Run with the changes').click();
  await desk.page.waitForFunction(() => location.hash.includes('draw=1'), null, { timeout: 0 });
  await desk.ready();
  // 8 texels twice over 32 pixels: pixel 24 is 2 · 24.5 · 8 / 32 = 12.25 texels from the edge, 0.75 of texel 11 (3 when
  // repeated) and 1/4 less than that of the next: 12.25 - 0.5 = 11.75, so 1/4 of 3 and 3/4 of 4.
  const mixed = 0.25 * 3 / 8 + 0.75 * 4 / 8;
  assert.deepEqual((await desk.status()).slice(0, 2), [mixed, mixed]);
  assert.match(await desk.page.locator('.what-if .result').textContent(), /pixels differ from command 0\. Pixel 24, 24: 0\.875, 0\.875, 0, 1 was/);
  const copied = await desk.page.locator('.what-if .copy').getAttribute('title');
  assert.match(copied, /^heddle run .*--sampler '?wall=address=repeat/);
  assert.equal(runCopied(copied).status, 0);
  await texelsOf('wall');
  assert.match(await desk.fact('address modes'), /wrap|repeat/i);
  assert.match(await desk.page.locator('.commands li').nth(1).textContent(), /0 changed.*sampler wall=address=repeat/);
});

test('served: a change that cannot be is refused', async () => {
  await desk.tab('whatif');
  await desk.page.getByLabel('wall lod_bias').fill('much');
  await desk.page.getByText('Run with the changes').click();
  await desk.page.locator('.what-if .result .bad').waitFor();
  assert.match(await desk.page.locator('.what-if .result').textContent(), /refused/);
});

process.exit(await desk.work());
