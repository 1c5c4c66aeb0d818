// SPDX-License-Identifier: MIT
#include "instructions/prepare_message.hpp"

#include <vector>

#include "image/surface.hpp"

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

namespace {

/// Surfaces that stand for any: typed messages with a single coordinate are of one dimension, all others of two;
/// formats that one or another kind of message asks for.
struct Examples {
  std::vector<image::Surface> lines, planes;
  image::Sampler sampler;

  Examples() {
    using image::Format;
    for (const Format format :
         {Format::R8G8B8A8_UNORM, Format::R32_FLOAT, Format::R32_UINT, Format::R32G32_UINT, Format::R16_UINT})
      for (auto* list : {&lines, &planes}) {
        image::Surface& s = list->emplace_back();
        s.type = list == &lines ? image::SurfaceType::Dim1 : image::SurfaceType::Dim2;
        s.format = format;
        s.width = 4;
        s.height = list == &lines ? 1 : 4;
        if (!image::allocate(s).ok()) list->pop_back();
      }
  }
};

}  // namespace

std::unique_ptr<machine::jit::PreparedMessage> prepare_any(ImageMessage message) {
  static Examples& examples = *new Examples;
  const machine::Operand* second = message.operands().named("v");
  const bool line = message.instruction.description->traits.typed_surface && (second == nullptr || second->null);
  message.slots = nullptr;
  message.any_sampler = &examples.sampler;
  for (image::Surface& surface : line ? examples.lines : examples.planes) {
    message.any_surface = &surface;
    if (auto prepared = prepare_message(message)) return prepared;
  }
  return nullptr;
}

}  // namespace heddle::instructions
