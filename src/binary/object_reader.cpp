// SPDX-License-Identifier: MIT
// Rules: ENC-1, ENC-3, ENC-5, ENC-11 to ENC-14.
#include "binary/object_reader.hpp"
#include "binary/old_variables.hpp"
#include "isa/attributes.hpp"

#include <fmt/format.h>

namespace heddle::binary {
namespace {

bool valid_text(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == 0x7f) return false;
    const std::size_t length = c < 0x80                ? 1
                               : c >= 0xc2 && c < 0xe0 ? 2
                               : c >= 0xe0 && c < 0xf0 ? 3
                               : c >= 0xf0 && c < 0xf5 ? 4
                                                       : 0;
    if (length == 0 || i + length > text.size()) return false;
    for (std::size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0u) != 0x80u) return false;
    i += length;
  }
  return true;
}

class ObjectReader {
 public:
  ObjectReader(std::span<const std::uint8_t> file_bytes, const ObjectLocation& location, unsigned version_key,
               const std::string& file, const ReadOptions& options, base::Diagnostics& diagnostics)
      : location_(location), version_key_(version_key), file_(file), options_(options), diagnostics_(diagnostics) {
    const std::uint64_t begin = std::min<std::uint64_t>(location.offset, file_bytes.size());
    const std::uint64_t end = std::min<std::uint64_t>(begin + location.size, file_bytes.size());
    bytes_ = file_bytes.subspan(begin, end - begin);
    in_ = base::ByteCursor(bytes_);
    cut_ = begin + location.size > file_bytes.size();
    parts_.object.kind = location.kind;
    parts_.object.position.offset = location.offset;
  }

  ObjectParts run() {
    if (body())
      parts_.usable = true;
    else if (in_.failed())
      error("visa-bin-truncated",
            cut_ ? "the file ends inside the object" : "a field reaches past the end of the object", in_.failed_at(),
            0);
    return std::move(parts_);
  }

 private:
  void error(std::string_view id, std::string message, std::size_t at, std::uint32_t length) {
    add(base::error(std::string(id), std::move(message)), at, length);
  }
  void warning(std::string_view id, std::string message, std::size_t at, std::uint32_t length) {
    add(base::warning(std::string(id), std::move(message)), at, length);
  }
  void add(base::Diagnostic diagnostic, std::size_t at, std::uint32_t length) {
    diagnostic.place = base::Place::binary(file_, location_.offset + at, length);
    diagnostic.place.object = parts_.object.name;
    diagnostics_.add(std::move(diagnostic));
  }

  bool body() {
    return string_pool() && object_name() && variables() &&
           plain(parts_.object.addresses, in_.u16(), "address variables") &&
           plain(parts_.object.predicates, in_.u16(), "predicates") && labels() &&
           plain(parts_.object.samplers, in_.u8(), "samplers") && plain(parts_.object.surfaces, in_.u8(), "surfaces") &&
           vme() && inputs() && code();
  }

  /// visa-bin-count: `count` items of at least `least` bytes each must fit what remains.
  bool fits(std::uint64_t count, std::size_t least, std::string_view what, std::size_t at) {
    if (in_.failed()) return false;
    if (count * least > in_.remaining()) {
      error("visa-bin-count", fmt::format("{} {} do not fit the {} bytes that remain", count, what, in_.remaining()),
            at, 0);
      return false;
    }
    if (count <= options_.limits.variables) return true;
    add(base::limit_error("limit-variables", fmt::format("{} {}, more than --max-variables allows", count, what)), at,
        0);
    return false;
  }

  bool string_pool() {
    const std::uint32_t count = id();
    if (in_.failed()) return false;
    if (count > in_.remaining()) {
      error("visa-bin-count", fmt::format("{} strings do not fit the {} bytes that remain", count, in_.remaining()), 0,
            id_bytes());
      return false;
    }
    parts_.pool.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::size_t begin = in_.position();
      const std::string_view rest = base::as_text(bytes_.subspan(begin));
      const std::size_t end = rest.find('\0');
      if (end == std::string_view::npos) {
        error("visa-bin-truncated", fmt::format("string {} has no end", i), begin, 0);
        return false;
      }
      parts_.pool.push_back(rest.substr(0, end));
      in_.seek(begin + end + 1);
      if (!valid_text(rest.substr(0, end)))
        add(base::remark("visa-bin-string-unused",
                         fmt::format("string {} holds control characters or invalid UTF-8", i)),
            begin, static_cast<std::uint32_t>(end));
    }
    return true;
  }

  std::string_view string(std::string_view what) {
    const std::size_t at = in_.position();
    const std::uint32_t index = id();
    if (in_.failed()) return {};
    if (index < parts_.pool.size()) return parts_.pool[index];
    error("visa-bin-index", fmt::format("{}: string {} does not exist", what, index), at, id_bytes());
    return {};
  }

  bool object_name() {
    parts_.object.name = string("name of the object");
    return !in_.failed();
  }

  /// Counts and identifiers of two bytes before 3.4, of four since (ENC-1).
  [[nodiscard]] unsigned id_bytes() const { return version_key_ < 34 ? 2 : 4; }
  std::uint32_t id() { return version_key_ < 34 ? in_.u16() : in_.u32(); }

  isa::Position position() const {
    isa::Position p;
    p.offset = location_.offset + in_.position();
    return p;
  }

  bool attributes(std::vector<isa::Attribute>& list, unsigned count) {
    if (!fits(count, 1 + id_bytes(), "attributes", in_.position())) return false;
    list.reserve(count);
    for (unsigned i = 0; i < count; ++i) {
      isa::Attribute attribute;
      attribute.position = position();
      attribute.name = string("name of an attribute");
      const auto value = in_.take(in_.u8());
      if (in_.failed()) return false;
      attribute.value.assign(value.begin(), value.end());
      attribute.is_string = isa::current_attribute_name(attribute.name) == "OutputAsmPath";
      list.push_back(std::move(attribute));
    }
    return true;
  }

  /// What the text cannot show, and Intel's reader does not take: an alias of a later variable, an offset without an
  /// alias, a scope since 3.4.
  void check_alias(const isa::GeneralVariable& v, std::uint32_t index, std::size_t at) {
    if (v.alias_scope != 0 && version_key_ >= 34)
      error("visa-bin-filescope",
            fmt::format("{}: alias of scope {}, only versions before 3.4 have any", v.name, v.alias_scope), at, 4);
    else if (v.alias_scope == 0 && v.alias >= isa::kFirstVariable + index)
      error("visa-bin-index", fmt::format("{}: alias of variable {}, which is declared later", v.name, v.alias), at, 4);
    else if (v.alias_scope == 0 && v.alias == 0 && v.alias_offset != 0)
      error("visa-bin-reserved", fmt::format("{}: offset {} of an alias that it has not", v.name, v.alias_offset), at,
            4);
  }

  bool variables() {
    const std::size_t count_at = in_.position();
    const std::uint32_t count = id();
    if (!fits(count, 7 + 2 * id_bytes(), "variables", count_at)) return false;
    parts_.object.variables.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      isa::GeneralVariable v;
      v.position = position();
      v.name = string("name of a variable");
      const std::size_t type_at = in_.position();
      const std::uint8_t type = in_.u8();
      v.type = static_cast<isa::Type>(type & 15u);
      v.align = static_cast<isa::Align>(type >> 4);
      if (type >> 4 > 9) {
        error("visa-decl-align", fmt::format("{}: alignment code {} is unknown", v.name, type >> 4), type_at, 1);
        v.align = isa::Align::Byte;
      }
      v.elements = in_.u16();
      const std::size_t alias_at = in_.position();
      v.alias = id();
      v.alias_offset = in_.u16();
      v.alias_scope = in_.u8();
      if (!attributes(v.attributes, in_.u8())) return false;
      const bool exists = v.alias_scope != 0
                              ? v.alias < location_.file_scope
                              : v.alias < isa::kPredefinedVariables ||
                                    (v.alias >= isa::kFirstVariable && v.alias - isa::kFirstVariable < count);
      const std::optional<std::uint32_t> present = present_variable(v.alias, version_key_);
      if (v.alias_scope == 0 && present) v.alias = *present;
      if (!exists || (v.alias_scope == 0 && !present))
        error("visa-bin-index", fmt::format("{}: alias of variable {}, which does not exist", v.name, v.alias),
              alias_at, id_bytes());
      check_alias(v, i, alias_at);
      parts_.object.variables.push_back(std::move(v));
    }
    return true;
  }

  bool plain(std::vector<isa::PlainVariable>& list, std::uint32_t count, std::string_view what) {
    if (!fits(count, 3 + id_bytes(), what, in_.position())) return false;
    list.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      isa::PlainVariable v;
      v.position = position();
      v.name = string(what);
      v.elements = in_.u16();
      if (!attributes(v.attributes, in_.u8())) return false;
      list.push_back(std::move(v));
    }
    return true;
  }

  bool labels() {
    const std::size_t count_at = in_.position();
    const std::uint32_t count = in_.u16();
    if (!fits(count, 2 + id_bytes(), "labels", count_at)) return false;
    parts_.object.labels.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      isa::Label label;
      label.position = position();
      label.name = string("name of a label");
      const std::size_t kind_at = in_.position();
      const std::uint8_t kind = in_.u8();
      label.kind = static_cast<isa::LabelKind>(kind);
      if (!in_.failed() && kind > 2 && kind != 4) {
        error("visa-bin-subop", fmt::format("{}: label kind {} is unknown", label.name, kind), kind_at, 1);
        label.kind = isa::LabelKind::Block;
      }
      const std::size_t attributes_at = in_.position();
      if (!attributes(label.attributes, in_.u8())) return false;
      if (!label.attributes.empty())  // no tool has any, and the text no place for them
        error("visa-bin-reserved", fmt::format("{}: labels have no attributes", label.name), attributes_at, 1);
      parts_.object.labels.push_back(std::move(label));
    }
    return true;
  }

  bool vme() {
    const std::size_t at = in_.position();
    const unsigned count = in_.u8();
    if (count == 0) return !in_.failed();
    error("visa-bin-vme", fmt::format("{} VME variables: no version that is read has any", count), at, 1);
    std::vector<isa::PlainVariable> ignored;
    return plain(ignored, count, "VME variables");
  }

  bool inputs() {
    if (location_.kind != isa::ObjectKind::Kernel) return true;
    const std::size_t at = in_.position();
    if (location_.offset + at != location_.input_offset)
      warning("visa-bin-entry",
              fmt::format("the header says that inputs start at {:#x}, they start here", location_.input_offset), at,
              4);
    const std::uint32_t count = version_key_ >= 35 ? in_.u32() : in_.u8();
    if (!fits(count, 5 + id_bytes(), "inputs", at)) return false;
    parts_.object.inputs.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      isa::Input input;
      input.position = position();
      const std::size_t kind_at = in_.position();
      input.kind_bits = in_.u8();
      input.id = id();
      input.offset = in_.u16();
      input.size = in_.u16();
      if (in_.failed()) return false;
      check_input(input, kind_at);
      parts_.object.inputs.push_back(input);
    }
    return true;
  }

  void check_input(const isa::Input& input, std::size_t at) {
    if ((input.kind_bits & 4u) != 0) {
      base::Diagnostic d = options_.lenient ? base::warning("visa-bin-reserved", "input: reserved bits are set")
                                            : base::error("visa-bin-reserved", "input: reserved bits are set");
      add(std::move(d), at, 1);
    }
    const isa::Object& o = parts_.object;
    bool exists = false;
    switch (input.kind_bits & 3u) {
      case 0:
        exists = isa::variable_exists(o, input.id);
        break;
      case 1:
        exists = input.id < o.samplers.size();
        break;
      case 2:
        exists = input.id < isa::kFirstSurface + o.surfaces.size();
        break;
      default:
        error("visa-bin-subop", "input kind 3 is unknown", at, 1);
        return;
    }
    if (!exists) missing_inputs_.push_back({input.id, at + 1});
  }

  void report_code_start(std::uint32_t entry, std::size_t at, std::size_t size_at) {
    for (const auto& [id, id_at] : missing_inputs_)
      error("visa-bin-index", fmt::format("input names variable {}, which does not exist", id), id_at, id_bytes());
    if (entry != at)
      warning("visa-bin-entry",
              fmt::format("the entry offset is {:#x}, the code starts at {:#x} of the object", entry, at), size_at + 4,
              4);
  }

  bool code() {
    const std::size_t size_at = in_.position();
    const std::uint32_t code_size = in_.u32(), entry = in_.u32();
    if (location_.kind == isa::ObjectKind::Function) {
      parts_.object.input_size = in_.u8();
      parts_.object.return_size = in_.u8();
    }
    if (!attributes(parts_.object.attributes, in_.u16())) return false;
    const std::size_t at = in_.position();
    const bool stripped = location_.has_gen_binaries && code_size > 0 && in_.remaining() == 0;
    if (!stripped) report_code_start(entry, at, size_at);
    if (stripped) {
      error("visa-bin-truncated",
            fmt::format("the code was taken out of this object, {} bytes: only its Gen binaries are left", code_size),
            size_at, 4);
    } else if (code_size > in_.remaining()) {
      error("visa-bin-truncated", fmt::format("{} bytes of code, {} remain in the object", code_size, in_.remaining()),
            size_at, 4);
    } else if (cut_) {
      error("visa-bin-truncated", "the header gives the object more bytes than the file has", at + code_size, 0);
    } else if (code_size < in_.remaining()) {
      warning("visa-bin-size", fmt::format("{} bytes follow the code", in_.remaining() - code_size), at + code_size, 0);
    }
    parts_.code = bytes_.subspan(at, std::min<std::size_t>(code_size, in_.remaining()));
    parts_.code_offset = location_.offset + at;
    return true;
  }

  const ObjectLocation& location_;
  std::vector<std::pair<std::uint32_t, std::size_t>> missing_inputs_;  ///< numbers that no variable has, and where
  unsigned version_key_;
  const std::string& file_;
  const ReadOptions& options_;
  base::Diagnostics& diagnostics_;
  std::span<const std::uint8_t> bytes_;
  base::ByteCursor in_;
  bool cut_ = false;
  ObjectParts parts_;
};

}  // namespace

ObjectParts read_object(std::span<const std::uint8_t> file_bytes, const ObjectLocation& location, unsigned version_key,
                        const std::string& file, const ReadOptions& options, base::Diagnostics& diagnostics) {
  return ObjectReader(file_bytes, location, version_key, file, options, diagnostics).run();
}

}  // namespace heddle::binary
