// SPDX-License-Identifier: MIT
// Declarations, aliases, inputs, attributes.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "verify/phases.hpp"

namespace heddle::verify {
namespace {

using base::Severity;
using isa::Align;
using isa::PlatformSet;

constexpr unsigned kAlignCodes = 10;
constexpr unsigned kPseudoInput = 16;

std::uint64_t align_bytes(Align align, unsigned grf) {
  switch (align) {
    case Align::Byte:
      return 1;
    case Align::Word:
      return 2;
    case Align::Dword:
      return 4;
    case Align::Qword:
      return 8;
    case Align::Oword:
      return 16;
    case Align::Grf:
      return grf;
    case Align::Grf2:
      return 2 * grf;
    case Align::Hword:
      return 32;
    case Align::Word32:
      return 64;
    case Align::Word64:
      return 128;
  }
  return 1;
}

struct KnownAttribute {
  std::string_view name;
  bool of_object, of_variable;
};
constexpr KnownAttribute kAttributes[] = {
    {"Extern", true, false},
    {"NoBarrier", true, false},
    {"Callable", true, false},
    {"Caller", true, false},
    {"Composable", true, false},
    {"Entry", true, false},
    {"SepSpillPvtSS", true, false},
    {"LTO_InvokeOptTarget", true, false},
    {"Target", true, false},
    {"SLMSize", true, false},
    {"SpillMemOffset", true, false},
    {"ArgSize", true, false},
    {"RetValSize", true, false},
    {"PerThreadInputSize", true, false},
    {"perThreadInputSize", true, false},
    {"SimdSize", true, false},
    {"CrossThreadInputSize", true, false},
    {"crossThreadInputSize", true, false},
    {"NBarrierCnt", true, false},
    {"OutputAsmPath", true, false},
    {"AsmName", true, false},
    {"HeddleLaneOffsets", true, false},  // SPV-53
    {"Input", false, true},
    {"Output", false, true},
    {"PayloadLiveOut", false, true},
    {"Input_Output", false, true},
    {"NoWidening", false, true},
    {"DoNotSpill", false, true},
    {"Scope", false, true},
    {"SurfaceUsage", false, true},
};

class Declarations {
 public:
  Declarations(const isa::Object& object, Findings& findings) : object_(object), findings_(findings) {}

  void run() {
    for (const unsigned grf : {32u, 64u}) {
      grf_ = grf;
      on_ = findings_.with_grf(grf);
      if (!on_.empty()) by_register_size();
    }
    independent();
  }

 private:
  [[nodiscard]] base::Place place(const isa::Position& position) const {
    base::Place p = isa::place_of(findings_.program(), position);
    p.object = object_.name;
    return p;
  }
  // Rules that compare with the register size run once for each size; what both report is kept once.
  void add(std::string_view id, Severity severity, const isa::Position& position, std::string message, PlatformSet on) {
    findings_.add(id, severity, place(position), std::move(message), on);
  }
  void error(std::string_view id, const isa::Position& position, std::string message) {
    add(id, Severity::Error, position, std::move(message), PlatformSet::all());
  }
  struct Sized {
    std::string_view id;
    Severity severity;
    isa::Position position;
    std::string message;
    PlatformSet on;
  };
  void sized(std::string_view id, Severity severity, const void* about, const isa::Position& position,
             std::string message) {
    const auto [at, fresh] = sized_index_.try_emplace({about, id, severity}, sized_.size());
    if (fresh)
      sized_.push_back({id, severity, position, std::move(message), on_});
    else
      sized_[at->second].on = sized_[at->second].on | on_;
  }

  void by_register_size();
  void independent();
  void variable(const isa::GeneralVariable& v, std::uint32_t index, const instructions::StorageTable& storage);
  void variable_by_size(const isa::GeneralVariable& v, std::uint32_t index, const instructions::StorageTable& storage);
  void input(const isa::Input& input, const instructions::StorageTable& storage);
  void input_by_size(const isa::Input& input, const instructions::StorageTable& storage);
  void input_overlap();
  void attribute_value(const isa::Attribute& attribute);
  void attribute_names(std::span<const isa::Attribute> attributes, bool of_object, std::string_view owner);

  const isa::Object& object_;
  Findings& findings_;
  unsigned grf_ = 32;
  PlatformSet on_;
  std::vector<Sized> sized_;
  std::map<std::tuple<const void*, std::string_view, Severity>, std::size_t> sized_index_;
};

void Declarations::by_register_size() {
  const instructions::StorageTable storage(object_, grf_);
  for (std::uint32_t i = 0; i < object_.variables.size(); ++i)
    variable_by_size(object_.variables[i], isa::kFirstVariable + i, storage);
  for (const isa::Input& i : object_.inputs) input_by_size(i, storage);
  // visa-attr-value: spill space is handed out in registers.
  if (const auto spill = object_.integer_attribute("SpillMemOffset"); spill && *spill % grf_ != 0) {
    const isa::Attribute* attribute = object_.attribute("SpillMemOffset");
    sized("visa-attr-value", Severity::Error, attribute, attribute->position,
          fmt::format("SpillMemOffset is {}, no multiple of the register size of {} bytes", *spill, grf_));
  }
}

void Declarations::independent() {
  const instructions::StorageTable storage(object_, 32);
  for (const Sized& s : sized_) add(s.id, s.severity, s.position, s.message, s.on);
  for (std::uint32_t i = 0; i < object_.variables.size(); ++i)
    variable(object_.variables[i], isa::kFirstVariable + i, storage);
  for (const isa::PlainVariable& p : object_.predicates) {
    // visa-decl-predicate
    constexpr std::array<std::uint32_t, 6> kSizes = {1, 2, 4, 8, 16, 32};
    if (!std::ranges::count(kSizes, p.elements))
      error("visa-decl-predicate", p.position,
            fmt::format("predicate {} has {} elements, must be 1, 2, 4, 8, 16 or 32", p.name, p.elements));
    attribute_names(p.attributes, false, p.name);
  }
  for (const isa::PlainVariable& a : object_.addresses) {
    if (a.elements < 1 || a.elements > 16)  // visa-decl-address
      error("visa-decl-address", a.position,
            fmt::format("address variable {} has {} elements, must be 1 to 16", a.name, a.elements));
    attribute_names(a.attributes, false, a.name);
  }
  const auto state = [&](std::span<const isa::PlainVariable> list, std::size_t most, std::string_view what) {
    // visa-decl-state
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].elements < 1)
        error("visa-decl-state", list[i].position, fmt::format("{} {} has no elements", what, list[i].name));
      if (i == most)
        error("visa-decl-state", list[i].position,
              fmt::format("{} {}s are declared, at most {} are possible", list.size(), what, most));
      attribute_names(list[i].attributes, false, list[i].name);
    }
  };
  state(object_.samplers, 32, "sampler");
  state(object_.surfaces, 256, "surface");
  bool implicit_seen = false;
  for (const isa::Input& i : object_.inputs) {
    input(i, storage);
    // visa-input-order
    if (i.implicit() == 0 && implicit_seen)
      error("visa-input-order", i.position, "an explicit input follows an implicit one");
    implicit_seen = implicit_seen || (i.implicit() != 0 && i.implicit() != kPseudoInput);
  }
  input_overlap();
  attribute_names(object_.attributes, true, object_.name);
  for (const isa::Attribute& a : object_.attributes) attribute_value(a);
  // visa-function-size: what fcall copies is said by the callee's attributes.
  if (object_.kind == isa::ObjectKind::Function)
    for (const std::string_view name : {"ArgSize", "RetValSize"})
      if (object_.attribute(name) == nullptr)
        findings_.add("visa-function-size", Severity::Warning, place(object_.position),
                      fmt::format("function {} has no {} attribute", object_.name, name));
}

void Declarations::variable(const isa::GeneralVariable& v, std::uint32_t index,
                            const instructions::StorageTable& storage) {
  if (v.elements < 1) error("visa-decl-count", v.position, fmt::format("variable {} has no elements", v.name));
  // visa-decl-type
  if (v.type == isa::Type::V || v.type == isa::Type::VF || v.type == isa::Type::UV)
    error("visa-decl-type", v.position,
          fmt::format("variable {} has the immediate-only type {}", v.name, isa::type_name(v.type)));
  // visa-decl-align
  if (static_cast<unsigned>(v.align) >= kAlignCodes)
    error("visa-decl-align", v.position,
          fmt::format("variable {} has the unknown alignment {}", v.name, static_cast<unsigned>(v.align)));
  attribute_names(v.attributes, false, v.name);
  // visa-alias-target
  if (v.alias == 0) {
    if (v.alias_offset != 0)
      error("visa-alias-target", v.position,
            fmt::format("variable {} has an alias offset of {} without an alias", v.name, v.alias_offset));
    return;
  }
  if (!isa::variable_exists(object_, v.alias)) {
    error("visa-alias-target", v.position,
          fmt::format("variable {} is an alias of variable {}, which does not exist", v.name, v.alias));
  } else if (!storage[index].valid) {
    error("visa-alias-target", v.position,
          fmt::format("the aliases of variable {} never reach a variable of their own", v.name));
  }
}

void Declarations::variable_by_size(const isa::GeneralVariable& v, std::uint32_t index,
                                    const instructions::StorageTable& storage) {
  const instructions::Storage& s = storage[index];
  // visa-decl-count
  if (s.bytes > 256ull * grf_)
    sized("visa-decl-count", Severity::Error, &v, v.position,
          fmt::format("variable {} has {} bytes, more than 256 registers of {}", v.name, s.bytes, grf_));
  else if (v.elements > 4096 || s.bytes > 4096)
    sized("visa-decl-count", Severity::Warning, &v, v.position,
          fmt::format("variable {} has {} elements, {} bytes; the document allows 4096 of each", v.name, v.elements,
                      s.bytes));
  if (v.alias == 0 || !s.valid) return;
  const instructions::Storage& root = storage[s.root];
  // visa-alias-bounds
  if (s.root_offset + s.bytes > s.root_bytes)
    sized("visa-alias-bounds", Severity::Error, &v, v.position,
          fmt::format("alias {} ends at byte {} of {}, which has {}", v.name, s.root_offset + s.bytes, root.name,
                      s.root_bytes));
  // visa-alias-align
  const unsigned element = isa::type_bytes(v.type);
  if (s.root_offset % element != 0)
    sized("visa-alias-align", Severity::Error, &v, v.position,
          fmt::format("alias {} starts at byte {} of {}, no multiple of its element of {} bytes", v.name, s.root_offset,
                      root.name, element));
  if (s.root >= isa::kFirstVariable) {
    const isa::GeneralVariable& owner = object_.variables[s.root - isa::kFirstVariable];
    const std::uint64_t aligned = std::max<std::uint64_t>(align_bytes(owner.align, grf_), isa::type_bytes(owner.type));
    if (aligned < element)
      sized("visa-alias-align", Severity::Error, &owner, v.position,
            fmt::format("alias {} needs {} aligned to {} bytes, it is aligned to {}", v.name, owner.name, element,
                        aligned));
  }
}

void Declarations::input(const isa::Input& input, const instructions::StorageTable& storage) {
  // visa-input-kind, visa-input-size
  std::uint64_t bytes = 0;
  std::string name;
  switch (input.kind()) {
    case isa::InputKind::General: {
      if (input.id < isa::kFirstVariable || !isa::variable_exists(object_, input.id)) {
        error("visa-input-kind", input.position,
              fmt::format("input names variable {}, which is not declared", input.id));
        return;
      }
      const isa::GeneralVariable& v = object_.variables[input.id - isa::kFirstVariable];
      if (v.alias != 0) {
        error("visa-input-kind", input.position, fmt::format("input {} is an alias", v.name));
        return;
      }
      name = v.name;
      bytes = storage[input.id].bytes;
      break;
    }
    case isa::InputKind::Sampler:
      if (input.id >= object_.samplers.size()) {
        error("visa-input-kind", input.position,
              fmt::format("input names sampler {}, which is not declared", input.id));
        return;
      }
      name = object_.samplers[input.id].name;
      bytes = 4ull * object_.samplers[input.id].elements;
      break;
    case isa::InputKind::Surface:
      if (input.id < isa::kFirstSurface || input.id - isa::kFirstSurface >= object_.surfaces.size()) {
        error("visa-input-kind", input.position,
              fmt::format("input names surface {}, which is not declared", input.id));
        return;
      }
      name = object_.surfaces[input.id - isa::kFirstSurface].name;
      bytes = 4ull * object_.surfaces[input.id - isa::kFirstSurface].elements;
      break;
    default:
      error("visa-input-kind", input.position, "input is neither a general variable nor a sampler nor a surface");
      return;
  }
  if (input.size != bytes)
    error("visa-input-size", input.position,
          fmt::format("input {} has {} bytes, its variable {}", name, input.size, bytes));
}

void Declarations::input_by_size(const isa::Input& input, const instructions::StorageTable& storage) {
  if (input.implicit() == kPseudoInput) return;
  const std::uint64_t end = std::uint64_t{input.offset} + input.size;
  // visa-input-align
  std::uint64_t unit = 4;
  if (input.kind() == isa::InputKind::General && storage[input.id].valid)
    unit = storage[input.id].bytes >= grf_ ? grf_ : isa::type_bytes(storage[input.id].type);
  if (input.offset % unit != 0)
    sized("visa-input-align", Severity::Error, &input, input.position,
          fmt::format("input offset {} is no multiple of {}", input.offset, unit));
  // visa-input-straddle
  if (input.size != 0 && input.size < grf_ && input.offset / grf_ != (end - 1) / grf_)
    sized("visa-input-straddle", Severity::Error, &input, input.position,
          fmt::format("input of {} bytes at offset {} crosses a register of {} bytes", input.size, input.offset, grf_));
  // visa-input-range
  if (input.offset < grf_)
    sized("visa-input-range", Severity::Error, &input, input.position,
          fmt::format("input offset {} is in r0", input.offset));
  if (end > 255ull * grf_)
    sized("visa-input-range", Severity::Error, &input, input.position,
          fmt::format("input ends at byte {}, behind register 254", end));
}

void Declarations::input_overlap() {
  std::vector<const isa::Input*> sorted;
  for (const isa::Input& i : object_.inputs)
    if (i.implicit() != kPseudoInput && i.size != 0) sorted.push_back(&i);
  std::ranges::sort(sorted, {}, [](const isa::Input* i) { return std::pair(i->offset, i); });
  const isa::Input* furthest = nullptr;
  for (const isa::Input* i : sorted) {
    if (furthest != nullptr && i->offset < std::uint64_t{furthest->offset} + furthest->size)
      findings_.add("visa-input-overlap", Severity::Error, place(i->position),
                    fmt::format("input at bytes {} to {} overlaps the one at {} to {}", i->offset,
                                std::uint64_t{i->offset} + i->size - 1, furthest->offset,
                                std::uint64_t{furthest->offset} + furthest->size - 1),
                    PlatformSet::all(), {{"the other input is here", place(furthest->position)}});
    if (furthest == nullptr || std::uint64_t{i->offset} + i->size > std::uint64_t{furthest->offset} + furthest->size)
      furthest = i;
  }
}

void Declarations::attribute_names(std::span<const isa::Attribute> attributes, bool of_object, std::string_view owner) {
  for (const isa::Attribute& a : attributes) {
    const auto known = std::ranges::find(kAttributes, a.name, &KnownAttribute::name);
    if (known != std::end(kAttributes) && (of_object ? known->of_object : known->of_variable)) continue;
    std::vector<std::string_view> names;
    for (const KnownAttribute& k : kAttributes)
      if (of_object ? k.of_object : k.of_variable) names.push_back(k.name);
    std::vector<base::Note> notes;
    if (const std::string_view near = base::nearest(a.name, names); !near.empty())
      notes.push_back({fmt::format("did you mean {}?", near), {}});
    findings_.add("visa-attr-unknown", Severity::Warning, place(a.position),
                  fmt::format("unknown attribute {} of {}", a.name, owner), PlatformSet::all(), std::move(notes));
  }
}

void Declarations::attribute_value(const isa::Attribute& a) {
  std::int64_t value = 0;
  for (std::size_t i = 0; i < a.value.size() && i < 8; ++i)
    value |= static_cast<std::int64_t>(std::uint64_t{a.value[i]} << (8 * i));
  if (a.value.size() == 4) value = static_cast<std::int32_t>(value);
  const auto wrong = [&](std::string_view what) {
    error("visa-attr-value", a.position, fmt::format("{} is {}, {}", a.name, value, what));
  };
  // visa-attr-value
  if (a.name == "SimdSize") {
    constexpr std::array<std::int64_t, 7> kSizes = {0, 1, 2, 4, 8, 16, 32};
    if (a.is_string || !std::ranges::count(kSizes, value)) wrong("must be 1, 2, 4, 8, 16 or 32");
  } else if (a.name == "Target") {
    const std::string_view word(reinterpret_cast<const char*>(a.value.data()), a.value.size());
    const bool named = word == "cm" || word == "3d";
    if (!named && (a.value.size() != 1 || a.value[0] > 1))
      error("visa-attr-value", a.position,
            a.is_string ? fmt::format("Target is \"{}\", must be \"cm\" or \"3d\"", word)
                        : fmt::format("Target is {}, must be 0 (cm) or 1 (3d)", value));
  } else if (a.name == "SLMSize") {
    if (a.is_string || value < 0) wrong("must not be negative");
  } else if (a.name == "ArgSize") {
    if (a.is_string || value < 0 || value > 32) wrong("must be 0 to 32 registers");
  } else if (a.name == "RetValSize") {
    if (a.is_string || value < 0 || value > 12) wrong("must be 0 to 12 registers");
  } else if (a.name == "SpillMemOffset") {
    if (a.is_string || value < 0) wrong("must not be negative");
  }
}

}  // namespace

void check_declarations(const isa::Object& object, Findings& findings) { Declarations(object, findings).run(); }

void check_calls(const isa::Object& object, const FunctionIndex& functions, Findings& findings) {
  // visa-function-size: the registers that fcall copies are those of the callee's attributes.
  for (const isa::Instruction& instruction : object.instructions) {
    if (instruction.description->traits.flow != isa::FlowKind::FunctionCall) continue;
    const isa::Operand* name = isa::operand_named(object, instruction, "name");
    if (name == nullptr || name->kind != isa::OperandKind::String || name->id >= object.strings.size()) continue;
    const auto found = functions.find(object.strings[name->id]);
    if (found == functions.end()) continue;
    const isa::Object& callee = *found->second;
    constexpr std::pair<std::string_view, std::string_view> kSizes[] = {{"args", "ArgSize"}, {"rets", "RetValSize"}};
    for (const auto& [slot, attribute] : kSizes) {
      const isa::Operand* given = isa::operand_named(object, instruction, slot);
      const auto wanted = callee.integer_attribute(attribute);
      if (given == nullptr || !wanted || *wanted < 0 || given->value == static_cast<std::uint64_t>(*wanted)) continue;
      findings.add(
          "visa-function-size", Severity::Error, isa::place_of(findings.program(), object, instruction, *given),
          fmt::format("fcall passes {} registers, {} of {} is {}", given->value, attribute, callee.name, *wanted));
    }
  }
}

}  // namespace heddle::verify
