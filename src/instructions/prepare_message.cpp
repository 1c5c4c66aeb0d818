// SPDX-License-Identifier: MIT
#include "instructions/prepare_message.hpp"

namespace heddle::instructions {

// The list of kinds. Each is defined by the group or family that has such messages, as the families' hooks are.
#define HEDDLE_MESSAGE_KINDS(X) \
  X(prepare_image)              \
  X(prepare_target_write)       \
  X(prepare_footprint)          \
  X(prepare_unorm)              \
  X(prepare_typed)              \
  X(prepare_typed_read)

#define HEDDLE_DECLARE_KIND(name) std::unique_ptr<machine::jit::PreparedMessage> name(const ImageMessage& message);
HEDDLE_MESSAGE_KINDS(HEDDLE_DECLARE_KIND)
#undef HEDDLE_DECLARE_KIND

std::unique_ptr<machine::jit::PreparedMessage> prepare_message(const ImageMessage& message) {
#define HEDDLE_TRY_KIND(name) \
  if (auto prepared = name(message)) return prepared;
  HEDDLE_MESSAGE_KINDS(HEDDLE_TRY_KIND)
#undef HEDDLE_TRY_KIND
  return nullptr;
}

}  // namespace heddle::instructions
