// SPDX-License-Identifier: MIT
// Rules: DIF-1.
#include "tools/diff/align.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "isa/description.hpp"

namespace heddle::tools {
namespace {

constexpr std::uint64_t kMaxCells = 9'000'000;  ///< of one table
// Two changed pairs never outweigh one equal pair: what moved is shown as moved.
constexpr int kEqual = 100, kSameShape = 45, kSameKind = 30, kSameResult = 10;

/// One pass over two sequences with what is known of their variables.
class Aligner {
 public:
  /// `known`: null at first, where instructions are equal whatever variables they name.
  Aligner(const Sequence& a, const Sequence& b, const Correspondence* known) : a_(a), b_(b), known_(known) {}

  std::vector<StepPair> run() {
    block(0, size(a_), 0, size(b_));
    return std::move(pairs_);
  }

 private:
  static std::uint32_t size(const Sequence& s) { return static_cast<std::uint32_t>(s.steps.size()); }

  [[nodiscard]] unsigned differing(std::uint32_t i, std::uint32_t j) const {
    const auto x = a_.of(a_.steps[i]), y = b_.of(b_.steps[j]);
    unsigned count = static_cast<unsigned>(std::max(x.size(), y.size()) - std::min(x.size(), y.size()));
    for (std::size_t k = 0; k < std::min(x.size(), y.size()); ++k)
      count += x[k].kind != y[k].kind || (known_ != nullptr && !known_->same(x[k], y[k])) ? 1 : 0;
    return count;
  }
  [[nodiscard]] bool equal(std::uint32_t i, std::uint32_t j) const {
    return a_.steps[i].shape == b_.steps[j].shape && differing(i, j) == 0;
  }
  [[nodiscard]] bool one_result(std::uint32_t i, std::uint32_t j) const {
    const auto written = [](std::span<const Reference> list) {
      return std::ranges::find_if(list, [](const Reference& r) { return r.written; });
    };
    const auto x = a_.of(a_.steps[i]), y = b_.of(b_.steps[j]);
    const auto p = written(x), q = written(y);
    return p != x.end() && q != y.end() && p->kind == q->kind && (known_ == nullptr || known_->same(*p, *q));
  }
  [[nodiscard]] int weight(std::uint32_t i, std::uint32_t j) const {
    const Step &x = a_.steps[i], &y = b_.steps[j];
    const int off = static_cast<int>(std::min(10u, differing(i, j)));
    if (x.shape == y.shape) return off == 0 ? kEqual : kSameShape - off;
    if (x.instruction->description == y.instruction->description) return kSameKind - off + (one_result(i, j) ? 5 : 0);
    const bool one_size = x.instruction->exec == y.instruction->exec;
    return one_size && one_result(i, j) && x.instruction->description->traits.flow == isa::FlowKind::None &&
                   y.instruction->description->traits.flow == isa::FlowKind::None
               ? kSameResult
               : 0;
  }
  void pair(std::uint32_t i, std::uint32_t j) {
    pairs_.push_back({equal(i, j) ? PairKind::Same : PairKind::Changed, i, j});
  }
  void rest(std::uint32_t a, std::uint32_t a_end, std::uint32_t b, std::uint32_t b_end) {
    for (; a < a_end; ++a) pairs_.push_back({PairKind::OnlyA, a, kNothing});
    for (; b < b_end; ++b) pairs_.push_back({PairKind::OnlyB, kNothing, b});
  }

  void block(std::uint32_t a, std::uint32_t a_end, std::uint32_t b, std::uint32_t b_end) {
    while (a < a_end && b < b_end && equal(a, b)) pair(a++, b++);
    std::uint32_t tail = 0;
    while (a < a_end - tail && b < b_end - tail && equal(a_end - tail - 1, b_end - tail - 1)) ++tail;
    a_end -= tail, b_end -= tail;
    if (a == a_end || b == b_end)
      rest(a, a_end, b, b_end);
    else if (std::uint64_t{a_end - a + 1} * (b_end - b + 1) <= kMaxCells)
      table(a, a_end, b, b_end);
    else
      by_anchors(a, a_end, b, b_end);
    for (std::uint32_t k = 0; k < tail; ++k) pair(a_end + k, b_end + k);
  }

  void table(std::uint32_t a, std::uint32_t a_end, std::uint32_t b, std::uint32_t b_end) {
    enum : std::uint8_t { TakeBoth, TakeA, TakeB };
    const std::size_t rows = a_end - a, columns = b_end - b;
    std::vector<std::uint8_t> way((rows + 1) * (columns + 1), TakeA);
    std::vector<int> below(columns + 1, 0), row(columns + 1, 0);
    for (std::size_t i = rows; i-- > 0;) {
      row[columns] = 0;
      for (std::size_t j = columns; j-- > 0;) {
        const int w = weight(a + static_cast<std::uint32_t>(i), b + static_cast<std::uint32_t>(j));
        int best = below[j];
        std::uint8_t taken = TakeA;
        if (row[j + 1] > best) best = row[j + 1], taken = TakeB;
        if (w > 0 && below[j + 1] + w >= best) best = below[j + 1] + w, taken = TakeBoth;
        row[j] = best;
        way[i * (columns + 1) + j] = taken;
      }
      std::swap(below, row);
    }
    std::size_t i = 0, j = 0;
    while (i < rows && j < columns) {
      const auto x = a + static_cast<std::uint32_t>(i), y = b + static_cast<std::uint32_t>(j);
      switch (way[i * (columns + 1) + j]) {
        case TakeBoth:
          pair(x, y);
          ++i, ++j;
          break;
        case TakeA:
          pairs_.push_back({PairKind::OnlyA, x, kNothing});
          ++i;
          break;
        default:
          pairs_.push_back({PairKind::OnlyB, kNothing, y});
          ++j;
          break;
      }
    }
    rest(a + static_cast<std::uint32_t>(i), a_end, b + static_cast<std::uint32_t>(j), b_end);
  }

  /// What stands once in both, in an order that both have, cuts long sequences.
  void by_anchors(std::uint32_t a, std::uint32_t a_end, std::uint32_t b, std::uint32_t b_end) {
    struct Seen {
      std::uint32_t in_a = 0, in_b = 0, at_a = 0, at_b = 0;
    };
    std::unordered_map<std::uint64_t, Seen> seen;
    for (std::uint32_t i = a; i < a_end; ++i) {
      Seen& s = seen[key(a_, a_.steps[i], true)];
      ++s.in_a, s.at_a = i;
    }
    for (std::uint32_t j = b; j < b_end; ++j) {
      Seen& s = seen[key(b_, b_.steps[j], false)];
      ++s.in_b, s.at_b = j;
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> once;
    for (const auto& [hash, s] : seen)
      if (s.in_a == 1 && s.in_b == 1 && equal(s.at_a, s.at_b)) once.emplace_back(s.at_a, s.at_b);
    std::ranges::sort(once);
    const auto chain = longest_rising(once);
    if (chain.empty()) return rest(a, a_end, b, b_end);
    for (const auto& [i, j] : chain) {
      block(a, i, b, j);
      pair(i, j);
      a = i + 1, b = j + 1;
    }
    block(a, a_end, b, b_end);
  }
  [[nodiscard]] std::uint64_t key(const Sequence& s, const Step& step, bool of_a) const {
    std::uint64_t hash = step.shape;
    if (known_ == nullptr) return hash;
    for (const Reference& r : s.of(step))
      hash = (hash ^ (of_a ? known_->partner(r.kind, r.id) : r.id)) * 1099511628211u;
    return hash;
  }
  static std::vector<std::pair<std::uint32_t, std::uint32_t>> longest_rising(
      const std::vector<std::pair<std::uint32_t, std::uint32_t>>& list) {
    std::vector<std::size_t> ends, before(list.size(), list.size());
    for (std::size_t k = 0; k < list.size(); ++k) {
      const auto at = std::ranges::lower_bound(ends, list[k].second, {}, [&](std::size_t e) { return list[e].second; });
      if (at != ends.begin()) before[k] = *std::prev(at);
      if (at == ends.end())
        ends.push_back(k);
      else
        *at = k;
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> chain;
    for (std::size_t k = ends.empty() ? list.size() : ends.back(); k != list.size(); k = before[k])
      chain.push_back(list[k]);
    std::ranges::reverse(chain);
    return chain;
  }

  const Sequence &a_, &b_;
  const Correspondence* known_;
  std::vector<StepPair> pairs_;
};

/// The partners that most pairs speak for.
Correspondence correspond(const Sequence& a, const Sequence& b, const std::vector<StepPair>& pairs) {
  struct Votes {
    std::uint64_t count = 0;
    std::size_t first = 0;
  };
  std::map<std::tuple<ReferenceKind, std::uint32_t, std::uint32_t>, Votes> votes;
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    const StepPair& p = pairs[n];
    if (p.a == kNothing || p.b == kNothing) continue;
    const Step &x = a.steps[p.a], &y = b.steps[p.b];
    const auto from = a.of(x), to = b.of(y);
    if (from.size() != to.size()) continue;
    const std::uint64_t weight = x.shape == y.shape                                         ? 4
                                 : x.instruction->description == y.instruction->description ? 2
                                                                                            : 1;
    for (std::size_t k = 0; k < from.size(); ++k) {
      if (from[k].kind != to[k].kind) continue;
      Votes& v = votes[{from[k].kind, from[k].id, to[k].id}];
      if (v.count == 0) v.first = n;
      v.count += weight;
    }
  }
  std::vector<std::pair<std::tuple<ReferenceKind, std::uint32_t, std::uint32_t>, Votes>> order(votes.begin(),
                                                                                               votes.end());
  std::ranges::sort(order, [](const auto& x, const auto& y) {
    return x.second.count != y.second.count   ? x.second.count > y.second.count
           : x.second.first != y.second.first ? x.second.first < y.second.first
                                              : x.first < y.first;
  });
  Correspondence known(a, b);
  for (const auto& [who, v] : order) (void)known.join(std::get<0>(who), std::get<1>(who), std::get<2>(who));
  return known;
}

}  // namespace

Correspondence::Correspondence(const Sequence& a, const Sequence& b) {
  const auto reserve = [](std::array<std::vector<std::uint32_t>, kReferenceKinds>& tables, const isa::Object& o) {
    const std::size_t sizes[] = {o.variables.size() + isa::kFirstVariable, o.addresses.size(), o.predicates.size() + 1,
                                 o.labels.size()};
    for (std::size_t k = 0; k < kReferenceKinds; ++k) tables[k].assign(sizes[k], kNothing);
  };
  reserve(to_b_, *a.object);
  reserve(to_a_, *b.object);
  // What comes in is known by its place.
  for (std::size_t k = 0; k < std::min(a.object->inputs.size(), b.object->inputs.size()); ++k) {
    const isa::Input &x = a.object->inputs[k], &y = b.object->inputs[k];
    if (x.kind() == isa::InputKind::General && y.kind() == isa::InputKind::General)
      (void)join(ReferenceKind::General, x.id, y.id);
  }
}

bool Correspondence::join(ReferenceKind kind, std::uint32_t a, std::uint32_t b) {
  auto& forth = to_b_[static_cast<std::size_t>(kind)];
  auto& back = to_a_[static_cast<std::size_t>(kind)];
  if (a >= forth.size() || b >= back.size() || forth[a] != kNothing || back[b] != kNothing) return false;
  forth[a] = b;
  back[b] = a;
  return true;
}

bool Alignment::same() const {
  return std::ranges::all_of(pairs, [](const StepPair& p) { return p.kind == PairKind::Same; });
}

Alignment align(const Sequence& a, const Sequence& b) {
  auto pairs = Aligner(a, b, nullptr).run();
  Correspondence known = correspond(a, b, pairs);
  for (int round = 0; round < 2; ++round) {
    pairs = Aligner(a, b, &known).run();
    known = correspond(a, b, pairs);
  }
  for (StepPair& p : pairs) {
    if (p.kind != PairKind::Same && p.kind != PairKind::Changed) continue;
    const Step &x = a.steps[p.a], &y = b.steps[p.b];
    const auto from = a.of(x), to = b.of(y);
    const bool equal =
        x.shape == y.shape && std::equal(from.begin(), from.end(), to.begin(), to.end(),
                                         [&](const Reference& r, const Reference& s) { return known.same(r, s); });
    p.kind = equal ? PairKind::Same : PairKind::Changed;
  }
  return {std::move(pairs), std::move(known)};
}

}  // namespace heddle::tools
