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

std::string parse_traits(const Row& row, InstructionDescription& description) {
  std::string_view rest = row.traits;
  Traits& t = description.traits;
  while (!rest.empty()) {
    std::string_view word = take_until(rest, " ");
    if (!rest.empty()) rest.remove_prefix(1);
    if (word.empty()) continue;
    std::uint64_t a = 0, b = 0;
    if (word == "sat")
      t.saturate = Saturate::Yes;
    else if (word == "satf")
      t.saturate = Saturate::Float;
    else if (word == "mod")
      t.modifiers = Modifiers::Arithmetic;
    else if (word == "not")
      t.modifiers = Modifiers::Logic;
    else if (word == "unverified")
      t.unverified = true;
    else if (word == "unimplemented")
      t.unimplemented = true;
    else if (word == "extension")
      t.extension = true;
    else if (word == "soft")
      t.soft_platform = true;
    else if (word == "predcopy")
      t.predicate_copy = true;
    else if (word == "predout")
      t.predicate_written = true;
    else if (word == "predtext")
      t.accepts_predicate = true;
    else if (word == "decode")
      t.decode_only = true;
    else if (word == "<xe2")
      t.before_xe2 = true;
    else if (word == ">=xe2")
      t.from_xe2 = true;
    else if (word == "alu")
      t.alu = true;
    else if (word == "eot")
      t.ends_thread = true;
    else if (word == "since41")
      t.since41 = true;
    else if (word.starts_with("oprule="))
      t.op_rule = word.substr(7);
    else if (word.starts_with("doc=") && parse_number(word.substr(4), 16, a))
      t.document_code = static_cast<std::int16_t>(a);
    else if (word.starts_with("execbyte=") && parse_number(word.substr(9), 16, a))
      t.fixed_exec = static_cast<std::uint8_t>(a);
    else if (word.starts_with("params=")) {
      word.remove_prefix(7);
      if (!parse_number(take_until(word, "-"), 10, a) || word.empty() || !parse_number(word.substr(1), 10, b))
        return "bad params";
      t.min_params = static_cast<std::uint8_t>(a), t.max_params = static_cast<std::uint8_t>(b);
    } else if (word.starts_with("exec=")) {
      word.remove_prefix(5);
      t.exec_sizes = 0;
      while (!word.empty()) {
        if (!parse_number(take_until(word, ","), 10, a) || a == 0 || a > 32) return "bad exec sizes";
        t.exec_sizes |= a;  // sizes are powers of two: the size is the bit
        if (!word.empty()) word.remove_prefix(1);
      }
    } else
      return "unknown trait " + std::string(word);
  }
  return {};
}

}  // namespace heddle::isa
