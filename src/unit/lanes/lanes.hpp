#pragma once
// The image unit over SIMD lanes: the operations of request.hpp with the same bits, faster. A state is prepared once
// and run many times.

#include <memory>

#include "unit/lanes/state.hpp"
#include "unit/request.hpp"

namespace heddle::unit::lanes {

/// A resolved operation. `request` is what the fallback runs; its params are replaced for each run.
struct Prepared {
  Fixed fixed;
  Varying varying;  ///< varying.owner is this object's `request`: bind() after copying
  LaneRequest request;
  image::ValueClass value_class{};
  void bind();
};

/// Resolves surface, sampler, op, offsets and flags of `request` (its params and masks are not read, but which params
/// it has is: PKO-3). Refusals and warnings go to the context's reports, as execute() would report them. The surface
/// and its memory must outlive the result; when its state or memory changes, prepare again.
[[nodiscard]] std::unique_ptr<Prepared> prepare(const LaneRequest& request, Context& context);

/// True when the lanes run without the reference unit.
[[nodiscard]] inline bool is_fast(const Prepared& prepared) { return prepared.fixed.fast != 0; }

/// The fallback of state.hpp; `thread` is a Context*.
void run_reference(const Varying* varying, const Inputs* inputs, std::uint32_t width, std::uint32_t mask,
                   std::uint32_t* out, void* thread);

/// Which of the native builds of the kernels runs.
enum class Target : std::uint8_t { Baseline, V3, V4 };
[[nodiscard]] Target best_target();
/// Fixed::slow_gathers of what prepare() makes: as the machine at hand has it, until a test wants the other way.
[[nodiscard]] bool gathers_are_slow();
void set_gathers_are_slow(bool slow);
/// Fixed::has_vbmi of the machine at hand.
[[nodiscard]] bool has_vbmi();

/// The kernels themselves, for long runs of one operation: `width` 8, 16 or 32 lanes, `out` as the entry points of
/// state.hpp leave it (lanes that are not active hold anything).
void run_lanes(const Prepared& prepared, const Inputs& inputs, unsigned width, std::uint32_t mask, std::uint32_t* out,
               Context& context, Target target);

/// One request through the kernels; params, simd and active of `request` count, the rest is as prepared. Equal to
/// execute().
[[nodiscard]] LaneResult run(const Prepared& prepared, const LaneRequest& request, Context& context);
[[nodiscard]] LaneResult run(const Prepared& prepared, const LaneRequest& request, Context& context, Target target);

}  // namespace heddle::unit::lanes
