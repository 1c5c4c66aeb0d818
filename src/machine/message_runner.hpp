// SPDX-License-Identifier: MIT
#pragma once
// Who runs a thread's messages to the texture unit in place of texture::execute, with the same results.

#include "machine/decoded.hpp"
#include "texture/request.hpp"

namespace heddle::machine {

class MessageRunner {
 public:
  /// `site`: the instruction, whose requests differ in nothing but parameters, lanes, surface and sampler.
  [[nodiscard]] virtual texture::LaneResult run(const Decoded& site, const texture::LaneRequest& request,
                                                texture::OperationContext& context) = 0;

 protected:
  ~MessageRunner() = default;
};

}  // namespace heddle::machine
