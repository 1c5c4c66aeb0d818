// SPDX-License-Identifier: MIT
#pragma once
// Limits of the program itself that a user can meet and no flag changes: far beyond real programs, they bound what a
// small input can ask for. (limits.hpp has those with flags; sizes that a format or the hardware fixes stand with it.)

#include <cstddef>
#include <cstdint>

namespace heddle::base {

// --- shaders that are compiled (spirv, and job where it reads the interface) ---
/// Instructions of a compiled program. Calls are translated in place, so a small module can ask for a huge one.
inline constexpr std::size_t kCompiledInstructions = 400'000;
/// Scalars of one value, and of all inputs or all outputs of a stage: each takes at least one register.
inline constexpr std::uint32_t kValueScalars = 4096;
/// Bytes of constants that lie beside a compiled program.
inline constexpr std::uint32_t kConstantBytes = 1u << 22;
/// Types within types: SPIR-V's own limit for structures.
inline constexpr std::uint32_t kTypeDepth = 255;
/// Locations of a stage's inputs and outputs; keeps sums within 32 bits.
inline constexpr std::uint32_t kLocations = 1024;
/// Descriptors of one program, elements of arrays counted.
inline constexpr unsigned kDescriptors = 4096;

// --- geometry shaders and transform feedback (spirv, shader_interface, pipeline, vulkan) ---
/// Streams of vertices that a geometry shader emits.
inline constexpr std::uint32_t kMaxVertexStreams = 4;
/// Buffers that vertices are captured to.
inline constexpr std::uint32_t kMaxCaptureBuffers = 4;

// --- runs (job, library) ---
inline constexpr unsigned kWorkerThreads = 4096;
/// Items of one compute group.
inline constexpr std::uint64_t kGroupItems = 65536;
/// Bytes of scratch memory of a thread, and of shared memory of a group.
inline constexpr std::uint64_t kThreadBytes = std::uint64_t{1} << 24;
/// Bytes of a uniform block whose members are given one by one.
inline constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 20;

}  // namespace heddle::base
