// SPDX-License-Identifier: MIT
// webgpu.mjs FOLDER: what a WebGPU program waits for on the Vulkan driver at hand, as JSON. FOLDER has npm's webgpu (Dawn).
// `first`: from asking for an adapter to a sampled texel in the program's hands; `pipeline`: a pipeline of 37 comparing
// samples, to its result; `states`: the same pipeline with another compare function, each; milliseconds by the clock, and of
// the processor.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(pathToFileURL(process.argv[2] + '/'));
const { create, globals } = await import(pathToFileURL(require.resolve('webgpu')));
Object.assign(globalThis, globals);

async function timed(work) {
  const cpu = process.cpuUsage(), start = performance.now();
  await work();
  const used = process.cpuUsage(cpu);
  return { clock: performance.now() - start, processor: (used.user + used.system) / 1000 };
}

let device;
async function read(buffer) {
  const copy = device.createBuffer({ size: buffer.size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  return new Float32Array(copy.getMappedRange().slice(0));
}
function compute(code) {
  return device.createComputePipeline({ layout: 'auto', compute: { module: device.createShaderModule({ code }) } });
}
function dispatch(pipeline, view, sampler, buffer) {
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: view }, { binding: 1, resource: sampler }, { binding: 2, resource: { buffer } }],
  });
  const encoder = device.createCommandEncoder(), pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(1);
  pass.end();
  device.queue.submit([encoder.finish()]);
}
function storage(size) {
  return device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
}

let gpu;
const first = await timed(async () => {
  gpu = create(['backend=vulkan', 'adapter=']);
  device = await (await gpu.requestAdapter()).requestDevice();
  const texture = device.createTexture({ size: [8, 8], format: 'rgba8unorm', usage: GPUTextureUsage.TEXTURE_BINDING });
  const buffer = storage(16);
  dispatch(compute(`@group(0) @binding(0) var t: texture_2d<f32>;
    @group(0) @binding(1) var s: sampler;
    @group(0) @binding(2) var<storage, read_write> o: array<vec4f>;
    @compute @workgroup_size(1) fn main() { o[0] = textureSampleLevel(t, s, vec2f(0.5), 0.0) + vec4f(1.0); }`),
    texture.createView(), device.createSampler(), buffer);
  if ((await read(buffer))[0] !== 1) throw new Error('a wrong texel');
});

const depth = device.createTexture({ size: [8, 8], format: 'depth32float', usage: GPUTextureUsage.TEXTURE_BINDING });
const results = storage(16 * 37);
const samples = Array.from({ length: 37 }, (_, k) => `o[${k}].x = textureSampleCompareLevel(t, s, o[${k}].xy, 0.5);`);
let pipeline;
async function compared(compare, expected) {
  dispatch(pipeline, depth.createView(), device.createSampler({ compare }), results);
  const found = await read(results);
  for (let k = 0; k < 37; ++k) if (found[4 * k] !== expected) throw new Error(`${compare}: ${found[4 * k]}`);
}
const made = await timed(async () => {
  pipeline = compute(`@group(0) @binding(0) var t: texture_depth_2d;
    @group(0) @binding(1) var s: sampler_comparison;
    @group(0) @binding(2) var<storage, read_write> o: array<vec4f>;
    @compute @workgroup_size(1) fn main() { ${samples.join('\n')} }`);
  await compared('less', 0);  // 0.5 < 0
});
const states = [];
for (const [compare, expected] of [['greater', 1], ['equal', 0], ['greater-equal', 1], ['not-equal', 1], ['always', 1]])
  states.push(await timed(() => compared(compare, expected)));
console.log(JSON.stringify({ first, pipeline: made, states }));
process.exit(0);
