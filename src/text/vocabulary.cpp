// SPDX-License-Identifier: MIT
// Rules: TXT-2 to TXT-4, TXT-27, TXT-32, TXT-40.
#include "text/vocabulary.hpp"

#include <algorithm>
#include <array>

#include "instructions/registry.hpp"
#include "isa/attributes.hpp"
#include "text/scanner.hpp"

namespace heddle::text {
namespace {

constexpr AttributeRule kAttributes[] = {
    {"Extern", AttributeValue::Bool, true},
    {"NoBarrier", AttributeValue::Bool, true},
    {"Callable", AttributeValue::Bool, true},
    {"Caller", AttributeValue::Bool, true},
    {"Composable", AttributeValue::Bool, true},
    {"Entry", AttributeValue::Bool, true},
    {"SepSpillPvtSS", AttributeValue::Bool, true},
    {"LTO_InvokeOptTarget", AttributeValue::Bool, true},
    {"Target", AttributeValue::TargetName, true},
    {"SLMSize", AttributeValue::Integer, true},
    {"SpillMemOffset", AttributeValue::Integer, true},
    {"ArgSize", AttributeValue::Integer, true},
    {"RetValSize", AttributeValue::Integer, true},
    {"PerThreadInputSize", AttributeValue::Integer, true},
    {"SimdSize", AttributeValue::Integer, true},
    {"CrossThreadInputSize", AttributeValue::Integer, true},
    {"NBarrierCnt", AttributeValue::Integer, true},
    {"OutputAsmPath", AttributeValue::String, true},
    {"Input", AttributeValue::Bool, false},
    {"Output", AttributeValue::Bool, false},
    {"PayloadLiveOut", AttributeValue::Bool, false},
    {"Input_Output", AttributeValue::Bool, false},
    {"NoWidening", AttributeValue::Bool, false},
    {"DoNotSpill", AttributeValue::Bool, false},
    {"Scope", AttributeValue::Integer, false},
    {"SurfaceUsage", AttributeValue::Integer, false},
};

struct OldSpelling {
  std::string_view old, now;
};
struct AlignmentWord {
  std::string_view word;
  isa::Align align;
};
constexpr AlignmentWord kAlignments[] = {
    {"byte", isa::Align::Byte},      {"word", isa::Align::Word},   {"dword", isa::Align::Dword},
    {"qword", isa::Align::Qword},    {"oword", isa::Align::Oword}, {"GRF", isa::Align::Grf},
    {"GRFx2", isa::Align::Grf2},     {"hword", isa::Align::Hword}, {"wordx32", isa::Align::Word32},
    {"wordx64", isa::Align::Word64}, {"2GRF", isa::Align::Grf2},   {"32word", isa::Align::Word32},
    {"64word", isa::Align::Word64}};

struct Implicit {
  std::string_view word;
  unsigned kind;
};
constexpr Implicit kImplicit[] = {{"LOCAL_SIZE", 1}, {"GROUP_COUNT", 2}, {"LOCAL_ID", 3}, {"PSEUDO_INPUT", 16}};

/// TXT-27: names of the documents that are not simply the lower-case mnemonic.
constexpr OldSpelling kDocumentMnemonics[] = {{"rt_write", "rt_write_3d"}, {"rt_read", "rt_read_3d"}};

constexpr std::string_view kOtherKeywords[] = {"flat", "bti", "ss",   "bss",  "arg",
                                               "FILE", "LOC", "asin", "acos", "atan"};

/// Instructions without a word in that lexer (TXT-32).
constexpr std::string_view kNotInItsLexer[] = {"label",  "func",    "lod",         "sample_killpix",
                                               "load_l", "vme_idm", "sample4_i_c", "sample4_l_c"};

struct NewerWord {
  std::string_view word, reason;
};
/// TXT-40: mnemonics that the public text has, but of which no public source says what they do.
constexpr NewerWord kNewerWords[] = {
    {"lsc_apndctr_atomic_add",
     "the counter lies at an auxiliary address of a surface's state, which has no public layout"},
    {"lsc_apndctr_atomic_sub",
     "the counter lies at an auxiliary address of a surface's state, which has no public layout"},
    {"lsc_apndctr_atomic_store",
     "the counter lies at an auxiliary address of a surface's state, which has no public layout"},
    {"lsc_load_quad_status", "no public document describes the status that it returns beside the data"},
    {"lsc_load_quad_msrt", "no public document describes its layout of samples"},
    {"lsc_store_quad_msrt", "no public document describes its layout of samples"},
    {"lsc_extended_cache_ctrl", "no public document describes what it does to a cache"},
};
constexpr NewerWord kNewerSuffixes[] = {
    {".ov", "it asks a load for more than its data, by no public rule"},
    {".msaa", "no public document describes atomic operations on samples"},
};

constexpr std::string_view kNoCode = "containers of version 4.1 have no code for it";
constexpr NewerWord kNewerTypes[] = {{"hf8", kNoCode}, {"bf8", kNoCode}, {"tf32", kNoCode}, {"e2m1", kNoCode}};

template <std::size_t Size>
std::string_view reason_of(const NewerWord (&words)[Size], std::string_view word) {
  for (const NewerWord& w : words)
    if (w.word == word) return w.reason;
  return {};
}

}  // namespace

std::string_view newer_word(std::string_view word) { return reason_of(kNewerWords, word); }
std::string_view newer_suffix(std::string_view suffix) { return reason_of(kNewerSuffixes, suffix); }
std::string_view newer_type(std::string_view type) { return reason_of(kNewerTypes, type); }

const AttributeRule* find_attribute(std::string_view name) {
  name = isa::current_attribute_name(name);
  for (const AttributeRule& a : kAttributes)
    if (a.name == name) return &a;
  return nullptr;
}

const std::vector<std::string_view>& attribute_names() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (const AttributeRule& a : kAttributes) names.push_back(a.name);
    return names;
  }();
  return kNames;
}

std::optional<isa::Align> find_alignment(std::string_view word) {
  for (const AlignmentWord& a : kAlignments)
    if (a.word == word) return a.align;
  return std::nullopt;
}

std::string_view alignment_name(isa::Align align) {
  for (const AlignmentWord& a : kAlignments)
    if (a.align == align) return a.word;
  return {};
}

std::optional<unsigned> find_implicit(std::string_view word) {
  for (const Implicit& i : kImplicit)
    if (i.word == word) return i.kind;
  constexpr std::string_view kUndefined = "UNDEFINED_";
  if (!word.starts_with(kUndefined) || word.size() == kUndefined.size()) return std::nullopt;
  unsigned kind = 0;
  for (const char c : word.substr(kUndefined.size())) {
    if (!is_digit(c)) return std::nullopt;
    kind = kind * 10 + static_cast<unsigned>(c - '0');
    if (kind > 31) return std::nullopt;  // five bits
  }
  return kind == 0 ? std::nullopt : std::optional(kind);
}

std::string_view implicit_name(unsigned kind) {
  for (const Implicit& i : kImplicit)
    if (i.kind == kind) return i.word;
  return {};
}

bool is_keyword(std::string_view word) {
  if (word.starts_with("AVS_")) return true;
  if (std::find(std::begin(kOtherKeywords), std::end(kOtherKeywords), word) != std::end(kOtherKeywords)) return true;
  for (const isa::InstructionDescription* description : descriptions_of(word))
    if (description->in_12504 && !description->traits.unverified && !description->traits.unimplemented &&
        !description->traits.extension && !description->platforms.empty() &&
        (description->platforms & isa::PlatformSet::before(isa::Platform::ARL)) != isa::PlatformSet() &&
        std::find(std::begin(kNotInItsLexer), std::end(kNotInItsLexer), word) == std::end(kNotInItsLexer))
      return true;
  return false;
}

bool is_identifier(std::string_view word) {
  return !word.empty() && is_name_start(word.front()) && std::all_of(word.begin(), word.end(), is_name_char);
}

std::string_view document_mnemonic(std::string_view word) {
  for (const OldSpelling& o : kDocumentMnemonics)
    if (o.old == word) return o.now;
  return word;
}

std::span<const isa::InstructionDescription* const> descriptions_of(std::string_view word) {
  const isa::Registry& registry = instructions::registry();
  static const NameMap<std::uint32_t> kNumbers = [&] {
    NameMap<std::uint32_t> numbers;
    for (const std::string_view known : registry.words()) {
      const auto number = static_cast<std::uint32_t>(numbers.entries().size());
      numbers[known] = number;
    }
    return numbers;
  }();
  const std::uint32_t* number = kNumbers.find(word);
  return number != nullptr ? registry.find_at(*number) : std::span<const isa::InstructionDescription* const>();
}

const isa::InstructionDescription* label_description() {
  static const isa::InstructionDescription* const kForm = instructions::registry().find_mnemonic("label");
  return kForm;
}
const isa::InstructionDescription* subroutine_description() {
  static const isa::InstructionDescription* const kForm = instructions::registry().find_mnemonic("func");
  return kForm;
}

}  // namespace heddle::text
