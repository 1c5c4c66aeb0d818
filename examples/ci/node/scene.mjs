// SPDX-License-Identifier: MIT
// node scene.mjs FOLDER: a textured floor through WebGPU, as FOLDER/floor.tga, and the histogram that a compute shader makes of it, as
// FOLDER/histogram.bin.
import fs from 'node:fs';
import path from 'node:path';
import { create, globals } from 'webgpu';

Object.assign(globalThis, globals);
const [folder] = process.argv.slice(2);
const width = 128, height = 80;

const gpu = create(['backend=vulkan']);
const adapter = await gpu.requestAdapter();
const device = await adapter.requestDevice();
device.addEventListener('uncapturederror', (event) => {
  console.error(event.error.message);
  process.exit(1);
});
console.log(`drawn by ${adapter.info.description}`);

const code = `
  @group(0) @binding(0) var tiles: texture_2d<f32>;
  @group(0) @binding(1) var smp: sampler;
  struct Varying { @builtin(position) position: vec4f, @location(0) uv: vec2f }
  @vertex fn corner(@builtin(vertex_index) i: u32) -> Varying {
    let p = vec2f(f32(i & 1), f32(i >> 1)) * 2 - 1;
    let away = p.y > 0;
    let depth = select(1.0, 8.0, away);
    return Varying(vec4f(p.x * 10, select(-1.0, 0.4, away) * depth, 0, depth), vec2f(p.x * 5, depth));
  }
  @fragment fn shade(v: Varying) -> @location(0) vec4f { return textureSample(tiles, smp, v.uv); }
  @group(1) @binding(0) var<storage, read> picture: array<u32>;
  @group(1) @binding(1) var<storage, read_write> counts: array<atomic<u32>, 256>;
  @compute @workgroup_size(64) fn count(@builtin(global_invocation_id) id: vec3u) {
    if (id.x < arrayLength(&picture)) { atomicAdd(&counts[(picture[id.x] >> 8) & 255], 1); }
  }`;

/// Squares of two colors with a round spot in each, and their smaller levels.
function tiles() {
  const size = 64;
  const texture = device.createTexture({ size: [size, size], format: 'rgba8unorm', mipLevelCount: 7, usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST });
  for (let level = 0, n = size; n > 0; ++level, n >>= 1) {
    const texels = new Uint8Array(n * n * 4);
    for (let y = 0; y < n; ++y)
      for (let x = 0; x < n; ++x) {
        const [u, v] = [(x + 0.5) / n * 2, (y + 0.5) / n * 2];
        const spot = (u % 1 - 0.5) ** 2 + (v % 1 - 0.5) ** 2 < 0.09, odd = (Math.floor(u) + Math.floor(v)) & 1;
        texels.set(spot ? [250, 210, 90, 255] : odd ? [40, 70, 110, 255] : [200, 205, 215, 255], (y * n + x) * 4);
      }
    device.queue.writeTexture({ texture, mipLevel: level }, texels, { bytesPerRow: n * 4 }, [n, n]);
  }
  return texture;
}

const module = device.createShaderModule({ code });
const draws = device.createRenderPipeline({
  layout: 'auto',
  vertex: { module, entryPoint: 'corner' },
  fragment: { module, entryPoint: 'shade', targets: [{ format: 'rgba8unorm' }] },
  primitive: { topology: 'triangle-strip' },
});
const counts = device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'count' } });
const sampler = device.createSampler({ addressModeU: 'repeat', addressModeV: 'repeat', magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear', maxAnisotropy: 8 });
const target = device.createTexture({ size: [width, height], format: 'rgba8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC });
const buffer = (size, usage) => device.createBuffer({ size, usage });
const picture = buffer(width * height * 4, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC);
const histogram = buffer(1024, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC);

const encoder = device.createCommandEncoder();
const pass = encoder.beginRenderPass({ colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [0.55, 0.7, 0.9, 1] }] });
pass.setPipeline(draws);
pass.setBindGroup(0, device.createBindGroup({ layout: draws.getBindGroupLayout(0), entries: [{ binding: 0, resource: tiles().createView() }, { binding: 1, resource: sampler }] }));
pass.draw(4);
pass.end();
encoder.copyTextureToBuffer({ texture: target }, { buffer: picture, bytesPerRow: width * 4 }, [width, height]);
const compute = encoder.beginComputePass();
compute.setPipeline(counts);
compute.setBindGroup(1, device.createBindGroup({ layout: counts.getBindGroupLayout(1), entries: [picture, histogram].map((b, binding) => ({ binding, resource: { buffer: b } })) }));
compute.dispatchWorkgroups(Math.ceil(width * height / 64));
compute.end();
const copies = [picture, histogram].map((from) => {
  const to = buffer(from.size, GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ);
  encoder.copyBufferToBuffer(from, 0, to, 0, from.size);
  return to;
});
device.queue.submit([encoder.finish()]);
const [rgba, sums] = await Promise.all(copies.map(async (copy) => {
  await copy.mapAsync(GPUMapMode.READ);
  return new Uint8Array(copy.getMappedRange().slice(0));
}));

/// TGA, because its header is short: 18 bytes, then blue, green, red and alpha of each texel from the top.
function tga(texels) {
  const file = Buffer.alloc(18 + texels.length);
  file.set([0, 0, 2]);
  file.writeUInt16LE(width, 12);
  file.writeUInt16LE(height, 14);
  file.set([32, 0x28], 16);
  for (let i = 0; i < texels.length; i += 4) file.set([texels[i + 2], texels[i + 1], texels[i], texels[i + 3]], 18 + i);
  return file;
}
fs.writeFileSync(path.join(folder, 'floor.tga'), tga(rgba));
fs.writeFileSync(path.join(folder, 'histogram.bin'), sums);
process.exit(0);
