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
  for (const Room& room : rooms_) {
    for (const Row& row : room.rows) {
      Form& form = forms_.emplace_back();
      form.index = static_cast<std::uint16_t>(forms_.size() - 1);
      form.opcode = row.opcode;
      form.mnemonic = row.mnemonic;
      form.word = row.mnemonic.substr(0, row.mnemonic.find('.'));
      form.room = room.name;
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
      if (!error.empty()) errors_.push_back(std::string(room.name) + ": " + std::string(row.mnemonic) + ": " + error);
      if (const Selector s = selector_of(form, true); s.offset >= 0) form.selector = static_cast<std::int32_t>(s.value);
    }
  }
  index_opcodes(Dialect::Igc12504, igc_);
  index_opcodes(Dialect::Newer, newer_);
  std::vector<const Form*> by_word;
  for (const Form& form : forms_) by_word.push_back(&form);
  std::sort(by_word.begin(), by_word.end(),
            [](const Form* a, const Form* b) { return a->word != b->word ? a->word < b->word : a->index < b->index; });
  for (const Form* form : by_word) {
    if (words_.empty() || words_.back().first != form->word) words_.push_back({form->word, {}});
    words_.back().second.push_back(form);
  }
}

void Registry::index_opcodes(Dialect dialect, std::array<OpcodeEntry, 256>& table) {
  const bool newer = dialect == Dialect::Newer;
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    std::vector<Form*> forms;
    for (Form& form : forms_)
      if (form.opcode == opcode && (newer ? form.in_newer : form.in_12504)) forms.push_back(&form);
    if (forms.empty()) continue;
    const auto complain = [&](const Form& form, std::string_view what) {
      errors_.push_back(std::string(form.room) + ": " + std::string(form.mnemonic) + ": " + std::string(what));
    };
    OpcodeEntry& entry = table[opcode];
    if (forms.size() == 1) {
      entry.only = forms.front();
      continue;
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
}

std::span<const Form* const> Registry::find(std::string_view word) const {
  const auto at = std::lower_bound(words_.begin(), words_.end(), word,
                                   [](const auto& entry, std::string_view key) { return entry.first < key; });
  if (at == words_.end() || at->first != word) return {};
  return at->second;
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

std::vector<std::string_view> Registry::words() const {
  std::vector<std::string_view> all;
  all.reserve(words_.size());
  for (const auto& [word, forms] : words_) all.push_back(word);
  return all;
}

}  // namespace heddle::isa
