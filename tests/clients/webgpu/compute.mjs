// WebGPU compute programs with results that are worked out here in JavaScript: node compute.mjs MODULES_FOLDER
import { dispatch, makeBuffer, openDevice, randomNumbers, readBuffer, runAll } from './device.mjs';

const kStorage = () => GPUBufferUsage.STORAGE;

function firstDifference(have, want, tolerance = 0) {
  for (let i = 0; i < want.length; ++i)
    if (!(Math.abs(have[i] - want[i]) <= tolerance * Math.max(1, Math.abs(want[i])))) return `element ${i} is ${have[i]}, expected ${want[i]}`;
  return have.length === want.length ? '' : `${have.length} elements, expected ${want.length}`;
}

/// C = A * B of 128x128, by tiles in workgroup memory.
async function matrixProduct(device) {
  const n = 128, random = randomNumbers(1);
  const a = Float32Array.from({ length: n * n }, () => Math.floor(random() * 17) - 8);
  const b = Float32Array.from({ length: n * n }, () => Math.floor(random() * 17) - 8);
  const code = `
    const N = ${n}u; const T = 16u;
    @group(0) @binding(0) var<storage, read> a: array<f32>;
    @group(0) @binding(1) var<storage, read> b: array<f32>;
    @group(0) @binding(2) var<storage, read_write> c: array<f32>;
    var<workgroup> ta: array<array<f32, 16>, 16>;
    var<workgroup> tb: array<array<f32, 16>, 16>;
    @compute @workgroup_size(16, 16)
    fn main(@builtin(global_invocation_id) g: vec3u, @builtin(local_invocation_id) l: vec3u) {
      var sum = 0.0;
      for (var t = 0u; t < N / T; t++) {
        ta[l.y][l.x] = a[g.y * N + t * T + l.x];
        tb[l.y][l.x] = b[(t * T + l.y) * N + g.x];
        workgroupBarrier();
        for (var k = 0u; k < T; k++) { sum += ta[l.y][k] * tb[k][l.x]; }
        workgroupBarrier();
      }
      c[g.y * N + g.x] = sum;
    }`;
  const c = makeBuffer(device, n * n * 4, kStorage());
  dispatch(device, code, [a, b].map((m) => ({ buffer: makeBuffer(device, m, kStorage()) })).concat({ buffer: c }), [n / 16, n / 16]);
  const want = new Float32Array(n * n);
  for (let y = 0; y < n; ++y)
    for (let x = 0; x < n; ++x) {
      let sum = 0;  // whole numbers below 2^24: exact in any order
      for (let k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
      want[y * n + x] = sum;
    }
  return firstDifference(new Float32Array(await readBuffer(device, c)), want);
}

/// A box blur of five texels: a sampled texture with a linear sampler into a storage texture, in both directions.
async function blur(device) {
  const w = 96, h = 64, random = randomNumbers(2);
  const texels = Uint8Array.from({ length: w * h * 4 }, () => Math.floor(random() * 256));
  const usage = GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_DST | GPUTextureUsage.COPY_SRC;
  const texture = (format, use) => device.createTexture({ size: [w, h], format, usage: use });
  const source = texture('rgba8unorm', GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST);
  device.queue.writeTexture({ texture: source }, texels, { bytesPerRow: w * 4 }, [w, h]);
  const between = texture('rgba32float', usage), result = texture('rgba32float', usage);
  const code = (axis, filtered) => `
    @group(0) @binding(0) var source: texture_2d<f32>;
    @group(0) @binding(1) var result: texture_storage_2d<rgba32float, write>;
    ${filtered ? '@group(0) @binding(2) var smp: sampler;' : ''}
    @compute @workgroup_size(8, 8)
    fn main(@builtin(global_invocation_id) id: vec3u) {
      let size = textureDimensions(source);
      if (id.x >= size.x || id.y >= size.y) { return; }
      var sum = vec4f(0);
      for (var k = -2; k <= 2; k++) {
        let at = vec2i(id.xy) + k * ${axis};
        ${filtered ? 'sum += textureSampleLevel(source, smp, (vec2f(at) + 0.5) / vec2f(size), 0);'
                   : 'sum += textureLoad(source, clamp(at, vec2i(0), vec2i(size) - 1), 0);'}
      }
      textureStore(result, vec2i(id.xy), sum / 5);
    }`;
  const sampler = device.createSampler({ magFilter: 'linear', minFilter: 'linear', addressModeU: 'clamp-to-edge', addressModeV: 'clamp-to-edge' });
  dispatch(device, code('vec2i(1, 0)', true), [source.createView(), between.createView(), sampler], [Math.ceil(w / 8), Math.ceil(h / 8)]);
  dispatch(device, code('vec2i(0, 1)', false), [between.createView(), result.createView()], [Math.ceil(w / 8), Math.ceil(h / 8)]);
  const out = device.createBuffer({ size: w * h * 16, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture: result }, { buffer: out, bytesPerRow: w * 16 }, [w, h]);
  device.queue.submit([encoder.finish()]);
  const have = new Float32Array(await readBuffer(device, out));
  const clamp = (v, n) => Math.min(Math.max(v, 0), n - 1);
  const across = new Float64Array(w * h * 4), want = new Float64Array(w * h * 4);
  for (let pass = 0; pass < 2; ++pass)
    for (let y = 0; y < h; ++y)
      for (let x = 0; x < w; ++x)
        for (let c = 0; c < 4; ++c) {
          let sum = 0;
          for (let k = -2; k <= 2; ++k)
            sum += pass === 0 ? texels[(y * w + clamp(x + k, w)) * 4 + c] / 255 : across[(clamp(y + k, h) * w + x) * 4 + c];
          (pass === 0 ? across : want)[(y * w + x) * 4 + c] = sum / 5;
        }
  return firstDifference(have, want, 1 / 512);  // linear filters may weigh in steps of 1/256
}

/// Sums of all elements before each one: inside groups with barriers, then over the groups' totals.
async function prefixSum(device) {
  const n = 1 << 16, random = randomNumbers(3);
  const input = Uint32Array.from({ length: n }, () => Math.floor(random() * 1000));
  const code = `
    @group(0) @binding(0) var<storage, read_write> values: array<u32>;
    @group(0) @binding(1) var<storage, read_write> totals: array<u32>;
    var<workgroup> part: array<u32, 256>;
    @compute @workgroup_size(256)
    fn scan(@builtin(global_invocation_id) g: vec3u, @builtin(local_invocation_id) l: vec3u, @builtin(workgroup_id) w: vec3u) {
      let own = values[g.x];
      part[l.x] = own;
      for (var step = 1u; step < 256u; step *= 2u) {
        workgroupBarrier();
        var add = 0u;
        if (l.x >= step) { add = part[l.x - step]; }
        workgroupBarrier();
        part[l.x] += add;
      }
      values[g.x] = part[l.x] - own;
      if (l.x == 255u) { totals[w.x] = part[l.x]; }
    }
    @compute @workgroup_size(256)
    fn add(@builtin(global_invocation_id) g: vec3u, @builtin(workgroup_id) w: vec3u) { values[g.x] += totals[w.x]; }`;
  const values = makeBuffer(device, input, kStorage());
  const totals = makeBuffer(device, 256 * 4, kStorage()), whole = makeBuffer(device, 4, kStorage());
  const both = (a, b) => [{ buffer: a }, { buffer: b }];
  dispatch(device, code, both(values, totals), [n / 256], 'scan');
  dispatch(device, code, both(totals, whole), [1], 'scan');
  dispatch(device, code, both(values, totals), [n / 256], 'add');
  const want = new Uint32Array(n);
  for (let i = 1; i < n; ++i) want[i] = want[i - 1] + input[i - 1];
  return firstDifference(new Uint32Array(await readBuffer(device, values)), want);
}

/// A histogram of 64 bins: atomics in workgroup memory, then in a buffer.
async function histogram(device) {
  const n = 1 << 17, random = randomNumbers(4);
  const input = Uint32Array.from({ length: n }, () => Math.floor(random() * random() * 64));
  const code = `
    @group(0) @binding(0) var<storage, read> values: array<u32>;
    @group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 64>;
    var<workgroup> own: array<atomic<u32>, 64>;
    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) g: vec3u, @builtin(local_invocation_index) l: u32, @builtin(num_workgroups) groups: vec3u) {
      atomicStore(&own[l], 0u);
      workgroupBarrier();
      for (var i = g.x; i < arrayLength(&values); i += groups.x * 64u) { atomicAdd(&own[values[i]], 1u); }
      workgroupBarrier();
      atomicAdd(&bins[l], atomicLoad(&own[l]));
    }`;
  const bins = makeBuffer(device, 64 * 4, kStorage());
  dispatch(device, code, [{ buffer: makeBuffer(device, input, kStorage()) }, { buffer: bins }], [32]);
  const want = new Uint32Array(64);
  for (const v of input) ++want[v];
  return firstDifference(new Uint32Array(await readBuffer(device, bins)), want);
}

/// Invocations of a group, and fragments of a draw, that learn of each other.
async function subgroups(device) {
  const code = `
    enable subgroups;
    @group(0) @binding(0) var<storage, read_write> o: array<u32>;
    @compute @workgroup_size(64)
    fn main(@builtin(local_invocation_index) n: u32, @builtin(subgroup_size) size: u32) {
      o[n * 4] = size;
      o[n * 4 + 1] = subgroupInclusiveAdd(n + 1);
      o[n * 4 + 2] = subgroupShuffleXor(n, 5);
      o[n * 4 + 3] = subgroupBallot(n % 3 == 0).x;
    }
    @vertex fn corner(@builtin(vertex_index) v: u32) -> @builtin(position) vec4f {
      return vec4f(f32(v & 1) * 4 - 1, f32(v >> 1) * 4 - 1, 0, 1);
    }
    @fragment fn color(@builtin(position) p: vec4f) -> @location(0) vec4u {
      let x = u32(p.x);
      let y = u32(p.y);
      return vec4u(quadSwapX(x), quadSwapY(y), subgroupMax(x / 4), u32(subgroupAny(x == 3)));
    }`;
  const out = makeBuffer(device, 64 * 16, kStorage());
  dispatch(device, code, [{ buffer: out }], [1]);
  const have = new Uint32Array(await readBuffer(device, out)), size = have[0];
  for (let n = 0; n < 64; ++n) {
    const first = n - n % size;
    let sum = 0, ballot = 0;
    for (let k = first; k <= n; ++k) sum += k + 1;
    for (let k = first; k < first + size; ++k) if (k % 3 === 0) ballot |= 1 << (k - first);
    const want = [size, sum, n ^ 5, ballot >>> 0];
    for (let k = 0; k < 4; ++k) if (have[n * 4 + k] !== want[k]) return `invocation ${n}: ${have[n * 4 + k]} is not ${want[k]}`;
  }
  const side = 16, module = device.createShaderModule({ code });
  const target = device.createTexture({ size: [side, side], format: 'rgba32uint', usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module, entryPoint: 'corner' },
    fragment: { module, entryPoint: 'color', targets: [{ format: 'rgba32uint' }] },
  });
  const pixels = device.createBuffer({ size: side * 256, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({ colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }] });
  pass.setPipeline(pipeline);
  pass.draw(3);
  pass.end();
  encoder.copyTextureToBuffer({ texture: target }, { buffer: pixels, bytesPerRow: 256 }, [side, side]);
  device.queue.submit([encoder.finish()]);
  const drawn = new Uint32Array(await readBuffer(device, pixels));
  for (let y = 0; y < side; ++y)
    for (let x = 0; x < side; ++x) {
      const [across, down, most, third] = drawn.slice(64 * y + 4 * x, 64 * y + 4 * x + 4);
      if (across !== (x ^ 1) || down !== (y ^ 1)) return `pixel ${x} ${y} has the neighbors ${across} ${down}`;
      if (most < x >> 2 || (x === 3 && third !== 1)) return `pixel ${x} ${y} is not in its subgroup`;
    }
  return '';
}

const context = await openDevice(process.argv[2] ?? '.', ['subgroups']);
const info = context.adapter.info;
console.log(`adapter: ${[info.vendor, info.architecture, info.device, info.description].filter(Boolean).join(', ')}`);
const failed = await runAll(context, [
  ['matrix product, tiles in workgroup memory', matrixProduct],
  ['blur, sampled and storage textures', blur],
  ['prefix sum, workgroup barriers', prefixSum],
  ['histogram, atomics', histogram],
  ['subgroups of a group and of fragments', subgroups],
]);
process.exit(failed === 0 ? 0 : 1);
