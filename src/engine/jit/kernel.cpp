#include "engine/jit/kernel.hpp"

#include <algorithm>

namespace heddle::engine::jit {

Kernel::~Kernel() = default;

std::shared_ptr<const LoadedCode> Kernel::make(bool full, std::string& error) const {
  const Specialisation special{options_.simd, full, options_.keep_registers, &facts_, &images_};
  CompileOutput output = compile(code_, shape_, special, options_.compile);
  error = output.error;
  if (full) {
    counts_ = std::move(output.counts);
    listing_ = std::move(output.listing);
    assembly_ = std::move(output.assembly);
  }
  return error.empty() ? LoadedCode::load(output.object, error) : nullptr;
}

Function Kernel::partial() const {
  std::call_once(partial_once_, [this] {
    std::string error;
    partial_code_ = make(false, error);
  });
  return partial_code_ != nullptr ? partial_code_->function() : nullptr;
}

std::unique_ptr<Kernel> Kernel::prepare(const reference::Kernel& kernel, const machine::Bindings& bindings,
                                        const KernelOptions& options, std::string& why_not) {
  if (!has_compiler()) {
    why_not = "this build has no LLVM";
    return nullptr;
  }
  std::unique_ptr<Kernel> k(new Kernel(kernel.code()));
  k->options_ = options;
  const machine::Prepared& object = kernel.code().objects.front();
  k->shape_ = shape_of(object, options.simd);
  if (!k->shape_.refusal.empty()) {
    why_not = k->shape_.refusal;
    return nullptr;
  }
  const machine::StateIndex states(*object.object);
  k->facts_ = find_facts(object, states, k->shape_, bindings);
  k->images_ = Images(kernel.code(), states, k->shape_, k->facts_, bindings);
  k->payload_bytes_ = kernel.code().grf_bytes * 4;
  for (const isa::Input& input : object.object->inputs)
    k->payload_bytes_ = std::max<std::size_t>(k->payload_bytes_, std::size_t{input.offset} + input.size);
  k->full_mask_ = options.simd >= 32 ? 0xffffffffu : (1u << options.simd) - 1;
  k->full_code_ = k->make(true, why_not);
  if (k->full_code_ == nullptr) return nullptr;
  k->full_ = k->full_code_->function();
  return k;
}

}  // namespace heddle::engine::jit
