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

int Form::slot_index(std::string_view name) const {
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (slots[i].name == name) return static_cast<int>(i);
  return -1;
}

const Slot* Form::slot(std::string_view name) const {
  const int at = slot_index(name);
  return at < 0 ? nullptr : &slots[static_cast<std::size_t>(at)];
}

const Operand* operand_named(const Object& object, const Instruction& instruction, std::string_view slot) {
  const int index = instruction.form->slot_index(slot);
  if (index < 0 || index >= instruction.operand_count) return nullptr;
  return &object.operands_of(instruction)[static_cast<std::size_t>(index)];
}

namespace {

struct Selector {
  int offset = -1;  ///< bytes after the opcode; -1: no constant can select
  unsigned bytes = 0, mask = 0, value = 0;
  bool sampler_op = false;
};

/// The first field with constants, if only fields of fixed size stand before it.
Selector selector_of(const Form& form, bool newer) {
  Selector s;
  int offset = 0;
  for (const Field& field : form.fields) {
    if (field.newer_only && !newer) continue;
    if (field.kind == FieldKind::Exec) {
      ++offset;
      continue;
    }
    if (field.kind != FieldKind::Bits) return {};
    for (unsigned p = field.first_part; p < field.first_part + field.part_count; ++p) {
      const BitPart& part = form.parts[p];
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

Registry::Registry(std::span<const Room> rooms) : rooms_(rooms.begin(), rooms.end()) {
  std::size_t count = 0;
  for (const Room& room : rooms_) count += room.rows.size();
  forms_.reserve(count);  // Forms refer to each other: their addresses must not change
  rows_.reserve(count);
  for (const Room& room : rooms_) {
    for (const Row& row : room.rows) {
      Form& form = forms_.emplace_back();
      form.index = static_cast<std::uint16_t>(forms_.size() - 1);
      form.opcode = row.opcode;
      form.mnemonic = row.mnemonic;
      form.word = row.mnemonic.substr(0, row.mnemonic.find('.'));
      form.room = room.name;
      rows_.push_back(&row);
      by_word_.push_back(&form);
    }
  }
  parsed_.assign(count, false);
  first_.fill(kNone);
  next_.assign(count, kNone);
  for (std::size_t i = count; i-- > 0;) {
    next_[i] = first_[forms_[i].opcode];
    first_[forms_[i].opcode] = static_cast<std::uint16_t>(i);
  }
  std::sort(by_word_.begin(), by_word_.end(),
            [](const Form* a, const Form* b) { return a->word != b->word ? a->word < b->word : a->index < b->index; });
  for (std::size_t i = 0; i < count; ++i) {
    if (!words_.empty() && words_.back() == by_word_[i]->word) continue;
    words_.push_back(by_word_[i]->word);
    word_at_.push_back(static_cast<std::uint16_t>(i));
  }
  word_at_.push_back(static_cast<std::uint16_t>(count));
  word_ready_ = std::make_unique<std::atomic<bool>[]>(words_.size());
}

void Registry::parse_form(Form& form) const {
  if (parsed_[form.index]) return;
  parsed_[form.index] = true;
  const Row& row = *rows_[form.index];
  form.slots.reserve(8);
  form.fields.reserve(10);
  form.parts.reserve(4);
  form.text.reserve(10);
  form.page = row.page;
  form.summary = row.summary;
  form.layout_text = row.layout;
  form.in_12504 = row.dialect != "newer";
  form.in_newer = row.dialect != "12504";
  for (std::string_view rest = row.parameters; !rest.empty();) {
    const std::string_view name = take_until(rest, " ");
    if (!name.empty()) form.parameters.push_back(name);
    if (!rest.empty()) rest.remove_prefix(1);
  }
  std::string error = parse_traits(row, form);
  if (error.empty()) error = parse_platforms(row.platforms, form.platforms);
  if (error.empty()) error = parse_layout(row, form);
  if (error.empty()) error = parse_template(row, form);
  if (!error.empty()) errors_.push_back(std::string(form.room) + ": " + std::string(row.mnemonic) + ": " + error);
  if (const Selector s = selector_of(form, true); s.offset >= 0) form.selector = static_cast<std::int32_t>(s.value);
}

void Registry::parse_opcode_now(std::uint8_t op) const {
  const std::lock_guard guard(mutex_);
  if (ready_[op].load(std::memory_order_relaxed)) return;
  for (std::uint16_t i = first_[op]; i != kNone; i = next_[i]) parse_form(forms_[i]);
  index_opcode(op, false);
  index_opcode(op, true);
  ready_[op].store(true, std::memory_order_release);
}

void Registry::parse_all() const {
  for (unsigned op = 0; op < 256; ++op) parse_opcode(static_cast<std::uint8_t>(op));
}

void Registry::index_opcode(std::uint8_t op, bool newer) const {
  std::vector<Form*> forms;
  for (std::uint16_t i = first_[op]; i != kNone; i = next_[i])
    if (newer ? forms_[i].in_newer : forms_[i].in_12504) forms.push_back(&forms_[i]);
  if (forms.empty()) return;
  const auto complain = [&](const Form& form, std::string_view what) {
    errors_.push_back(std::string(form.room) + ": " + std::string(form.mnemonic) + ": " + std::string(what));
  };
  OpcodeEntry& entry = (newer ? newer_ : igc_)[op];
  if (forms.size() == 1) {
    entry.only = forms.front();
    return;
  }
  tables_.push_back(std::make_unique<std::array<const Form*, 256>>());
  entry.by_code = tables_.back().get();
  entry.by_code->fill(nullptr);
  unsigned mask = 0;
  for (const Form* form : forms) mask |= selector_of(*form, newer).mask;
  bool first = true;
  for (Form* form : forms) {
    const bool fc = !form->slots.empty() && form->slots.back().kind == SlotKind::Label &&
                    form->slots.back().label_kind == LabelKind::FcCall;
    if (fc && form != forms.front()) {
      forms.front()->fc_form = form;
      if (forms.size() == 2) {
        entry.by_code = nullptr;
        entry.only = forms.front();
      }
      continue;
    }
    const Selector s = selector_of(*form, newer);
    if (s.offset < 0) {
      if (forms.size() != 2 || forms.back()->slots.empty() ||
          forms.back()->slots.back().label_kind != LabelKind::FcCall)
        complain(*form, "cannot be told from the other forms of its opcode");
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
      complain(*form, "selector differs in place from the other forms of its opcode");
    for (unsigned code = 0; code < 256; ++code) {
      if ((code & mask) != code || (code & s.mask) != s.value) continue;
      const Form*& place = (*entry.by_code)[code];
      if (place != nullptr) complain(*form, "decodes the same bytes as " + std::string(place->mnemonic));
      place = form;
    }
  }
}

std::size_t Registry::number_of(std::string_view word) const {
  const auto at = std::lower_bound(words_.begin(), words_.end(), word);
  return at != words_.end() && *at == word ? static_cast<std::size_t>(at - words_.begin()) : words_.size();
}

std::span<const Form* const> Registry::find_at(std::size_t number) const {
  if (number >= words_.size()) return {};
  const std::span<const Form* const> forms(&by_word_[word_at_[number]], &by_word_[0] + word_at_[number + 1]);
  if (!word_ready_[number].load(std::memory_order_acquire)) {
    const std::lock_guard guard(mutex_);
    for (const Form* form : forms) parse_form(forms_[form->index]);
    word_ready_[number].store(true, std::memory_order_release);
  }
  return forms;
}

std::span<const Form* const> Registry::find(std::string_view word) const { return find_at(number_of(word)); }

std::vector<std::uint16_t> Registry::numbers_of(std::string_view room_or_mnemonic, bool exact) const {
  std::vector<std::uint16_t> numbers;
  if (!exact) {
    std::size_t begin = 0;
    for (const Room& room : rooms_) {
      if (room.name == room_or_mnemonic)
        for (std::size_t i = 0; i < room.rows.size(); ++i) numbers.push_back(static_cast<std::uint16_t>(begin + i));
      begin += room.rows.size();
    }
    return numbers;
  }
  const std::size_t word = number_of(room_or_mnemonic.substr(0, room_or_mnemonic.find('.')));
  if (word == words_.size()) return numbers;
  for (std::size_t i = word_at_[word]; i < word_at_[word + 1]; ++i)
    if (by_word_[i]->mnemonic == room_or_mnemonic) numbers.push_back(by_word_[i]->index);
  return numbers;
}

const Form* Registry::find_mnemonic(std::string_view mnemonic, std::optional<Platform> platform) const {
  const Form* best = nullptr;
  for (const Form* form : find(mnemonic.substr(0, mnemonic.find('.')))) {
    if (form->mnemonic != mnemonic || form->traits.decode_only) continue;
    const bool xe2 = platform && *platform >= Platform::XE2;
    if ((xe2 && form->traits.before_xe2) || (!xe2 && form->traits.from_xe2)) {
      if (best == nullptr) best = form;
      continue;
    }
    return form;
  }
  return best;
}

}  // namespace heddle::isa
