// SPDX-License-Identifier: MIT
// Where documents come from: out of the page itself, or from the program that serves it. One interface for both.

export interface Source {
  /** Whether a program answers, which can run a command again. */
  readonly served: boolean;
  /** Whether it may be had; a server has everything. */
  has(name: string): boolean;
  /** The bytes, or null where there is no such document. */
  get(name: string): Promise<Uint8Array | null>;
}

async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function fromBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Blocks of data in a report, opened when they are asked for. */
export class EmbeddedSource implements Source {
  readonly served = false;
  private blocks = new Map<string, Element>();
  private opened = new Map<string, Promise<Uint8Array>>();
  constructor(document: Document) {
    for (const block of document.querySelectorAll('script[type="application/x-heddle"]'))
      this.blocks.set(block.getAttribute('data-name') ?? '', block);
  }
  has(name: string): boolean { return this.blocks.has(name); }
  async get(name: string): Promise<Uint8Array | null> {
    const block = this.blocks.get(name);
    if (!block) return null;
    let bytes = this.opened.get(name);
    if (!bytes) {
      bytes = inflate(fromBase64(block.textContent ?? ''));
      this.opened.set(name, bytes);
      bytes.catch(() => this.opened.delete(name));  // the next one who asks tries again
    }
    return bytes;
  }
}

/** The program that serves the page. */
export class ServerSource implements Source {
  readonly served = true;
  private opened = new Map<string, Promise<Uint8Array | null>>();
  constructor(private prefix: string) {}
  has(): boolean { return true; }
  get(name: string): Promise<Uint8Array | null> {
    let bytes = this.opened.get(name);
    if (!bytes) {
      bytes = fetch(this.prefix + name).then(async (answer) =>
        answer.ok ? inflate(new Uint8Array(await answer.arrayBuffer())) : null);
      this.opened.set(name, bytes);
      bytes.catch(() => this.opened.delete(name));
    }
    return bytes;
  }
}

export function openSource(document: Document): Source {
  const server = document.querySelector('script[type="application/x-heddle-server"]');
  return server ? new ServerSource(server.getAttribute('data-prefix') ?? '') : new EmbeddedSource(document);
}

export async function getJson<T>(source: Source, name: string): Promise<T | null> {
  const bytes = await source.get(name);
  return bytes ? JSON.parse(new TextDecoder().decode(bytes)) as T : null;
}

/** Words that the program wrote as planes of bytes: all lowest bytes first. */
export function fromPlanes(bytes: Uint8Array): Uint32Array {
  const count = bytes.length / 4;
  const words = new Uint32Array(count);
  const out = new Uint8Array(words.buffer);
  for (let plane = 0; plane < 4; ++plane)
    for (let i = 0, from = plane * count; i < count; ++i) out[4 * i + plane] = bytes[from + i];
  return words;
}
