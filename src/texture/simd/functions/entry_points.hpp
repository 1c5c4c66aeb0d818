// SPDX-License-Identifier: MIT
#pragma once
// What the files that define entry points share: how many lanes run together, and the names of each build.

namespace heddle::texture::simd {
namespace {

/// Lanes that run together: 32 and, without 512-bit vectors, 16 lanes are several runs.
#if defined(__AVX512F__)
constexpr int kWidest = 16;
#else
constexpr int kWidest = 8;
#endif

template <int Width>
constexpr int kRun = Width < kWidest ? Width : kWidest;

}  // namespace
}  // namespace heddle::texture::simd

#if !defined(HEDDLE_SIMD_SUFFIX)
#define HEDDLE_SIMD_SUFFIX
#endif
#define HEDDLE_SIMD_JOIN2(a, b) a##b
#define HEDDLE_SIMD_JOIN(a, b) HEDDLE_SIMD_JOIN2(a, b)
