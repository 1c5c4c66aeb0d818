// SPDX-License-Identifier: MIT
#pragma once
// OpenCL sources of tests/peers/opencl/kernels and of the generator: what their headers say, and their compilation by
// ocloc.
//
// Every line of the header starts with `//!`:
//   global 64x2 · local 16x2 · offset 3
//   in|out|inout NAME TYPE COUNT [LOW HIGH]   buffer of i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64; in and inout: random
//                                             between the bounds, without bounds any bits; out: zeros
//   value NAME TYPE V...                      argument by value · bytes NAME HEX
//   symbol NAME TYPE V...                     program-scope variable of the source
//   local-bytes NAME COUNT                    local pointer
//   image|image-out NAME TYPE W H [D]         unorm8 uint8 sint8 float32 uint32
//   sampler NAME WORD...                      linear nearest unnormalized, and addresses as in job files
//   ulps N · absolute X                       how far floats may be from POCL's
//   zero                                      self-checking: every output is zero; POCL does not have to run it
//   halves                                    POCL gets clang's halves
//   races                                     several threads store to one place: reported, no error
//   heavy                                     slow to compile: a few targets only unless the slow sweeps are wanted
//   skip WORD...                              devices or simd8, simd16, simd32 that do not take it

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "peers/opencl/compare.hpp"

namespace heddle::peers {

struct FreshKernel {
  std::string source;
  Launch launch;  ///< `kernel` is the function's name
  Bound bound;
  bool zero = false, halves = false, races = false, heavy = false;
  std::set<std::string> skip;
};

/// A kernel made from a seed: integers of 8 to 64 bits, floats in operations that have one right result, branches,
/// loops, a switch, private arrays, an exchange through shared memory. Free of undefined behavior.
std::string random_kernel(const std::string& name, unsigned seed);

/// Nothing with a reason where a header line says what is not known.
std::optional<FreshKernel> read_fresh(const std::string& name, const std::string& source, std::string& why);

/// Compiles all of them in one go for a device and width, with more options of the compiler. What the compiler gave, by
/// kernel; `why` where it failed.
std::map<std::string, job::kernels::Variant> compile_fresh(const std::vector<const FreshKernel*>& kernels,
                                                           const std::string& device, unsigned simd,
                                                           const std::filesystem::path& folder, std::string& why,
                                                           const std::string& options = {});

}  // namespace heddle::peers
