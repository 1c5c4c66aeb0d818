// SPDX-License-Identifier: MIT
// What the tests of the explorer's page have in common: Chromium, reports, and how a reader looks at the page.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export class Desk {
  constructor([heddle, modules, chromium]) {
    this.heddle = heddle;
    this.chromiumPath = chromium;
    this.require = createRequire(resolve(modules, 'x.js'));
    this.folder = mkdtempSync(join(tmpdir(), 'heddle-explore-'));
    this.servers = [];
    this.cases = [];
  }
  at(name) { return join(this.folder, name); }
  run(...words) { return execFileSync(this.heddle, words, { cwd: this.folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }); }
  test(name, body) { this.cases.push([name, body]); }

  /** heddle explore --serve: its address, which is the first line that it prints. */
  serve(...words) {
    const server = spawn(this.heddle, ['explore', ...words, '--serve'], { cwd: this.folder, stdio: ['ignore', 'pipe', 'inherit'] });
    this.servers.push(server);
    return new Promise((resolve, reject) => {
      let text = '';
      server.stdout.on('data', (part) => { text += part; if (text.includes('\n')) resolve(text.trim()); });
      server.on('exit', (code) => reject(new Error(`heddle explore --serve ended with ${code}`)));
    });
  }

  async open(address) {
    if (this.page) await this.page.close();
    this.page = await this.context.newPage();
    this.page.setDefaultTimeout(0);  // the machine may be loaded
    this.requests = [];
    this.page.on('request', (request) => this.requests.push(request.url()));
    this.page.on('pageerror', (error) => { throw error; });
    await this.page.goto(address);
    await this.ready();
  }
  /** Until the page shows what its address says. */
  ready() {
    return this.page.waitForFunction(() => document.body.dataset.ready !== undefined &&
      (document.body.dataset.ready === location.hash || (document.body.dataset.ready === '#' && location.hash === '')), null, { timeout: 0 });
  }
  async tab(name) { await this.page.locator(`#tab-${name}`).click(); await this.ready(); }
  /** The numbers of the status line under the picture. */
  async status() {
    return [...(await this.page.locator('.status').textContent()).matchAll(/[RGBA] (\S+)/g)].map((m) => Math.fround(Number(m[1])));
  }
  /** What stands beside a name in a table of facts. */
  async fact(name) { return this.page.locator('.facts tr', { has: this.page.locator('th', { hasText: name }) }).first().textContent(); }

  async work() {
    let failed = 0;
    const { chromium } = this.require('playwright-core');
    const browser = await chromium.launch({ executablePath: this.chromiumPath, args: ['--no-sandbox'] });
    try {
      this.context = await browser.newContext({ viewport: { width: 1300, height: 950 } });
      for (const [name, body] of this.cases) {
        try {
          await body();
          console.log(`ok      ${name}`);
        } catch (problem) {
          ++failed;
          console.log(`FAILED  ${name}\n${problem.stack}`);
        }
      }
    } finally {
      for (const server of this.servers) { server.removeAllListeners('exit'); server.kill('SIGINT'); }
      await browser.close();
      rmSync(this.folder, { recursive: true, force: true });
    }
    return failed === 0 ? 0 : 1;
  }
}
