// SPDX-License-Identifier: MIT
// Rules: TXT-34.
#include "text/print/canonical_names.hpp"

#include <algorithm>
#include <set>

#include "text/names.hpp"
#include "text/scanner.hpp"
#include "text/vocabulary.hpp"

namespace heddle::text {
namespace {

std::string numbered(char letter, std::size_t index) { return letter + std::to_string(index); }

/// A variable that wants to be printed under its pool name.
struct NameRequest {
  PrintedName* printed;
  std::string_view pool;
  std::string fallback;
};

/// Who wants a name.
struct Use {
  unsigned count = 0;    ///< variables that want it
  std::size_t last = 0;  ///< the last of them, as an index into the list of all
};

bool usable(std::string_view name) { return is_identifier(name) && !is_keyword(name); }

/// The names that samplers and surfaces are printed under: no variable may have one.
std::set<std::string, std::less<>> state_names(const isa::Object& object) {
  std::set<std::string, std::less<>> names = {"S31"};
  for (const std::string_view name : isa::predefined_surfaces()) names.emplace(name);
  for (std::size_t i = 0; i < object.samplers.size(); ++i) names.insert(numbered('S', i));
  for (std::size_t i = 0; i < object.surfaces.size(); ++i) names.insert(numbered('T', i + isa::kFirstSurface));
  return names;
}

/// Which variables are printed under their fallback: those whose pool name is unusable, reserved or wanted twice. A
/// variable that falls back to V<i> takes that name from another that is called so, which then falls back too.
std::vector<bool> fall_back(const std::vector<NameRequest>& wanted,
                            const std::set<std::string, std::less<>>& reserved) {
  NameMap<Use> uses;
  for (std::size_t n = 0; n < wanted.size(); ++n)
    if (usable(wanted[n].pool)) {
      Use& use = uses[wanted[n].pool];
      ++use.count;
      use.last = n;
    }
  const auto owner_of = [&](std::string_view name) -> const Use* {  // the one variable that may have the name
    const Use* use = uses.find(name);
    return use != nullptr && use->count == 1 && !reserved.contains(name) ? use : nullptr;
  };
  std::vector<std::size_t> fallen;
  std::vector<bool> falls(wanted.size(), false);
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    if (owner_of(wanted[n].pool) != nullptr) continue;
    falls[n] = true;
    fallen.push_back(n);
  }
  for (std::size_t k = 0; k < fallen.size(); ++k) {
    const Use* use = owner_of(wanted[fallen[k]].fallback);
    if (use == nullptr || falls[use->last]) continue;
    falls[use->last] = true;
    fallen.push_back(use->last);
  }
  return falls;
}

}  // namespace

bool is_label_name(std::string_view word) {
  if (word.empty() || !is_name_start(word.front())) return false;
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return is_name_char(c) || c == '$' || c == '@' || c == '?' || c == '-'; });
}

CanonicalNames::CanonicalNames(const isa::Object& object) {
  name_variables(object);
  name_labels(object);
}

void CanonicalNames::name_variables(const isa::Object& object) {
  general.resize(object.variables.size());
  addresses.resize(object.addresses.size());
  predicates.resize(object.predicates.size());
  std::vector<NameRequest> wanted;
  wanted.reserve(general.size() + addresses.size() + predicates.size());
  for (std::size_t i = 0; i < general.size(); ++i)
    wanted.push_back({&general[i], object.variables[i].name, numbered('V', i + isa::kFirstVariable)});
  for (std::size_t i = 0; i < addresses.size(); ++i)
    wanted.push_back({&addresses[i], object.addresses[i].name, numbered('A', i)});
  for (std::size_t i = 0; i < predicates.size(); ++i)
    wanted.push_back({&predicates[i], object.predicates[i].name, numbered('P', i + 1)});

  const std::vector<bool> falls = fall_back(wanted, state_names(object));
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    PrintedName& p = *wanted[n].printed;
    p.text = falls[n] ? wanted[n].fallback : std::string(wanted[n].pool);
    p.differs = p.text != wanted[n].pool;
  }
}

/// Labels have a name space of their own; subroutines are named by strings, so any name will do.
void CanonicalNames::name_labels(const isa::Object& object) {
  labels.resize(object.labels.size());
  NameMap<unsigned> count;
  for (const isa::Label& l : object.labels) ++count[l.name];
  std::vector<std::size_t> fallen;
  std::vector<bool> falls(labels.size(), false);
  NameMap<std::uint32_t> by_name;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const isa::Label& l = object.labels[i];
    by_name[l.name] = static_cast<std::uint32_t>(i);
    const bool string_name = l.kind != isa::LabelKind::Block || !l.instruction;
    if (count[l.name] == 1 && !l.name.empty() && (string_name || is_label_name(l.name))) continue;
    falls[i] = true;
    fallen.push_back(i);
  }
  for (std::size_t k = 0; k < fallen.size(); ++k) {
    const std::string fallback = numbered('L', fallen[k]);
    const std::uint32_t* other = by_name.find(fallback);
    if (other == nullptr || falls[*other]) continue;
    falls[*other] = true;
    fallen.push_back(*other);
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i].text = falls[i] ? numbered('L', i) : object.labels[i].name;
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
