#pragma once
// `heddle batch`: one JSON request a line for any operation of the texture unit or the render target,
// one JSON object a line as answer.

#include <string>
#include <string_view>

#include "base/limits.hpp"
#include "base/node.hpp"
#include "image/sampler.hpp"
#include "image/surface.hpp"
#include "texture/context.hpp"

namespace heddle::tools {

/// One request while it is being answered.
struct BatchRequest {
  base::TableReader& reader;
  const base::NodeContext& nodes;
  base::Diagnostics& problems;  ///< an error here makes the answer an error record
  const base::Limits& limits;
  texture::OperationContext unit;  ///< behaviour, platform; its reports become the record's error or `warnings`
  unsigned grf = 32;
  std::string_view op;

  [[nodiscard]] bool failed() const { return problems.has_errors() || unit.reports.has_errors(); }
  void fail(std::string id, std::string message) { problems.add(base::error(std::move(id), std::move(message))); }
};

// Each family answers with the members of the result object (`"channels":{...},"dst":"..."`); the text is ignored when
// the request failed. They ask the reader for their members; the caller then reports the unknown ones.
struct BatchFamily {
  bool (*knows)(std::string_view op);
  std::string (*answer)(BatchRequest& request);
};
extern const BatchFamily kLaneOperations;   ///< sample*, ld*, gather4*, lod, resinfo, sampleinfo
extern const BatchFamily kUnormOperation;   ///< sample_unorm
extern const BatchFamily kTexelOperations;  ///< decode_texel, encode_texel, convert
extern const BatchFamily kTargetOperation;  ///< rt_write
extern const BatchFamily kStateOperations;  ///< tile_offset, decode_state, encode_state

/// Answers one line: always one JSON object, no newline. `good` tells whether it is an answer or an error record.
std::string answer_line(std::string_view line, const base::Limits& limits, bool& good);

// --- shared by the families ---

/// The request's `surface` (or another member), allocated; nullopt after a report. `texels` false: neither data nor
/// fill is needed.
std::optional<image::Surface> surface_member(BatchRequest& request, std::string_view name, bool texels = true);
/// The request's `sampler` or the default one; integer border colours for integer formats.
image::Sampler sampler_member(BatchRequest& request, const image::Surface& surface);
std::string hex_bytes(const std::uint8_t* bytes, std::size_t count);
/// A 32-bit word or mask: a number or "0x...".
std::uint32_t word_member(BatchRequest& request, std::string_view name, std::uint32_t fallback);
std::uint8_t byte_member(BatchRequest& request, std::string_view name, std::uint8_t fallback);

}  // namespace heddle::tools
