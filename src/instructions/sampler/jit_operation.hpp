// SPDX-License-Identifier: MIT
#pragma once
// An operation of the texture unit as a prepared message: its state, and the call of the vector function that does it.
// What instructions differ in is where their operands stand and what becomes of the results.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "instructions/jit_message.hpp"
#include "texture/simd/prepared.hpp"

namespace heddle::instructions {

/// Where the kernel's inputs point to a parameter.
[[nodiscard]] inline std::uint32_t place_of(texture::Param param) { return static_cast<std::uint32_t>(param) * 8; }

/// The operation that the request asks for, without the lanes' values; nullptr where the vector functions do not have
/// it, or the texture unit has something to say about it, which is left to the reference engine.
[[nodiscard]] std::unique_ptr<texture::simd::PreparedOperation> prepare_operation(const ImageMessage& message,
                                                                                  const texture::LaneRequest& request);

class PreparedCall : public machine::jit::PreparedMessage {
 public:
  /// `inputs`: where the parameters, in their order, stand among the kernel's inputs.
  PreparedCall(std::unique_ptr<texture::simd::PreparedOperation> operation, unsigned lanes,
               std::vector<std::uint32_t> inputs);

  [[nodiscard]] Function function() const override;
  [[nodiscard]] Function second_function() const override;  ///< counts the texels that the first one reads
  [[nodiscard]] Function apart_function() const override;
  [[nodiscard]] std::uint64_t shape() const override { return shape_; }
  [[nodiscard]] bool differs_in_place(const PreparedMessage& other) const override;
  [[nodiscard]] const std::uint8_t* texels() const override { return texture::simd::texels_of(*operation_); }
  void complete(std::span<std::uint8_t> static_state, const LinkFacts& facts) const override;
  [[nodiscard]] const void* dynamic_state() const override { return &operation_->dynamic_state; }
  [[nodiscard]] std::size_t dynamic_bytes() const override { return sizeof operation_->dynamic_state; }
  [[nodiscard]] std::size_t read_bytes() const override { return texture::simd::read_bytes(*operation_); }
  [[nodiscard]] std::size_t bytes() const override { return sizeof *this + sizeof *operation_; }

 protected:
  /// What a call leaves: four channels of a word for each lane, then the null mask; and the lanes that take part.
  struct Results {
    machine::jit::Value texels, lanes;
  };
  /// Stores the parameters and calls the kernel. `name` tells the words of one instruction apart.
  [[nodiscard]] Results call(machine::jit::CodegenContext& e, std::span<const InputWords> words,
                             std::string_view name) const;
  [[nodiscard]] const texture::simd::PreparedOperation& operation() const { return *operation_; }

 private:
  /// Has the texels counted that the kernel reads (texture/touches.hpp). `places`: of the words.
  void count(machine::jit::CodegenContext& e, std::span<const machine::jit::Value> places,
             machine::jit::Value mask) const;
  /// The same of code that knows no state.
  [[nodiscard]] machine::jit::Value counted_lanes(machine::jit::CodegenContext& e) const;
  void count_any(machine::jit::CodegenContext& e, std::span<const InputWords> words, machine::jit::Value mask) const;

  std::unique_ptr<texture::simd::PreparedOperation> operation_;
  texture::simd::StaticState apart_;
  std::uint64_t shape_;
  unsigned lanes_;
  std::vector<std::uint32_t> inputs_;
};

}  // namespace heddle::instructions
