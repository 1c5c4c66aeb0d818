// SPDX-License-Identifier: MIT
#include "machine/execution_context.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "machine/pixels.hpp"

namespace heddle::machine {

using isa::Modifier;
using isa::OperandKind;
using isa::Type;

ExecutionContext::ExecutionContext(Thread& thread, const Decoded& instruction)
    : Operands(thread.object(), instruction),
      thread_(thread),
      registers_(thread.registers()),
      all_(instruction.lanes >= 32 ? 0xffffffffu : (1u << instruction.lanes) - 1),
      masked_(instruction.no_mask ? all_ : thread.flow().active() >> instruction.mask_offset & all_),
      predicated_(all_),
      checking_(thread.reports().checking()) {
  if (d_.predicate.present() && !d_.description->traits.predicate_written) evaluate_predicate();
}

void ExecutionContext::evaluate_predicate() {
  const isa::PredicateUse use = d_.predicate;
  const std::uint32_t bits = registers_.predicate(use.id()) >> d_.mask_offset & all_;
  if (checking_) {
    const std::uint32_t undefined = ~(registers_.predicate_defined(use.id()) >> d_.mask_offset) &
                                    (use.combine() != 0 ? all_ : masked_ & ~(thread_.demoted() >> d_.mask_offset));
    if (undefined != 0)
      check(nullptr, "run-undefined-predicate", fmt::format("predicate P{} was never written", use.id()),
            static_cast<unsigned>(__builtin_ctz(undefined)));
  }
  switch (use.combine()) {
    case 1:
      predicated_ = bits != 0 ? all_ : 0;
      break;
    case 2:
      predicated_ = bits == all_ ? all_ : 0;
      break;
    default:
      predicated_ = bits;
      break;
  }
  if (use.inverse()) predicated_ = ~predicated_ & all_;
}

std::uint32_t ExecutionContext::checked_lanes() const {
  // A NoMask instruction of several lanes may carry values of lanes that do not run.
  const std::uint32_t seen = enabled() & ~(thread_.demoted() >> d_.mask_offset);  // helpers: nobody sees what they read
  return d_.no_mask && d_.lanes > 1 ? seen & (thread_.flow().active() >> d_.mask_offset) : seen;
}

namespace {

/// The pixel of a lane: R1 has the upper-left pixels of the subspans (PIX-15), with SIMD32 R2 those of lanes 16 to 31.
/// Several groups of four lanes may be the samples of one subspan (PIX-13).
std::array<std::uint32_t, 2> pixel_of(const Thread& thread, const PixelInput& input, unsigned lane) {
  std::array<std::uint8_t, 4> word{};
  const unsigned subspan = lane % 16 / 4 / input.sample_groups;
  thread.payload(thread.code().grf_bytes * (1 + lane / 16) + 8 + 4 * subspan, word);
  std::uint32_t corner = 0;
  std::memcpy(&corner, word.data(), 4);
  const auto [width, height] = input.fragment_size;
  return {(corner & 0xffffu) + (lane & 1u) * width, (corner >> 16) + (lane >> 1 & 1u) * height};
}

}  // namespace

Occurrence ExecutionContext::occurrence(unsigned lane) const {
  const ThreadStart& s = thread_.setup();
  Occurrence who;
  who.thread = s.thread;
  who.group = s.group_id;
  if (lane != kNoLane) who.lane = lane;
  if (s.invocations != nullptr && lane != kNoLane) {
    who.local = s.invocations->local_id(s.thread, lane);
    who.global = s.invocations->global_id(s.group_id, *who.local);
  }
  if (s.pixels != nullptr && s.pixels->state != nullptr && lane != kNoLane)
    who.pixel = pixel_of(thread_, *s.pixels, lane);
  return who;
}

void ExecutionContext::check(const Operand* operand, std::string_view id, std::string_view message, unsigned lane) {
  if (!checking_) return;
  Finding finding;
  finding.id = id;
  finding.message = message;
  if (operand != nullptr) finding.subject = name_of(*operand);
  check(operand, std::move(finding), lane);
}

void ExecutionContext::check(const Operand* operand, Finding finding, unsigned lane) {
  if (!checking_) return;
  finding.occurrence = occurrence(lane == kNoLane ? kNoLane : lane + d_.mask_offset);
  thread_.reports().check(*thread_.object().object, *d_.instruction, operand != nullptr ? operand->source : nullptr,
                          std::move(finding));
  if (thread_.reports().mode() == CheckMode::Error) thread_.fail();
}

std::uint32_t ExecutionContext::site() const {
  const PreparedObject& object = thread_.object();
  const auto number = static_cast<std::uint32_t>(&object - thread_.code().objects.data());
  // A raw message runs as the instruction that it stands for, which is not of the kernel.
  const bool of_kernel = &d_ >= object.code.data() && &d_ < object.code.data() + object.code.size();
  const std::size_t index = of_kernel ? static_cast<std::size_t>(&d_ - object.code.data()) : thread_.flow().pc();
  return number << 24 | (static_cast<std::uint32_t>(index) & 0xffffffu);
}

std::pair<const isa::Object*, const isa::Instruction*> ExecutionContext::at_site(std::uint32_t site) const {
  const PreparedObject& object = thread_.code().objects.at(site >> 24);
  const std::size_t index = std::min<std::size_t>(site & 0xffffffu, object.code.size() - 1);
  return {object.object, object.code[index].instruction};
}

void ExecutionContext::refuse(const Operand* operand, std::string_view id, std::string_view message) {
  Finding finding;
  finding.id = id;
  finding.message = message;
  finding.occurrence = occurrence(kNoLane);
  thread_.reports().refuse(*thread_.object().object, *d_.instruction, operand != nullptr ? operand->source : nullptr,
                           std::move(finding));
  thread_.fail();
}

void ExecutionContext::pass_on(texture::OperationContext& context) {
  if (context.reports.empty()) return;
  for (const base::Diagnostic& d : context.reports.all()) {
    if (d.severity == base::Severity::Error)
      refuse(nullptr, d.id, d.message);
    else
      check(nullptr, d.id, d.message);
  }
  context.reports = base::Diagnostics{};
}

std::string ExecutionContext::name_of(const Operand& operand) const {
  const isa::Object& object = *thread_.object().object;
  switch (operand.kind) {
    case OperandKind::General:
    case OperandKind::Raw:
    case OperandKind::AddressOf:
      if (const auto info = isa::variable_info(object, operand.id, grf_bytes())) return std::string(info->name);
      return fmt::format("V{}", operand.id);
    case OperandKind::Indirect:
    case OperandKind::Address:
      return operand.id < object.addresses.size() ? object.addresses[operand.id].name : fmt::format("A{}", operand.id);
    case OperandKind::Predicate:
      return fmt::format("P{}", operand.id);
    case OperandKind::Surface:
      if (operand.id < isa::kFirstSurface) return std::string(isa::predefined_surfaces()[operand.id]);
      return fmt::format("T{}", operand.id);
    case OperandKind::Sampler:
      return fmt::format("S{}", operand.id);
    default:
      return "operand";
  }
}

// --- positions ---

bool ExecutionContext::locate(const Operand& operand, unsigned lane, std::uint32_t& at, bool report) {
  std::uint64_t position = static_cast<std::uint64_t>(operand.base) + operand.lane[lane];
  std::uint32_t low = operand.root_begin, high = operand.root_end;
  if (operand.kind == OperandKind::Indirect) {
    const unsigned element = operand.element + (operand.width == 0 ? 0u : lane / operand.width);
    const AddressRegister* address = registers_.address(operand.id, element);
    if (address == nullptr) {
      if (report)
        check(&operand, "run-region-bounds", fmt::format("address {}({}) does not exist", name_of(operand), element),
              lane);
      return false;
    }
    if (!address->defined && report)
      check(&operand, "run-undefined-register",
            fmt::format("address {}({}) was never written", name_of(operand), element), lane);
    // 16-bit addresses wrap.
    position = static_cast<std::uint16_t>(address->value + operand.offset) + std::uint64_t{operand.lane[lane]};
    const VariablePlacement* root = nullptr;
    if (address->root != kNoRoot) root = thread_.object().layout.place(address->root);
    if (root == nullptr) root = thread_.object().layout.root_at(static_cast<std::uint32_t>(position));
    low = root != nullptr ? root->root_begin : 1;
    high = root != nullptr ? root->root_end : 0;
  }
  if (position < low || position + operand.size > high) {
    if (report)
      check(&operand, "run-region-bounds",
            fmt::format("element at byte {} lies outside the variable behind {}",
                        static_cast<std::int64_t>(position) - low, name_of(operand)),
            lane);
    return false;
  }
  at = static_cast<std::uint32_t>(position);
  return true;
}

// --- reading ---

namespace {

template <typename Element>
void load_contiguous(const std::uint8_t* from, unsigned lanes, std::uint64_t* out) {
  std::array<Element, kMaxLanes> elements;
  std::memcpy(elements.data(), from, lanes * sizeof(Element));
  for (unsigned k = 0; k < lanes; ++k) out[k] = elements[k];
}

}  // namespace

void ExecutionContext::read_bits(const Operand& operand, std::span<std::uint64_t, kMaxLanes> out) {
  const unsigned n = d_.lanes;
  switch (operand.kind) {
    case OperandKind::Immediate: {
      if (operand.scalar) {
        std::fill_n(out.begin(), n, operand.value);
      } else {
        for (unsigned k = 0; k < n; ++k) out[k] = packed_element(operand.value, operand.source->type, k);
      }
      return;
    }
    case OperandKind::Address:
      for (unsigned k = 0; k < n; ++k) {
        const AddressRegister* address = registers_.address(operand.id, operand.element + k % operand.width);
        out[k] = address != nullptr ? address->value : 0;
      }
      return;
    case OperandKind::General:
    case OperandKind::Raw:
      if (operand.null) {
        std::fill_n(out.begin(), n, 0);
        return;
      }
      break;
    case OperandKind::Indirect:
      break;
    default:
      std::fill_n(out.begin(), n, 0);
      return;
  }
  const std::uint32_t checked = checking_ ? checked_lanes() : 0;
  if (operand.kind != OperandKind::Indirect && operand.in_bounds)
    read_region(operand, checked, out);
  else
    read_located(operand, checked, out);
}

/// A region that lies inside its variable.
void ExecutionContext::read_region(const Operand& operand, std::uint32_t checked,
                                   std::span<std::uint64_t, kMaxLanes> out) {
  const unsigned n = d_.lanes;
  const std::uint8_t* bytes = registers_.bytes() + operand.base;
  if (operand.scalar) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, operand.size);
    std::fill_n(out.begin(), n, value);
  } else if (operand.contiguous) {
    switch (operand.size) {
      case 1:
        load_contiguous<std::uint8_t>(bytes, n, out.data());
        break;
      case 2:
        load_contiguous<std::uint16_t>(bytes, n, out.data());
        break;
      case 4:
        load_contiguous<std::uint32_t>(bytes, n, out.data());
        break;
      default:
        load_contiguous<std::uint64_t>(bytes, n, out.data());
        break;
    }
  } else {
    for (unsigned k = 0; k < n; ++k) {
      out[k] = 0;
      std::memcpy(&out[k], bytes + operand.lane[k], operand.size);
    }
  }
  // The whole region at once, then lane by lane only where something in it was never written.
  const unsigned extent = operand.lane[n - 1] + operand.size;
  if (checked == 0 || ((operand.scalar || operand.contiguous) && registers_.defined(operand.base, extent))) return;
  for (std::uint32_t rest = checked; rest != 0; rest &= rest - 1) {
    const auto k = static_cast<unsigned>(__builtin_ctz(rest));
    if (registers_.defined(operand.base + operand.lane[k], operand.size)) continue;
    check(&operand, "run-undefined-register", undefined_text(operand), k);
    break;
  }
}

/// Lane by lane: through addresses, or where a part of the region lies outside its variable.
void ExecutionContext::read_located(const Operand& operand, std::uint32_t checked,
                                    std::span<std::uint64_t, kMaxLanes> out) {
  for (unsigned k = 0; k < d_.lanes; ++k) {
    const bool report = (checked >> k & 1u) != 0;
    std::uint32_t at = 0;
    out[k] = 0;
    if (!locate(operand, k, at, report)) continue;
    out[k] = registers_.load(at, operand.size);
    if (report && !registers_.defined(at, operand.size))
      check(&operand, "run-undefined-register",
            fmt::format("the element behind {} is read before anything was written to it", name_of(operand)), k);
  }
}

namespace {

template <typename T>
T modified(T x, Modifier modifier) {
  if constexpr (std::is_floating_point_v<T>) {
    switch (modifier) {
      case Modifier::Abs:
        return std::fabs(x);
      case Modifier::Neg:
        return -x;
      case Modifier::NegAbs:
        return -std::fabs(x);
      default:
        return x;
    }
  } else {
    switch (modifier) {
      case Modifier::Abs:
        return x < 0 ? -x : x;
      case Modifier::Neg:
        return -x;
      case Modifier::NegAbs:
        return x < 0 ? x : -x;
      case Modifier::Not:
        return ~x;
      default:
        return x;
    }
  }
}

float single_value(std::uint64_t bits, Type type, const Modes& modes) {
  switch (type) {
    case Type::F: {
      const float x = base::float_from_bits(static_cast<std::uint32_t>(bits));
      return modes.keep_single ? x : flush(x);
    }
    case Type::BF: {
      const float x = base::bfloat16_to_float(static_cast<std::uint16_t>(bits));
      return modes.keep_single ? x : flush(x);
    }
    case Type::HF: {
      const float x = base::half_to_float(static_cast<std::uint16_t>(bits));
      return modes.keep_half || std::fabs(x) >= 0x1p-14f || std::isnan(x) ? x : std::copysign(0.0f, x);
    }
    case Type::DF:
      return base::float_from_bits(single_bits(base::double_from_bits(bits), modes.rounding));
    default:
      return base::float_from_bits(
          static_cast<std::uint32_t>(float_bits(wide_of(bits, type), Type::F, modes.rounding)));
  }
}

double double_value(std::uint64_t bits, Type type, const Modes& modes) {
  if (type == Type::DF) {
    const double x = base::double_from_bits(bits);
    return modes.keep_double ? x : flush(x);
  }
  if (isa::is_float(type)) return static_cast<double>(single_value(bits, type, modes));
  return base::double_from_bits(float_bits(wide_of(bits, type), Type::DF, modes.rounding));
}

/// All lanes of an integer operand, extended by its type (NUM-82).
template <typename T>
void extend(const Lanes& bits, Type type, unsigned n, T* out) {
  const auto each = [&](auto element) {
    for (unsigned k = 0; k < n; ++k) out[k] = static_cast<T>(static_cast<decltype(element)>(bits[k]));
  };
  switch (type) {
    case Type::UB:
      each(std::uint8_t{});
      break;
    case Type::B:
      each(std::int8_t{});
      break;
    case Type::UW:
      each(std::uint16_t{});
      break;
    case Type::W:
      each(std::int16_t{});
      break;
    case Type::UD:
      each(std::uint32_t{});
      break;
    case Type::D:
      each(std::int32_t{});
      break;
    case Type::Q:
      each(std::int64_t{});
      break;
    case Type::UQ:
      each(std::uint64_t{});
      break;
    default:
      for (unsigned k = 0; k < n; ++k)
        out[k] = isa::is_float(type) ? static_cast<T>(truncate(widen(bits[k], type)))
                                     : static_cast<T>(wide_of(bits[k], type));
  }
}

}  // namespace

template <typename T>
void ExecutionContext::read(const Operand& operand, T* out) {
  Lanes bits;
  read_bits(operand, bits);
  const unsigned n = d_.lanes;
  const Modes& modes = thread_.modes();
  if constexpr (std::is_same_v<T, float>) {
    if (operand.type == Type::F && modes.keep_single) {
      for (unsigned k = 0; k < n; ++k) out[k] = base::float_from_bits(static_cast<std::uint32_t>(bits[k]));
    } else {
      for (unsigned k = 0; k < n; ++k) out[k] = single_value(bits[k], operand.type, modes);
    }
  } else if constexpr (std::is_same_v<T, double>) {
    for (unsigned k = 0; k < n; ++k) out[k] = double_value(bits[k], operand.type, modes);
  } else {
    extend(bits, operand.type, n, out);
  }
  if (operand.modifier != Modifier::None)
    for (unsigned k = 0; k < n; ++k) out[k] = modified(out[k], operand.modifier);
}

template void ExecutionContext::read(const Operand&, std::int64_t*);
template void ExecutionContext::read(const Operand&, Wide*);
template void ExecutionContext::read(const Operand&, float*);
template void ExecutionContext::read(const Operand&, double*);

Wide ExecutionContext::read_scalar(const Operand& operand) {
  std::array<Wide, kMaxLanes> values;
  read(operand, values.data());
  return values[0];
}

// --- writing ---

void ExecutionContext::write_bits(const Operand& operand, std::span<const std::uint64_t, kMaxLanes> bits) {
  const unsigned n = d_.lanes;
  const std::uint32_t lanes = enabled();
  if (operand.kind == OperandKind::Address) {
    for (unsigned k = 0; k < n; ++k)
      if ((lanes >> k & 1u) != 0)
        if (AddressRegister* address = registers_.address(operand.id, operand.element + k))
          *address = {static_cast<std::uint16_t>(bits[k]), true, kNoRoot};
    return;
  }
  if (operand.null || lanes == 0) return;
  if (operand.kind == OperandKind::General && operand.in_bounds) {
    if (operand.contiguous && lanes == all_ && operand.size == 4) {
      std::array<std::uint32_t, kMaxLanes> words;
      for (unsigned k = 0; k < n; ++k) words[k] = static_cast<std::uint32_t>(bits[k]);
      registers_.write(operand.base, words.data(), n * 4u);
      return;
    }
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const auto k = static_cast<unsigned>(__builtin_ctz(rest));
      registers_.store(operand.base + operand.lane[k], operand.size, bits[k]);
    }
    return;
  }
  if (!operand.is_register()) return;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto k = static_cast<unsigned>(__builtin_ctz(rest));
    std::uint32_t at = 0;
    if (locate(operand, k, at, checking_)) registers_.store(at, operand.size, bits[k]);
  }
}

template <typename T>
void ExecutionContext::write(const Operand& operand, const T* values) {
  Lanes bits;
  const unsigned n = d_.lanes;
  const Rounding rounding = thread_.modes().rounding;
  const Type to = operand.type;
  if constexpr (std::is_same_v<T, float>) {
    if (to == Type::F) {
      for (unsigned k = 0; k < n; ++k) bits[k] = base::bits_of(d_.saturate ? saturate_float(values[k]) : values[k]);
      write_bits(operand, bits);
      return;
    }
    for (unsigned k = 0; k < n; ++k) {
      // NUM-88: a subnormal source becomes zero when it narrows.
      const float x = to == Type::HF ? flush(values[k]) : values[k];
      bits[k] = element_of(static_cast<double>(x), to, d_.saturate, rounding);
    }
  } else if constexpr (std::is_same_v<T, double>) {
    for (unsigned k = 0; k < n; ++k) bits[k] = element_of(values[k], to, d_.saturate, rounding);
  } else {
    if (!d_.saturate && !isa::is_float(to)) {
      for (unsigned k = 0; k < n; ++k) bits[k] = static_cast<std::uint64_t>(values[k]);
    } else {
      for (unsigned k = 0; k < n; ++k) bits[k] = element_of(static_cast<Wide>(values[k]), to, d_.saturate, rounding);
    }
  }
  write_bits(operand, bits);
}

template void ExecutionContext::write(const Operand&, const std::int64_t*);
template void ExecutionContext::write(const Operand&, const Wide*);
template void ExecutionContext::write(const Operand&, const float*);
template void ExecutionContext::write(const Operand&, const double*);

void ExecutionContext::finish(float* values) const {
  const Modes& modes = thread_.modes();
  for (unsigned k = 0; k < d_.lanes; ++k) {
    float x = base::canonical(values[k]);
    if (!modes.keep_single) x = flush(x);
    if (modes.alt && std::isinf(x)) x = std::copysign(std::numeric_limits<float>::max(), x);
    values[k] = x;
  }
}

void ExecutionContext::finish(double* values) const {
  const Modes& modes = thread_.modes();
  const bool half = d_.arithmetic == Arithmetic::Half;
  for (unsigned k = 0; k < d_.lanes; ++k) {
    double x = values[k];
    if (std::isnan(x)) x = base::double_from_bits(kNanDouble);
    if (half) {
      x = static_cast<double>(base::half_to_float(half_bits(x, modes.rounding)));
      if (!modes.keep_half && std::fabs(x) < 0x1p-14) x = std::copysign(0.0, x);
    } else if (!modes.keep_double) {
      x = flush(x);
    }
    values[k] = x;
  }
}

}  // namespace heddle::machine
