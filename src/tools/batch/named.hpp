// SPDX-License-Identifier: MIT
#pragma once
// What the lines of a batch have defined, and operations prepared for it.

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "image/objects/object.hpp"
#include "image/surface.hpp"
#include "texture/request.hpp"
#include "texture/simd/prepared.hpp"

namespace heddle::tools {

/// A surface of a request. `serial` tells defined ones apart; 0: it belongs to this request alone.
struct BoundSurface {
  std::shared_ptr<const image::Surface> surface;
  std::uint64_t serial = 0;
};

/// A sampler of a request; `serial` as of surfaces.
struct BoundSampler {
  image::SamplerMembers members;
  std::uint64_t serial = 0;
};

/// An operation on a defined surface, ready to run. Without `operation` the reference unit has to run it.
struct PreparedRequest {
  std::shared_ptr<const image::Surface> surface;
  image::Sampler sampler;
  std::unique_ptr<texture::simd::PreparedOperation> operation;
};

/// Everything that a prepared operation depends on.
using PreparedKey = std::array<std::uint64_t, 6>;

class NamedState {
 public:
  explicit NamedState(const base::Limits& limits) : limits_(limits) {}

  // Definitions; no question may be asked meanwhile.
  /// Takes the place of a surface of the same name. Id: limit-memory.
  [[nodiscard]] base::Result<base::Done> define(const std::string& name, image::Surface surface);
  void define(const std::string& name, image::SamplerMembers sampler);

  // Questions, from any thread.
  [[nodiscard]] const BoundSurface* surface(std::string_view name) const;
  [[nodiscard]] const BoundSampler* sampler(std::string_view name) const;
  [[nodiscard]] std::vector<std::string_view> surface_names() const;
  [[nodiscard]] std::vector<std::string_view> sampler_names() const;
  /// A sampler in words, read when they come for the first time. Ids: those of parse_sampler.
  [[nodiscard]] base::Result<std::shared_ptr<const BoundSampler>> sampler_of_words(const std::string& words);
  /// What was prepared for `key`; nullptr where nothing was.
  [[nodiscard]] std::shared_ptr<const PreparedRequest> find(const PreparedKey& key) const;
  void keep(const PreparedKey& key, std::shared_ptr<const PreparedRequest> prepared);

 private:
  struct HashKey {
    std::size_t operator()(const PreparedKey& key) const;
  };
  const base::Limits limits_;
  std::uint64_t used_ = 0;  ///< bytes of the surfaces
  std::atomic<std::uint64_t> serial_{1};
  std::map<std::string, BoundSurface, std::less<>> surfaces_;
  std::map<std::string, BoundSampler, std::less<>> samplers_;
  mutable std::shared_mutex mutex_;  ///< of what follows
  std::map<std::string, std::shared_ptr<const BoundSampler>, std::less<>> words_;
  std::unordered_map<PreparedKey, std::shared_ptr<const PreparedRequest>, HashKey> prepared_;
};

}  // namespace heddle::tools
