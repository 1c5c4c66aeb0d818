// SPDX-License-Identifier: MIT
#include "spirv/missing_words.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <spirv/unified1/spirv.hpp>
#include <string_view>

namespace heddle::spirv {
namespace {

constexpr std::uint32_t kSpirv15 = 0x00010500, kSpirv16 = 0x00010600;
constexpr std::size_t kHeaderWords = 5;

/// A capability that any other of a list does as well, and the extension that gives it before a version.
struct Need {
  std::uint32_t capability;
  std::vector<std::uint32_t> others;
  std::string_view extension;
  std::uint32_t core;  ///< the version from which on it needs no extension
};

const Need kMultiViewport{spv::CapabilityMultiViewport,
                          {spv::CapabilityShaderViewportIndex, spv::CapabilityShaderViewportIndexLayerEXT,
                           spv::CapabilityMeshShadingNV, spv::CapabilityMeshShadingEXT},
                          {},
                          0};
const Need kLayer{spv::CapabilityGeometry,
                  {spv::CapabilityShaderLayer, spv::CapabilityShaderViewportIndexLayerEXT, spv::CapabilityMeshShadingNV,
                   spv::CapabilityMeshShadingEXT},
                  {},
                  0};
const Need kPrimitive{spv::CapabilityGeometry,
                      {spv::CapabilityTessellation, spv::CapabilityRayTracingNV, spv::CapabilityRayTracingKHR,
                       spv::CapabilityMeshShadingNV, spv::CapabilityMeshShadingEXT},
                      {},
                      0};
const Need kSampleRate{spv::CapabilitySampleRateShading, {}, {}, 0};
const Need kHelpers{spv::CapabilityDemoteToHelperInvocationEXT, {}, "SPV_EXT_demote_to_helper_invocation", kSpirv16};
const Need kMemoryModel{spv::CapabilityVulkanMemoryModel, {}, "SPV_KHR_vulkan_memory_model", kSpirv15};

const Need* need_of_built_in(std::uint32_t built_in) {
  switch (built_in) {
    case spv::BuiltInViewportIndex:
      return &kMultiViewport;
    case spv::BuiltInLayer:
      return &kLayer;
    case spv::BuiltInPrimitiveId:
      return &kPrimitive;
    case spv::BuiltInSampleId:
    case spv::BuiltInSamplePosition:
      return &kSampleRate;
    default:
      return nullptr;
  }
}

/// `i`: the words of one instruction.
const Need* need_of(std::span<const std::uint32_t> i) {
  switch (i[0] & 0xffffu) {
    case spv::OpDecorate:
      return i.size() > 3 && i[2] == spv::DecorationBuiltIn ? need_of_built_in(i[3]) : nullptr;
    case spv::OpMemberDecorate:
      return i.size() > 4 && i[3] == spv::DecorationBuiltIn ? need_of_built_in(i[4]) : nullptr;
    case spv::OpDemoteToHelperInvocationEXT:
    case spv::OpIsHelperInvocationEXT:
      return &kHelpers;
    case spv::OpCapability:
      if (i.size() > 1 && i[1] == kHelpers.capability) return &kHelpers;
      return i.size() > 1 && i[1] == kMemoryModel.capability ? &kMemoryModel : nullptr;
    case spv::OpMemoryModel:
      return i.size() > 2 && i[2] == spv::MemoryModelVulkan ? &kMemoryModel : nullptr;
    default:
      return nullptr;
  }
}

std::string_view name_in(std::span<const std::uint32_t> words) {
  const auto* text = reinterpret_cast<const char*>(words.data());
  return {text, ::strnlen(text, words.size_bytes())};
}

/// What a module declares and needs.
struct Words {
  std::set<std::uint32_t> capabilities;
  std::set<std::string_view> extensions;
  std::set<const Need*> needs;
  std::size_t end_of_capabilities = kHeaderWords;

  /// False where the words are no module.
  bool read(std::span<const std::uint32_t> words) {
    for (std::size_t at = kHeaderWords; at < words.size();) {
      const std::size_t count = words[at] >> 16;
      if (count == 0 || count > words.size() - at) return false;
      take(words.subspan(at, count));
      at += count;
      if ((words[at - count] & 0xffffu) == spv::OpCapability) end_of_capabilities = at;
    }
    return true;
  }
  void take(std::span<const std::uint32_t> i) {
    const std::uint32_t opcode = i[0] & 0xffffu;
    if (opcode == spv::OpCapability && i.size() > 1) capabilities.insert(i[1]);
    if (opcode == spv::OpExtension) extensions.insert(name_in(i.subspan(1)));
    if (const Need* need = need_of(i)) needs.insert(need);
  }
  [[nodiscard]] bool lacks_capability(const Need& need) const {
    return !capabilities.contains(need.capability) &&
           std::ranges::none_of(need.others, [&](std::uint32_t other) { return capabilities.contains(other); });
  }
  [[nodiscard]] bool lacks_extension(const Need& need, std::uint32_t version) const {
    return !need.extension.empty() && version < need.core && !extensions.contains(need.extension);
  }
};

void put_extension(std::vector<std::uint32_t>& to, std::string_view name) {
  const std::size_t count = name.size() / 4 + 1, at = to.size();
  to.push_back(static_cast<std::uint32_t>((count + 1) << 16 | spv::OpExtension));
  to.resize(at + 1 + count);
  std::memcpy(&to[at + 1], name.data(), name.size());
}

}  // namespace

std::vector<std::uint32_t> with_missing_words(std::span<const std::uint32_t> words) {
  Words module;
  if (words.size() <= kHeaderWords || !module.read(words)) return {};
  std::vector<std::uint32_t> capabilities, extensions;
  for (const Need* need : module.needs) {
    if (module.lacks_capability(*need))
      capabilities.insert(capabilities.end(), {2u << 16 | spv::OpCapability, need->capability});
    if (module.lacks_extension(*need, words[1])) put_extension(extensions, need->extension);
  }
  if (capabilities.empty() && extensions.empty()) return {};
  const auto middle = words.begin() + static_cast<std::ptrdiff_t>(module.end_of_capabilities);
  std::vector<std::uint32_t> whole(words.begin(), middle);
  std::ranges::copy(capabilities, std::back_inserter(whole));
  std::ranges::copy(extensions, std::back_inserter(whole));
  whole.insert(whole.end(), middle, words.end());
  return whole;
}

}  // namespace heddle::spirv
