// SPDX-License-Identifier: MIT
// ExecutionContext: raw operands, predicates, surfaces and samplers.
#include <algorithm>

#include <fmt/format.h>

#include "machine/execution_context.hpp"

namespace heddle::machine {

using isa::OperandKind;

std::string ExecutionContext::undefined_text(const Operand& operand) const {
  const PreparedObject& object = thread_.object();
  const std::string name = name_of(operand);
  const bool is_input = std::ranges::any_of(object.object->inputs, [&](const isa::Input& input) {
    if (input.kind() != isa::InputKind::General) return false;
    const VariablePlacement* place = object.layout.place(input.id);
    return place != nullptr && place->root_begin == operand.root_begin && operand.root_end > operand.root_begin;
  });
  if (is_input) return fmt::format("input {} is read, but the stage before has not written it", name);
  if (d_.description->traits.target_write)
    return fmt::format("output {} is stored, but nothing was written to it", name);
  return fmt::format("{} is read before anything was written to it", name);
}

// --- raw operands ---

void ExecutionContext::read_raw_bytes(const Operand& operand, unsigned at, std::span<std::uint8_t> out, bool needed) {
  if (operand.null) {
    std::ranges::fill(out, std::uint8_t{0});
    return;
  }
  if (operand.rest != nullptr && at + out.size() > operand.rest_at) {
    const std::size_t first = operand.rest_at > at ? operand.rest_at - at : 0;
    if (first != 0) read_raw_bytes(operand, at, out.first(first), needed);
    read_raw_bytes(*operand.rest, static_cast<unsigned>(at + first - operand.rest_at), out.subspan(first), needed);
    return;
  }
  const std::uint64_t begin = static_cast<std::uint64_t>(operand.base) + at;
  const std::uint64_t end = std::min<std::uint64_t>(begin + out.size(), operand.root_end);
  const std::size_t inside = end > begin && begin >= operand.root_begin ? static_cast<std::size_t>(end - begin) : 0;
  std::copy_n(registers_.bytes() + begin, inside, out.data());
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(inside), out.end(), std::uint8_t{0});
  if (!checking_ || !needed) return;
  if (inside < out.size())
    check(&operand, "run-raw-bounds",
          fmt::format("{} bytes are read from byte {} on, beyond the end of {}", out.size(), begin - operand.root_begin,
                      name_of(operand)));
  else if (!registers_.defined(static_cast<std::uint32_t>(begin), static_cast<unsigned>(inside)))
    check(&operand, "run-undefined-register", undefined_text(operand));
}

void ExecutionContext::write_raw_bytes(const Operand& operand, unsigned at, std::span<const std::uint8_t> bytes) {
  if (operand.null) return;
  const std::uint64_t begin = static_cast<std::uint64_t>(operand.base) + at;
  const std::uint64_t end = std::min<std::uint64_t>(begin + bytes.size(), operand.root_end);
  const std::size_t inside = end > begin && begin >= operand.root_begin ? static_cast<std::size_t>(end - begin) : 0;
  if (inside != 0) registers_.write(static_cast<std::uint32_t>(begin), bytes.data(), inside);
  if (inside != 0) observe(operand, at, static_cast<unsigned>(inside));
  if (inside < bytes.size())
    check(&operand, "run-raw-bounds",
          fmt::format("{} bytes are written from byte {} on, beyond the end of {}", bytes.size(),
                      begin - operand.root_begin, name_of(operand)));
}

void ExecutionContext::read_raw(const Operand& operand, unsigned at, unsigned size, unsigned count, std::uint64_t* out,
                                std::uint32_t needed) {
  // What helper invocations read nobody sees.
  if (checking_ && count == lanes()) needed &= ~(thread_.demoted() >> d_.mask_offset);
  if (!checking_ && !operand.null && operand.rest == nullptr) {
    const std::uint64_t first = static_cast<std::uint64_t>(operand.base) + at;
    if (first >= operand.root_begin && first + std::uint64_t{size} * count <= operand.root_end) {
      for (unsigned k = 0; k < count; ++k) out[k] = registers_.load(static_cast<std::uint32_t>(first + k * size), size);
      return;
    }
  }
  for (unsigned k = 0; k < count; ++k) {
    out[k] = 0;
    unsigned offset = at + k * size;
    const bool on = operand.rest != nullptr && offset >= operand.rest_at;
    const Operand& from = on ? *operand.rest : operand;
    if (from.null) continue;
    if (on) offset -= operand.rest_at;
    const std::uint64_t begin = static_cast<std::uint64_t>(from.base) + offset;
    const bool inside = begin >= from.root_begin && begin + size <= from.root_end;
    if (inside) out[k] = registers_.load(static_cast<std::uint32_t>(begin), size);
    if (!checking_ || (needed >> k & 1u) == 0) continue;
    if (!inside)
      check(&from, "run-raw-bounds",
            fmt::format("byte {} is beyond the end of {}", begin - from.root_begin, name_of(from)), k);
    else if (!registers_.defined(static_cast<std::uint32_t>(begin), size))
      check(&from, "run-undefined-register", undefined_text(from), k);
  }
}

void ExecutionContext::write_raw(const Operand& operand, unsigned at, unsigned size, unsigned count,
                                 const std::uint64_t* values, std::uint32_t lanes) {
  if (operand.null) return;
  for (unsigned k = 0; k < count; ++k) {
    if ((lanes >> k & 1u) == 0) continue;
    const std::uint64_t begin = static_cast<std::uint64_t>(operand.base) + at + std::uint64_t{k} * size;
    if (begin >= operand.root_begin && begin + size <= operand.root_end) {
      registers_.store(static_cast<std::uint32_t>(begin), size, values[k]);
      observe(operand, at + k * size, size);
    } else {
      check(&operand, "run-raw-bounds",
            fmt::format("byte {} is beyond the end of {}", begin - operand.root_begin, name_of(operand)), k);
    }
  }
}

std::span<std::uint8_t> ExecutionContext::raw_span(const Operand& operand) {
  if (operand.null || operand.base < operand.root_begin || operand.base > operand.root_end) return {};
  return {registers_.bytes() + operand.base, operand.root_end - operand.base};
}

void ExecutionContext::define(const Operand& operand, unsigned at, unsigned bytes) {
  const std::uint64_t begin = static_cast<std::uint64_t>(operand.base) + at,
                      end = std::min<std::uint64_t>(begin + bytes, operand.root_end);
  if (operand.null || end <= begin) return;
  registers_.define(static_cast<std::uint32_t>(begin), static_cast<std::size_t>(end - begin));
  observe(operand, at, static_cast<unsigned>(end - begin));
}

void ExecutionContext::observe(const Operand& operand, unsigned at, unsigned bytes) {
  if (Observer* observer = thread_.raw_result_observer(); observer != nullptr)
    observer->raw_result(thread_, d_, operand, at, bytes);
}

// --- predicates ---

std::uint32_t ExecutionContext::read_predicate(const Operand& operand, std::uint32_t needed) {
  const std::uint32_t undefined = ~(registers_.predicate_defined(operand.id) >> d_.mask_offset) & needed;
  if (checking_ && undefined != 0)
    check(&operand, "run-undefined-predicate", fmt::format("predicate P{} was never written", operand.id),
          static_cast<unsigned>(__builtin_ctz(undefined)));
  return registers_.predicate(operand.id) >> d_.mask_offset & all_;
}

void ExecutionContext::write_predicate(std::uint32_t id, std::uint32_t bits, std::uint32_t lanes) {
  registers_.set_predicate(id, bits << d_.mask_offset, lanes << d_.mask_offset);
}

// --- state ---

std::optional<std::uint32_t> ExecutionContext::surface_index(const Operand& operand) {
  const StateRegister* state = registers_.surface(operand.id, operand.element);
  if (state == nullptr || !state->defined) {
    refuse(&operand, "run-binding-missing", fmt::format("surface {} is bound to nothing", name_of(operand)));
    return std::nullopt;
  }
  return state->value;
}

const image::Surface* ExecutionContext::surface(const Operand& operand) {
  const auto index = surface_index(operand);
  if (!index) return nullptr;
  if (operand.id == 4)  // %bss: the state is a handle
    if (const SurfaceResource* named = thread_.bindings().surface_with(*index)) return named->get();
  return surface_at(*index, &operand);
}

const image::Surface* ExecutionContext::surface_at(std::uint32_t index, const Operand* operand) {
  const auto& surfaces = thread_.bindings().surfaces;
  if (index < surfaces.size() && surfaces[index] != nullptr) return surfaces[index].get();
  const bool named = operand != nullptr && operand->kind == OperandKind::Surface;
  refuse(operand, "run-binding-missing",
         fmt::format("nothing is bound to binding-table index {}{}", index,
                     named ? fmt::format(" (surface {})", name_of(*operand)) : std::string()));
  return nullptr;
}

const image::Sampler* ExecutionContext::sampler(const Operand& operand) {
  const StateRegister* state = registers_.sampler(operand.id, operand.element);
  const auto& samplers = thread_.bindings().samplers;
  if (operand.id == isa::kBindlessSampler && state != nullptr && state->defined)  // the state is a handle
    if (const SamplerResource* named = thread_.bindings().sampler_with(state->value)) return named->get();
  if (state != nullptr && state->defined && state->value < samplers.size() && samplers[state->value] != nullptr)
    return samplers[state->value].get();
  refuse(&operand, "run-binding-missing", fmt::format("sampler {} is bound to nothing", name_of(operand)));
  return nullptr;
}

}  // namespace heddle::machine
