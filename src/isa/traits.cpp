// SPDX-License-Identifier: MIT
// Types, platforms and traits of a row.
#include "isa/layout.hpp"

namespace heddle::isa {

std::string parse_types(std::string_view text, std::vector<TypesOn>& types) {
  while (!text.empty()) {
    std::string_view word = take_until(text, " ,");
    if (!text.empty()) text.remove_prefix(1);
    if (word.empty()) continue;
    const std::string_view name = take_until(word, "@");
    PlatformSet platforms = PlatformSet::all();
    if (!word.empty()) {
      const auto first = find_platform(word.substr(1));
      if (!first) return "unknown platform in types: " + std::string(word);
      platforms = PlatformSet::from(*first);
    }
    TypeSet set;
    if (name == "i")
      set = {Type::B, Type::UB, Type::W, Type::UW, Type::D, Type::UD};
    else if (name == "q")
      set = {Type::Q, Type::UQ};
    else if (const auto type = find_type(name))
      set = {*type};
    else
      return "unknown type " + std::string(name);
    bool merged = false;
    for (TypesOn& t : types)
      if (t.platforms == platforms) t.types = t.types | set, merged = true;
    if (!merged) types.push_back({set, platforms});
  }
  return {};
}

std::string parse_platforms(std::string_view text, PlatformSet& platforms) {
  platforms = text.empty() || text.front() == '!' ? PlatformSet::all() : PlatformSet{};
  while (!text.empty()) {
    std::string_view word = take_until(text, "|");
    if (!text.empty()) text.remove_prefix(1);
    const bool without = word.starts_with('!'), before = word.starts_with('<'), from = word.ends_with('+');
    if (without || before) word.remove_prefix(1);
    if (from) word.remove_suffix(1);
    const std::string_view first_name = take_until(word, "-");
    const auto first = find_platform(first_name);
    if (!first) return "unknown platform " + std::string(first_name);
    PlatformSet set = from     ? PlatformSet::from(*first)
                      : before ? PlatformSet::before(*first)
                               : PlatformSet::only(*first);
    if (!word.empty()) {
      const auto last = find_platform(word.substr(1));
      if (!last) return "unknown platform " + std::string(word.substr(1));
      set = PlatformSet::range(*first, *last);
    }
    platforms = without ? platforms.without(set) : platforms | set;
  }
  return {};
}

namespace {

constexpr std::pair<std::string_view, bool Traits::*> kFlags[] = {
    {"alu", &Traits::alu},
    {"predcopy", &Traits::predicate_copy},
    {"predout", &Traits::predicate_written},
    {"predtext", &Traits::accepts_predicate},
    {"unverified", &Traits::unverified},
    {"unimplemented", &Traits::unimplemented},
    {"extension", &Traits::extension},
    {"soft", &Traits::soft_platform},
    {"<xe2", &Traits::before_xe2},
    {">=xe2", &Traits::from_xe2},
    {"since41", &Traits::since41},
    {"decode", &Traits::decode_only},
    {"eot", &Traits::ends_thread},
    {"targetwrite", &Traits::target_write},
    {"lanewise", &Traits::lane_wise},
    {"private", &Traits::private_effects},
    {"reads", &Traits::only_reads},
    {"anymemory", &Traits::any_memory},
    {"typed", &Traits::typed_surface},
};

template <typename E>
struct Word {
  std::string_view word;
  E value;
};
constexpr Word<FlowKind> kFlow[] = {
    {"label", FlowKind::Label},
    {"subroutine", FlowKind::Subroutine},
    {"jump", FlowKind::Jump},
    {"goto", FlowKind::Goto},
    {"switch", FlowKind::Switch},
    {"call", FlowKind::Call},
    {"return", FlowKind::Return},
    {"functioncall", FlowKind::FunctionCall},
    {"functionreturn", FlowKind::FunctionReturn},
    {"remark", FlowKind::Remark},
};
constexpr Word<BarrierKind> kBarriers[] = {
    {"group", BarrierKind::Group},         {"signal", BarrierKind::Signal},
    {"wait", BarrierKind::Wait},           {"namedsignal", BarrierKind::NamedSignal},
    {"namedwait", BarrierKind::NamedWait},
};
constexpr Word<FenceKind> kFences[] = {
    {"shared", FenceKind::Shared},
    {"buffers", FenceKind::Buffers},
    {"named", FenceKind::Named},
};
constexpr Word<ValueOperation> kOperations[] = {
    {"move", ValueOperation::Move},
    {"and", ValueOperation::And},
    {"or", ValueOperation::Or},
    {"xor", ValueOperation::Xor},
    {"addresssum", ValueOperation::AddressSum},
    {"statemove", ValueOperation::StateMove},
};
constexpr Word<TypeMix> kTypeMixes[] = {
    {"converted", TypeMix::ConvertedResult},
    {"compared", TypeMix::Comparison},
    {"free", TypeMix::Free},
};
constexpr Word<Signs> kSigns[] = {{"same", Signs::Same}, {"unsigned", Signs::Unsigned}, {"signed", Signs::Signed}};
constexpr Word<Lifetime> kLifetimes[] = {{"start", Lifetime::Start}, {"end", Lifetime::End}};

template <typename E, std::size_t N>
bool choose(const Word<E> (&words)[N], std::string_view word, E& value) {
  for (const Word<E>& w : words)
    if (w.word == word) {
      value = w.value;
      return true;
    }
  return false;
}

bool flag(std::string_view word, Traits& t) {
  if (word == "sat")
    t.saturate = Saturate::Yes;
  else if (word == "satf")
    t.saturate = Saturate::Float;
  else if (word == "mod")
    t.modifiers = Modifiers::Arithmetic;
  else if (word == "not")
    t.modifiers = Modifiers::Logic;
  else {
    for (const auto& [name, member] : kFlags)
      if (name == word) return t.*member = true;
    return false;
  }
  return true;
}

/// "1,8,16"; sizes are powers of two: the size is the bit.
bool exec_sizes(std::string_view text, Traits& t) {
  std::uint64_t size = 0;
  for (t.exec_sizes = 0; !text.empty();) {
    if (!parse_number(take_until(text, ","), 10, size) || size == 0 || size > 32) return false;
    t.exec_sizes |= size;
    if (!text.empty()) text.remove_prefix(1);
  }
  return true;
}

/// "ID" or "SLOT:ID"
bool type_rule(std::string_view text, base::Severity severity, Traits& t) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    t.type_rules.push_back({{}, text, severity});
  else
    t.type_rules.push_back({text.substr(0, colon), text.substr(colon + 1), severity});
  return !t.type_rules.back().id.empty();
}

bool setting(std::string_view key, std::string_view value, Traits& t) {
  std::uint64_t a = 0, b = 0;
  if (key == "exec") return exec_sizes(value, t);
  if (key == "execbyte" && parse_number(value, 16, a)) return t.fixed_exec = static_cast<std::uint8_t>(a), true;
  if (key == "doc" && parse_number(value, 16, a)) return t.document_code = static_cast<std::int16_t>(a), true;
  if (key == "params" && parse_number(take_until(value, "-"), 10, a) && !value.empty() &&
      parse_number(value.substr(1), 10, b))
    return t.min_params = static_cast<std::uint8_t>(a), t.max_params = static_cast<std::uint8_t>(b), true;
  if (key == "oprule") return t.op_rule = value, true;
  if (key == "typerule") return type_rule(value, base::Severity::Error, t);
  if (key == "typewarning") return type_rule(value, base::Severity::Warning, t);
  if (key == "types") return choose(kTypeMixes, value, t.type_mix);
  if (key == "signs") return choose(kSigns, value, t.signs);
  if (key == "flow") return choose(kFlow, value, t.flow);
  if (key == "operation") return choose(kOperations, value, t.operation);
  if (key == "lifetime") return choose(kLifetimes, value, t.lifetime);
  if (key == "fence") return choose(kFences, value, t.fence);
  if (key == "barrier") return t.flow = FlowKind::Barrier, choose(kBarriers, value, t.barrier);
  return false;
}

}  // namespace

std::string parse_traits(std::string_view words, Traits& traits) {
  while (!words.empty()) {
    const std::string_view word = take_until(words, " ");
    if (!words.empty()) words.remove_prefix(1);
    if (word.empty()) continue;
    std::string_view value = word;
    const std::string_view key = take_until(value, "=");
    // ">=xe2" has no value.
    if (!flag(word, traits) && (value.empty() || !setting(key, value.substr(1), traits)))
      return "unknown trait " + std::string(word);
  }
  return {};
}

}  // namespace heddle::isa
