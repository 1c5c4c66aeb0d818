#pragma once
// Which texels of the job's images a run read and wrote.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "image/surface.hpp"
#include "machine/observer.hpp"

namespace heddle::job {

/// Which texels of surfaces were read or written.
class TexelCoverage final : public machine::Observer {
 public:
  void texel(const texture::TexelTouch& touch) override;
  [[nodiscard]] bool wants_memory() const override { return false; }

  /// A picture of one level and slice of the surface with that name: red = reads, green = writes, brighter for more
  /// (each doubling a step). Nothing where the surface was not touched. Surfaces need not live any more.
  [[nodiscard]] std::optional<image::Surface> picture(const std::string& name, std::uint32_t level = 0,
                                                      std::uint32_t slice = 0) const;

 private:
  struct Plane {
    std::uint32_t width = 0, height = 0;
    std::vector<std::uint32_t> reads, writes;
  };
  using Key = std::tuple<std::string, std::uint32_t, std::uint32_t>;  ///< name, level, slice
  std::map<Key, Plane> planes_;
  std::tuple<const image::Surface*, std::uint32_t, std::uint32_t>
      last_key_{};  ///< of the texel before: neighbours share a plane
  Plane* last_ = nullptr;
};

}  // namespace heddle::job
