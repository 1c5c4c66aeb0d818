// SPDX-License-Identifier: MIT
#pragma once
// A message to the texture unit, as far as the instruction itself says what it is. Whoever runs or compiles one starts
// here: the reference engine, the fast engine, raw sends.

#include <span>

#include "base/result.hpp"
#include "machine/decoded.hpp"
#include "texture/request.hpp"

namespace heddle::instructions {

struct SamplerMessage {
  struct Parameter {
    texture::Param name{};
    const machine::Operand* operand = nullptr;
  };

  /// All but lanes, surface, sampler and the parameters' words.
  texture::LaneRequest request;
  std::array<Parameter, texture::ParameterList::kMax> parameter{};  ///< those that are there and not null
  unsigned parameter_count = 0;
  /// Not null: texel offsets that are known only when the message runs; `request.offset` has the others (SAM-3).
  const machine::Operand* offsets = nullptr;

  [[nodiscard]] const texture::Operation& operation() const { return texture::operation(request.op); }
  [[nodiscard]] std::span<const Parameter> parameters() const { return {parameter.data(), parameter_count}; }
  /// Loads and queries have none.
  [[nodiscard]] bool has_sampler() const {
    return operation().family == texture::OperationKind::Sample ||
           operation().family == texture::OperationKind::Gather4;
  }
  /// GA-7: a gather returns four channels, whatever the mask says.
  [[nodiscard]] std::uint8_t channels() const {
    return operation().family == texture::OperationKind::Gather4 ? 15 : request.channels;
  }
};

/// SAM-3: the three signed 4-bit fields.
[[nodiscard]] std::array<std::int32_t, 3> immediate_offsets(std::uint32_t aoffimmi);

/// Gives each operand its meaning (SAM-1, LD-1, GA-2); visa-sampler-param-count where the operation does not take so
/// many. `request.op` is set.
[[nodiscard]] base::Result<base::Done> add_parameters(SamplerMessage& message,
                                                      std::span<const machine::Operand> operands);

/// The message of an instruction of the families sample, load, sample4 and info, and of the legacy forms of `op`.
[[nodiscard]] base::Result<SamplerMessage> read_message(const machine::Operands& operands, texture::Op op);

}  // namespace heddle::instructions
