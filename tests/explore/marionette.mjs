// SPDX-License-Identifier: MIT
// Firefox as Debian has it, driven by the protocol that is built into it (Marionette: the commands of WebDriver as JSON over TCP).
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const kElement = 'element-6066-11e4-a52e-4f735466cecf';  // WebDriver's name of references to elements

export class Firefox {
  static async start(program) {
    const firefox = new Firefox();
    firefox.profile = mkdtempSync(join(tmpdir(), 'heddle-firefox-'));
    // A port that is free; no look at the network for anything but the page.
    writeFileSync(join(firefox.profile, 'user.js'), ['marionette.port", 0', 'network.captive-portal-service.enabled", false',
      'network.connectivity-service.enabled", false', 'app.update.enabled", false', 'datareporting.policy.dataSubmissionEnabled", false',
      'browser.shell.checkDefaultBrowser", false'].map((line) => `user_pref("${line});\n`).join(''));
    firefox.process = spawn(program, ['--headless', '--marionette', '--no-remote', '--profile', firefox.profile],
      { stdio: 'ignore', env: { ...process.env, HOME: firefox.profile, MOZ_CRASHREPORTER_DISABLE: '1' } });
    firefox.process.on('error', (problem) => firefox.stop(problem));
    firefox.process.on('exit', (code, signal) => {
      firefox.ended = code ?? -1;
      firefox.stop(new Error(`Firefox ended with ${signal ?? code}`));
    });
    // It does not outlive the test, however that ends.
    process.on('exit', () => {
      if (firefox.ended !== undefined) return;
      firefox.process.kill('SIGKILL');
      rmSync(firefox.profile, { recursive: true, force: true, maxRetries: 5 });
    });
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(signal, () => process.exit(1));
    await firefox.connect();
    await firefox.send('WebDriver:NewSession', { capabilities: { alwaysMatch: { acceptInsecureCerts: false } } });
    return firefox;
  }

  waiting = new Map();
  next = 0;
  /** Nobody answers any more: whoever waits is told why. */
  stop(why) {
    this.stopped ??= why;
    for (const [, bad] of this.waiting.values()) bad(this.stopped);
    this.waiting.clear();
  }

  /** The port, when its file is there and whole: the file is made before its text is. */
  async port() {
    for (let tries = 0; tries < 1200; ++tries) {
      if (this.stopped) throw this.stopped;
      try {
        const text = readFileSync(join(this.profile, 'MarionetteActivePort'), 'utf8');
        if (/^\d+$/.test(text.trim()) && Number(text) > 0) return Number(text);
      } catch (problem) {
        if (problem.code !== 'ENOENT') throw problem;
      }
      await sleep(100);
    }
    throw new Error('Firefox has no port after two minutes');
  }

  async connect() {
    const port = await this.port();
    let bytes = Buffer.alloc(0);
    await new Promise((resolve, reject) => {
      this.waiting.set('hello', [resolve, reject]);
      this.socket = createConnection(port, '127.0.0.1');
      this.socket.on('error', (problem) => this.stop(problem));
      this.socket.on('close', () => this.stop(new Error('Firefox closed the connection')));
      this.socket.on('data', (part) => {
        bytes = Buffer.concat([bytes, part]);
        for (;;) {
          const colon = bytes.indexOf(':');
          const length = colon < 0 ? NaN : Number(bytes.subarray(0, colon));
          if (colon < 0 || bytes.length < colon + 1 + length) return;
          const message = JSON.parse(bytes.subarray(colon + 1, colon + 1 + length));
          bytes = bytes.subarray(colon + 1 + length);
          if (!Array.isArray(message)) {  // who speaks
            this.waiting.delete('hello');
            resolve();
            continue;
          }
          const [, id, error, value] = message;
          const [good, bad] = this.waiting.get(id) ?? [];
          this.waiting.delete(id);
          if (error) bad?.(new Error(`${error.error}: ${error.message}`)); else good?.(value);
        }
      });
    });
  }

  send(name, parameters = {}) {
    return new Promise((resolve, reject) => {
      if (this.stopped) { reject(this.stopped); return; }
      const id = this.next++;
      this.waiting.set(id, [resolve, reject]);
      const text = Buffer.from(JSON.stringify([0, id, name, parameters]));
      this.socket.write(Buffer.concat([Buffer.from(`${text.length}:`), text]));
    });
  }

  open(address) { return this.send('WebDriver:Navigate', { url: address }); }
  /** What a function of the page returns; its arguments are JSON. */
  async run(body, ...args) {
    return (await this.send('WebDriver:ExecuteScript', { script: `return (${body})(...arguments)`, args })).value;
  }
  async until(body, ...args) {
    for (let tries = 0; !(await this.run(body, ...args)); ++tries) {
      if (tries > 1200) throw new Error(`not within two minutes: ${body}`);
      await sleep(100);
    }
  }
  async find(selector) {
    return (await this.send('WebDriver:FindElement', { using: 'css selector', value: selector })).value[kElement];
  }
  async click(selector) { await this.send('WebDriver:ElementClick', { id: await this.find(selector) }); }
  async text(selector) { return (await this.send('WebDriver:GetElementText', { id: await this.find(selector) })).value; }
  async press(...keys) {
    const actions = keys.flatMap((value) => [{ type: 'keyDown', value }, { type: 'keyUp', value }]);
    await this.send('WebDriver:PerformActions', { actions: [{ type: 'key', id: 'keys', actions }] });
  }
  /** A click with the right button, in the middle of an element. */
  async clickRight(selector) {
    const origin = { [kElement]: await this.find(selector) };
    await this.send('WebDriver:PerformActions', { actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions: [
      { type: 'pointerMove', x: 0, y: 0, origin }, { type: 'pointerDown', button: 2 }, { type: 'pointerUp', button: 2 }] }] });
  }
  async picture() { return Buffer.from((await this.send('WebDriver:TakeScreenshot', { full: false })).value, 'base64'); }

  async end() {
    if (this.socket && this.ended === undefined)
      await Promise.race([this.send('Marionette:Quit', { flags: ['eForceQuit'] }), sleep(10000)]).catch(() => {});
    this.socket?.destroy();
    for (let tries = 0; this.ended === undefined && tries < 100; ++tries) await sleep(100);
    if (this.ended === undefined) this.process.kill('SIGKILL');
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
