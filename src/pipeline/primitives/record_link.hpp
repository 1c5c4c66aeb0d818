// SPDX-License-Identifier: MIT
#pragma once
// From the records that one stage writes to those that the next one reads.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "machine/bindings.hpp"
#include "pipeline/primitives/stream.hpp"

namespace heddle::pipeline {

/// Dwords that follow each other in both records.
struct RecordCopy {
  std::uint32_t from = 0, to = 0;  ///< bytes in the records
  std::uint32_t dwords = 1;
};

/// The same dwords in runs as long as possible, in the order of `to`.
[[nodiscard]] std::vector<RecordCopy> in_runs(std::vector<RecordCopy> copies);

/// Where a stage binds a surface of its own.
struct OwnSurface {
  std::uint32_t slot = 0;               ///< of the binding table
  std::optional<std::uint64_t> handle;  ///< instead of it
};
/// Those of the binding table.
[[nodiscard]] std::vector<std::uint32_t> slots_of(std::initializer_list<OwnSurface> surfaces);
void bind_own(machine::Bindings& bindings, const OwnSurface& where, const machine::SurfaceResource& surface);

/// How the records of a stage's inputs are made of those of the stage before.
class RecordLink {
 public:
  RecordLink() = default;
  /// `copies`: of the dwords that both have, in any order; the others read 0.
  RecordLink(std::uint32_t stride, std::vector<RecordCopy> copies);

  [[nodiscard]] std::uint32_t stride() const { return stride_; }  ///< of a record of the inputs
  /// The records of `in` as the stage reads them, one for each vertex by its number: the same surface, where nothing
  /// needs to be moved, else `own`. `checked`: marks of what is not written follow them (make_records).
  [[nodiscard]] const machine::SurfaceResource& take(const PrimitiveStream& in, machine::SurfaceResource& own,
                                                     bool checked) const;

 private:
  [[nodiscard]] bool same(const PrimitiveStream& in) const;

  std::uint32_t stride_ = 0;
  std::vector<RecordCopy> copies_;  ///< in the order of the inputs, runs as long as possible
};

/// A raw buffer of so many bytes, of any content; what is there is kept where it is large enough.
/// `name`: for messages, and checks that know it.
void make_raw(machine::SurfaceResource& surface, std::uint64_t bytes, std::string_view name = {});
/// The vertices' numbers of all primitives as such a buffer.
void make_table(machine::SurfaceResource& table, const PrimitiveStream& in);

}  // namespace heddle::pipeline
