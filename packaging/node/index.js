// SPDX-License-Identifier: MIT
// WebGPU on the CPU: says to Vulkan's loader that this package's driver is the one, then opens Dawn's binding.
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/// The driver's manifest, for programs that are started with VK_DRIVER_FILES.
export const manifest = path.join(path.dirname(fileURLToPath(import.meta.url)), 'heddle_icd.json');
process.env.VK_DRIVER_FILES = manifest;
process.env.VK_ICD_FILENAMES = manifest; // what loaders before 1.3.207 read

/// navigator.gpu's object, with WebGPU's constants as globals. `options`: Dawn's, such as 'enable-dawn-features=...'.
export async function openGPU(options = []) {
  const { create, globals } = await import('webgpu');
  Object.assign(globalThis, globals);
  return create(['backend=vulkan', ...options]);
}
