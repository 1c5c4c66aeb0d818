// SPDX-License-Identifier: MIT
#pragma once
// Descriptor variables: surfaces and samplers, and the elements of arrays of them.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "spirv/compile/compile.hpp"
#include "spirv/compile/module/value.hpp"
#include "spirv/module.hpp"

namespace heddle::spirv::compiler {

class ShaderContext;

/// What a descriptor variable became.
struct DescriptorVariable {
  std::vector<std::string> surfaces, samplers;     ///< one for each element
  std::vector<std::string> samples;                ///< of multisampled storage images: their samples as layers
  std::array<std::vector<std::string>, 2> planes;  ///< of images with planes: those behind the first, or empty names
  std::vector<SampledPlanes> conversions;          ///< one for each element, or none at all
  /// A large array whose elements are chosen at run time has handles from these on instead, one for each element.
  std::uint32_t indexed = 0;  ///< elements
  std::uint32_t first_surface = 0, first_samples = 0, first_sampler = 0;
};

enum class DescriptorPart : std::uint8_t { Surface, Samples, Sampler, Plane1, Plane2 };

class Descriptors {
 public:
  explicit Descriptors(ShaderContext& context) : t_(context) {}

  [[nodiscard]] const DescriptorVariable& of(std::uint32_t variable);
  /// Calls `use(element, guard)` for the elements of a descriptor array that the index names: once without a guard for
  /// a constant index, else for each element with the lanes that mean it; kSelected is the element that by_element()
  /// works on.
  static constexpr std::uint32_t kSelected = UINT32_MAX;
  void each_element(const Descriptor& descriptor,
                    const std::function<void(std::uint32_t element, const Guard& guard)>& use);
  /// The name of an element's surface or sampler; empty: it has none. `element`: as each_element gave it.
  [[nodiscard]] std::string element_name(std::uint32_t variable, std::uint32_t element, DescriptorPart part);
  /// The arrays, indexed at run time, whose elements an instruction reads, writes or samples.
  [[nodiscard]] std::vector<Descriptor> indexed_arrays(const Instruction& i);
  /// Active lanes that mean the same elements go through `translate` together, each lane once.
  void by_element(const std::vector<Descriptor>& arrays, const std::function<void()>& translate);
  /// The buffer with a sampler's constants (portable footprints), declared with its first use.
  [[nodiscard]] const std::string& sampler_record(const std::string& sampler);

 private:
  struct Selected {
    Descriptor descriptor;
    Part element;  ///< its number, the same for all active lanes
  };

  ShaderContext& t_;
  std::unordered_map<std::uint32_t, DescriptorVariable> variables_;
  std::vector<Selected> selected_;  ///< while by_element() translates
  std::map<std::string, std::string> sampler_records_;
  unsigned used_ = 0;
};

}  // namespace heddle::spirv::compiler
