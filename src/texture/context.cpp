// SPDX-License-Identifier: MIT
#include "texture/context.hpp"

#include <array>
#include <utility>

namespace heddle::texture {
namespace {

struct PlatformRow {
  UnitPlatform platform;
  std::string_view name;
  image::Generation generation;
};
constexpr std::array<PlatformRow, 6> kPlatforms{{
    {UnitPlatform::Skl, "skl", image::Generation::Gen9},
    {UnitPlatform::Icllp, "icllp", image::Generation::Gen11},
    {UnitPlatform::Tgllp, "tgllp", image::Generation::Gen12},
    {UnitPlatform::Dg2, "dg2", image::Generation::Gen12_5},
    {UnitPlatform::Pvc, "pvc", image::Generation::Gen12_5},
    {UnitPlatform::Xe2, "xe2", image::Generation::Gen20},
}};

}  // namespace

std::optional<UnitPlatform> find_unit_platform(std::string_view name) {
  for (const auto& row : kPlatforms)
    if (row.name == name) return row.platform;
  return std::nullopt;
}

std::string_view name_of(UnitPlatform platform) {
  for (const auto& row : kPlatforms)
    if (row.platform == platform) return row.name;
  return "any";
}

std::optional<image::Generation> generation_of(UnitPlatform platform) {
  for (const auto& row : kPlatforms)
    if (row.platform == platform) return row.generation;
  return std::nullopt;
}

void OperationContext::report(base::Severity severity, std::string_view id, std::string_view message) {
  for (const auto& known : reports.all())
    if (known.id == id && known.message == message) return;
  base::Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.id = std::string(id);
  diagnostic.message = std::string(message);
  reports.add(std::move(diagnostic));
}

}  // namespace heddle::texture
