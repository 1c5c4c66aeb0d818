// SPDX-License-Identifier: MIT
#pragma once
// Platforms in the order of "from P on" rules.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heddle::isa {

enum class Platform : std::uint8_t {
  BDW,
  CHV,
  SKL,
  BXT,
  ICLLP,
  TGLLP,
  XeHP_SDV,
  DG2,
  MTL,
  PVC,
  PVCXT,
  ARL,
  XE2,
  XE3,
  XE3P
};
inline constexpr unsigned kPlatformCount = 15;

struct PlatformInfo {
  Platform platform;
  std::string_view name;     ///< as GenX_IR spells it: "SKL", "XeHP_SDV"
  std::string_view aliases;  ///< space separated, any case: "KBL CFL GEN9"
  std::uint16_t grf_bytes;   ///< 32, or 64 on PVC and XE2 and later
  std::uint8_t max_simd;     ///< widest LSC / native SIMT message: 16, or 32 on PVC
  bool int64;                ///< 64-bit integers in hardware
  bool fp64;                 ///< DF in hardware
  std::string_view
      unit;  ///< its texture unit, by the name that texture/ has for it: that of the first platform with it
};

[[nodiscard]] const PlatformInfo& platform_info(Platform platform);
[[nodiscard]] std::span<const PlatformInfo> all_platforms();                 ///< in order
[[nodiscard]] std::optional<Platform> find_platform(std::string_view name);  ///< name or alias, any case

/// A set of platforms.
class PlatformSet {
 public:
  constexpr PlatformSet() = default;
  static constexpr PlatformSet all() { return PlatformSet((1u << kPlatformCount) - 1u); }
  static constexpr PlatformSet from(Platform first) {
    return PlatformSet(all().bits_ & ~((1u << static_cast<unsigned>(first)) - 1u));
  }
  static constexpr PlatformSet before(Platform end) { return PlatformSet((1u << static_cast<unsigned>(end)) - 1u); }
  static constexpr PlatformSet range(Platform first, Platform last) {
    return PlatformSet(from(first).bits_ & ((2u << static_cast<unsigned>(last)) - 1u));
  }
  static constexpr PlatformSet only(Platform p) { return PlatformSet(1u << static_cast<unsigned>(p)); }
  [[nodiscard]] constexpr bool has(Platform p) const { return (bits_ >> static_cast<unsigned>(p) & 1u) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  constexpr PlatformSet operator|(PlatformSet o) const { return PlatformSet(bits_ | o.bits_); }
  constexpr PlatformSet operator&(PlatformSet o) const { return PlatformSet(bits_ & o.bits_); }
  constexpr PlatformSet without(PlatformSet o) const { return PlatformSet(bits_ & ~o.bits_); }
  bool operator==(const PlatformSet&) const = default;
  [[nodiscard]] std::string describe()
      const;  ///< "all", "ICLLP and later", "before XeHP_SDV", "SKL to TGLLP", "PVC, XE2"

 private:
  constexpr explicit PlatformSet(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

}  // namespace heddle::isa
