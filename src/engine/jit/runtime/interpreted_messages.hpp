// SPDX-License-Identifier: MIT
#pragma once
// Messages of threads that are interpreted, through the vector functions: each is prepared once in a run.

#include <memory>
#include <unordered_map>

#include "texture/request_runner.hpp"
#include "texture/simd/prepared.hpp"

namespace heddle::engine::jit {

/// Belongs to one Runner.
class InterpretedMessages final : public texture::RequestRunner {
 public:
  [[nodiscard]] texture::LaneResult run(const void* site, const texture::LaneRequest& request,
                                        texture::OperationContext& context) override;
  /// What is bound, or its memory, may change from here on.
  void forget() { prepared_.clear(); }

 private:
  struct Place {
    const void* site;
    const image::Surface* surface;
    const image::Sampler* sampler;
    unsigned simd;
    bool operator==(const Place&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Place& place) const;
  };
  /// Null: the reference unit runs it.
  std::unordered_map<Place, std::unique_ptr<texture::simd::PreparedOperation>, Hash> prepared_;
};

}  // namespace heddle::engine::jit
