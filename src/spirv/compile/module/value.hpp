// SPDX-License-Identifier: MIT
#pragma once
// What the compiler knows of a SPIR-V value: for each scalar in it, where its
// lanes are kept.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "spirv/compile/writer/part.hpp"

namespace heddle::spirv::compiler {

/// One element of a descriptor (array): which OpVariable, and which element of
/// it.
struct Descriptor {
  std::uint32_t variable = 0;  ///< id of the OpVariable; 0: none
  Part index = ud(0);          ///< UD; a constant, or computed for each lane
};

/// A loaded image, sampler or both.
struct Handle {
  std::uint32_t type = 0;  ///< OpTypeImage of the image (0 for a sampler alone)
  Descriptor image, sampler;
};

/// How a matrix lies in memory.
struct MatrixLayout {
  std::uint32_t stride = 0;
  bool row_major = false;
};

/// Records of vertices or primitives in memory, which a stage reads or writes by their number.
struct Records {
  std::string surface;
  /// The byte where the record of that number begins, UD; of a variable that has no number: without it (Undefined).
  std::function<Part(const Part& number)> place;
};

struct Pointer {
  enum class Kind : std::uint8_t {
    Registers,   ///< a variable kept in general variables: `storage`
    Buffer,      ///< a surface: `descriptor`
    Shared,      ///< %slm
    Scratch,     ///< %scratch: offsets count dwords of one lane
    Constants,   ///< the surface of constants beside the program; nothing is written there
    Address,     ///< a 64-bit address: `address`
    Descriptor,  ///< an image, sampler, or buffer block not yet indexed into:
                 ///< `descriptor`
    Texel,       ///< OpImageTexelPointer: `descriptor`, `coordinate`
    Record,      ///< records of a stage: `records`; offsets count dwords
  };
  Kind kind = Kind::Registers;
  std::uint32_t pointee = 0;        ///< type id
  std::uint32_t storage_class = 0;  ///< SPIR-V's number
  std::uint32_t root = 0;           ///< id of the OpVariable
  bool read_only = false;           ///< a variable that stands for a constant: its one store is passed over

  std::shared_ptr<std::vector<Part>> storage;  ///< Registers: all scalars of the variable
  std::uint32_t first = 0;                     ///< Registers: the first scalar of the pointee
  /// Registers, index known at run time only: the pointee starts at scalar
  /// first + dynamic; these are the values that `dynamic` may have, rising from
  /// 0.
  std::vector<std::uint32_t> dynamic_offsets;

  Descriptor descriptor;
  Part address;                   ///< Address: UQ; `offset` is added, `dynamic` is not used
  Part buffer_number;             ///< Buffer chosen at run time (descriptor.variable is 0):
                                  ///< see chosen_buffers()
  std::uint32_t offset = 0;       ///< constant part, bytes (Scratch, Record: dwords)
  Part dynamic = ud(0);           ///< UD: added to `offset` (memory) or `first`
                                  ///< (Registers with dynamic_offsets)
  MatrixLayout matrix;            ///< of the matrix that the pointee is, or is a column or
                                  ///< element of
  bool row_major_vector = false;  ///< the pointee is a column of a row-major matrix: its elements
                                  ///< are matrix.stride apart

  std::shared_ptr<const Records> records;  ///< Record
  bool chooses_record = false;             ///< Record: the next index is a record's number
  Part record;                             ///< Record: the byte where the chosen one begins, UD

  std::vector<Part> coordinate;    ///< Texel
  bool samples_as_layers = false;  ///< Texel: of a multisampled image, through
                                   ///< the view of its samples
};

/// A value that stays in memory, where nothing is written while it is used.
struct Block {
  Pointer place;
  std::shared_ptr<const Block> parent;  ///< that it is a part of; may be null
  std::uint32_t index = 0;              ///< which one
};

struct Value {
  std::uint32_t type = 0;
  std::vector<Part> parts;  ///< all scalars, composites flattened in order
  std::shared_ptr<Pointer> pointer;
  std::shared_ptr<Handle> handle;
  std::shared_ptr<const Block> block;  ///< in place of parts
  bool zeros = false;                  ///< in place of parts: zeros of a type that has too many
};

}  // namespace heddle::spirv::compiler
