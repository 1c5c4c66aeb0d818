// SPDX-License-Identifier: MIT
// Instructions and their operands.
// Rules: NUM-92, SPV-2.
#include "spirv/compile/writer/visa_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/modifier.hpp"

namespace heddle::spirv::compiler {
namespace {

constexpr std::uint32_t kRoundToZero = 0x30;  // of %cr0 (NUM-92)

unsigned element_bytes(const Part& p) { return p.type == isa::Type::Bool ? 4 : isa::type_bytes(p.type); }

/// A constant with its modifier carried out.
std::uint64_t modified(isa::Type type, std::uint64_t bits, isa::Modifier modifier) {
  const unsigned width = isa::type_bytes(type) * 8;
  const std::uint64_t top = std::uint64_t{1} << (width - 1),
                      all = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  if (modifier == isa::Modifier::Not) bits = ~bits & all;
  if (isa::is_float(type)) {
    if (modifier == isa::Modifier::Abs || modifier == isa::Modifier::NegAbs) bits &= ~top;
    if (modifier == isa::Modifier::Neg || modifier == isa::Modifier::NegAbs) bits ^= top;
    return bits;
  }
  const bool negative = (bits & top) != 0;
  if (modifier == isa::Modifier::Neg || (modifier == isa::Modifier::Abs && negative) ||
      (modifier == isa::Modifier::NegAbs && !negative))
    bits = (~bits + 1) & all;
  return bits;
}

}  // namespace

VisaWriter::VisaWriter(isa::Platform platform, unsigned simd)
    : Declarations(simd, isa::platform_info(platform).grf_bytes), platform_(platform) {}

// --- operands ---

std::string VisaWriter::exec(const LaneRange& range, bool no_mask) {
  return fmt::format("(M{}{}, {})", 1 + range.start / 4, no_mask ? "_NM" : "", range.lanes);
}

std::string VisaWriter::guard_text(const Guard& guard) const {
  if (guard.predicate.kind != Part::Kind::Predicate) return {};
  return fmt::format("({}{}) ", guard.inverse ? "!" : "", predicate_name(guard.predicate));
}

std::vector<LaneRange> VisaWriter::lane_ranges(unsigned max_lanes) const {
  const unsigned lanes = std::min(simd(), max_lanes);
  std::vector<LaneRange> list;
  for (unsigned start = 0; start < simd(); start += lanes) list.push_back({start, lanes});
  return list;
}

VisaOperand VisaWriter::raw(const Part& part, const LaneRange& range) {
  return fmt::format("{}.{}", name(part), part.offset + range.start * part.stride * isa::type_bytes(part.type));
}

VisaOperand VisaWriter::source(const Source& s, const LaneRange& range, bool scalar) {
  const Part& p = s.part;
  if (p.kind == Part::Kind::Predicate) return name(p);
  if (p.kind != Part::Kind::Variable) {
    if (p.type == isa::Type::Bool)
      return immediate(isa::Type::D, modified(isa::Type::D, p.bits != 0 ? 0xffffffffu : 0, s.modifier));
    return immediate(p.type, modified(p.type, p.bits, s.modifier));
  }
  const unsigned size = element_bytes(p), byte = p.offset + range.start * p.stride * size;
  const char* region = p.stride == 0 || scalar ? "<0;1,0>"
                       : p.stride == 4         ? "<4;1,0>"
                       : p.stride == 2         ? "<2;1,0>"
                                               : "<1;1,0>";
  return fmt::format("{}{}({},{}){}", isa::modifier_text(s.modifier), name(p), byte / grf(), byte % grf() / size,
                     region);
}

VisaOperand VisaWriter::destination(const Part& p, const LaneRange& range) {
  if (p.kind == Part::Kind::Predicate) return name(p);
  const unsigned size = element_bytes(p), byte = p.offset + range.start * p.stride * size;
  return fmt::format("{}({},{})<{}>", name(p), byte / grf(), byte % grf() / size, std::max<unsigned>(p.stride, 1));
}

VisaOperand VisaWriter::region(const Source& first, unsigned element, const RegionShape& shape) {
  const unsigned size = element_bytes(first.part), byte = first.part.offset + element * size;
  return fmt::format("{}{}({},{})<{};{},{}>", isa::modifier_text(first.modifier), name(first.part), byte / grf(),
                     byte % grf() / size, shape.vertical, shape.width, shape.horizontal);
}

std::string VisaWriter::handle_name(bool sampler, const Part& handle) {
  const std::string value = handle.constant() ? std::to_string(handle.bits) : source(handle, kOneLane, true).text();
  return fmt::format("{}{}", sampler ? kBindlessSampler : kBindlessSurface, value);
}

VisaOperand VisaWriter::address_elements(std::string_view address, unsigned count) {
  return fmt::format("{}(0)<{}>", address, count);
}

VisaOperand VisaWriter::address_of(const Part& part) {
  return part.offset == 0 ? "&" + name(part) : fmt::format("&{}[{}]", name(part), part.offset);
}

VisaOperand VisaWriter::indirect(std::string_view address, isa::Type type, bool each_lane) {
  return fmt::format("r[{}(0),0]{}:{}", address, each_lane ? "<1,0>" : "<0;1,0>", isa::type_name(type));
}

// --- instructions ---

/// Handles among the operands: each is moved to its name before the instruction. False: there are none.
bool VisaWriter::load_handles(std::span<const VisaOperand> operands, std::vector<VisaOperand>& loaded) {
  for (const std::string_view prefix : {kBindlessSurface, kBindlessSampler})
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (!operands[k].text().starts_with(prefix)) continue;
      if (loaded.empty()) loaded.assign(operands.begin(), operands.end());
      const std::string_view handle = std::string_view(operands[k].text()).substr(prefix.size());
      const std::string name(prefix.substr(0, prefix.size() - 1));
      const bool number = handle.find_first_not_of("0123456789") == std::string_view::npos;
      instruction("movs", kOneLane, {name + "(0)", std::string(handle) + (number ? ":ud" : "")}, every_lane());
      loaded[k] = name;
    }
  return !loaded.empty();
}

void VisaWriter::instruction(std::string_view op, const LaneRange& range, std::span<const VisaOperand> operands,
                             const Guard& guard) {
  std::vector<VisaOperand> loaded;
  if (load_handles(operands, loaded)) operands = loaded;
  const bool jumps = op == "goto" || op == "jmp";
  if (jumps && !in_start()) round_to_zero(false);
  std::string text = guard_text(guard);
  text += op;
  text += ' ';
  text += exec(range, guard.no_mask);
  for (const VisaOperand& operand : operands) {
    text += ' ';
    text += operand.text();
  }
  put_instruction(text);
  if (jumps) jumps_to(operands.back().text());
}

void VisaWriter::instruction(std::string_view op, const LaneRange& range, std::initializer_list<VisaOperand> operands,
                             const Guard& guard) {
  instruction(op, range, std::span<const VisaOperand>(operands.begin(), operands.size()), guard);
}

unsigned VisaWriter::piece_lanes(const Part& dst, std::span<const Source> sources) const {
  unsigned widest = 1;
  const auto look = [&](const Part& p) {
    if (p.kind == Part::Kind::Variable) widest = std::max(widest, element_bytes(p) * std::max<unsigned>(p.stride, 1));
  };
  look(dst);
  for (const Source& s : sources) look(s.part);
  unsigned lanes = std::min(simd(), grf() == 64 ? 32u : 16u);
  while (lanes > 1 && lanes * widest > 2 * grf()) lanes /= 2;
  return lanes;
}

void VisaWriter::op(std::string_view op, const Part& dst, std::span<const Source> sources, const Guard& guard) {
  std::vector<Source> list(sources.begin(), sources.end());
  const bool move = op == "mov" || op.starts_with("mov.");
  if (!move && !list.empty() && std::all_of(list.begin(), list.end(), [](const Source& s) {
        return s.part.kind == Part::Kind::Constant || s.part.kind == Part::Kind::Undefined;
      }))
    list[0].part = copy(list[0].part);
  // A scalar is computed once, whatever lanes are active.
  const bool scalar = dst.kind == Part::Kind::Variable && dst.stride == 0;
  const unsigned lanes = scalar ? 1 : piece_lanes(dst, list);
  for (unsigned start = 0; start < (scalar ? 1 : simd()); start += lanes) {
    const LaneRange range{start, lanes};
    std::string text = guard_text(guard);
    text += op;
    text += ' ';
    text += exec(range, guard.no_mask || scalar || all_lanes_);
    text += ' ';
    text += destination(dst, range).text();
    for (const Source& s : list) {
      text += ' ';
      text += source(s, range, scalar).text();
    }
    put_instruction(text);
  }
}

void VisaWriter::op(std::string_view name, const Part& dst, std::initializer_list<Source> sources, const Guard& guard) {
  op(name, dst, std::span<const Source>(sources.begin(), sources.size()), guard);
}

void VisaWriter::load_owords(unsigned count, std::string_view surface, const VisaOperand& dst) {
  put_instruction(fmt::format("oword_ld ({}) {} 0x0:ud {}", count, surface, dst.text()));
}

void VisaWriter::control(std::string_view op, std::uint32_t bits) {
  instruction(op, kOneLane, {"%cr0(0,0)<1>", "%cr0(0,0)<0;1,0>", hexadecimal(isa::Type::UD, bits)}, every_lane());
}

void VisaWriter::set_control(std::uint32_t bits) { control("or", bits); }
void VisaWriter::clear_control(std::uint32_t bits) { control("and", ~bits); }

void VisaWriter::round_to_zero(bool wanted) {
  if (std::exchange(rounds_to_zero_, wanted) == wanted) return;
  if (wanted)
    set_control(kRoundToZero);
  else
    clear_control(kRoundToZero);
}

void VisaWriter::place(std::string_view label) {
  round_to_zero(false);
  put_label(label);
}

void VisaWriter::jump(std::string_view label, const Guard& guard) { instruction("goto", {0, simd()}, {label}, guard); }

void VisaWriter::clear_predicate(const Part& predicate) {
  for (unsigned start = 0; start < simd(); start += 16)
    instruction("setp", {start, std::min(simd(), 16u)}, {name(predicate), immediate(isa::Type::UD, 0)}, every_lane());
}

// --- the whole ---

std::optional<std::uint32_t> VisaWriter::fit_predicates(std::size_t most) {
  if (predicates().size() <= most) return std::nullopt;
  const std::string_view texts[] = {start(), code()};
  const SharedPredicates shared = share_predicates(predicates(), texts, most);
  if (shared.homeless) return predicates()[*shared.homeless].origin;
  start() = renamed_predicates(predicates(), shared, start());
  code() = renamed_predicates(predicates(), shared, code());
  share(shared);
  return std::nullopt;
}

std::string VisaWriter::text(std::string_view kernel, std::string_view header) const {
  std::string out = ".version 4.1\n";
  out += header;
  const std::string name = legal_name(kernel);
  out += fmt::format(".kernel \"{}\"\n\n", name);
  append_declarations(out);
  out += fmt::format(".kernel_attr Target=\"3d\"\n.kernel_attr SimdSize={}\n", simd());
  append_attributes(out);
  out += fmt::format(".function \"{}_body\"\n\n{}_body:\n", name, name);
  append_body(out);
  return out;
}

}  // namespace heddle::spirv::compiler
