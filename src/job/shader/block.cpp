// SPDX-License-Identifier: MIT
#include "job/shader/block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <span>

#include "base/fixed_limits.hpp"

namespace heddle::job {
namespace {

/// A type as values are given for it, without the strides: "f32x3[2]". The outer `left_out` arrays stay away.
std::string type_text(const MemberType& type, std::size_t left_out = 0) {
  if (type.opaque != 0) return fmt::format("{{ bytes = \"...\" }} of {}", type.opaque);
  std::string text(element_name(type.element));
  if (type.components > 1 || type.columns > 1) text += fmt::format("x{}", type.components);
  if (type.columns > 1) text += fmt::format("x{}", type.columns);
  for (std::size_t i = left_out; i < type.arrays.size(); ++i)
    text += type.arrays[i].first == 0 ? "[]" : fmt::format("[{}]", type.arrays[i].first);
  return text;
}

struct Encoder {
  const SurfaceLine& block;
  std::vector<std::string>& problems;
  std::vector<std::uint8_t> bytes;
  using Indices = std::vector<std::uint32_t>;
  std::set<std::pair<const BlockMember*, Indices>> given{};  ///< with the elements of arrays of structures
  Indices fixed{};                                           ///< indices of the arrays of structures that a table is in

  void store(std::uint64_t at, std::uint64_t bits, unsigned size) {
    if (at + size > bytes.size()) return;
    for (unsigned b = 0; b < size; ++b)
      bytes[static_cast<std::size_t>(at) + b] = static_cast<std::uint8_t>(bits >> 8 * b);
  }

  /// Scalars in order of components, columns, array elements; false after a report. An array without a length is as
  /// long as the list. `fixed` are the first indices.
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
    std::copy(fixed.begin(), fixed.end(), index.begin());
    while (next < list.size()) {
      std::uint64_t base = member.offset;
      for (std::size_t d = 0; d < index.size(); ++d) base += std::uint64_t{index[d]} * t.arrays[d].second;
      if (t.runtime() && !reach(base + t.value_bytes())) return false;
      if (!matrix(base)) return false;
      std::size_t d = index.size();
      while (d > fixed.size() && ++index[d - 1] >= (t.arrays[d - 1].first == 0 ? UINT32_MAX : t.arrays[d - 1].first))
        index[--d] = 0;
      if (d == fixed.size()) break;
    }
    return true;
  }

  /// Arrays without a length make the block longer.
  bool reach(std::uint64_t end) {
    if (end <= bytes.size()) return true;
    if (end > base::kBlockBytes) {
      problems.push_back(fmt::format("a block of {} bytes is given as a buffer", end));
      return false;
    }
    bytes.resize(static_cast<std::size_t>(end));
    return true;
  }

  /// Scalars that `fixed` leaves open; of an array without a length those of one element.
  [[nodiscard]] std::uint64_t open_values(const MemberType& t) const {
    std::uint64_t count = t.value_count();
    for (std::size_t d = 0; d < fixed.size(); ++d) count /= std::max(1u, t.arrays[d].first);
    return count;
  }

  void member(const BlockMember& m, const Argument& argument) {
    given.insert({&m, fixed});
    const bool whole = fixed.empty();
    if (fixed.size() > m.type.arrays.size()) {
      problems.push_back(fmt::format("member '{}' is in no array of structures", m.name));
      return;
    }
    if (argument.bytes) {
      if (!whole || argument.bytes->size() != m.type.bytes())
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
    const std::uint64_t expected = open_values(m.type);
    const bool open = whole && m.type.runtime();
    const bool fits =
        open ? argument.values.size() % expected == 0 && !argument.values.empty() : argument.values.size() == expected;
    if (!fits || !argument.members.empty() || !argument.elements.empty()) {
      problems.push_back(fmt::format("member '{}' takes {}{} value{} ({}), {} given", m.name,
                                     open ? "a multiple of " : "", expected, expected == 1 ? "" : "s",
                                     type_text(m.type), argument.values.size()));
      return;
    }
    if (argument.type && element_bytes(*argument.type) != element_bytes(m.type.element)) {
      problems.push_back(
          fmt::format("member '{}' is {}, not {}", m.name, type_text(m.type), element_name(*argument.type)));
      return;
    }
    (void)values(m, argument.values, argument.type.value_or(m.type.element));
  }

  /// An array of structures, one table for each.
  void elements(const std::string& path, const Argument& array) {
    const auto first = std::find_if(block.members.begin(), block.members.end(),
                                    [&](const BlockMember& m) { return m.name.starts_with(path + "."); });
    const auto& arrays = first->type.arrays;
    if (arrays.size() <= fixed.size()) {
      problems.push_back(fmt::format("member '{}' is no array of structures", path));
      return;
    }
    const std::uint32_t count = arrays[fixed.size()].first;
    if (count != 0 && count != array.elements.size())
      problems.push_back(fmt::format("member '{}' takes {} tables, {} given", path, count, array.elements.size()));
    for (std::size_t i = 0; i < array.elements.size() && (count == 0 || i < count); ++i) {
      fixed.push_back(static_cast<std::uint32_t>(i));
      const Argument& element = array.elements[i];
      if (element.members.empty()) {
        problems.push_back(fmt::format("member '{}[{}]': a table by member names is expected", path, i));
      } else {
        table(path, element.members);
        report_missing(path + ".", fmt::format("{}[{}].", path, i));
      }
      fixed.pop_back();
    }
  }

  /// All elements at once, or some of this one: those of its own arrays are looked at on their own.
  [[nodiscard]] bool is_given(const BlockMember& m) const {
    for (std::size_t outer = 0; outer < fixed.size(); ++outer)
      if (given.contains({&m, Indices(fixed.begin(), fixed.begin() + static_cast<std::ptrdiff_t>(outer))})) return true;
    const auto at = given.lower_bound({&m, fixed});  // what begins with `fixed` follows it
    return at != given.end() && at->first == &m && at->second.size() >= fixed.size() &&
           std::equal(fixed.begin(), fixed.end(), at->second.begin());
  }

  /// Members whose names begin with `prefix` that no table gave, here and now; `shown` stands for the prefix.
  void report_missing(std::string_view prefix, std::string_view shown) {
    std::vector<std::string> lacking;
    for (const BlockMember& m : block.members) {
      if (!m.name.starts_with(prefix)) continue;
      if (!is_given(m))
        lacking.push_back(
            fmt::format("'{}{}' ({})", shown, m.name.substr(prefix.size()), type_text(m.type, fixed.size())));
    }
    if (lacking.empty()) return;
    problems.push_back(fmt::format("member{} {} {} missing", lacking.size() == 1 ? "" : "s", fmt::join(lacking, ", "),
                                   lacking.size() == 1 ? "is" : "are"));
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
      const bool inner = std::any_of(block.members.begin(), block.members.end(),
                                     [&](const BlockMember& m) { return m.name.starts_with(path + "."); });
      if (!a.elements.empty() && inner) {
        elements(path, a);
        continue;
      }
      if (!a.members.empty() && inner) {
        table(path, a.members);
        continue;
      }
      problems.push_back(inner ? fmt::format("member '{}' takes a table by member names", path) : unknown(path));
    }
  }

  /// What is said of a name that no member has. The member that was perhaps meant is not said to be missing as well.
  std::string unknown(const std::string& path) {
    std::vector<std::string_view> names;
    for (const BlockMember& m : block.members) names.push_back(m.name);
    const std::string_view near = base::nearest(path, names);
    if (near.empty()) return fmt::format("the block has no member '{}'", path);
    for (const BlockMember& m : block.members)
      if (m.name == near) given.insert({&m, fixed});
    return fmt::format("the block has no member '{}'; did you mean '{}'?", path, near);
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
  Encoder encoder{block, problems, std::vector<std::uint8_t>(static_cast<std::size_t>(size))};
  if (!argument.members.empty()) {
    encoder.table({}, argument.members);
    encoder.report_missing("", "");
    return std::move(encoder.bytes);
  }
  std::uint64_t expected = 0;
  for (const BlockMember& m : block.members) expected += m.type.value_count();
  if (argument.values.size() != expected || argument.type || !argument.elements.empty()) {
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

namespace {

/// The members as tables in tables.
struct BlockText {
  std::size_t shown = 0;

  /// An array of structures: two members or more whose outermost open array is the same.
  [[nodiscard]] static std::optional<std::uint32_t> array_of(std::span<const BlockMember> list, std::size_t arrays) {
    if (list.size() < 2) return std::nullopt;
    const auto has_it = [&](const BlockMember& m) {
      return m.type.arrays.size() > arrays && m.type.arrays[arrays] == list.front().type.arrays[arrays];
    };
    if (list.front().type.arrays.size() <= arrays || !std::ranges::all_of(list, has_it)) return std::nullopt;
    return list.front().type.arrays[arrays].first;
  }

  /// Of the members in `list`, whose names begin with `prefix` bytes of the tables around them.
  std::string table(std::span<const BlockMember> list, std::size_t prefix, std::size_t arrays) {
    constexpr std::size_t kMax = 24;
    std::string text = "{ ";
    for (std::size_t i = 0; i < list.size();) {
      if (i != 0) text += ", ";
      if (shown == kMax) return text + "... }";
      const std::string_view name = std::string_view(list[i].name).substr(prefix);
      const std::size_t dot = name.find('.');
      if (dot == std::string_view::npos) {
        text += fmt::format("{} = {}", name, type_text(list[i].type, arrays));
        ++shown;
        ++i;
        continue;
      }
      const std::string_view path = std::string_view(list[i].name).substr(0, prefix + dot + 1);
      std::size_t end = i;
      while (end < list.size() && list[end].name.starts_with(path)) ++end;
      const auto inner = list.subspan(i, end - i);
      const auto count = array_of(inner, arrays);
      const std::string inside = table(inner, path.size(), arrays + (count ? 1 : 0));
      text += fmt::format("{} = ", name.substr(0, dot));
      text += !count        ? inside
              : *count == 0 ? fmt::format("[{}, ...]", inside)
                            : fmt::format("[{} x {}]", inside, *count);
      i = end;
    }
    return text + " }";
  }
};

}  // namespace

std::string block_text(const SurfaceLine& block) {
  BlockText text;
  return text.table(block.members, 0, 0);
}

}  // namespace heddle::job
