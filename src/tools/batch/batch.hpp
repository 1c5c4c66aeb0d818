// SPDX-License-Identifier: MIT
#pragma once
// `heddle batch`: one JSON request a line for any operation of the texture unit or the render target, one JSON object a
// line as answer. docs/batch.md has the protocol.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.hpp"
#include "base/node.hpp"
#include "image/objects/object.hpp"
#include "image/sampler.hpp"
#include "image/surface.hpp"
#include "texture/context.hpp"
#include "tools/batch/named.hpp"

namespace heddle::texture::bounds {
struct Options;
}

namespace heddle::tools {

struct AllowedAnswers;

/// One request while it is being answered.
struct BatchRequest {
  base::TableReader& reader;
  const base::NodeContext& nodes;
  base::Diagnostics& problems;  ///< an error here makes the answer an error record
  const base::Limits& limits;
  NamedState& named;               ///< what earlier lines defined
  texture::OperationContext unit;  ///< behavior, platform; its reports become the record's error or `warnings`
  unsigned grf = 32;
  std::string_view op;

  [[nodiscard]] bool failed() const { return problems.has_errors() || unit.reports.has_errors(); }
  void fail(std::string id, std::string message) { problems.add(base::error(std::move(id), std::move(message))); }
};

// Operations of one kind. They add the members of the result object (`"channels":{...},"dst":"..."`) to the answer,
// which is thrown away when the request failed, and ask the reader for their members; the caller then reports the
// unknown ones.
struct BatchOperations {
  std::vector<std::string_view> (*operations)();
  void (*answer)(BatchRequest& request, std::string& text);
};
extern const BatchOperations kLaneOperations;      ///< sample*, ld*, gather4*, lod, resinfo, sampleinfo
extern const BatchOperations kUnormOperation;      ///< sample_unorm
extern const BatchOperations kFootprintOperation;  ///< footprint
extern const BatchOperations kFeedbackOperation;   ///< feedback
extern const BatchOperations kBoundsOperation;     ///< bounds
extern const BatchOperations kBytesOperation;      ///< footprint_bytes
extern const BatchOperations kTexelOperations;     ///< decode_texel, encode_texel, convert
extern const BatchOperations kTargetOperation;     ///< rt_write
extern const BatchOperations kStateOperations;     ///< tile_offset, decode_state, encode_state

/// All operations, in the order of docs/batch.md.
[[nodiscard]] std::vector<std::string_view> batch_operations();
/// The operation that a word names: "sample4" is gather4, and so for its variants. Empty where there is none.
[[nodiscard]] std::string batch_operation(std::string_view word);

/// The lines of one input, and what they define.
class Batch {
 public:
  explicit Batch(const base::Limits& limits) : limits_(limits), named_(limits) {}
  /// True for lines that may define something: they are answered by themselves.
  [[nodiscard]] static bool may_define(std::string_view line);
  /// Adds the answer to line `number`: always one JSON object, no newline; false where it is an error record. Lines
  /// that define nothing may be answered by several threads at a time.
  bool answer(std::string_view line, std::uint64_t number, std::string& text);
  /// What a device may answer to the line (BND), as names are defined now. Lines as above.
  [[nodiscard]] AllowedAnswers allowed(std::string_view line, const texture::bounds::Options& options);

 private:
  base::Limits limits_;
  NamedState named_;
};

// --- shared by all operations ---

/// The request's `surface` (or another member): an object, or the name of a defined one; empty after a report. `texels`
/// false: neither data nor fill is needed.
[[nodiscard]] BoundSurface surface_member(BatchRequest& request, std::string_view name, bool texels = true);
/// The same for an item of an array.
[[nodiscard]] BoundSurface read_bound_surface(BatchRequest& request, const base::Node& node, const std::string& what,
                                              bool texels);
/// The request's `sampler`: an object, a name, words ("linear,repeat"), or the default one.
[[nodiscard]] BoundSampler sampler_member(BatchRequest& request);
/// `define`: what the line names. Adds the answer's members.
void answer_define(BatchRequest& request, const base::Node& object, std::string& text);

void append_hex(std::string& text, const std::uint8_t* bytes, std::size_t count);
/// `"00000001"`, with the quotes, of `digits` digits; writes it to `out` and returns the end.
char* write_hex_word(char* out, std::uint32_t word, unsigned digits);
/// The same at the end of a text.
void append_hex_word(std::string& text, std::uint32_t word, unsigned digits);
/// A 32-bit word or mask: a number or "0x...".
std::uint32_t word_member(BatchRequest& request, std::string_view name, std::uint32_t fallback);
std::uint8_t byte_member(BatchRequest& request, std::string_view name, std::uint8_t fallback);

}  // namespace heddle::tools
