// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "base/fixed_limits.hpp"
#include "job/bind/bind.hpp"

namespace heddle::job {
namespace {

using pipeline::ComputePlan;
using GridValue = ComputePlan::GridValue;

constexpr std::uint32_t kHeaderBytes = 32;    // global offset and local size, in front of the arguments
constexpr std::uint64_t kUnknownSlm = 65536;  // a bare kernel does not say how much it uses

/// Implicit kinds of an `.input`, as encoded.
enum class ImplicitInput : std::uint8_t { None = 0, LocalSize = 1, GroupCount = 2, LocalId = 3 };

std::uint64_t bytes_attribute(const isa::Object& kernel, std::string_view name) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, kernel.integer_attribute(name).value_or(0)));
}

/// A kernel that no zeinfo describes: hand-written, or a compiled shader.
struct PlainBinder {
  Binder& binder;
  std::uint32_t cross_thread;  ///< where the arguments begin in the payload
  ComputePlan& plan;

  void three(std::uint32_t offset, GridValue value) {
    binder.put(offset, std::array<std::uint8_t, 12>{});
    plan.grid_inputs.push_back({value, offset});
  }

  /// Whether the dispatch fills an `.input` by itself.
  [[nodiscard]] bool is_automatic(const isa::Input& input, const isa::VariableInfo& info) const {
    const std::uint32_t grf = plan.grf_bytes;
    if (input.offset < grf) return true;  // r0
    if (binder.shader() != nullptr) return input.offset < cross_thread + kHeaderBytes;
    const bool words = info.type == isa::Type::UW || info.type == isa::Type::W;
    if (input.offset < cross_thread)
      return plan.simd > 1 && words && input.size == std::min(grf, info.elements * 2) && input.offset % grf == 0;
    return input.offset == cross_thread && input.size == kHeaderBytes && plan.simd > 1;
  }

  /// What of an `.input` without an argument the dispatch fills.
  void fill(const isa::Input& input) {
    switch (static_cast<ImplicitInput>(input.implicit())) {
      case ImplicitInput::LocalSize:
        return plan.local_size.push_back(input.offset);
      case ImplicitInput::GroupCount:
        return three(input.offset, GridValue::GroupCount);
      case ImplicitInput::LocalId:
        return plan.implicit_local_id.push_back(input.offset);
      case ImplicitInput::None:
        break;
    }
    if (input.offset >= plan.grf_bytes && input.offset < cross_thread) {
      plan.local_ids.push_back({input.offset, input.size});
    } else if (input.offset == cross_thread && input.size == kHeaderBytes) {
      three(cross_thread, GridValue::GlobalOffset);
      plan.local_size.push_back(cross_thread + 12);
    }
  }

  void run() {
    if (plan.slm_bytes == 0 && binder.shader() == nullptr) plan.slm_bytes = kUnknownSlm;
    if (binder.shader() != nullptr) {
      binder.bind_blocks();
      binder.fill_values([&](pipeline::SystemValue value, std::uint32_t offset) {
        if (value == pipeline::SystemValue::GroupCount) three(offset, GridValue::GroupCount);
      });
    }
    binder.bind_state_variables();
    binder.bind_inputs(
        [&](const isa::Input& input, const isa::VariableInfo& info) { return is_automatic(input, info); });
    const std::vector<isa::Input>& inputs = binder.kernel().inputs;
    for (std::size_t n = 0; n < inputs.size(); ++n)
      if (inputs[n].kind() == isa::InputKind::General && !binder.is_filled(n)) fill(inputs[n]);
  }
};

}  // namespace

ComputePlan bind_compute(Binder& binder, const ZeKernel* abi, unsigned simd) {
  ComputePlan plan;
  plan.shader = binder.shader() != nullptr;
  plan.simd = simd;
  plan.grf_bytes = binder.grf_bytes();
  const isa::Object& kernel = binder.kernel();
  const std::uint32_t grf = plan.grf_bytes;
  const std::uint32_t ids =
      abi != nullptr && abi->local_id_bytes != 0 ? abi->local_id_bytes : 3 * std::max(grf, simd * 2);
  const std::uint32_t cross_thread = grf + ids;
  plan.arguments = cross_thread;
  const auto target = kernel.integer_attribute("Target");
  plan.all_lanes = simd == 1 && target && *target == 0;
  std::uint32_t end = cross_thread + kHeaderBytes;
  for (const isa::Input& input : kernel.inputs) end = std::max(end, input.offset + input.size);
  binder.bound().payload.resize(end);
  plan.scratch_bytes = bytes_attribute(kernel, "SpillMemOffset");
  plan.slm_bytes = bytes_attribute(kernel, "SLMSize");
  if (plan.scratch_bytes > base::kThreadBytes || plan.slm_bytes > base::kThreadBytes)
    binder.diagnostics().add(base::limit_error(
        "limit-memory", fmt::format("kernel '{}' asks for {} bytes of scratch and {} of shared memory", kernel.name,
                                    plan.scratch_bytes, plan.slm_bytes)));
  if (abi != nullptr) {
    plan.walk = abi->walk_order;
    plan.local_ids.push_back({grf, ids});
    bind_opencl(binder, *abi, cross_thread, plan);
  } else {
    PlainBinder{binder, cross_thread, plan}.run();
  }
  binder.bind_memory();
  return plan;
}

}  // namespace heddle::job
