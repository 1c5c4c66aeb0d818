// Rules: SPV-2.
#include "spirv/compile/writer/visa_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>

#include "isa/modifier.hpp"
#include "text/print/canonical_names.hpp"
#include "text/vocabulary.hpp"

namespace heddle::spirv::compiler {
namespace {

constexpr std::string_view kBindlessSurface = "%bss:", kBindlessSampler = "S31:";
constexpr std::size_t kMaxFileName = 1000;

std::string sanitized(std::string_view hint) {
  std::string out;
  for (const char c : hint) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (fits)
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  if (out.size() > 40) out.resize(40);
  if (out.empty()) out = "t";
  if (out.front() >= '0' && out.front() <= '9') out.insert(out.begin(), 'v');
  return out;
}

/// V<n>, T<n>, S<n>, A<n>, P<n> name variables by number.
bool is_numbered(std::string_view word) {
  if (word.size() < 2 || std::string_view("VTSAP").find(word.front()) == std::string_view::npos) return false;
  return std::all_of(word.begin() + 1, word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string immediate(isa::Type type, std::uint64_t bits) {
  switch (type) {
    case isa::Type::F: {
      const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      if (std::isfinite(value) && (value == 0 || (std::abs(value) >= 1e-4f && std::abs(value) < 1e7f)) &&
          !(value == 0 && std::signbit(value))) {
        std::string text = fmt::format("{}", value);  // shortest that reads back
        if (text.find('e') == std::string::npos) {
          if (text.find('.') == std::string::npos) text += ".0";
          return text + ":f";
        }
      }
      return fmt::format("0x{:x}:f", bits & 0xffffffffu);
    }
    case isa::Type::D: {
      const auto value = static_cast<std::int32_t>(bits);
      return value >= -4096 && value <= 4096 ? fmt::format("{}:d", value) : fmt::format("0x{:x}:d", bits & 0xffffffffu);
    }
    case isa::Type::UD:
      return (bits & 0xffffffffu) <= 4096 ? fmt::format("{}:ud", bits & 0xffffffffu)
                                          : fmt::format("0x{:x}:ud", bits & 0xffffffffu);
    case isa::Type::W:
    case isa::Type::B:
      return fmt::format("{}:w",
                         type == isa::Type::B ? static_cast<std::int8_t>(bits) : static_cast<std::int16_t>(bits));
    case isa::Type::UW:
      return fmt::format("0x{:x}:uw", bits & 0xffffu);
    case isa::Type::UB:
      return fmt::format("0x{:x}:uw", bits & 0xffu);
    case isa::Type::HF:
      return fmt::format("0x{:x}:hf", bits & 0xffffu);
    default:
      return fmt::format("0x{:x}:{}", bits, isa::type_name(type));
  }
}

}  // namespace

Part real(float value) { return constant(isa::Type::F, std::bit_cast<std::uint32_t>(value)); }

Part narrowed(const Part& wide, isa::Type type, unsigned index) {
  const unsigned ratio = isa::type_bytes(wide.type) / isa::type_bytes(type);
  Part p = wide;
  p.type = type;
  if (wide.kind == Part::Kind::Constant) {
    const unsigned bits = isa::type_bytes(type) * 8;
    p.bits = wide.bits >> (bits * index);
    if (bits < 64) p.bits &= (std::uint64_t{1} << bits) - 1;
    return p;
  }
  p.stride = static_cast<std::uint8_t>(wide.stride * ratio);
  p.offset += index * isa::type_bytes(type);
  return p;
}

VisaWriter::VisaWriter(isa::Platform platform, unsigned simd)
    : platform_(platform), simd_(simd), grf_(isa::platform_info(platform).grf_bytes) {}

std::string VisaWriter::unique(std::string_view hint) {
  std::string name = sanitized(hint);
  if (text::is_keyword(name) || is_numbered(name) || name.size() == 1)
    name += name.size() == 1 && name != "t" ? "_v" : "_";
  if (name.back() == '_') name += "1";
  if (names_.insert(name).second) return name;
  unsigned& next = next_suffix_[name];
  if (next == 0) next = 2;
  for (;;) {
    std::string numbered = fmt::format("{}_{}", name, next++);
    if (names_.insert(numbered).second) return numbered;
  }
}

unsigned VisaWriter::group_bytes(isa::Type type) const {
  const unsigned bytes = simd_ * (type == isa::Type::Bool ? 4 : isa::type_bytes(type));
  return (bytes + grf_ - 1) / grf_ * grf_;
}

Part VisaWriter::declare(isa::Type type, std::string_view hint, std::uint32_t elements) {
  Part p;
  p.kind = Part::Kind::Variable;
  p.type = type;
  p.variable = static_cast<std::uint32_t>(variables_.size());
  const std::string name = unique(hint);
  variables_.push_back({name, type, elements, {}});
  declarations_.push_back(
      {fmt::format(".decl {} v_type=G type={} num_elts={} align=GRF\n", name, isa::type_name(type), elements),
       p.variable});
  return p;
}

Part VisaWriter::lanes(isa::Type type, std::string_view hint, unsigned groups) {
  const isa::Type kept = type == isa::Type::Bool ? isa::Type::D : type;
  const unsigned bytes = group_bytes(kept) * (groups - 1) + simd_ * isa::type_bytes(kept);
  Part p = declare(kept, hint, bytes / isa::type_bytes(kept));
  p.type = type;
  return p;
}

Part VisaWriter::group(const Part& first, unsigned index) const {
  Part p = first;
  p.offset += index * group_bytes(first.type);
  return p;
}

Part VisaWriter::array(isa::Type type, std::string_view hint, unsigned elements) {
  Part p = declare(type, hint, elements);
  p.stride = 0;
  return p;
}

Part VisaWriter::element(const Part& array, unsigned index) const {
  Part p = array;
  p.stride = 0;
  p.offset += index * isa::type_bytes(array.type);
  return p;
}

Part VisaWriter::predicate(std::string_view hint) {
  Part p;
  p.kind = Part::Kind::Predicate;
  p.type = isa::Type::Bool;
  p.variable = static_cast<std::uint32_t>(predicates_.size());
  const auto kind =
      predicate_kinds_.emplace(std::string(hint), static_cast<std::uint32_t>(predicate_kinds_.size())).first;
  predicates_.push_back({unique(hint), kind->second, origin_});
  declarations_.push_back({fmt::format(".decl {} v_type=P num_elts={}\n", predicates_.back().name, simd_),
                           Declaration::kAlways, p.variable});
  return p;
}

std::optional<std::uint32_t> VisaWriter::fit_predicates(std::size_t most) {
  if (predicates_.size() <= most) return std::nullopt;
  const std::string_view texts[] = {start_, code_};
  const SharedPredicates shared = share_predicates(predicates_, texts, most);
  if (shared.homeless) return predicates_[*shared.homeless].origin;
  start_ = renamed_predicates(predicates_, shared, start_);
  code_ = renamed_predicates(predicates_, shared, code_);
  renamed_.resize(predicates_.size());
  for (std::size_t k = 0; k < predicates_.size(); ++k) renamed_[k] = !shared.used[k] || shared.home[k] != k;
  return std::nullopt;
}

std::string VisaWriter::address(std::string_view hint, unsigned elements) {
  std::string name = unique(hint);
  declarations_.push_back({fmt::format(".decl {} v_type=A num_elts={}\n", name, elements)});
  return name;
}

std::string VisaWriter::label(std::string_view hint) { return unique(hint); }

void VisaWriter::input(const Part& variable, std::uint32_t offset, std::uint32_t bytes) {
  variables_[variable.variable].used = true;
  inputs_ += fmt::format(".input {} offset={} size={}\n", variables_[variable.variable].name, offset, bytes);
}

std::string VisaWriter::surface() {
  const std::string name = fmt::format("T{}", 6 + surfaces_++);
  declarations_.push_back({fmt::format(".decl {} v_type=T num_elts=1\n", name)});
  return name;
}

std::string VisaWriter::descriptor_surface() {
  constexpr unsigned kMaxDescriptors = 230;  // of a binding table of 240 entries; the others are for targets
  return surfaces_ < kMaxDescriptors ? surface() : fmt::format("{}{}", kBindlessSurface, bindless_surfaces_++);
}

std::string VisaWriter::sampler() {
  constexpr unsigned kMaxSamplers = 31;  // S31 is the bindless one
  if (samplers_ == kMaxSamplers) return fmt::format("{}{}", kBindlessSampler, bindless_samplers_++);
  const std::string name = fmt::format("S{}", samplers_++);
  declarations_.push_back({fmt::format(".decl {} v_type=S num_elts=1\n", name)});
  return name;
}

std::string VisaWriter::handle_name(bool sampler, const Part& handle) {
  const std::string value = handle.constant() ? std::to_string(handle.bits) : source(handle, {0, 1}, true);
  return fmt::format("{}{}", sampler ? kBindlessSampler : kBindlessSurface, value);
}

void VisaWriter::interface_line(std::string text) {
  for (const std::string_view prefix : {kBindlessSurface, kBindlessSampler})  // handles are B0, B1 ... there
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
      text.replace(at, prefix.size(), "B");
  interface_text(text);
}
void VisaWriter::interface_text(std::string_view text) {
  interface_ += fmt::format("    FILE {}\n", text::quoted(fmt::format("heddle: {}", text)));
}

/// Bindless surfaces and samplers have one name each: what it means is moved to it before each use.
std::string VisaWriter::load_handles(std::string text) {
  for (const std::string_view prefix : {kBindlessSurface, kBindlessSampler}) {
    const std::size_t at = text.find(prefix);
    if (at == std::string::npos) continue;
    const std::string name(prefix.substr(0, prefix.size() - 1));
    const std::size_t digits = at + prefix.size(), end = std::min(text.find(' ', digits), text.size());
    const std::string handle = text.substr(digits, end - digits);  // a number or a variable
    const bool number = handle.find_first_not_of("0123456789") == std::string::npos;
    line(fmt::format("movs (M1_NM, 1) {}(0) {}{}", name, handle, number ? ":ud" : ""));
    text.replace(at, end - at, name);
  }
  return text;
}
void VisaWriter::kernel_attribute(const std::string& text) { attributes_ += ".kernel_attr " + text + "\n"; }

void VisaWriter::comment(std::string_view text) {
  std::string& out = in_start_ ? start_ : code_;
  out += "    // ";
  for (const char c : text.substr(0, 300)) out += static_cast<unsigned char>(c) < 0x20 || c == '\\' ? ' ' : c;
  out += '\n';
}

void VisaWriter::line(std::string_view text) {
  if (text.find(kBindlessSurface) != std::string_view::npos || text.find(kBindlessSampler) != std::string_view::npos) {
    line(load_handles(std::string(text)));
    return;
  }
  const bool jumps = text.find("goto ") != std::string_view::npos || text.find("jmp ") != std::string_view::npos;
  if (jumps && !in_start_) round_to_zero(false);
  std::string& out = in_start_ ? start_ : code_;
  out += "    ";
  out += text;
  out += '\n';
  if (jumps) targets_.emplace(text.substr(text.rfind(' ') + 1));
  ++instructions_;
}

void VisaWriter::remark(std::string_view text) {
  (in_start_ ? start_ : code_) += fmt::format("    FILE \"heddle: {}\"\n", text);
}

void VisaWriter::source_line(std::string_view file, std::uint32_t line, std::uint32_t column) {
  if (in_start_ || (file == file_ && place_ == std::pair(line, column))) return;
  if (file != file_) {
    file_ = file;
    // A name that no string of vISA holds, or that would be taken for a line of the interface, is cut.
    std::string name(file.substr(0, kMaxFileName));
    std::ranges::replace_if(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
    code_ += fmt::format("    FILE {}\n", text::quoted(name.starts_with("heddle: ") ? "./" + name : name));
  }
  place_ = {line, column};
  columns_.push_back(column);
  code_ += fmt::format("    LOC {}\n", line);
}

/// The columns of all LOC, in strings that are not too long.
std::string VisaWriter::column_lines() const {
  constexpr std::size_t kPerLine = 64;
  std::string out;
  if (std::ranges::all_of(columns_, [](std::uint32_t column) { return column == 0; })) return out;
  for (std::size_t first = 0; first < columns_.size(); first += kPerLine)
    out += fmt::format("    FILE \"heddle: columns {}\"\n",
                       fmt::join(std::span(columns_).subspan(first, std::min(kPerLine, columns_.size() - first)), " "));
  return out;
}

void VisaWriter::place(std::string_view label) {
  round_to_zero(false);
  code_ += label;
  code_ += ":\n";
  ++instructions_;
}

void VisaWriter::jump(std::string_view label, const Guard& guard) {
  line(fmt::format("{}goto {} {}", guard_text(guard), exec({0, simd_}), label));
}

void VisaWriter::at_start(const std::function<void()>& write) {
  const bool before = in_start_;
  in_start_ = true;
  write();
  in_start_ = before;
}

std::string VisaWriter::name(const Part& part) {
  if (part.kind == Part::Kind::Predicate) return predicates_[part.variable].name;
  Variable& v = variables_[part.variable];
  v.used = true;
  const isa::Type type = part.type == isa::Type::Bool ? isa::Type::D : part.type;
  if (type == v.type) return v.name;
  const auto found = v.aliases.find(type);
  if (found != v.aliases.end()) return found->second;
  const std::string alias = unique(v.name + "_" + std::string(isa::type_name(type)));
  const unsigned bytes = v.elements * isa::type_bytes(v.type);
  declarations_.push_back({fmt::format(".decl {} v_type=G type={} num_elts={} align=GRF alias=<{},0>\n", alias,
                                       isa::type_name(type), bytes / isa::type_bytes(type), v.name)});
  v.aliases.emplace(type, alias);
  return alias;
}

std::string VisaWriter::exec(const Piece& piece, bool no_mask) {
  return fmt::format("(M{}{}, {})", 1 + piece.start / 4, no_mask ? "_NM" : "", piece.lanes);
}

std::vector<Piece> VisaWriter::pieces(unsigned max_lanes) const {
  const unsigned lanes = std::min(simd_, max_lanes);
  std::vector<Piece> list;
  for (unsigned start = 0; start < simd_; start += lanes) list.push_back({start, lanes});
  return list;
}

std::string VisaWriter::guard_text(const Guard& guard) const {
  if (guard.predicate.kind != Part::Kind::Predicate) return {};
  return fmt::format("({}{}) ", guard.inverse ? "!" : "", predicates_[guard.predicate.variable].name);
}

std::string VisaWriter::raw(const Part& part, const Piece& piece) {
  return fmt::format("{}.{}", name(part), part.offset + piece.start * part.stride * isa::type_bytes(part.type));
}

std::string VisaWriter::source(const Source& s, const Piece& piece, bool scalar) {
  const Part& p = s.part;
  if (p.kind == Part::Kind::Predicate) return name(p);
  if (p.kind != Part::Kind::Variable) {
    std::uint64_t bits = p.bits;
    isa::Type type = p.type == isa::Type::Bool ? isa::Type::D : p.type;
    if (p.type == isa::Type::Bool) bits = p.bits != 0 ? 0xffffffffu : 0;
    const unsigned width = isa::type_bytes(type) * 8;
    const std::uint64_t top = std::uint64_t{1} << (width - 1),
                        all = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    if (s.modifier == isa::Modifier::Not) bits = ~bits & all;
    if (isa::is_float(type)) {
      if (s.modifier == isa::Modifier::Abs || s.modifier == isa::Modifier::NegAbs) bits &= ~top;
      if (s.modifier == isa::Modifier::Neg || s.modifier == isa::Modifier::NegAbs) bits ^= top;
    } else {
      const bool negative = (bits & top) != 0;
      if (s.modifier == isa::Modifier::Neg || (s.modifier == isa::Modifier::Abs && negative) ||
          (s.modifier == isa::Modifier::NegAbs && !negative))
        bits = (~bits + 1) & all;
    }
    return immediate(type, bits);
  }
  const unsigned size = p.type == isa::Type::Bool ? 4 : isa::type_bytes(p.type);
  const unsigned byte = p.offset + piece.start * p.stride * size;
  const char* region = p.stride == 0 || scalar ? "<0;1,0>"
                       : p.stride == 4         ? "<4;1,0>"
                       : p.stride == 2         ? "<2;1,0>"
                                               : "<1;1,0>";
  return fmt::format("{}{}({},{}){}", isa::modifier_text(s.modifier), name(p), byte / grf_, byte % grf_ / size, region);
}

std::string VisaWriter::destination(const Part& p, const Piece& piece) {
  if (p.kind == Part::Kind::Predicate) return name(p);
  const unsigned size = p.type == isa::Type::Bool ? 4 : isa::type_bytes(p.type);
  const unsigned byte = p.offset + piece.start * p.stride * size;
  return fmt::format("{}({},{})<{}>", name(p), byte / grf_, byte % grf_ / size, std::max<unsigned>(p.stride, 1));
}

unsigned VisaWriter::piece_lanes(const Part& dst, std::span<const Source> sources) const {
  unsigned widest = 1;
  const auto look = [&](const Part& p) {
    if (p.kind != Part::Kind::Variable) return;
    widest =
        std::max(widest, (p.type == isa::Type::Bool ? 4u : isa::type_bytes(p.type)) * std::max<unsigned>(p.stride, 1));
  };
  look(dst);
  for (const Source& s : sources) look(s.part);
  unsigned lanes = std::min(simd_, grf_ == 64 ? 32u : 16u);
  while (lanes > 1 && lanes * widest > 2 * grf_) lanes /= 2;
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
  for (unsigned start = 0; start < (scalar ? 1 : simd_); start += lanes) {
    const Piece piece{start, lanes};
    std::string text = guard_text(guard);
    text += op;
    text += ' ';
    text += exec(piece, guard.no_mask || scalar || all_lanes_);
    text += ' ';
    text += destination(dst, piece);
    for (const Source& s : list) {
      text += ' ';
      text += source(s, piece, scalar);
    }
    line(text);
  }
}

void VisaWriter::op(std::string_view name, const Part& dst, std::initializer_list<Source> sources, const Guard& guard) {
  op(name, dst, std::span<const Source>(sources.begin(), sources.size()), guard);
}

Part VisaWriter::make(std::string_view name, isa::Type type, std::initializer_list<Source> sources,
                      std::string_view hint) {
  const Part dst = lanes(type, hint);
  op(name, dst, sources);
  return dst;
}

Part VisaWriter::compare(std::string_view condition, const Source& a, const Source& b, std::string_view hint) {
  const Part p = predicate(hint);
  op(fmt::format("cmp.{}", condition), p, {a, b});
  return p;
}

Part VisaWriter::to_predicate(const Part& value) {
  if (value.kind == Part::Kind::Predicate) return value;
  const Part p = predicate("cond");
  if (value.kind == Part::Kind::Variable)
    op("cmp.ne", p, {value.as(isa::Type::D), constant(isa::Type::D, 0)});
  else {
    const Part one = copy(constant(isa::Type::D, value.bits));
    op("cmp.ne", p, {one, constant(isa::Type::D, 0)});
  }
  return p;
}

Part VisaWriter::to_mask(const Part& value, std::string_view hint) {
  if (value.kind == Part::Kind::Variable) return value.as(isa::Type::D);
  if (value.kind != Part::Kind::Predicate) return constant(isa::Type::D, value.bits != 0 ? 0xffffffffu : 0);
  const Part mask = lanes(isa::Type::Bool, hint);
  move(mask, value);
  return mask.as(isa::Type::D);
}

Part VisaWriter::select(const Part& condition, const Part& a, const Part& b, std::string_view hint) {
  if (condition.constant()) return condition.bits != 0 ? a : b;
  const Part p = to_predicate(condition);
  if (a.boolean() || b.boolean()) {
    const Part dst = lanes(isa::Type::Bool, hint);
    move(dst, b);
    move(dst, a, {p, false, false});
    return dst;
  }
  const isa::Type type = a.kind == Part::Kind::Undefined ? b.type : a.type;
  const Part dst = lanes(type, hint);
  Part first = a.as(type);
  if (first.kind != Part::Kind::Variable) first = copy(first);
  op("sel", dst, {first, b.as(type)}, {p, false, false});
  return dst;
}

void VisaWriter::move(const Part& dst, const Part& src, const Guard& guard) {
  if (dst.kind == Part::Kind::Predicate) {
    if (src.kind == Part::Kind::Predicate && guard.predicate.kind != Part::Kind::Predicate && !guard.no_mask) {
      op("or", dst, {src, src});
      return;
    }
    // Under a predicate: through a mask, since logic on predicates takes none.
    const Part mask = lanes(isa::Type::Bool, "mask");
    move(mask, dst);
    move(mask, src, guard);
    op("cmp.ne", dst, {mask.as(isa::Type::D), constant(isa::Type::D, 0)});
    return;
  }
  if (dst.type != isa::Type::Bool) {
    op("mov", dst, {src.kind == Part::Kind::Undefined ? constant(dst.type, 0) : src}, guard);
    return;
  }
  const Part mask = dst.as(isa::Type::D);
  if (src.kind != Part::Kind::Predicate) {
    op("mov", mask,
       {src.kind == Part::Kind::Variable ? src.as(isa::Type::D)
                                         : constant(isa::Type::D, src.bits != 0 ? 0xffffffffu : 0)},
       guard);
    return;
  }
  const Part ones = copy(constant(isa::Type::D, 0xffffffffu), "ones");
  if (guard.predicate.kind != Part::Kind::Predicate) {
    op("sel", mask, {ones, constant(isa::Type::D, 0)}, {src, false, guard.no_mask});
    return;
  }
  const Part chosen = lanes(isa::Type::D, "mask");
  op("sel", chosen, {ones, constant(isa::Type::D, 0)}, {src, false, guard.no_mask});
  op("mov", mask, {chosen}, guard);
}

Part VisaWriter::copy(const Part& src, std::string_view hint) {
  const Part dst = lanes(src.boolean() ? isa::Type::Bool : src.type, hint);
  move(dst, src);
  return dst;
}

Part VisaWriter::convert(const Part& src, isa::Type type, std::string_view hint) {
  const Part dst = lanes(type, hint);
  op("mov", dst, {src});
  return dst;
}

Part VisaWriter::in_register(const Part& part, std::string_view hint) {
  if (part.kind == Part::Kind::Variable && part.stride == 1 && part.offset % grf_ == 0) return part;
  return copy(part, hint);
}

Part VisaWriter::lane_numbers() {
  if (lane_numbers_.kind != Part::Kind::Variable) {
    lane_numbers_ = lanes(isa::Type::UD, "lane");
    at_start([&] {
      for (unsigned start = 0; start < simd_; start += 8) {
        const Piece piece{start, 8};
        line(fmt::format("mov {} {} 0x76543210:uv", exec(piece, true), destination(lane_numbers_, piece)));
        if (start != 0)
          line(fmt::format("add {} {} {} {}:ud", exec(piece, true), destination(lane_numbers_, piece),
                           source(lane_numbers_, piece), start));
      }
    });
  }
  return lane_numbers_;
}

std::vector<Part> VisaWriter::message(unsigned max_lanes, unsigned channels, isa::Type type, std::string_view hint,
                                      const std::function<void(const Piece&, const std::string& dst)>& emit) {
  const std::vector<Piece> list = pieces(max_lanes);
  const unsigned size = isa::type_bytes(type);
  std::vector<Part> results;
  if (list.size() == 1) {
    const Part dst = lanes(type, hint, channels);
    emit(list[0], raw(dst, {0, list[0].lanes}));
    for (unsigned c = 0; c < channels; ++c) results.push_back(group(dst, c));
    return results;
  }
  for (unsigned c = 0; c < channels; ++c) results.push_back(lanes(type, hint));
  const unsigned step = (list[0].lanes * size + grf_ - 1) / grf_ * grf_;
  for (const Piece& piece : list) {
    const Part dst = array(type, hint, (step * channels) / size);
    emit(piece, raw(dst, {0, piece.lanes}));
    for (unsigned c = 0; c < channels; ++c) {
      Part from = dst;
      from.stride = 1;
      from.offset = c * step;
      line(fmt::format("mov {} {} {}", exec(piece), destination(results[c], piece), source(from, {0, piece.lanes})));
    }
  }
  return results;
}

std::string VisaWriter::text(std::string_view kernel, std::string_view header) const {
  std::string out = ".version 4.1\n";
  out += header;
  const std::string clean = sanitized(kernel);
  out += fmt::format(".kernel \"{}\"\n\n", clean);
  for (const Declaration& d : declarations_) {
    if (d.variable != Declaration::kAlways && !variables_[d.variable].used) continue;
    if (d.predicate == Declaration::kAlways || renamed_.empty() || !renamed_[d.predicate]) out += d.text;
  }
  out += inputs_;
  out += fmt::format(".kernel_attr Target=\"3d\"\n.kernel_attr SimdSize={}\n", simd_);
  out += attributes_;
  out += fmt::format(".function \"{}_body\"\n\n{}_body:\n", clean, clean);
  out += interface_;
  out += column_lines();
  out += start_;
  for (std::size_t at = 0; at < code_.size();) {
    const std::size_t end = code_.find('\n', at) + 1;
    const std::string_view line(code_.data() + at, end - at);
    const bool unused_label = line.front() != ' ' && targets_.find(line.substr(0, line.size() - 2)) == targets_.end();
    if (!unused_label) out += line;
    at = end;
  }
  return out;
}

}  // namespace heddle::spirv::compiler
