// SPDX-License-Identifier: MIT
#include "engine/jit/analysis/choice_loops.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <string_view>

#include "instructions/jit_known_values.hpp"
#include "instructions/reference.hpp"

namespace heddle::engine::jit {
namespace {

using isa::OperandKind;
using machine::Decoded;
using machine::Operand;
using machine::Operands;

/// Compares a stretch of code with the loop's text, instruction by instruction.
class Matcher {
 public:
  Matcher(const machine::PreparedObject& object, const ControlFlowGraph& graph, unsigned simd,
          const SharesCalls& shares, std::uint32_t head)
      : object_(object), graph_(graph), simd_(simd), shares_(shares), at_(head) {}

  /// Up to the branch at `last`.
  std::optional<ChoiceLoop> match(std::uint32_t last) {
    if (!finds_first_lane() || !finds_first_element() || !compares() || !reads() || !closes(last)) return std::nullopt;
    return is_apart() ? std::optional(loop_) : std::nullopt;
  }

  /// Whatever stands between: the first lane of each round does not come back from the branch at `last`.
  bool lets_lanes_go(std::uint32_t last) {
    if (!finds_first_lane() || !finds_first_element() || !compares()) return false;
    const Decoded& back = object_.code[last];
    if (std::ranges::find(written_, elements_root_) != written_.end() || last <= loop_.leave || !leaves(back) ||
        back.mask_offset != 0)
      return false;
    for (std::uint32_t i = loop_.leave + 1; i < last; ++i)
      if (changes_choice(object_.code[i])) return false;
    // Lanes that wait for their round do nothing of this one.
    const std::uint32_t behind = graph_.nodes[loop_.leave].targets[0];
    if (behind <= loop_.leave || behind > last) return false;
    for (std::uint32_t i = behind; i < last; ++i)
      if (object_.code[i].execute != instructions::does_nothing) return false;
    return is_entered_at_head(last);
  }

 private:
  /// The next instruction, if it has this name, so many lanes and no predicate.
  const Decoded* take(std::string_view name, bool one_lane, bool predicate = false) {
    const auto& code = object_.code;
    if (!finds_next()) return nullptr;
    const Decoded& d = code[at_];
    const bool lanes = one_lane ? d.no_mask && d.lanes == 1 : d.lanes == simd_ && d.mask_offset == 0;
    if (d.description->mnemonic != name || !lanes || d.predicate.present() != predicate || d.saturate) return nullptr;
    loop_.steps.push_back(at_++);
    return &d;
  }
  /// Goes to the next instruction that does something. Fences do: they end what can be matched.
  bool finds_next() {
    const auto& code = object_.code;
    while (at_ < code.size() && code[at_].execute == instructions::does_nothing &&
           code[at_].description->traits.fence == isa::FenceKind::None)
      ++at_;
    return at_ < code.size();
  }
  [[nodiscard]] Operands operands(const Decoded& d) const { return {object_, d}; }

  /// Elements that lanes have one after another, in as many rows.
  struct Row {
    std::uint32_t root, base, size, rows = 1;
  };
  /// Whether what a lane finds in the one it has itself in the other, or nobody has anything of both.
  [[nodiscard]] bool by_lane(const Row& a, const Row& b) const {
    if (a.root != b.root) return true;
    const std::uint32_t of_a = simd_ * a.size, of_b = simd_ * b.size;
    if (a.base + a.rows * of_a <= b.base || b.base + b.rows * of_b <= a.base) return true;
    return a.size == b.size && (a.base < b.base ? b.base - a.base : a.base - b.base) % of_a == 0;
  }

  /// An unsigned dword for each lane, one after another; or one for all.
  static bool is_vector(const Operand& o) {
    return o.kind == OperandKind::General && !o.null && o.size == 4 && o.contiguous && !o.scalar && is_plain(o);
  }
  static bool is_plain(const Operand& o) { return o.modifier == isa::Modifier::None; }
  static bool is_word_at(const Operand& o, std::optional<std::uint32_t> base) {
    return o.kind == OperandKind::General && !o.null && o.size == 4 && is_plain(o) && base && o.base == *base;
  }
  static bool is_number(const Operand& o, std::uint64_t value) {
    return o.kind == OperandKind::Immediate && (o.value & 0xffffffffu) == value && is_plain(o);
  }
  /// Where the instruction writes one dword.
  std::optional<std::uint32_t> writes_word(const Decoded& d) {
    const Operand& to = operands(d).destination();
    if (to.kind != OperandKind::General || to.null || to.size != 4) return std::nullopt;
    written_.push_back(to.root_begin);
    return to.base;
  }

  /// The number of the first lane that runs.
  bool finds_first_lane() {
    const Decoded* const vote = take("mov", false);
    if (vote == nullptr || !is_vector(operands(*vote).destination()) || !is_number(operands(*vote).source(0), ~0u))
      return false;
    loop_.vote = loop_.steps.back();
    const Operand& votes = operands(*vote).destination();
    written_.push_back(votes.root_begin);
    const Decoded* const clear = take("setp", false);
    if (clear == nullptr || !clear->no_mask || !is_number(operands(*clear).source(0), 0)) return false;
    const Operand* const ballot = operands(*clear).of_kind(OperandKind::Predicate);
    const Decoded* const set = take("cmp", false);
    if (set == nullptr || set->no_mask || ballot == nullptr || operands(*set).integer(0) != kNotEqual) return false;
    const Operand* const set_in = operands(*set).of_kind(OperandKind::Predicate);
    if (set_in == nullptr || set_in->id != ballot->id || !is_vector(operands(*set).source(0)) ||
        operands(*set).source(0).base != votes.base || !is_number(operands(*set).source(1), 0))
      return false;
    ballot_ = ballot->id;
    const Decoded* const bits = take("mov", true);
    if (bits == nullptr) return false;
    const Operand* const from = operands(*bits).of_kind(OperandKind::Predicate);
    if (from == nullptr || from->id != ballot_) return false;
    const auto word = writes_word(*bits);
    const Decoded* const find = take("fbl", true);
    if (find == nullptr || !is_word_at(operands(*find).source(0), word)) return false;
    first_ = writes_word(*find);
    return true;
  }

  /// The element of that lane.
  bool finds_first_element() {
    const Decoded* const shift = take("shl", true);
    if (shift == nullptr || !is_word_at(operands(*shift).source(0), first_) ||
        !is_number(operands(*shift).source(1), 2))
      return false;
    const auto bytes = writes_word(*shift);
    const Decoded* const sum = take("addr_add", true);
    if (sum == nullptr || !bytes) return false;
    const Operand *const to = operands(*sum).of_kind(OperandKind::Address), *const of = operands(*sum).of_kind(
                                                                                OperandKind::AddressOf);
    const Operand& half = operands(*sum).source(1);
    if (to == nullptr || of == nullptr || half.kind != OperandKind::General || half.size != 2 || half.base != *bytes ||
        !is_plain(half))
      return false;
    elements_ = of->base;
    const Decoded* const read = take("mov", true);
    if (read == nullptr) return false;
    const Operand& from = operands(*read).source(0);
    if (from.kind != OperandKind::Indirect || from.id != to->id || from.element != to->element || from.offset != 0 ||
        from.size != 4 || !is_plain(from))
      return false;
    element_ = writes_word(*read);
    return true;
  }

  bool compares() {
    const Decoded* const compare = take("cmp", false);
    if (compare == nullptr || compare->no_mask || operands(*compare).integer(0) != kNotEqual) return false;
    loop_.compare = loop_.steps.back();
    const Operand* const to = operands(*compare).of_kind(OperandKind::Predicate);
    const Operand &each = operands(*compare).source(0), &one = operands(*compare).source(1);
    if (to == nullptr || to->id == ballot_ || !is_vector(each) || each.base != elements_ ||
        !is_word_at(one, element_) || !one.scalar)
      return false;
    others_ = to->id;
    elements_root_ = each.root_begin;
    const Decoded* const leave = take("goto", false, true);
    if (leave == nullptr || !leaves(*leave)) return false;
    loop_.leave = loop_.steps.back();
    return true;
  }
  [[nodiscard]] bool leaves(const Decoded& d) const {
    return !d.no_mask && d.predicate.id() == others_ && !d.predicate.inverse();
  }

  /// One message or more, each behind its handle; between them, what lanes compute for themselves (places).
  bool reads() {
    for (bool more = true; more;) {
      if (takes_lane_step()) continue;
      more = reads_once();
    }
    return sound_ && !loop_.reads.empty();
  }

  /// Whether the next instruction gives each lane a value made of its own ones; it is then one of the loop.
  bool takes_lane_step() {
    static constexpr std::array<std::string_view, 7> kNames = {"mov", "add", "mul", "and", "or", "shl", "shr"};
    const auto& code = object_.code;
    if (!finds_next() || code[at_].no_mask || code[at_].lanes != simd_) return false;
    const Decoded& d = code[at_];
    if (std::ranges::find(kNames, d.description->mnemonic) == kNames.end() || d.destination < 0) return false;
    const Operand& to = operands(d).destination();
    if (to.kind != OperandKind::General || to.null || !to.contiguous || to.scalar) return false;
    for (unsigned k = 0; k < d.sources.size() && operands(d).has_source(k); ++k) {
      const Operand& from = operands(d).source(k);
      if (from.kind == OperandKind::Immediate) continue;
      if (from.kind != OperandKind::General || !from.contiguous || from.scalar) return false;
      read_.push_back({from.root_begin, from.base, from.size});
    }
    if (take(d.description->mnemonic, false) == nullptr) return false;
    made_.push_back({to.root_begin, to.base, to.size});
    loop_.lanes.push_back(loop_.steps.back());
    return true;
  }

  /// What the round's handles are made of and where they go.
  struct Name {
    const Operand* state = nullptr;
    std::uint32_t first_handle = 0;
  };
  /// The handles of the round's element, in surface and sampler variables, and steps of lanes between them; nothing
  /// where that is not all.
  std::optional<std::vector<Name>> names() {
    std::map<std::optional<std::uint32_t>, std::uint32_t> handles{{element_, 0}};
    const auto next = [this](std::string_view name) {
      const Decoded* one = take(name, true);
      while (one == nullptr && takes_lane_step()) one = take(name, true);
      return one;
    };
    while (const Decoded* const sum = next("add")) {
      const Operand& number = operands(*sum).source(1);
      if (!is_word_at(operands(*sum).source(0), element_) || number.kind != OperandKind::Immediate) return std::nullopt;
      handles[writes_word(*sum)] = static_cast<std::uint32_t>(number.value);
    }
    std::vector<Name> all;
    while (const Decoded* const move = next("movs")) {
      const Operand &to = operands(*move).destination(), &from = operands(*move).source(0);
      const auto handle = std::ranges::find_if(handles, [&](const auto& h) { return is_word_at(from, h.first); });
      if (handle == handles.end() || to.kind != OperandKind::State) return std::nullopt;
      all.push_back({&to, handle->second});
    }
    return all;
  }
  /// The first handle of a message's surface or sampler. Null: the message has none of this kind, or it is no handle.
  std::optional<std::uint32_t> first_handle(const std::vector<Name>& names, const Operand* of, bool& good) {
    if (of == nullptr || !instructions::is_handle(*of)) return std::nullopt;
    const auto state = of->kind == OperandKind::Surface ? isa::StateClass::Surface : isa::StateClass::Sampler;
    for (const Name& name : std::views::reverse(names))  // the last one that was set
      if (name.state->source->state == state && name.state->id == of->id && name.state->element == of->element)
        return name.first_handle;
    good = false;
    return std::nullopt;
  }

  /// Whether handles and a message follow; sound_ is false where only a part of them does.
  bool reads_once() {
    const std::size_t before = loop_.steps.size();
    const auto named = names();
    if (named && !named->empty() && !loop_.image && (reads_buffer(*named) || reads_image(*named))) return true;
    sound_ = sound_ && loop_.steps.size() == before;
    return false;
  }
  void add_read() {
    loop_.reads.push_back(loop_.steps.back());
    loop_.lanes.push_back(loop_.steps.back());
  }
  void add_result(const Operand& to) {
    constexpr std::uint32_t kMaxRows = 4;  // channels, or elements of a block
    results_.push_back(to.root_begin);
    made_.push_back({to.root_begin, to.base, 4, kMaxRows});
  }

  bool reads_buffer(const std::vector<Name>& names) {
    const Decoded* read = take("gather4_scaled", false);
    if (read == nullptr) read = take("gather_scaled", false);
    if (read == nullptr || read->no_mask) return false;
    const Operand *const surface = operands(*read).of_kind(OperandKind::Surface),
                         *const places = operands(*read).named("offsets"),
                         *const start = operands(*read).named("offset"), *const to = operands(*read).named("dst");
    bool good = true;
    const auto first = first_handle(names, surface, good);
    if (!good || !first || (!loop_.reads.empty() && loop_.first_surface != first) || places == nullptr ||
        places->kind != OperandKind::Raw || to == nullptr || to->kind != OperandKind::Raw || to->null ||
        (start != nullptr && start->kind != OperandKind::Immediate))
      return false;
    loop_.first_surface = first;
    add_read();
    places_.push_back(places->root_begin);
    read_.push_back({places->root_begin, places->base, 4});
    add_result(*to);
    return true;
  }

  /// A message to the texture unit. Lanes may have to go one by one after some were done: what they computed for
  /// themselves before must come out the same once more.
  bool reads_image(const std::vector<Name>& names) {
    const auto keeps = [&](std::uint32_t root) {
      return std::ranges::none_of(read_, [&](const Row& read) { return read.root == root; });
    };
    if (!loop_.reads.empty() || !finds_next() || !shares_(at_) ||
        !std::ranges::all_of(made_, [&](const Row& made) { return keeps(made.root); }))
      return false;
    const Decoded* const read = take(object_.code[at_].description->mnemonic, false);
    if (read == nullptr || read->no_mask || operands(*read).integer("null_mask") != 0) return false;
    const Operand* const to = operands(*read).named("dst");
    if (to == nullptr || to->kind != OperandKind::Raw || to->null || to->size != 4 || !keeps(to->root_begin))
      return false;
    bool good = true;
    loop_.first_surface = first_handle(names, operands(*read).of_kind(OperandKind::Surface), good);
    loop_.first_sampler = first_handle(names, operands(*read).of_kind(OperandKind::Sampler), good);
    for (unsigned o = 0; o < read->operand_count && good; ++o) {
      const Operand& one = operands(*read).operand(o);
      if (&one == to || one.null || one.kind != OperandKind::Raw) continue;
      places_.push_back(one.root_begin);
      read_.push_back({one.root_begin, one.base, one.size});
    }
    loop_.image = true;
    add_read();
    add_result(*to);
    return good && (loop_.first_surface || loop_.first_sampler);
  }

  /// Nobody else comes into the middle of it.
  bool closes(std::uint32_t last) {
    const std::uint32_t read = loop_.steps.back();
    const Decoded* const back = take("goto", false, true);
    if (back == nullptr || loop_.steps.back() != last || !leaves(*back)) return false;
    const std::uint32_t head = graph_.nodes[last].targets[0], behind = graph_.nodes[loop_.leave].targets[0];
    if (behind <= read || behind > last) return false;
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (graph_.nodes[i].routine == 0xffffffffu || !graph_.nodes[i].moves()) continue;  // labels name themselves
      for (const std::uint32_t target : graph_.nodes[i].targets)
        if (target > head && target <= last && i != loop_.leave) return false;
    }
    return std::ranges::none_of(graph_.entries, [&](std::uint32_t e) { return e > head && e <= last; }) &&
           !graph_.nodes[loop_.leave].over_branch && !graph_.nodes[last].over_branch;
  }

  /// Whether the instruction may write the lanes' elements, or who of them is left.
  [[nodiscard]] bool changes_choice(const Decoded& d) const {
    for (unsigned o = 0; o < d.operand_count; ++o) {
      const Operand& operand = object_.operands[d.first_operand + o];
      if (operand.kind == OperandKind::Predicate && operand.id == others_) return true;
      if (operand.kind == OperandKind::Raw && !operand.null && operand.root_begin == elements_root_) return true;
    }
    if (d.destination < 0) return false;
    const Operand& to = operands(d).destination();
    return to.kind == OperandKind::Indirect ||
           (to.kind == OperandKind::General && !to.null && to.root_begin == elements_root_);
  }

  /// Whoever is between the head and `last` came through the head.
  [[nodiscard]] bool is_entered_at_head(std::uint32_t last) const {
    const std::uint32_t head = graph_.nodes[last].targets[0];
    const auto inside = [&](std::uint32_t at) { return at > head && at <= last; };
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const FlowNode& node = graph_.nodes[i];
      if (node.routine == 0xffffffffu || !node.moves()) continue;
      if (i >= head && i <= last ? node.kind == isa::FlowKind::Call : std::ranges::any_of(node.targets, inside))
        return false;
    }
    return std::ranges::none_of(graph_.entries, inside);
  }

  /// What rounds write, no later round reads, but for what a lane made for itself.
  [[nodiscard]] bool is_apart() const {
    const auto has = [](const std::vector<std::uint32_t>& roots, std::uint32_t root) {
      return std::ranges::find(roots, root) != roots.end();
    };
    const auto apart = [&](const Row& row) { return !has(written_, row.root); };
    return !has(written_, elements_root_) && std::ranges::all_of(read_, apart) && std::ranges::all_of(made_, apart) &&
           std::ranges::none_of(made_, [&](const Row& made) { return made.root == elements_root_; }) &&
           std::ranges::none_of(results_, [&](std::uint32_t root) { return has(places_, root); }) &&
           std::ranges::all_of(made_, [&](const Row& made) {
             const auto fits = [&](const Row& other) { return by_lane(made, other); };
             return std::ranges::all_of(read_, fits) && std::ranges::all_of(made_, fits);
           });
  }

  static constexpr std::uint64_t kNotEqual = 1;
  const machine::PreparedObject& object_;
  const ControlFlowGraph& graph_;
  const unsigned simd_;
  const SharesCalls& shares_;
  std::uint32_t at_;
  ChoiceLoop loop_;
  std::uint32_t ballot_ = 0, others_ = 0, elements_ = 0;
  std::uint32_t elements_root_ = 0;
  std::vector<Row> read_, made_;                 ///< by lane steps, messages among them
  std::vector<std::uint32_t> places_, results_;  ///< variables of messages
  bool sound_ = true;
  std::optional<std::uint32_t> first_, element_;
  std::vector<std::uint32_t> written_;  ///< variables of a round
};

/// Whether the branch at `back` closes a loop over choices.
bool lets_lanes_go(const machine::PreparedObject& object, const ControlFlowGraph& graph, std::uint32_t back) {
  const FlowNode& node = graph.nodes[back];
  if (node.kind != isa::FlowKind::Goto || node.uniform || node.targets[0] >= back) return false;
  static const SharesCalls kNone = [](std::uint32_t) { return false; };
  return Matcher(object, graph, object.code[back].lanes, kNone, node.targets[0]).lets_lanes_go(back);
}

bool goes_back(const FlowNode& node, std::uint32_t at) {
  return node.routine != 0xffffffffu && node.moves() && node.kind != isa::FlowKind::Call &&
         std::ranges::any_of(node.targets, [&](std::uint32_t target) { return target <= at; });
}

}  // namespace

std::uint32_t last_branch_back(const machine::PreparedObject& object, const ControlFlowGraph& graph) {
  std::vector<std::uint32_t> passed;  // branches that close loops over choices
  for (auto at = static_cast<std::uint32_t>(graph.nodes.size()); at-- > 0;) {
    if (!goes_back(graph.nodes[at], at)) continue;
    if (lets_lanes_go(object, graph, at)) {
      passed.push_back(at);
      continue;
    }
    // A loop inside of one over choices comes again in its next round.
    for (const std::uint32_t outer : passed)
      if (graph.nodes[outer].targets[0] <= at) return outer;
    return at;
  }
  return 0;
}

ChoiceLoops find_choice_loops(const machine::PreparedObject& object, const ControlFlowGraph& graph, unsigned simd,
                              const SharesCalls& shares) {
  ChoiceLoops loops;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const FlowNode& s = graph.nodes[i];
    if (s.routine == 0xffffffffu || s.kind != isa::FlowKind::Goto || s.uniform || s.targets[0] >= i) continue;
    if (const auto loop = Matcher(object, graph, simd, shares, s.targets[0]).match(i))
      loops.emplace(s.targets[0], *loop);
  }
  return loops;
}

}  // namespace heddle::engine::jit
