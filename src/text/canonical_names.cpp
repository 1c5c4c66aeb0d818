// Rules: TXT-34.
#include "text/canonical_names.hpp"

#include <algorithm>

#include "text/names.hpp"
#include "text/scanner.hpp"
#include "text/vocabulary.hpp"

namespace heddle::text {
namespace {

std::string numbered(char letter, std::size_t index) { return letter + std::to_string(index); }

struct Use {
  unsigned count = 0;            ///< variables that want this name
  PrintedName* owner = nullptr;  ///< one of them
  bool reserved = false;
};

}  // namespace

bool is_label_name(std::string_view word) {
  if (word.empty() || !is_name_start(word.front())) return false;
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return is_name_char(c) || c == '$' || c == '@' || c == '?' || c == '-'; });
}

CanonicalNames::CanonicalNames(const isa::Object& object) {
  std::vector<std::string> store;  // keys of the map
  store.reserve(object.samplers.size() + object.surfaces.size());
  NameMap<Use> uses;
  for (const std::string_view name : isa::predefined_surfaces()) uses[name].reserved = true;
  uses["S31"].reserved = true;
  for (std::size_t i = 0; i < object.samplers.size(); ++i) store.push_back(numbered('S', i));
  for (std::size_t i = 0; i < object.surfaces.size(); ++i) store.push_back(numbered('T', i + isa::kFirstSurface));
  for (const std::string& name : store) uses[name].reserved = true;

  general.resize(object.variables.size());
  addresses.resize(object.addresses.size());
  predicates.resize(object.predicates.size());
  struct Wanted {
    PrintedName* printed;
    std::string_view pool;
    std::string fallback;
  };
  std::vector<Wanted> wanted;
  wanted.reserve(general.size() + addresses.size() + predicates.size());
  for (std::size_t i = 0; i < general.size(); ++i)
    wanted.push_back({&general[i], object.variables[i].name, numbered('V', i + isa::kFirstVariable)});
  for (std::size_t i = 0; i < addresses.size(); ++i)
    wanted.push_back({&addresses[i], object.addresses[i].name, numbered('A', i)});
  for (std::size_t i = 0; i < predicates.size(); ++i)
    wanted.push_back({&predicates[i], object.predicates[i].name, numbered('P', i + 1)});
  const auto usable = [](std::string_view name) { return is_identifier(name) && !is_keyword(name); };
  for (const Wanted& w : wanted)
    if (usable(w.pool)) {
      Use& use = uses[w.pool];
      ++use.count;
      use.owner = w.printed;
    }
  // A variable that falls back to V<i> takes that name from another that is called so, which then falls back too.
  std::vector<std::size_t> fallen;
  std::vector<bool> falls(wanted.size(), false);
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    const Use* use = usable(wanted[n].pool) ? uses.find(wanted[n].pool) : nullptr;
    if (use != nullptr && use->count == 1 && !use->reserved) continue;
    falls[n] = true;
    fallen.push_back(n);
  }
  const PrintedName* const base_general = general.data();
  const PrintedName* const base_addresses = addresses.data();
  const PrintedName* const base_predicates = predicates.data();
  const auto number_of = [&](const PrintedName* p) -> std::size_t {
    const std::less_equal<const PrintedName*> le;
    if (!general.empty() && le(base_general, p) && le(p, base_general + general.size() - 1))
      return static_cast<std::size_t>(p - base_general);
    if (!addresses.empty() && le(base_addresses, p) && le(p, base_addresses + addresses.size() - 1))
      return general.size() + static_cast<std::size_t>(p - base_addresses);
    return general.size() + addresses.size() + static_cast<std::size_t>(p - base_predicates);
  };
  for (std::size_t k = 0; k < fallen.size(); ++k) {
    const Use* use = uses.find(wanted[fallen[k]].fallback);
    if (use == nullptr || use->owner == nullptr || use->count != 1 || use->reserved) continue;
    const std::size_t other = number_of(use->owner);
    if (falls[other]) continue;
    falls[other] = true;
    fallen.push_back(other);
  }
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    PrintedName& p = *wanted[n].printed;
    p.text = falls[n] ? wanted[n].fallback : std::string(wanted[n].pool);
    p.differs = p.text != wanted[n].pool;
  }

  // Labels have a name space of their own; subroutines are named by strings, so any name will do.
  labels.resize(object.labels.size());
  NameMap<Use> label_uses;
  for (const isa::Label& l : object.labels) ++label_uses[l.name].count;
  std::vector<std::size_t> fallen_labels;
  std::vector<bool> label_falls(labels.size(), false);
  NameMap<std::uint32_t> by_name;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const isa::Label& l = object.labels[i];
    by_name[l.name] = static_cast<std::uint32_t>(i);
    const bool string_name = l.kind != isa::LabelKind::Block || !l.instruction;
    if (label_uses[l.name].count == 1 && !l.name.empty() && (string_name || is_label_name(l.name))) continue;
    label_falls[i] = true;
    fallen_labels.push_back(i);
  }
  for (std::size_t k = 0; k < fallen_labels.size(); ++k) {
    const std::string fallback = numbered('L', fallen_labels[k]);
    const std::uint32_t* other = by_name.find(fallback);
    if (other == nullptr || label_falls[*other]) continue;
    label_falls[*other] = true;
    fallen_labels.push_back(*other);
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i].text = label_falls[i] ? numbered('L', i) : object.labels[i].name;
    labels[i].differs = labels[i].text != object.labels[i].name;
  }
}

std::string CanonicalNames::general_name(std::uint32_t index) const {
  if (index < isa::kPredefinedVariables) return std::string(isa::predefined_variables()[index].name);
  if (index >= isa::kFirstVariable && index - isa::kFirstVariable < general.size())
    return general[index - isa::kFirstVariable].text;
  return numbered('V', index);
}
std::string CanonicalNames::address_name(std::uint32_t index) const {
  return index < addresses.size() ? addresses[index].text : numbered('A', index);
}
std::string CanonicalNames::predicate_name(std::uint32_t index) const {
  return index >= 1 && index - 1 < predicates.size() ? predicates[index - 1].text : numbered('P', index);
}
std::string CanonicalNames::sampler_name(std::uint32_t index) { return numbered('S', index); }
std::string CanonicalNames::surface_name(std::uint32_t index) {
  return index < isa::kFirstSurface ? std::string(isa::predefined_surfaces()[index]) : numbered('T', index);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    constexpr std::string_view kValues = "\a\b\x1b\f\n\r\t\v\"\\", kLetters = "abefnrtv\"\\";
    if (const std::size_t at = kValues.find(c); at != std::string_view::npos) {
      out += '\\';
      out += kLetters[at];
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '\x7f') {
      out += '\\';
      for (int shift = 6; shift >= 0; shift -= 3)
        out += static_cast<char>('0' + (static_cast<unsigned char>(c) >> shift & 7));
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace heddle::text
