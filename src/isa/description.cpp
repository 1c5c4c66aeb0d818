// SPDX-License-Identifier: MIT
#include "isa/description.hpp"

#include <algorithm>

#include "isa/layout.hpp"

namespace heddle::isa {

TypeSet Slot::types_on(Platform platform) const {
  TypeSet set;
  for (const TypesOn& t : types)
    if (t.platforms.has(platform)) set = set | t.types;
  return set;
}

TypeSet Slot::all_types() const {
  TypeSet set;
  for (const TypesOn& t : types) set = set | t.types;
  return set;
}

bool InstructionDescription::has_default(std::size_t slot, std::span<const Operand> operands) const {
  const Slot& s = slots[slot];
  const Operand& o = operands[slot];
  if (s.copy_of >= 0) return o.same(operands[static_cast<std::size_t>(s.copy_of)]);
  switch (o.kind) {
    case OperandKind::Absent:
      return true;
    case OperandKind::Integer:
      return o.value == static_cast<std::uint64_t>(s.default_value);
    case OperandKind::Raw:
      return o.is_null() && o.offset == 0;
    default:
      return o.same({.kind = OperandKind::Immediate, .value = static_cast<std::uint64_t>(s.default_value)});
  }
}

int InstructionDescription::slot_index(std::string_view name) const {
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (slots[i].name == name) return static_cast<int>(i);
  return -1;
}

const Slot* InstructionDescription::slot(std::string_view name) const {
  const int at = slot_index(name);
  return at < 0 ? nullptr : &slots[static_cast<std::size_t>(at)];
}

const Operand* operand_named(const Object& object, const Instruction& instruction, std::string_view slot) {
  const int index = instruction.description->slot_index(slot);
  if (index < 0 || index >= instruction.operand_count) return nullptr;
  return &object.operands_of(instruction)[static_cast<std::size_t>(index)];
}

bool ends_thread(const Object& object, const Instruction& instruction) {
  if (instruction.description->traits.ends_thread) return true;
  const Operand* eot = operand_named(object, instruction, "eot");
  return eot != nullptr && eot->kind == OperandKind::Integer && eot->value != 0;
}

namespace {

struct Selector {
  int offset = -1;  ///< bytes after the opcode; -1: no constant can select
  unsigned bytes = 0, mask = 0, value = 0;
  bool sampler_op = false;
};

/// The first field with constants, if only fields of fixed size stand before it.
Selector selector_of(const InstructionDescription& description, bool newer) {
  Selector s;
  int offset = 0;
  for (const Field& field : description.fields) {
    if (field.newer_only && !newer) continue;
    if (field.kind == FieldKind::Exec) {
      ++offset;
      continue;
    }
    if (field.kind != FieldKind::Bits) return {};
    for (unsigned p = field.first_part; p < field.first_part + field.part_count; ++p) {
      const BitPart& part = description.parts[p];
      if (part.slot >= 0) continue;
      const unsigned mask = ((1u << part.width) - 1u) << part.shift;
      s.mask |= mask;
      s.value |= part.value << part.shift;
    }
    if (s.mask != 0) {
      s.offset = offset;
      s.bytes = field.bytes;
      s.sampler_op = field.sampler_op;
      return s;
    }
    offset += field.bytes;
  }
  return {};
}

}  // namespace

Registry::Registry(std::span<const Family> families) : families_(families.begin(), families.end()) {
  std::size_t count = 0;
  for (const Family& family : families_) count += family.entries.size();
  descriptions_.reserve(count);  // Descriptions refer to each other: their addresses must not change
  entries_.reserve(count);
  family_of_.reserve(count);
  for (const Family& family : families_) {
    for (const InstructionEntry& entry : family.entries) {
      InstructionDescription& description = descriptions_.emplace_back();
      description.index = static_cast<std::uint16_t>(descriptions_.size() - 1);
      description.opcode = entry.opcode;
      description.mnemonic = entry.mnemonic;
      description.word = entry.mnemonic.substr(0, entry.mnemonic.find('.'));
      description.family = family.name;
      description.operation = entry.operation;
      entries_.push_back(&entry);
      family_of_.push_back(static_cast<std::uint16_t>(&family - families_.data()));
      by_word_.push_back(&description);
    }
  }
  parsed_.assign(count, false);
  first_.fill(kNone);
  next_.assign(count, kNone);
  for (std::size_t i = count; i-- > 0;) {
    next_[i] = first_[descriptions_[i].opcode];
    first_[descriptions_[i].opcode] = static_cast<std::uint16_t>(i);
  }
  std::sort(by_word_.begin(), by_word_.end(), [](const InstructionDescription* a, const InstructionDescription* b) {
    return a->word != b->word ? a->word < b->word : a->index < b->index;
  });
  for (std::size_t i = 0; i < count; ++i) {
    if (!words_.empty() && words_.back() == by_word_[i]->word) continue;
    words_.push_back(by_word_[i]->word);
    word_at_.push_back(static_cast<std::uint16_t>(i));
  }
  word_at_.push_back(static_cast<std::uint16_t>(count));
  word_ready_ = std::make_unique<std::atomic<bool>[]>(words_.size());
}

void Registry::parse_description(InstructionDescription& description) const {
  if (parsed_[description.index]) return;
  parsed_[description.index] = true;
  const InstructionEntry& entry = *entries_[description.index];
  const Family& family = families_[family_of_[description.index]];
  description.slots.reserve(8);
  description.fields.reserve(10);
  description.parts.reserve(4);
  description.text.reserve(10);
  description.page = entry.page;
  description.summary = entry.summary;
  description.refused = entry.refused.empty() ? family.refused : entry.refused;
  description.layout_text = entry.layout;
  description.in_12504 = entry.dialect != "newer";
  description.in_newer = entry.dialect != "12504";
  for (std::string_view rest = entry.parameters; !rest.empty();) {
    const std::string_view name = take_until(rest, " ");
    if (!name.empty()) description.parameters.push_back(name);
    if (!rest.empty()) rest.remove_prefix(1);
  }
  std::string error = parse_traits(entry.traits, description.traits);
  if (error.empty()) error = parse_traits(family.traits, description.traits);
  if (error.empty()) error = parse_platforms(entry.platforms, description.platforms);
  if (error.empty()) error = parse_layout(entry, description);
  if (error.empty()) error = parse_template(entry, description);
  if (!error.empty())
    errors_.push_back(std::string(description.family) + ": " + std::string(entry.mnemonic) + ": " + error);
  if (const Selector s = selector_of(description, true); s.offset >= 0)
    description.selector = static_cast<std::int32_t>(s.value);
}

void Registry::parse_opcode_now(std::uint8_t op) const {
  const std::lock_guard guard(mutex_);
  if (ready_[op].load(std::memory_order_relaxed)) return;
  for (std::uint16_t i = first_[op]; i != kNone; i = next_[i]) parse_description(descriptions_[i]);
  index_opcode(op, false);
  index_opcode(op, true);
  ready_[op].store(true, std::memory_order_release);
}

void Registry::parse_all() const {
  for (unsigned op = 0; op < 256; ++op) parse_opcode(static_cast<std::uint8_t>(op));
}

void Registry::index_opcode(std::uint8_t op, bool newer) const {
  std::vector<InstructionDescription*> descriptions;
  for (std::uint16_t i = first_[op]; i != kNone; i = next_[i])
    if (newer ? descriptions_[i].in_newer : descriptions_[i].in_12504) descriptions.push_back(&descriptions_[i]);
  if (descriptions.empty()) return;
  const auto complain = [&](const InstructionDescription& description, std::string_view what) {
    errors_.push_back(std::string(description.family) + ": " + std::string(description.mnemonic) + ": " +
                      std::string(what));
  };
  OpcodeEntry& entry = (newer ? newer_ : igc_)[op];
  if (descriptions.size() == 1) {
    entry.only = descriptions.front();
    return;
  }
  tables_.push_back(std::make_unique<std::array<const InstructionDescription*, 256>>());
  entry.by_code = tables_.back().get();
  entry.by_code->fill(nullptr);
  unsigned mask = 0;
  for (const InstructionDescription* description : descriptions) mask |= selector_of(*description, newer).mask;
  bool first = true;
  for (InstructionDescription* description : descriptions) {
    const bool fc = !description->slots.empty() && description->slots.back().kind == SlotKind::Label &&
                    description->slots.back().label_kind == LabelKind::FcCall;
    if (fc && description != descriptions.front()) {
      descriptions.front()->fc_call_description = description;
      if (descriptions.size() == 2) {
        entry.by_code = nullptr;
        entry.only = descriptions.front();
      }
      continue;
    }
    const Selector s = selector_of(*description, newer);
    if (s.offset < 0) {
      if (descriptions.size() != 2 || descriptions.back()->slots.empty() ||
          descriptions.back()->slots.back().label_kind != LabelKind::FcCall)
        complain(*description, "cannot be told from the other forms of its opcode");
      continue;
    }
    if (first) {
      entry.offset = static_cast<std::uint8_t>(s.offset);
      entry.bytes = static_cast<std::uint8_t>(s.bytes);
      entry.sampler_op = s.sampler_op;
      entry.mask = static_cast<std::uint16_t>(mask);
      first = false;
    }
    if (s.offset != entry.offset || s.bytes != entry.bytes || s.sampler_op != entry.sampler_op || s.value > 255 ||
        mask > 255)
      complain(*description, "selector differs in place from the other forms of its opcode");
    for (unsigned code = 0; code < 256; ++code) {
      if ((code & mask) != code || (code & s.mask) != s.value) continue;
      const InstructionDescription*& place = (*entry.by_code)[code];
      if (place != nullptr) complain(*description, "decodes the same bytes as " + std::string(place->mnemonic));
      place = description;
    }
  }
}

std::size_t Registry::number_of(std::string_view word) const {
  const auto at = std::lower_bound(words_.begin(), words_.end(), word);
  return at != words_.end() && *at == word ? static_cast<std::size_t>(at - words_.begin()) : words_.size();
}

std::span<const InstructionDescription* const> Registry::find_at(std::size_t number) const {
  if (number >= words_.size()) return {};
  const std::span<const InstructionDescription* const> descriptions(&by_word_[word_at_[number]],
                                                                    &by_word_[0] + word_at_[number + 1]);
  if (!word_ready_[number].load(std::memory_order_acquire)) {
    const std::lock_guard guard(mutex_);
    for (const InstructionDescription* description : descriptions) parse_description(descriptions_[description->index]);
    word_ready_[number].store(true, std::memory_order_release);
  }
  return descriptions;
}

std::span<const InstructionDescription* const> Registry::find(std::string_view word) const {
  return find_at(number_of(word));
}

std::vector<std::uint16_t> Registry::numbers_of(std::string_view family, std::string_view mnemonic) const {
  std::vector<std::uint16_t> numbers;
  std::size_t first = 0;
  for (const Family& f : families_) {
    if (f.name == family)
      for (std::size_t i = 0; i < f.entries.size(); ++i)
        if (mnemonic.empty() || f.entries[i].mnemonic == mnemonic)
          numbers.push_back(static_cast<std::uint16_t>(first + i));
    first += f.entries.size();
  }
  return numbers;
}

const InstructionDescription* Registry::find_mnemonic(std::string_view mnemonic,
                                                      std::optional<Platform> platform) const {
  const InstructionDescription* best = nullptr;
  for (const InstructionDescription* description : find(mnemonic.substr(0, mnemonic.find('.')))) {
    if (description->mnemonic != mnemonic || description->traits.decode_only) continue;
    const bool xe2 = platform && *platform >= Platform::XE2;
    if ((xe2 && description->traits.before_xe2) || (!xe2 && description->traits.from_xe2)) {
      if (best == nullptr) best = description;
      continue;
    }
    return description;
  }
  return best;
}

}  // namespace heddle::isa
