// SPDX-License-Identifier: MIT
// A program in canonical text (visa 1.6): what GenX_IR's dumper prints, less its defects.
// Rules: TXT-31, TXT-34, TXT-35.
#include <algorithm>
#include <span>

#include "text/comments.hpp"

#include "text/print/instruction_printer.hpp"
#include "text/statements/dialect.hpp"
#include "text/text.hpp"
#include "text/vocabulary.hpp"

namespace heddle::text {
namespace {

/// Whether something is there that only the newer dialect can hold; null paired surfaces are not.
bool needs_newer(const isa::Program& program) {
  for (const isa::Object& object : program.objects)
    for (const isa::Instruction& i : object.instructions) {
      if (!i.description->in_12504 || (i.description->predicate_newer_only && i.predicate.present())) return true;
      const auto operands = object.operands_of(i);
      for (std::size_t n = 0; n < i.description->fixed_slots(); ++n) {
        const isa::Operand& o = operands[n];
        if (i.description->slots[n].newer_only && o.kind != isa::OperandKind::Absent &&
            (o.id != 0 || o.offset != 0 || o.value != 0))
          return true;
      }
    }
  return false;
}

class ProgramPrinter {
 public:
  explicit ProgramPrinter(const isa::Program& program) : program_(program) {}

  std::string run() {
    out_ += ".version 4.1\n";
    dialect();
    for (const isa::Object& object : program_.objects) print_object(object);
    return std::move(out_);
  }

 private:
  /// TXT-31: a comment decides where the automatic choice would be wrong.
  void dialect() {
    newer_ = program_.dialect == isa::Dialect::Newer && needs_newer(program_);
    if (newer_) {
      out_ += "// dialect: newer\n";
      return;
    }
    bool any = false;
    for (const isa::Object& object : program_.objects)
      for (const isa::Instruction& i : object.instructions) {
        if (i.description->count_slot < 0 || i.description->slots.size() < 2 ||
            !i.description->slots[i.description->slots.size() - 2].newer_only)
          continue;
        if (!looks_paired(object, i, isa::Platform::XE2)) return;
        any = true;
      }
    if (any) out_ += "// dialect: 12504\n";
  }

  void number(std::uint64_t n) { out_ += std::to_string(n); }

  /// TXT-35: what no directive has.
  void function_fields(const isa::Object& object) {
    std::string_view begin = " //";
    const auto field = [&](std::string_view key, std::uint8_t value) {
      if (value == 0) return;
      out_ += begin;
      begin = "";
      out_ += key;
      number(value);
    };
    field(" linkage=", object.linkage);
    field(" input=", object.input_size);
    field(" return=", object.return_size);
  }

  void print_object(const isa::Object& object) {
    const CanonicalNames names(object);
    out_ += object.kind == isa::ObjectKind::Kernel ? ".kernel " : ".global_function ";
    out_ += quoted(object.name);
    function_fields(object);
    out_ += '\n';
    for (std::size_t n = 0; n < object.variables.size(); ++n) general(object.variables[n], names.general[n], names);
    for (std::size_t n = 0; n < object.addresses.size(); ++n) plain(object.addresses[n], 'A', names.addresses[n]);
    for (std::size_t n = 0; n < object.predicates.size(); ++n) plain(object.predicates[n], 'P', names.predicates[n]);
    for (std::size_t n = 0; n < object.samplers.size(); ++n) {
      const std::string name =
          n == isa::kBindlessSampler ? "S31_" : CanonicalNames::sampler_name(static_cast<std::uint32_t>(n));
      plain(object.samplers[n], 'S', {name, name != object.samplers[n].name});
    }
    for (std::size_t n = 0; n < object.surfaces.size(); ++n) {
      const std::string name = CanonicalNames::surface_name(static_cast<std::uint32_t>(n) + isa::kFirstSurface);
      plain(object.surfaces[n], 'T', {name, name != object.surfaces[n].name});
    }
    for (const isa::Input& input : object.inputs) print_input(input, names);
    for (const isa::Attribute& a : object.attributes) {
      out_ += ".kernel_attr ";
      attribute(a);
      attribute_sizes({&a, 1});
      out_ += '\n';
    }
    label_order(object, names);
    out_ += '\n';
    InstructionText text(object, names, newer_);
    const isa::InstructionDescription* const label = label_description();
    const isa::InstructionDescription* const subroutine = subroutine_description();
    for (const isa::Instruction& i : object.instructions) {
      if (i.description == label || i.description == subroutine) {
        print_label(object, names, i, i.description == subroutine);
        continue;
      }
      out_ += "    ";
      out_ += text.print(i);
      out_ += '\n';
    }
  }

  /// TXT-35: labels are numbered in the order of their first mention. Where the container has another order, labels
  /// that nothing mentions, or kinds that the text does not give, a comment lists them.
  void label_order(const isa::Object& object, const CanonicalNames& names) {
    std::vector<std::uint32_t> mentioned;
    std::vector<bool> seen(object.labels.size(), false);
    bool plain = true;
    for (const isa::Instruction& i : object.instructions)
      for (const isa::Operand& o : object.operands_of(i)) {
        if (o.kind != isa::OperandKind::Label || o.id >= seen.size()) continue;
        if (i.description == label_description()) plain &= object.labels[o.id].kind == isa::LabelKind::Block;
        if (i.description == subroutine_description()) plain &= object.labels[o.id].kind == isa::LabelKind::Subroutine;
        if (seen[o.id]) continue;
        seen[o.id] = true;
        plain &= o.id == mentioned.size();
        mentioned.push_back(o.id);
      }
    if (plain && mentioned.size() == object.labels.size()) return;
    out_ += "//";
    out_ += kLabelsComment;
    for (std::size_t n = 0; n < object.labels.size(); ++n) {
      out_ += ' ';
      out_ += quoted(names.labels[n].text);
      if (object.labels[n].kind != isa::LabelKind::Block) {
        out_ += ':';
        number(static_cast<std::uint64_t>(object.labels[n].kind));
      }
      if (names.labels[n].differs && !object.labels[n].instruction) {
        out_ += '=';
        out_ += quoted(object.labels[n].name);
      }
    }
    out_ += '\n';
  }

  void print_label(const isa::Object& object, const CanonicalNames& names, const isa::Instruction& i, bool subroutine) {
    const std::uint32_t id = object.operands_of(i)[0].id;
    if (id >= names.labels.size()) return;
    out_ += subroutine ? ".function " + quoted(names.labels[id].text) : names.labels[id].text + ":";
    if (names.labels[id].differs) pool_name(object.labels[id].name);
    out_ += '\n';
  }

  /// A name that no part of the line can hold: GenX_IR skips the comment, Heddle reads it.
  void pool_name(std::string_view name) {
    out_ += in_comment_ ? " v_name=" : " // v_name=";
    out_ += quoted(name);
    in_comment_ = false;
  }

  void attribute(const isa::Attribute& a) {
    out_ += is_identifier(a.name) ? a.name : quoted(a.name);
    const AttributeRule* rule = find_attribute(a.name);
    if (rule != nullptr && rule->value == AttributeValue::TargetName && a.value.size() == 1 && a.value[0] < 2) {
      out_ += a.value[0] == 0 ? "=\"cm\"" : "=\"3d\"";
      return;
    }
    if (a.value.empty() && !a.is_string) return;
    out_ += '=';
    if (is_number(a)) {
      std::uint64_t value = 0;
      for (std::size_t n = 0; n < a.value.size(); ++n) value |= static_cast<std::uint64_t>(a.value[n]) << (8 * n);
      number(value);
    } else {
      out_ += quoted({reinterpret_cast<const char*>(a.value.data()), a.value.size()});
    }
  }

  /// An integer of 1, 2 or 4 bytes; of an unknown attribute, anything of four bytes.
  static bool is_number(const isa::Attribute& a) {
    const AttributeRule* rule = find_attribute(a.name);
    if (a.is_string) return false;
    if (rule == nullptr) return a.value.size() == 4;
    const std::size_t size = a.value.size();
    return (rule->value == AttributeValue::Integer && (size == 1 || size == 2 || size == 4)) ||
           (rule->value == AttributeValue::TargetName && size == 1);
  }

  /// TXT-35: integers are stored in four bytes; another number of them is said in the comment behind the statement.
  void attribute_sizes(std::span<const isa::Attribute> list) {
    std::string_view separator = " // bytes=";
    for (const isa::Attribute& a : list) {
      const AttributeRule* rule = find_attribute(a.name);
      if (!is_number(a) || rule == nullptr || rule->value != AttributeValue::Integer || a.value.size() == 4) continue;
      out_ += separator;
      separator = ",";
      out_ += a.name;
      out_ += ':';
      number(a.value.size());
    }
    in_comment_ = separator == ",";
  }

  void attributes(const std::vector<isa::Attribute>& list) {
    if (list.empty()) return;
    out_ += " attrs={";
    for (std::size_t n = 0; n < list.size(); ++n) {
      if (n != 0) out_ += ", ";
      attribute(list[n]);
    }
    out_ += '}';
  }

  void general(const isa::GeneralVariable& v, const PrintedName& name, const CanonicalNames& names) {
    out_ += ".decl ";
    out_ += name.text;
    out_ += " v_type=G type=";
    out_ += isa::type_name(v.type);
    out_ += " num_elts=";
    number(v.elements);
    if (v.align != isa::Align::Byte) {
      out_ += " align=";
      out_ += alignment_name(v.align);
    }
    if (v.alias != 0) {
      out_ += " alias=<";
      out_ += names.general_name(v.alias);
      out_ += ", ";
      number(v.alias_offset);
      out_ += '>';
    }
    attributes(v.attributes);
    attribute_sizes(v.attributes);
    if (name.differs) pool_name(v.name);
    out_ += '\n';
  }

  void plain(const isa::PlainVariable& v, char kind, const PrintedName& name) {
    out_ += ".decl ";
    out_ += name.text;
    out_ += " v_type=";
    out_ += kind;
    out_ += " num_elts=";
    number(v.elements);
    const bool state = kind == 'S' || kind == 'T';
    const bool shown = state && is_identifier(v.name);
    if (name.differs && shown) {
      out_ += " v_name=";
      out_ += v.name;
    }
    attributes(v.attributes);
    attribute_sizes(v.attributes);
    if (name.differs && !shown) pool_name(v.name);
    out_ += '\n';
  }

  void print_input(const isa::Input& in, const CanonicalNames& names) {
    if (in.implicit() == 0) {
      out_ += ".input ";
    } else {  // by number: Intel's tool stores 5 for every name (TXT-34)
      out_ += ".implicit_UNDEFINED_";
      number(in.implicit());
      out_ += ' ';
    }
    switch (in.kind()) {
      case isa::InputKind::General:
        out_ += names.general_name(in.id);
        break;
      case isa::InputKind::Sampler:
        out_ += CanonicalNames::sampler_name(in.id);
        break;
      case isa::InputKind::Surface:
        out_ += CanonicalNames::surface_name(in.id);
        break;
    }
    out_ += " offset=";
    number(in.offset);
    out_ += " size=";
    number(in.size);
    if (const std::string_view word = implicit_name(in.implicit()); !word.empty()) {
      out_ += " // ";
      out_ += word;
    }
    out_ += '\n';
  }

  const isa::Program& program_;
  bool in_comment_ = false;  ///< a comment of fields was begun on this line
  bool newer_ = false;
  std::string out_;
};

}  // namespace

std::string print(const isa::Program& program) { return ProgramPrinter(program).run(); }

}  // namespace heddle::text
