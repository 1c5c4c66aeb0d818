// SPDX-License-Identifier: MIT
#pragma once
// The texture unit over SIMD lanes: the operations of request.hpp with the same bits, faster. A state is prepared once
// and run many times.

#include <memory>

#include "texture/request.hpp"
#include "texture/simd/array_places.hpp"
#include "texture/simd/state.hpp"

namespace heddle::texture::simd {

/// A resolved operation. `request` is what the fallback runs; its params are replaced for each run.
struct PreparedOperation {
  StaticState static_state;
  DynamicState dynamic_state;  ///< dynamic_state.owner is this object's `request`: bind() after copying
  LaneRequest request;
  image::ValueClass value_class{};
  void bind();
};

/// Resolves surface, sampler, op, offsets and flags of `request` (its params and masks are not read, but which params
/// it has is: PKO-3). Refusals and warnings go to the context's reports, as execute() would report them. The surface
/// and its memory must outlive the result; when its state or memory changes, prepare again.
[[nodiscard]] std::unique_ptr<PreparedOperation> prepare(const LaneRequest& request, OperationContext& context);

/// True when the lanes run without the reference unit.
[[nodiscard]] inline bool is_fast(const PreparedOperation& prepared) { return prepared.static_state.fast != 0; }

/// Whether lanes of one call may have surfaces that lie apart (StaticState::apart).
[[nodiscard]] bool may_lie_apart(const PreparedOperation& prepared);
/// Then: the bytes from which Inputs::apart counts. They lie less than kMaxApart away.
[[nodiscard]] const std::uint8_t* texels_of(const PreparedOperation& prepared);
inline constexpr std::int64_t kMaxApart = 1 << 30;
/// Whether the two read and answer alike but for where their texels lie: lanes of one call may have either. Operations
/// of other `shape_of` never do.
[[nodiscard]] bool differ_in_place(const PreparedOperation& a, const PreparedOperation& b);
[[nodiscard]] std::uint64_t shape_of(const PreparedOperation& prepared);

/// Bytes of the dynamic state that the functions look at: those behind them are levels that are not there.
[[nodiscard]] std::size_t read_bytes(const PreparedOperation& prepared);

/// The fallback of state.hpp; `thread` is a OperationContext*.
void run_reference(const DynamicState* dynamic_state, const Inputs* inputs, std::uint32_t width, std::uint32_t mask,
                   std::uint32_t* out, void* thread);

/// Which of the native builds of the functions runs.
enum class InstructionSet : std::uint8_t { Baseline, V3, V4 };
[[nodiscard]] InstructionSet best_instruction_set();
/// StaticState::slow_gathers of what prepare() makes: as the machine at hand has it, until a test wants the other way.
[[nodiscard]] bool gathers_are_slow();
void set_gathers_are_slow(bool slow);
/// StaticState::has_vbmi of the machine at hand.
[[nodiscard]] bool has_vbmi();

/// The functions themselves, for long runs of one operation: `width` 8, 16 or 32 lanes, `out` as the entry points of
/// state.hpp leave it (lanes that are not active hold anything).
void run_lanes(const PreparedOperation& prepared, const Inputs& inputs, unsigned width, std::uint32_t mask,
               std::uint32_t* out, OperationContext& context, InstructionSet target);

/// Samples an array by functions for many elements, whole groups of them: how many elements a group has. What is left
/// over is for run_lanes(); so is everything where the answer is 0, which does not depend on `count`. Coordinates and
/// results share no bytes.
std::size_t sample_array(const PreparedOperation& prepared, const ArrayPlaces& at, std::size_t count,
                         InstructionSet target);

/// The same operation for sample_array(), with the texels of blocks decoded before it.
struct DecodedOperation {
  PreparedOperation operation;
  std::unique_ptr<std::uint32_t[]> texels;  ///< four words each
  std::uint32_t rows = 0;                   ///< of blocks
};
/// Texels of the level that sample_array() would need decoded; 0 where they lie in no blocks, or arrays have no
/// functions for the operation.
[[nodiscard]] std::size_t texels_to_decode(const PreparedOperation& prepared, InstructionSet target);
/// Room for them; null where there is none. decode_rows() fills it, rows of blocks from `first` to before `last`, as
/// they are in memory now; threads may share that.
[[nodiscard]] std::unique_ptr<DecodedOperation> make_decoded(const PreparedOperation& prepared);
void decode_rows(const PreparedOperation& prepared, DecodedOperation& decoded, std::size_t first, std::size_t last);

/// One request through the functions; params, simd and active of `request` count, the rest is as prepared. Equal to
/// execute().
[[nodiscard]] LaneResult run(const PreparedOperation& prepared, const LaneRequest& request, OperationContext& context);
[[nodiscard]] LaneResult run(const PreparedOperation& prepared, const LaneRequest& request, OperationContext& context,
                             InstructionSet target);

}  // namespace heddle::texture::simd
