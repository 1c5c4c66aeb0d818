// SPDX-License-Identifier: MIT
#include "vulkan/pipelines/code/stage_binary.hpp"

#include <algorithm>
#include <cstring>

#include "base/disk_cache.hpp"
#include "vulkan/device/properties/identity.hpp"

namespace heddle::vulkan {
namespace {

/// What a binary begins with; its vISA follows.
struct Header {
  Uuid build;
  std::uint32_t stage;
  std::uint32_t padding;
  std::uint64_t bytes, sum;
};

base::KeyMaker key_of(std::uint32_t stage, std::string_view visa) {
  base::KeyMaker key;
  key.text(std::to_string(stage));
  key.text(visa);
  return key;
}

}  // namespace

std::string name_of(isa::ShaderStage stage, std::string_view visa) {
  return key_of(static_cast<std::uint32_t>(stage), visa).hex();
}

std::vector<std::uint8_t> bytes_of(isa::ShaderStage stage, std::string_view visa) {
  const auto number = static_cast<std::uint32_t>(stage);
  const Header header{build_uuid(), number, 0, visa.size(), key_of(number, visa).sum().low};
  std::vector<std::uint8_t> bytes(sizeof header + visa.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, visa.data(), visa.size());
  return bytes;
}

StageBinary read_stage_binary(std::span<const std::uint8_t> bytes) {
  Header header{};
  if (bytes.size() < sizeof header) return {};
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto stage = std::ranges::find_if(isa::kShaderStages, [&](const isa::ShaderStageInfo& s) {
    return s.compiled && static_cast<std::uint32_t>(s.stage) == header.stage;
  });
  if (header.build != build_uuid() || stage == std::end(isa::kShaderStages) ||
      header.bytes != bytes.size() - sizeof header)
    return {};
  const std::string_view visa(reinterpret_cast<const char*>(bytes.data()) + sizeof header, header.bytes);
  if (key_of(header.stage, visa).sum().low != header.sum) return {};
  return {stage->stage, std::make_shared<const std::string>(visa)};
}

}  // namespace heddle::vulkan
