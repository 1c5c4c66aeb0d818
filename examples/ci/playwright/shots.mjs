// SPDX-License-Identifier: MIT
// node shots.mjs FOLDER [TIMES]: opens each page of pages/ in one Chromium (TIMES times; default 1) and leaves its screenshot in FOLDER,
// as NAME.png. VK_DRIVER_FILES names the driver that draws; heddle sets it.
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const here = path.dirname(fileURLToPath(import.meta.url));
const [folder, times = '1'] = process.argv.slice(2);
const installed = process.env.CHROMIUM_FOLDER ?? '/usr/lib/chromium';

/// Chromium's WebGPU takes the driver that lies beside it as libvk_swiftshader.so, and no other. In a folder of links that is the
/// loader, which takes the driver of VK_DRIVER_FILES.
function chromiumWithLoader() {
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'chromium-'));
  for (const name of fs.readdirSync(installed)) {
    const from = path.join(installed, name), to = path.join(copy, name);
    if (name === 'libvk_swiftshader.so') fs.symlinkSync(path.join(installed, 'libvulkan.so.1'), to);
    else if (name !== 'chromium') fs.symlinkSync(from, to);
    else try { fs.linkSync(from, to); } catch { fs.copyFileSync(from, to); }  // it looks for the others beside its own file
  }
  return copy;
}

const types = { '.html': 'text/html', '.js': 'text/javascript' };
const server = http.createServer((request, response) => {
  const file = path.join(here, decodeURI(new URL(request.url, 'http://localhost').pathname));
  if (!file.startsWith(here) || !fs.existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'application/octet-stream' }).end(fs.readFileSync(file));
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));

const copy = chromiumWithLoader();
const browser = await chromium.launch({
  executablePath: path.join(copy, 'chromium'),
  timeout: 0,
  headless: false,  // Chromium's own --headless=new, which has WebGPU; the other one is another program
  args: ['--headless=new', '--no-sandbox', '--disable-gpu-sandbox', '--ignore-gpu-blocklist', '--use-gl=angle', '--use-angle=vulkan',
         '--use-vulkan=native', '--enable-features=Vulkan', '--disable-vulkan-surface', '--enable-unsafe-webgpu',
         '--enable-webgpu-developer-features']  // the last one: pages may know what draws,
});

/// Pages say `done` when they have drawn: the name of the device.
async function shoot(name, file) {
  const page = await browser.newPage({ viewport: { width: 400, height: 300 } });
  page.setDefaultTimeout(0);  // a busy machine takes its time; the test's own limit ends what hangs
  page.on('pageerror', (error) => { throw error; });
  await page.goto(`http://127.0.0.1:${server.address().port}/pages/${name}.html`);
  await page.waitForFunction('window.done !== undefined');
  const device = await page.evaluate('window.done');
  if (!device.includes('Heddle')) throw new Error(`${name} is drawn by ${device}`);
  await page.screenshot({ path: file });
  await page.close();
}

const names = fs.readdirSync(path.join(here, 'pages')).filter((file) => file.endsWith('.html')).map((file) => path.parse(file).name);
for (let round = 0; round < Number(times); ++round)
  for (const name of names) await shoot(name, path.join(folder, times === '1' ? `${name}.png` : `${name}-${String(round).padStart(3, '0')}.png`));
await browser.close();
server.close();
fs.rmSync(copy, { recursive: true });
