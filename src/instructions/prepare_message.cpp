#include "instructions/prepare_message.hpp"

#include "instructions/data_port/jit_typed.hpp"
#include "instructions/render_cache/jit_target.hpp"
#include "instructions/sampler/footprint/jit_footprint.hpp"
#include "instructions/sampler/jit_image.hpp"
#include "instructions/sampler/jit_unorm.hpp"

namespace heddle::instructions {

std::unique_ptr<machine::jit::PreparedMessage> prepare_message(const ImageMessage& message) {
  for (const auto prepare :
       {prepare_image, prepare_target_write, prepare_footprint, prepare_unorm, prepare_typed, prepare_typed_read})
    if (auto prepared = prepare(message)) return prepared;
  return nullptr;
}

}  // namespace heddle::instructions
