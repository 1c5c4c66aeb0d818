// A textured, depth-tested, multisampled, instanced scene through WebGPU, and its picture:
// node scene.mjs MODULES_FOLDER PICTURE.png [OTHER_PICTURE.png]
// With OTHER_PICTURE the pictures are compared; the exit code says whether they are alike.
import fs from 'node:fs';
import zlib from 'node:zlib';
import { makeBuffer, openDevice, randomNumbers, readBuffer } from './device.mjs';

const kWidth = 320, kHeight = 240, kSamples = 4;

/// Corners of a cube with normals and texture coordinates, six floats position and normal, two of the texture.
function cube() {
  const vertices = [], indices = [];
  for (let axis = 0; axis < 3; ++axis)
    for (const side of [-1, 1]) {
      const first = vertices.length / 8;
      for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        const p = [0, 0, 0], n = [0, 0, 0];
        p[axis] = n[axis] = side;
        p[(axis + 1) % 3] = u * side;
        p[(axis + 2) % 3] = v;
        vertices.push(...p, ...n, (u + 1) / 2, (v + 1) / 2);
      }
      indices.push(...[0, 1, 2, 0, 2, 3].map((i) => i + first));
    }
  return { vertices: new Float32Array(vertices), indices: new Uint16Array(indices) };
}

/// 4x4 matrices in columns.
function product(a, b) {
  const c = new Float32Array(16);
  for (let i = 0; i < 4; ++i)
    for (let j = 0; j < 4; ++j)
      for (let k = 0; k < 4; ++k) c[4 * i + j] += a[4 * k + j] * b[4 * i + k];
  return c;
}
const perspective = (f, aspect, near, far) => new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, far / (near - far), -1, 0, 0, (near * far) / (near - far), 0]);
const moved = (x, y, z) => new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1]);
function turned(a, b) {
  const [s, c, t, d] = [Math.sin(a), Math.cos(a), Math.sin(b), Math.cos(b)];
  return product(new Float32Array([1, 0, 0, 0, 0, d, t, 0, 0, -t, d, 0, 0, 0, 0, 1]), new Float32Array([c, 0, -s, 0, 0, 1, 0, 0, s, 0, c, 0, 0, 0, 0, 1]));
}

/// A texture of squares with random colors and all its levels.
function texture(device) {
  const size = 64, random = randomNumbers(5);
  const made = device.createTexture({ size: [size, size], format: 'rgba8unorm-srgb', mipLevelCount: 7, usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST });
  let texels = new Uint8Array(size * size * 4);
  const colors = Array.from({ length: 64 }, () => [0, 1, 2].map(() => 60 + Math.floor(random() * 196)));
  for (let y = 0; y < size; ++y)
    for (let x = 0; x < size; ++x) texels.set([...colors[(y >> 3) * 8 + (x >> 3)], 255], (y * size + x) * 4);
  for (let level = 0, n = size; level < 7; ++level, n >>= 1) {
    device.queue.writeTexture({ texture: made, mipLevel: level }, texels, { bytesPerRow: n * 4 }, [n, n]);
    const half = n >> 1, next = new Uint8Array(half * half * 4);
    for (let y = 0; y < half; ++y)
      for (let x = 0; x < half; ++x)
        for (let c = 0; c < 4; ++c)
          next[(y * half + x) * 4 + c] = (texels[(2 * y * n + 2 * x) * 4 + c] + texels[(2 * y * n + 2 * x + 1) * 4 + c] + texels[((2 * y + 1) * n + 2 * x) * 4 + c] + texels[((2 * y + 1) * n + 2 * x + 1) * 4 + c]) >> 2;
    texels = next;
  }
  return made;
}

const kShaders = `
  struct Scene { projection: mat4x4f, light: vec4f }
  @group(0) @binding(0) var<uniform> scene: Scene;
  @group(0) @binding(1) var picture: texture_2d<f32>;
  @group(0) @binding(2) var smp: sampler;
  struct Varying { @builtin(position) position: vec4f, @location(0) normal: vec3f, @location(1) uv: vec2f, @location(2) tint: vec4f }
  @vertex fn vertex(@location(0) p: vec3f, @location(1) n: vec3f, @location(2) uv: vec2f,
                    @location(3) a: vec4f, @location(4) b: vec4f, @location(5) c: vec4f, @location(6) d: vec4f, @location(7) tint: vec4f) -> Varying {
    let model = mat4x4f(a, b, c, d);
    var out: Varying;
    out.position = scene.projection * model * vec4f(p, 1);
    out.normal = (model * vec4f(n, 0)).xyz;
    out.uv = uv;
    out.tint = tint;
    return out;
  }
  @fragment fn fragment(v: Varying) -> @location(0) vec4f {
    let light = 0.25 + 0.75 * max(dot(normalize(v.normal), scene.light.xyz), 0.0);
    return vec4f(textureSample(picture, smp, v.uv).rgb * v.tint.rgb * light, v.tint.a);
  }`;

/// Cubes on a grid; each has a matrix (four vectors) and a color of four bytes.
function instances() {
  const random = randomNumbers(6), count = 60, stride = 68;
  const data = new ArrayBuffer(count * stride);
  for (let i = 0; i < count; ++i) {
    const place = moved((i % 10) * 2.6 - 11.7, Math.floor(i / 10) * 2.6 - 6.5, -14 - random() * 10);
    new Float32Array(data, i * stride, 16).set(product(place, turned(random() * 6, random() * 6)));
    new Uint8Array(data, i * stride + 64, 4).set([0, 1, 2].map(() => 100 + Math.floor(random() * 156)).concat(i % 4 === 0 ? 128 : 255));
  }
  return { bytes: new Uint8Array(data), count, stride };
}

async function draw(device) {
  const { vertices, indices } = cube(), many = instances();
  const module = device.createShaderModule({ code: kShaders });
  const blend = { color: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' }, alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' } };
  const floats = (shaderLocation, offset, n) => ({ shaderLocation, offset, format: `float32x${n}` });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: {
      module,
      buffers: [
        { arrayStride: 32, attributes: [floats(0, 0, 3), floats(1, 12, 3), floats(2, 24, 2)] },
        { arrayStride: many.stride, stepMode: 'instance',
          attributes: [floats(3, 0, 4), floats(4, 16, 4), floats(5, 32, 4), floats(6, 48, 4), { shaderLocation: 7, offset: 64, format: 'unorm8x4' }] },
      ],
    },
    fragment: { module, targets: [{ format: 'rgba8unorm-srgb', blend }] },
    primitive: { topology: 'triangle-list', cullMode: 'back', frontFace: 'ccw' },
    depthStencil: { format: 'depth24plus', depthCompare: 'less', depthWriteEnabled: true },
    multisample: { count: kSamples },
  });
  const light = [0.4, 0.6, 0.693];
  const uniform = makeBuffer(device, new Float32Array([...perspective(1.6, kWidth / kHeight, 1, 60), ...light, 0]), GPUBufferUsage.UNIFORM);
  const smp = device.createSampler({ magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' });
  const bindings = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ buffer: uniform }, texture(device).createView(), smp].map((r, binding) => ({ binding, resource: r.buffer ? { buffer: r.buffer } : r })),
  });
  const image = (format, sampleCount, usage) => device.createTexture({ size: [kWidth, kHeight], format, sampleCount, usage });
  const target = image('rgba8unorm-srgb', 1, GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC);
  const samples = image('rgba8unorm-srgb', kSamples, GPUTextureUsage.RENDER_ATTACHMENT), depth = image('depth24plus', kSamples, GPUTextureUsage.RENDER_ATTACHMENT);
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: samples.createView(), resolveTarget: target.createView(), loadOp: 'clear', storeOp: 'discard', clearValue: [0.02, 0.03, 0.06, 1] }],
    depthStencilAttachment: { view: depth.createView(), depthLoadOp: 'clear', depthStoreOp: 'discard', depthClearValue: 1 },
  });
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bindings);
  pass.setVertexBuffer(0, makeBuffer(device, vertices, GPUBufferUsage.VERTEX));
  pass.setVertexBuffer(1, makeBuffer(device, many.bytes, GPUBufferUsage.VERTEX));
  pass.setIndexBuffer(makeBuffer(device, indices, GPUBufferUsage.INDEX), 'uint16');
  pass.drawIndexed(indices.length, many.count);
  pass.end();
  const out = device.createBuffer({ size: kWidth * kHeight * 4, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
  encoder.copyTextureToBuffer({ texture: target }, { buffer: out, bytesPerRow: kWidth * 4 }, [kWidth, kHeight]);
  device.queue.submit([encoder.finish()]);
  return new Uint8Array(await readBuffer(device, out));
}

// --- pictures ---

function writePng(file, rgba) {
  const rows = Buffer.alloc((kWidth * 4 + 1) * kHeight);
  for (let y = 0; y < kHeight; ++y) Buffer.from(rgba.buffer, rgba.byteOffset + y * kWidth * 4, kWidth * 4).copy(rows, y * (kWidth * 4 + 1) + 1);
  const crcs = Int32Array.from({ length: 256 }, (_, n) => { for (let k = 0; k < 8; ++k) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1; return n; });
  const crc = (bytes) => { let c = -1; for (const b of bytes) c = crcs[(c ^ b) & 255] ^ (c >>> 8); return (c ^ -1) >>> 0; };
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]), out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length);
    body.copy(out, 4);
    out.writeUInt32BE(crc(body), body.length + 4);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(kWidth, 0);
  head.writeUInt32BE(kHeight, 4);
  head.set([8, 6, 0, 0, 0], 8);
  fs.writeFileSync(file, Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk('IHDR', head), chunk('IDAT', zlib.deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]));
}

/// Of a picture that writePng wrote.
function readPng(file) {
  const bytes = fs.readFileSync(file), parts = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  const rows = zlib.inflateSync(Buffer.concat(parts)), rgba = new Uint8Array(kWidth * kHeight * 4);
  for (let y = 0; y < kHeight; ++y) rgba.set(rows.subarray(y * (kWidth * 4 + 1) + 1, (y + 1) * (kWidth * 4 + 1)), y * kWidth * 4);
  return rgba;
}

/// Filters, edges and blending may differ in the last bits; a wrong texture or a missing triangle is more than that.
function compare(a, b) {
  let sum = 0, far = 0;
  for (let i = 0; i < a.length; ++i) {
    const difference = Math.abs(a[i] - b[i]);
    sum += difference;
    if (difference > 24) ++far;
  }
  const mean = sum / a.length, share = far / a.length;
  console.log(`mean difference ${mean.toFixed(3)} of 255; more than 24: ${(share * 100).toFixed(3)} %`);
  return mean < 0.5 && share < 0.002;
}

const [modules, file, other] = process.argv.slice(2);
const context = await openDevice(modules ?? '.');
console.log(`adapter: ${context.adapter.info.description}`);
const start = performance.now();
const rgba = await draw(context.device);
console.log(`drawn in ${(performance.now() - start).toFixed(0)} ms`);
writePng(file, rgba);
if (context.errors.length > 0) console.log(context.errors.join('\n'));
const seen = new Set();
for (let i = 0; i < rgba.length; i += 4) seen.add(rgba[i] << 16 | rgba[i + 1] << 8 | rgba[i + 2]);
if (seen.size < 1000) console.log(`only ${seen.size} colors: something is missing`);
const good = context.errors.length === 0 && seen.size >= 1000 && (other === undefined || compare(rgba, readPng(other)));
console.log(good ? 'good' : 'failed');
process.exit(good ? 0 : 1);
