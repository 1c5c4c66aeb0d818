// SPDX-License-Identifier: MIT
#pragma once
// What surrounds one operation of the texture unit: which of two described behaviors is meant, the platform, who
// watches the texels, and where reports go. One context serves one thread; operations never share state otherwise.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "image/format.hpp"
#include "image/surface.hpp"

namespace heddle::texture {

/// Where sources describe two behaviors: what the shipped finalizer and drivers make of it, or what the seed text
/// says.
enum class Behavior : std::uint8_t { Hardware, Document };

/// The texture units that differ, each named after the first platform that has it (isa::PlatformInfo::unit says which
/// one a platform has). `Any` asks for no platform checks (GA-2, UNO-11).
enum class UnitPlatform : std::uint8_t { Any, Skl, Icllp, Tgllp, Dg2, Pvc, Xe2 };

/// "skl", "icllp", "tgllp", "dg2", "pvc", "xe2"; nullopt for other names.
[[nodiscard]] std::optional<UnitPlatform> find_unit_platform(std::string_view name);
[[nodiscard]] std::string_view name_of(UnitPlatform platform);
/// The column of the format table that a platform reads; nullopt for Any.
[[nodiscard]] std::optional<image::Generation> generation_of(UnitPlatform platform);

/// One texel that an operation read or wrote, in the surface's own terms.
struct TexelTouch {
  const image::Surface* surface = nullptr;
  std::uint32_t level = 0;     ///< absolute
  std::uint32_t slice = 0;     ///< stored 2D slice, or z of a 3D level
  std::uint32_t x = 0, y = 0;  ///< buffers: x is the element
  std::uint32_t lane = 0;      ///< lane, slot or pixel of the block
  bool weighted = true;        ///< false: part of the footprint with weight 0 (FC1); its value took no part (C26)
  bool written = false;
};

class TexelObserver {
 public:
  virtual ~TexelObserver() = default;
  virtual void texel(const TexelTouch& touch) = 0;
};

struct OperationContext {
  Behavior behavior = Behavior::Hardware;
  Behavior sample_unorm_behavior = Behavior::Document;  ///< the output formats have their own default (UNO-12, 13)
  UnitPlatform platform = UnitPlatform::Any;
  TexelObserver* observer = nullptr;
  /// Errors: the operation or state is refused, its results are 0 (RET-9, C22). Warnings: checked rules; the result
  /// stands. Ids are those of the rules ("RET-9", "GA-2", "UNO-9").
  base::Diagnostics reports;

  void set_behavior(Behavior b) { behavior = sample_unorm_behavior = b; }
  [[nodiscard]] bool hardware() const { return behavior == Behavior::Hardware; }

  /// Adds a report unless the same one (id and message) is already there: a loop over a wrong surface reports once.
  void refuse(std::string_view id, std::string_view message) { report(base::Severity::Error, id, message); }
  void warn(std::string_view id, std::string_view message) { report(base::Severity::Warning, id, message); }

 private:
  void report(base::Severity severity, std::string_view id, std::string_view message);
};

}  // namespace heddle::texture
