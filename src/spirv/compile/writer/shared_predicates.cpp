// SPDX-License-Identifier: MIT
// Rules: SPV-3.
#include "spirv/compile/writer/shared_predicates.hpp"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <utility>

namespace heddle::spirv::compiler {
namespace {

using Index = std::unordered_map<std::string_view, std::uint32_t>;

Index index_of(std::span<const NamedPredicate> predicates) {
  Index index;
  for (std::uint32_t k = 0; k < predicates.size(); ++k) index.emplace(predicates[k].name, k);
  return index;
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// Calls `use(word, where)` for the words of a line; comments and names of files have none.
template <class F>
void for_each_word(std::string_view line, F use) {
  if (line.starts_with("    //") || line.starts_with("    FILE ")) return;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && is_word(line[end])) ++end;
    if (end != at) use(line.substr(at, end - at), at);
    at = end + 1;
  }
}

template <class F>
void for_each_line(std::string_view text, F use) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    use(text.substr(at, end - at));
    at = end + 1;
  }
}

struct Span {
  std::uint32_t first = ~0u, last = 0;
  [[nodiscard]] bool holds(std::uint32_t line) const { return first <= line && line <= last; }
};

struct Life : Span {
  bool read_first = false;
};

/// Lives and loops in lines of the text.
struct Lives {
  std::vector<Life> lives;
  std::vector<Span> loops;
};

/// What an instruction writes stands behind its execution size: "(P1) cmp.lt (M1, 16) P2 ...".
std::size_t destination_of(std::string_view line) {
  const std::size_t lanes = line.find("(M");
  const std::size_t end = lanes == std::string_view::npos ? lanes : line.find(')', lanes);
  return end == std::string_view::npos ? end : end + 2;
}

Lives read_text(std::size_t count, const Index& index, std::span<const std::string_view> texts) {
  Lives found{std::vector<Life>(count), {}};
  std::unordered_map<std::string_view, std::uint32_t> labels;  // line
  std::unordered_map<std::uint32_t, std::uint32_t> repeats;    // line of a label -> last jump back to it
  std::uint32_t number = 0;
  for (const std::string_view text : texts)
    for_each_line(text, [&](std::string_view line) {
      ++number;
      if (line.empty()) return;
      if (line.front() != ' ') {
        labels.emplace(line.substr(0, line.size() - 1), number);
        return;
      }
      const std::size_t destination = destination_of(line);
      std::string_view last;
      bool jumps = false;
      for_each_word(line, [&](std::string_view word, std::size_t at) {
        last = word;
        jumps = jumps || word == "goto" || word == "jmp";
        const auto predicate = index.find(word);
        if (predicate == index.end()) return;
        Life& life = found.lives[predicate->second];
        if (life.first == ~0u) {
          life.first = number;
          life.read_first = at != destination;
        } else if (life.first == number && at != destination) {
          life.read_first = true;
        }
        life.last = number;
      });
      if (!jumps) return;
      if (const auto label = labels.find(last); label != labels.end()) repeats[label->second] = number;
    });
  for (const auto& [head, jump] : repeats) found.loops.push_back({head, jump});
  return found;
}

/// Loops in each other: those that cross (none should) become one.
class LoopTree {
 public:
  explicit LoopTree(std::vector<Span> loops) {
    std::sort(loops.begin(), loops.end(),
              [](const Span& a, const Span& b) { return a.first != b.first ? a.first < b.first : a.last > b.last; });
    std::vector<std::uint32_t> open;
    for (const Span& loop : loops) {
      while (!open.empty() && loops_[open.back()].span.last < loop.first) open.pop_back();
      for (const std::uint32_t outer : open) loops_[outer].span.last = std::max(loops_[outer].span.last, loop.last);
      const std::uint32_t parent = open.empty() ? kNone : open.back();
      open.push_back(static_cast<std::uint32_t>(loops_.size()));
      loops_.push_back({loop, parent});
    }
  }

  void extend(Life& life) const {
    // Ends inside a loop that it did not begin in, and the other way round.
    for (std::uint32_t k = innermost(life.last); k != kNone; k = loops_[k].parent)
      if (const Span& loop = loops_[k].span; life.first < loop.first || life.read_first)
        life.last = std::max(life.last, loop.last);
    for (std::uint32_t k = innermost(life.first); k != kNone; k = loops_[k].parent)
      if (const Span& loop = loops_[k].span; life.last > loop.last || life.read_first)
        life.first = std::min(life.first, loop.first), life.last = std::max(life.last, loop.last);
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct Loop {
    Span span;
    std::uint32_t parent;
  };
  [[nodiscard]] std::uint32_t innermost(std::uint32_t line) const {
    const auto after = std::upper_bound(loops_.begin(), loops_.end(), line,
                                        [](std::uint32_t l, const Loop& loop) { return l < loop.span.first; });
    std::uint32_t k = after == loops_.begin() ? kNone : static_cast<std::uint32_t>(after - loops_.begin()) - 1;
    while (k != kNone && !loops_[k].span.holds(line)) k = loops_[k].parent;
    return k;
  }

  std::vector<Loop> loops_;  ///< by first line
};

}  // namespace

SharedPredicates share_predicates(std::span<const NamedPredicate> predicates, std::span<const std::string_view> texts,
                                  std::size_t most) {
  const auto count = static_cast<std::uint32_t>(predicates.size());
  Lives found = read_text(count, index_of(predicates), texts);
  const LoopTree loops(std::move(found.loops));
  SharedPredicates shared;
  shared.home.resize(count);
  shared.used.resize(count);
  std::vector<std::uint32_t> order;
  std::uint32_t kinds = 0;
  for (std::uint32_t k = 0; k < count; ++k) {
    shared.home[k] = k;
    kinds = std::max(kinds, predicates[k].kind + 1);
    if (found.lives[k].first == ~0u) continue;
    shared.used[k] = true;
    loops.extend(found.lives[k]);
    order.push_back(k);
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t x = found.lives[a].first, y = found.lives[b].first;
    return x != y ? x < y : a < b;
  });
  using Ending = std::pair<std::uint32_t, std::uint32_t>;  // last line, predicate
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> alive;
  std::vector<std::vector<std::uint32_t>> idle(kinds);  // homes by kind
  std::size_t homes = 0;
  for (const std::uint32_t k : order) {
    // A line that reads one predicate and writes another keeps them apart: it may be one of several ranges.
    while (!alive.empty() && alive.top().first < found.lives[k].first) {
      const std::uint32_t home = shared.home[alive.top().second];
      idle[predicates[home].kind].push_back(home);
      alive.pop();
    }
    std::vector<std::uint32_t>* from = &idle[predicates[k].kind];
    if (from->empty() && homes == most) {
      const auto other = std::find_if(idle.begin(), idle.end(), [](const auto& list) { return !list.empty(); });
      if (other == idle.end()) {
        shared.homeless = k;
        return shared;
      }
      from = &*other;
    }
    if (from->empty()) {
      ++homes;
    } else {
      shared.home[k] = from->back();
      from->pop_back();
    }
    alive.emplace(found.lives[k].last, k);
  }
  return shared;
}

std::string renamed_predicates(std::span<const NamedPredicate> predicates, const SharedPredicates& shared,
                               std::string_view text) {
  const Index index = index_of(predicates);
  std::string out;
  out.reserve(text.size());
  for_each_line(text, [&](std::string_view line) {
    std::size_t copied = 0;
    for_each_word(line, [&](std::string_view word, std::size_t at) {
      const auto predicate = index.find(word);
      if (predicate == index.end() || shared.home[predicate->second] == predicate->second) return;
      out += line.substr(copied, at - copied);
      out += predicates[shared.home[predicate->second]].name;
      copied = at + word.size();
    });
    out += line.substr(copied);
    out += '\n';
  });
  return out;
}

}  // namespace heddle::spirv::compiler
