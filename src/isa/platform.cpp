// SPDX-License-Identifier: MIT
#include "isa/platform.hpp"

#include <array>

namespace heddle::isa {
namespace {

constexpr std::array<PlatformInfo, kPlatformCount> kPlatforms = {{
    {Platform::BDW, "BDW", "GEN8", 32, 16, true, true, "skl"},
    {Platform::CHV, "CHV", "", 32, 16, true, true, "skl"},
    {Platform::SKL, "SKL", "KBL CFL GEN9", 32, 16, true, true, "skl"},
    {Platform::BXT, "BXT", "APL", 32, 16, true, true, "skl"},
    {Platform::ICLLP, "ICLLP", "ICL GEN11", 32, 16, false, false, "icllp"},
    {Platform::TGLLP, "TGLLP", "TGL DG1 ADL RKL GEN12LP", 32, 16, false, false, "tgllp"},
    {Platform::XeHP_SDV, "XeHP_SDV", "XEHP", 32, 16, true, true, "dg2"},
    {Platform::DG2, "DG2", "DG2-G10 DG2-G11 DG2-G12 ACM", 32, 16, false, false, "dg2"},
    {Platform::MTL, "MTL", "", 32, 16, false, true, "dg2"},
    {Platform::PVC, "PVC", "", 64, 32, true, true, "pvc"},
    {Platform::PVCXT, "PVCXT", "", 64, 32, true, true, "pvc"},
    {Platform::ARL, "ARL", "", 32, 16, false, true, "dg2"},
    {Platform::XE2, "XE2", "LNL BMG", 64, 32, true, true, "xe2"},
    {Platform::XE3, "XE3", "PTL", 64, 32, true, true, "xe2"},
    {Platform::XE3P, "XE3P", "XE3P_CRI CRI NVL", 64, 32, true, true, "xe2"},
}};

bool same_word(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

}  // namespace

const PlatformInfo& platform_info(Platform platform) {
  return kPlatforms[static_cast<unsigned>(platform) % kPlatformCount];
}
std::span<const PlatformInfo> all_platforms() { return kPlatforms; }

std::optional<Platform> find_platform(std::string_view name) {
  for (const PlatformInfo& p : kPlatforms) {
    if (same_word(name, p.name)) return p.platform;
    for (std::size_t at = 0; at < p.aliases.size();) {
      const std::size_t end = std::min(p.aliases.find(' ', at), p.aliases.size());
      if (same_word(name, p.aliases.substr(at, end - at))) return p.platform;
      at = end + 1;
    }
  }
  return std::nullopt;
}

std::string PlatformSet::describe() const {
  if (*this == all()) return "all";
  if (empty()) return "none";
  unsigned first = 0, last = kPlatformCount - 1;
  while (!has(static_cast<Platform>(first))) ++first;
  while (!has(static_cast<Platform>(last))) --last;
  const auto name = [](unsigned i) { return std::string(kPlatforms[i].name); };
  if (*this == range(static_cast<Platform>(first), static_cast<Platform>(last)) && first != last) {
    if (last == kPlatformCount - 1) return name(first) + " and later";
    if (first == 0) return "before " + name(last + 1);
    return name(first) + " to " + name(last);
  }
  std::string text;
  for (unsigned i = 0; i < kPlatformCount; ++i)
    if (has(static_cast<Platform>(i))) text += (text.empty() ? "" : ", ") + name(i);
  return text;
}

}  // namespace heddle::isa
