#include "job/shader/block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace heddle::job {
namespace {

struct Encoder {
  const SurfaceLine& block;
  std::vector<std::string>& problems;
  std::vector<std::uint8_t> bytes;
  std::set<const BlockMember*> given;

  void store(std::uint64_t at, std::uint64_t bits, unsigned size) {
    if (at + size > bytes.size()) return;
    for (unsigned b = 0; b < size; ++b)
      bytes[static_cast<std::size_t>(at) + b] = static_cast<std::uint8_t>(bits >> 8 * b);
  }

  /// Scalars in order of components, columns, array elements; false after a report.
  bool values(const BlockMember& member, std::span<const Scalar> list, ElementType type) {
    const MemberType& t = member.type;
    std::size_t next = 0;
    const auto matrix = [&](std::uint64_t base) {
      for (std::uint32_t column = 0; column < t.columns; ++column)
        for (std::uint32_t c = 0; c < t.components; ++c) {
          std::string why;
          const auto bits = encode(list[next++], type, why);
          if (!bits) {
            problems.push_back(fmt::format("member '{}': {}", member.name, why));
            return false;
          }
          const std::uint64_t outer = t.row_major ? c : column, inner = t.row_major ? column : c;
          store(base + outer * t.column_stride + inner * element_bytes(type), *bits, element_bytes(type));
        }
      return true;
    };
    // Elements of arrays, the last index fastest.
    std::vector<std::uint32_t> index(t.arrays.size());
    while (true) {
      std::uint64_t base = member.offset;
      for (std::size_t d = 0; d < index.size(); ++d) base += std::uint64_t{index[d]} * t.arrays[d].second;
      if (!matrix(base)) return false;
      std::size_t d = index.size();
      while (d != 0 && ++index[d - 1] >= std::max(1u, t.arrays[d - 1].first)) index[--d] = 0;
      if (d == 0) return true;
    }
  }

  void member(const BlockMember& m, const Argument& argument) {
    given.insert(&m);
    if (argument.bytes) {
      if (argument.bytes->size() != m.type.bytes())
        problems.push_back(
            fmt::format("member '{}' is given {} bytes, it has {}", m.name, argument.bytes->size(), m.type.bytes()));
      else
        for (std::size_t i = 0; i < argument.bytes->size(); ++i) store(m.offset + i, (*argument.bytes)[i], 1);
      return;
    }
    if (m.type.opaque != 0) {
      problems.push_back(fmt::format("member '{}' has no simple type: it is given as {{ bytes = \"...\" }}", m.name));
      return;
    }
    if (argument.values.size() != m.type.value_count() || !argument.members.empty()) {
      problems.push_back(fmt::format("member '{}' takes {} value{} ({}), {} given", m.name, m.type.value_count(),
                                     m.type.value_count() == 1 ? "" : "s", m.type.text, argument.values.size()));
      return;
    }
    if (argument.type && element_bytes(*argument.type) != element_bytes(m.type.element)) {
      problems.push_back(fmt::format("member '{}' is {}, not {}", m.name, m.type.text, element_name(*argument.type)));
      return;
    }
    (void)values(m, argument.values, argument.type.value_or(m.type.element));
  }

  void table(const std::string& prefix, const std::vector<Argument>& members) {
    for (const Argument& a : members) {
      const std::string path = prefix.empty() ? a.key.text : prefix + "." + a.key.text;
      const auto same = std::find_if(block.members.begin(), block.members.end(),
                                     [&](const BlockMember& m) { return m.name == path; });
      if (same != block.members.end()) {
        member(*same, a);
        continue;
      }
      if (!a.members.empty() && std::any_of(block.members.begin(), block.members.end(),
                                            [&](const BlockMember& m) { return m.name.starts_with(path + "."); })) {
        table(path, a.members);
        continue;
      }
      std::vector<std::string_view> names;
      for (const BlockMember& m : block.members) names.push_back(m.name);
      const std::string_view near = base::nearest(path, names);
      problems.push_back(near.empty() ? fmt::format("the block has no member '{}'", path)
                                      : fmt::format("the block has no member '{}'; did you mean '{}'?", path, near));
    }
  }
};

}  // namespace

std::vector<std::uint8_t> encode_block(const SurfaceLine& block, const Argument& argument,
                                       std::vector<std::string>& problems) {
  const std::uint64_t size = block.block_bytes();
  if (argument.bytes) {  // the end of a block may be padded to 16 bytes
    if (argument.bytes->size() < size || (size != 0 && argument.bytes->size() > (size + 15) / 16 * 16))
      problems.push_back(fmt::format("{} bytes are given, the block has {}", argument.bytes->size(), size));
    return *argument.bytes;
  }
  Encoder encoder{block, problems, std::vector<std::uint8_t>(static_cast<std::size_t>(size)), {}};
  if (!argument.members.empty()) {
    encoder.table({}, argument.members);
    for (const BlockMember& m : block.members)
      if (!encoder.given.contains(&m))
        problems.push_back(fmt::format("member '{}' ({}) is missing", m.name, m.type.text));
    return std::move(encoder.bytes);
  }
  std::uint64_t expected = 0;
  for (const BlockMember& m : block.members) expected += m.type.value_count();
  if (argument.values.size() != expected || argument.type) {
    problems.push_back(
        fmt::format("a table by member names, {{ bytes = \"...\" }}, or {} value{} in order are expected", expected,
                    expected == 1 ? "" : "s"));
    return std::move(encoder.bytes);
  }
  std::size_t at = 0;
  for (const BlockMember& m : block.members) {
    const auto count = static_cast<std::size_t>(m.type.value_count());
    if (m.type.opaque != 0) continue;
    if (!encoder.values(m, std::span(argument.values).subspan(at, count), m.type.element)) break;
    at += count;
  }
  return std::move(encoder.bytes);
}

std::string block_text(const SurfaceLine& block) {
  std::string text = "{ ";
  for (std::size_t i = 0; i < block.members.size(); ++i) {
    if (i == 12) return text + ", ... }";
    text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", block.members[i].name, block.members[i].type.text);
  }
  return text + " }";
}

}  // namespace heddle::job
