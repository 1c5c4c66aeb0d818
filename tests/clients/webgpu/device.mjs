// A WebGPU device by Dawn's Node binding (npm's webgpu), on the Vulkan driver that VK_DRIVER_FILES names, and what the programs of this folder share.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import path from 'node:path';

/// `modules`: the folder whose node_modules has webgpu. `features`: that the device must have.
export async function openDevice(modules, features = []) {
  const require = createRequire(path.join(path.resolve(modules), 'none.js'));
  const { create, globals } = await import(pathToFileURL(require.resolve('webgpu')).href);
  Object.assign(globalThis, globals);
  const gpu = create(['backend=vulkan', 'adapter=']);
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error('no adapter: the driver lacks what Dawn asks for by default');
  for (const feature of features)
    if (!adapter.features.has(feature)) throw new Error(`Dawn does not list ${feature}`);
  const device = await adapter.requestDevice({ requiredFeatures: features });
  const errors = [];
  device.addEventListener('uncapturederror', (event) => errors.push(event.error.message));
  device.lost.then((info) => { if (info.reason !== 'destroyed') errors.push(`device lost: ${info.message}`); });
  return { gpu, adapter, device, errors };
}

/// A buffer with this content (a typed array) or of so many bytes.
export function makeBuffer(device, content, usage) {
  const bytes = typeof content === 'number' ? content : content.byteLength;
  const buffer = device.createBuffer({ size: bytes, usage: usage | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
  if (typeof content !== 'number') device.queue.writeBuffer(buffer, 0, content);
  return buffer;
}

/// The bytes of a buffer after everything that was submitted.
export async function readBuffer(device, buffer) {
  const copy = device.createBuffer({ size: buffer.size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const bytes = copy.getMappedRange().slice(0);
  copy.unmap();
  copy.destroy();
  return bytes;
}

/// Runs one compute shader; `entries` are the bindings of group 0 in order.
export function dispatch(device, code, entries, groups, entryPoint = 'main') {
  const module = device.createShaderModule({ code });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint } });
  const bindings = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: entries.map((resource, binding) => ({ binding, resource })),
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bindings);
  pass.dispatchWorkgroups(...groups);
  pass.end();
  device.queue.submit([encoder.finish()]);
}

/// Repeatable numbers in [0, 1).
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 16777216;
  };
}

/// Runs programs of the form [name, async (device) => problem or ''], prints a line for each; the number that failed.
export async function runAll(context, programs) {
  let failed = 0;
  for (const [name, program] of programs) {
    const start = performance.now();
    let problem = '';
    try {
      context.device.pushErrorScope('validation');
      problem = await program(context.device);
      const error = await context.device.popErrorScope();
      if (error) problem = error.message;
    } catch (error) {
      problem = String(error);
    }
    if (!problem && context.errors.length > 0) problem = context.errors.join('; ');
    console.log(`${problem ? 'failed' : 'good'}: ${name} (${(performance.now() - start).toFixed(0)} ms)${problem ? ': ' + problem : ''}`);
    if (problem) ++failed;
  }
  return failed;
}
