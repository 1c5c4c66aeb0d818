// SPDX-License-Identifier: MIT
#pragma once
// The types of a module, each taken apart once.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "isa/types.hpp"
#include "spirv/module.hpp"

namespace heddle::spirv::compiler {

class Constants;

/// OpTypeCooperativeMatrixKHR.
struct MatrixShape {
  std::uint32_t scope = 0, rows = 0, columns = 0, use = 0;
  friend bool operator==(const MatrixShape&, const MatrixShape&) = default;
};

struct TypeInfo {
  std::uint16_t op = 0;  ///< OpTypeFloat ...
  std::uint32_t bits = 0;
  bool is_signed = false;
  isa::Type scalar = isa::Type::UD;  ///< of a scalar; Bool for OpTypeBool
  std::uint32_t element = 0;         ///< vector, matrix, array, pointer, cooperative matrix: type id
  std::uint32_t count = 0;  ///< vector, matrix (columns), array (0: runtime), struct; cooperative matrix: of one lane
  std::vector<std::uint32_t> members;
  std::uint32_t flat = 0;   ///< scalars in a value
  std::uint32_t depth = 0;  ///< types within types
  MatrixShape matrix;       ///< of a cooperative matrix
};

struct ImageInfo {  ///< OpTypeImage
  std::uint32_t sampled_type = 0, dim = 0, depth = 0, sampled = 0, format = 0;
  bool arrayed = false, multisampled = false;
  isa::Type texel = isa::Type::F;  ///< F, D, UD ...
};

class Types {
 public:
  /// `constants` has the lengths of arrays; `simd` lanes share a cooperative matrix.
  Types(const Module& module, Constants& constants, unsigned simd);

  [[nodiscard]] const TypeInfo& of(std::uint32_t id);
  /// The image of an image, of a combined image and sampler, or of arrays of
  /// and pointers to them.
  [[nodiscard]] ImageInfo image(std::uint32_t id);
  /// Scalar types of a value of this type, in order.
  [[nodiscard]] std::vector<isa::Type> scalars(std::uint32_t id);
  /// How many scalars a pointer of a storage class is where it is a value: 1,
  /// an address of 64 bits (UQ); 2, the number of a buffer and the byte in it
  /// (UD), which the module asks for by VariablePointers; else 0.
  [[nodiscard]] std::uint32_t pointer_scalars(std::uint32_t storage_class) const;
  /// Whether pointers into storage buffers may be chosen at run time.
  [[nodiscard]] bool has_buffer_pointers() const { return buffer_pointers_; }

 private:
  [[nodiscard]] TypeInfo read(const Instruction& i);
  [[nodiscard]] TypeInfo read_matrix(const Instruction& i);

  const Module& module_;
  Constants& constants_;
  unsigned simd_;
  std::unordered_map<std::uint32_t, TypeInfo> types_;
  bool buffer_pointers_ = false,
       shared_pointers_ = false;  ///< VariablePointersStorageBuffer, VariablePointers
};

}  // namespace heddle::spirv::compiler
