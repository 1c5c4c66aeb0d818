// SPDX-License-Identifier: MIT
#pragma once
// Who runs requests in place of execute(), with the same results.

#include "texture/request.hpp"

namespace heddle::texture {

class RequestRunner {
 public:
  /// `site`: where the request comes from; those of one site mostly differ in parameters, lanes, surface and sampler
  /// alone.
  [[nodiscard]] virtual LaneResult run(const void* site, const LaneRequest& request, OperationContext& context) = 0;

 protected:
  ~RequestRunner() = default;
};

}  // namespace heddle::texture
