// SPDX-License-Identifier: MIT
// Rules: PRS-1.
#include "verify/pressure.hpp"

#include <algorithm>
#include <span>

#include "instructions/check.hpp"
#include "instructions/registry.hpp"
#include "verify/flow_graph.hpp"

namespace heddle::verify {
namespace {

using isa::OperandKind;

constexpr std::size_t kMaxWords = std::size_t{1} << 24;  ///< of the sets of all blocks together

using Set = std::vector<std::uint64_t>;

bool has(std::span<const std::uint64_t> set, std::uint32_t bit) { return (set[bit / 64] >> bit % 64 & 1u) != 0; }
void put(std::span<std::uint64_t> set, std::uint32_t bit, bool on) {
  const std::uint64_t one = std::uint64_t{1} << bit % 64;
  set[bit / 64] = on ? set[bit / 64] | one : set[bit / 64] & ~one;
}

/// Bytes of a variable that an operand touches. Address variables and predicates are touched as a whole: [0, 1).
struct Touch {
  std::uint32_t unit = 0;
  std::uint64_t begin = 0, end = 0;
  bool write = false;
  bool whole = false;  ///< a write that leaves no byte of the range as it was
  bool open = false;   ///< the message's own rule says where it ends
};

/// Variables cut where operands begin and end: what lies between two cuts is live or not as one.
class Pieces {
 public:
  Pieces(const isa::Object& object, unsigned grf_bytes);

  struct Use {
    std::uint32_t piece = 0;
    bool write = false, kills = false;
  };
  [[nodiscard]] std::span<const Use> uses(std::uint32_t instruction) const {
    return {uses_.data() + first_use_[instruction], first_use_[instruction + 1] - first_use_[instruction]};
  }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(bytes_.size()); }
  void add(Pressure::At& at, std::uint32_t piece, bool on) const {
    std::uint32_t& sum = bytes_[piece] != 0 ? at.bytes : piece < first_predicate_ ? at.addresses : at.predicates;
    const std::uint32_t amount = bytes_[piece] != 0 ? bytes_[piece] : 1;
    sum = on ? sum + amount : sum - amount;
  }
  [[nodiscard]] const std::vector<std::uint32_t>& inputs() const { return inputs_; }    ///< defined before the start
  [[nodiscard]] const std::vector<std::uint32_t>& outputs() const { return outputs_; }  ///< needed behind the end

 private:
  void touches(const isa::Instruction& instruction, std::vector<Touch>& list) const;
  void operand(const isa::Instruction& instruction, const isa::Slot& slot, const isa::Operand& o,
               std::vector<Touch>& list) const;
  [[nodiscard]] Touch general(const isa::Instruction& instruction, const isa::Slot& slot, const isa::Operand& o,
                              bool write) const;
  void find_escaping();
  void close_messages(std::vector<Touch>& all) const;
  void cut(const std::vector<Touch>& all);
  void find_ends();

  const isa::Object& object_;
  unsigned grf_;
  instructions::StorageTable storage_;
  const isa::InstructionDescription* select_;  ///< its predicate chooses, it leaves no lane out
  std::uint32_t generals_, addresses_;         ///< units: variables, address variables, predicates
  std::vector<std::uint32_t> escaping_;        ///< units whose address is taken
  std::vector<std::vector<std::uint64_t>> cuts_;
  std::vector<std::uint32_t> first_piece_, bytes_;
  std::uint32_t first_predicate_ = 0;
  std::vector<Use> uses_;
  std::vector<std::uint32_t> first_use_, inputs_, outputs_;
};

Pieces::Pieces(const isa::Object& object, unsigned grf_bytes)
    : object_(object),
      grf_(grf_bytes),
      storage_(object, grf_bytes),
      select_(instructions::registry().find_mnemonic("sel")),
      generals_(static_cast<std::uint32_t>(object.variables.size())),
      addresses_(static_cast<std::uint32_t>(object.addresses.size())) {
  find_escaping();
  std::vector<Touch> all, one;
  std::vector<std::size_t> first{0};
  for (const isa::Instruction& i : object.instructions) {
    one.clear();
    touches(i, one);
    all.insert(all.end(), one.begin(), one.end());
    first.push_back(all.size());
  }
  close_messages(all);
  cut(all);
  first_use_.push_back(0);
  for (std::size_t i = 0; i + 1 < first.size(); ++i) {
    for (std::size_t k = first[i]; k < first[i + 1]; ++k) {
      const Touch& t = all[k];
      const std::vector<std::uint64_t>& cuts = cuts_[t.unit];
      const auto begin = static_cast<std::uint32_t>(std::ranges::lower_bound(cuts, t.begin) - cuts.begin());
      for (std::uint32_t piece = begin; piece + 1 < cuts.size() && cuts[piece] < t.end; ++piece)
        uses_.push_back({first_piece_[t.unit] + piece, t.write, t.write && t.whole});
    }
    first_use_.push_back(static_cast<std::uint32_t>(uses_.size()));
  }
  find_ends();
}

void Pieces::find_escaping() {
  for (const isa::Operand& o : object_.operands) {
    if (o.kind != OperandKind::AddressOf) continue;
    const instructions::Storage& s = storage_[o.id];
    if (s.valid && s.root >= isa::kFirstVariable) escaping_.push_back(s.root - isa::kFirstVariable);
  }
  std::ranges::sort(escaping_);
  escaping_.erase(std::ranges::unique(escaping_).begin(), escaping_.end());
}

void Pieces::touches(const isa::Instruction& instruction, std::vector<Touch>& list) const {
  const isa::Traits& traits = instruction.description->traits;
  if (traits.lifetime == isa::Lifetime::Start)  // nothing of before is needed
    for (const isa::Operand& o : object_.operands_of(instruction))
      if (o.kind == OperandKind::General && storage_[o.id].valid && storage_[o.id].root >= isa::kFirstVariable)
        list.push_back({storage_[o.id].root - isa::kFirstVariable, storage_[o.id].root_offset,
                        storage_[o.id].root_offset + storage_[o.id].bytes, true, true, false});
  if (traits.flow == isa::FlowKind::Remark) return;
  if (instruction.predicate.present() && instruction.predicate.id() <= object_.predicates.size())
    list.push_back(
        {generals_ + addresses_ + instruction.predicate.id() - 1, 0, 1, traits.predicate_written, true, false});
  const std::span<const isa::Operand> operands = object_.operands_of(instruction);
  for (std::size_t k = 0; k < operands.size(); ++k)
    if (const isa::Slot* slot = instruction.description->slot_of(k);
        slot != nullptr && slot->kind != isa::SlotKind::Variable)
      operand(instruction, *slot, operands[k], list);
}

void Pieces::operand(const isa::Instruction& instruction, const isa::Slot& slot, const isa::Operand& o,
                     std::vector<Touch>& list) const {
  const bool reads = slot.access == isa::Access::Read || slot.access == isa::Access::ReadWrite;
  const bool writes = slot.access == isa::Access::Write || slot.access == isa::Access::ReadWrite;
  const bool unmasked = !instruction.predicate.present() || instruction.description == select_;
  const auto both = [&](std::uint32_t unit) {
    if (reads) list.push_back({unit, 0, 1, false, false, false});
    const std::uint32_t elements = object_.predicates[o.id - 1].elements;
    if (writes) list.push_back({unit, 0, 1, true, unmasked && instruction.exec.size() >= elements, false});
  };
  switch (o.kind) {
    case OperandKind::General:
    case OperandKind::Raw:
      if (const instructions::Storage& s = storage_[o.id]; s.valid && s.root >= isa::kFirstVariable && !o.is_null()) {
        if (reads) list.push_back(general(instruction, slot, o, false));
        if (writes) list.push_back(general(instruction, slot, o, true));
      }
      break;
    case OperandKind::Indirect:
      for (const std::uint32_t unit : escaping_) list.push_back({unit, 0, ~std::uint64_t{0}, writes, false, false});
      [[fallthrough]];
    case OperandKind::Address:
      if (o.id < addresses_) {
        if (o.kind == OperandKind::Indirect || reads) list.push_back({generals_ + o.id, 0, 1, false, false, false});
        if (o.kind == OperandKind::Address && writes)
          list.push_back({generals_ + o.id, 0, 1, true,
                          unmasked && (std::uint64_t{1} << o.col) >= object_.addresses[o.id].elements, false});
      }
      break;
    case OperandKind::Predicate:
      if (o.id >= 1 && o.id <= object_.predicates.size()) both(generals_ + addresses_ + o.id - 1);
      break;
    default:
      break;
  }
}

Touch Pieces::general(const isa::Instruction& instruction, const isa::Slot& slot, const isa::Operand& o,
                      bool write) const {
  const instructions::Storage& s = storage_[o.id];
  const unsigned size = isa::type_bytes(s.type);
  const std::uint64_t exec = instruction.description->has_exec ? instruction.exec.size() : 1;
  const bool unmasked = !instruction.predicate.present() || instruction.description == select_;
  Touch t;
  t.unit = s.root - isa::kFirstVariable;
  t.write = write;
  const std::uint64_t end = s.root_offset + s.bytes;
  if (o.kind == OperandKind::Raw || slot.extent.kind == isa::Extent::Kind::Any) {
    const std::int64_t offset =
        o.kind == OperandKind::Raw ? o.offset : std::int64_t{o.row} * grf_ + std::int64_t{o.col} * size;
    t.begin = s.root_offset + static_cast<std::uint64_t>(std::max<std::int64_t>(0, offset));
    t.end = o.kind == OperandKind::Raw ? s.root_bytes : end;
    t.open = write && o.kind == OperandKind::Raw;
    t.whole = write && unmasked;
  } else {
    t.begin = s.root_offset + std::uint64_t{o.row} * grf_ + std::uint64_t{o.col} * size;
    const std::uint64_t elements = slot.extent.kind == isa::Extent::Kind::Fixed ? slot.extent.count : exec;
    if (write) {
      const auto stride = static_cast<std::uint64_t>(std::max(1, o.region.h()));
      t.end = t.begin + ((elements - 1) * stride + 1) * size;
      t.whole = unmasked && (stride == 1 || elements == 1);
    } else {
      const auto step = [](int value) { return static_cast<std::uint64_t>(std::max(0, value)); };
      const std::uint64_t width = std::max<std::uint64_t>(1, step(o.region.w()));
      const std::uint64_t rows = (elements + width - 1) / width;
      t.end =
          t.begin + ((rows - 1) * step(o.region.v()) + (std::min(width, elements) - 1) * step(o.region.h()) + 1) * size;
    }
  }
  t.end = std::clamp(t.end, t.begin, std::max(t.begin, s.root_bytes));
  return t;
}

/// How much a message writes is its own rule: it is taken to fill its variable, up to where another message begins.
void Pieces::close_messages(std::vector<Touch>& all) const {
  std::vector<std::vector<std::uint64_t>> starts(generals_);
  for (const Touch& t : all)
    if (t.open) starts[t.unit].push_back(t.begin);
  for (std::vector<std::uint64_t>& list : starts) std::ranges::sort(list);
  for (Touch& t : all) {
    if (!t.open) continue;
    const auto next = std::ranges::upper_bound(starts[t.unit], t.begin);
    if (next != starts[t.unit].end()) t.end = std::min(t.end, *next);
  }
}

void Pieces::cut(const std::vector<Touch>& all) {
  const std::size_t units = generals_ + addresses_ + object_.predicates.size();
  cuts_.assign(units, {});
  for (const Touch& t : all) {
    const bool all_of_it = t.end == ~std::uint64_t{0};
    if (!all_of_it) cuts_[t.unit].insert(cuts_[t.unit].end(), {t.begin, t.end});
  }
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    std::vector<std::uint64_t>& cuts = cuts_[unit];
    if (unit < generals_) {
      const instructions::Storage& s = storage_[unit + isa::kFirstVariable];
      const bool input = s.valid && s.root == unit + isa::kFirstVariable;
      if (input && !cuts.empty()) cuts.insert(cuts.end(), {0, s.root_bytes});
    }
    std::ranges::sort(cuts);
    cuts.erase(std::ranges::unique(cuts).begin(), cuts.end());
    first_piece_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    if (unit == generals_ + addresses_) first_predicate_ = static_cast<std::uint32_t>(bytes_.size());
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k)
      bytes_.push_back(unit < generals_ ? static_cast<std::uint32_t>(cuts[k + 1] - cuts[k]) : 0);
  }
  if (object_.predicates.empty()) first_predicate_ = static_cast<std::uint32_t>(bytes_.size());
}

void Pieces::find_ends() {
  const auto pieces_of = [&](std::uint32_t variable, std::vector<std::uint32_t>& list) {
    const instructions::Storage& s = storage_[variable];
    if (!s.valid || s.root < isa::kFirstVariable) return;
    const std::uint32_t unit = s.root - isa::kFirstVariable;
    for (std::uint32_t k = 0; k + 1 < cuts_[unit].size(); ++k) list.push_back(first_piece_[unit] + k);
  };
  for (const isa::Input& i : object_.inputs)
    if (i.kind() == isa::InputKind::General) pieces_of(i.id, inputs_);
  for (std::uint32_t v = 0; v < generals_; ++v)
    for (const isa::Attribute& a : object_.variables[v].attributes) {
      if (a.name == "Input" || a.name == "Input_Output") pieces_of(v + isa::kFirstVariable, inputs_);
      if (a.name == "Output" || a.name == "Input_Output") pieces_of(v + isa::kFirstVariable, outputs_);
    }
}

/// Live pieces by paths backward, written ones by paths forward.
class Solver {
 public:
  Solver(const isa::Object& object, const Pieces& pieces)
      : pieces_(pieces), graph_(object), words_((pieces.count() + 63) / 64) {
    result_.behind.resize(object.instructions.size());
  }
  [[nodiscard]] bool too_large() const { return graph_.blocks().size() * words_ * 4 > kMaxWords; }

  Pressure run() {
    if (graph_.blocks().empty() || result_.behind.empty()) return std::move(result_);
    const std::size_t blocks = graph_.blocks().size();
    needed_.assign(blocks * words_, 0), killed_.assign(blocks * words_, 0);
    written_.assign(blocks * words_, 0), live_.assign(blocks * words_, 0);
    predecessors_.resize(blocks);
    for (std::uint32_t b = 0; b < blocks; ++b)
      for (const std::uint32_t s : graph_.successors(b)) predecessors_[s].push_back(b);
    for (std::uint32_t b = 0; b < blocks; ++b) summarize(b);
    backward();
    forward();
    for (std::uint32_t b = 0; b < blocks; ++b) count(b);
    result_.greatest = static_cast<std::uint32_t>(result_.behind.size());
    for (std::uint32_t i = 0; i < result_.behind.size(); ++i)
      if (result_.behind[i].bytes > result_.most().bytes) result_.greatest = i;
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::span<std::uint64_t> of(Set& sets, std::uint32_t block) const {
    return {sets.data() + block * words_, words_};
  }
  /// What the block needs from before it, and what it overwrites.
  void summarize(std::uint32_t block) {
    const auto needed = of(needed_, block), killed = of(killed_, block);
    const FlowGraph::BasicBlock range = graph_.blocks()[block];
    for (std::uint32_t i = range.end; i-- > range.first;) {
      for (const Pieces::Use& u : pieces_.uses(i))
        if (u.kills) put(needed, u.piece, false), put(killed, u.piece, true);
      for (const Pieces::Use& u : pieces_.uses(i))
        if (!u.write) put(needed, u.piece, true), put(killed, u.piece, false);
    }
  }
  [[nodiscard]] Set live_behind(std::uint32_t block) {
    Set out(words_, 0);
    for (const std::uint32_t s : graph_.successors(block)) {
      const auto in = of(live_, s);
      for (std::size_t w = 0; w < words_; ++w) out[w] |= in[w];
    }
    if (graph_.successors(block).empty())
      for (const std::uint32_t piece : pieces_.outputs()) put(out, piece, true);
    return out;
  }
  void backward() {
    const auto blocks = static_cast<std::uint32_t>(graph_.blocks().size());
    std::vector<std::uint32_t> work;
    std::vector<std::uint8_t> waits(blocks, 1);
    for (std::uint32_t b = 0; b < blocks; ++b) work.push_back(b);
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      waits[b] = 0;
      const Set out = live_behind(b);
      const auto in = of(live_, b), needed = of(needed_, b), killed = of(killed_, b);
      bool changed = false;
      for (std::size_t w = 0; w < words_; ++w) {
        const std::uint64_t now = needed[w] | (out[w] & ~killed[w]);
        changed = changed || now != in[w];
        in[w] = now;
      }
      if (!changed) continue;
      for (const std::uint32_t p : predecessors_[b])
        if (waits[p] == 0) waits[p] = 1, work.push_back(p);
    }
  }
  /// Pieces of which something may have been written where a block begins. What no path wrote holds nothing.
  void forward() {
    reached_.assign(graph_.blocks().size(), 0);
    reached_[0] = 1;
    for (const std::uint32_t piece : pieces_.inputs()) put(of(written_, 0), piece, true);
    std::vector<std::uint32_t> work{0};
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      Set out(of(written_, b).begin(), of(written_, b).end());
      const FlowGraph::BasicBlock range = graph_.blocks()[b];
      for (std::uint32_t i = range.first; i < range.end; ++i)
        for (const Pieces::Use& u : pieces_.uses(i))
          if (u.write) put(out, u.piece, true);
      for (const std::uint32_t s : graph_.successors(b)) {
        const auto in = of(written_, s);
        bool changed = reached_[s] == 0;
        for (std::size_t w = 0; w < words_; ++w) {
          changed = changed || (out[w] & ~in[w]) != 0;
          in[w] |= out[w];
        }
        reached_[s] = 1;
        if (changed) work.push_back(s);
      }
    }
  }
  void count(std::uint32_t block) {
    if (reached_[block] == 0) return;
    const FlowGraph::BasicBlock range = graph_.blocks()[block];
    const auto before = of(written_, block);
    // The first write of each piece in the block: in front of it only what came in counts.
    std::vector<std::uint32_t> first(pieces_.count(), kNowhere);
    for (std::uint32_t i = range.first; i < range.end; ++i)
      for (const Pieces::Use& u : pieces_.uses(i))
        if (u.write && first[u.piece] == kNowhere) first[u.piece] = i;
    const auto written = [&](std::uint32_t piece, std::uint32_t i) {
      return has(before, piece) || (first[piece] != kNowhere && first[piece] < i);
    };
    Set counted(words_, 0);
    std::vector<std::uint32_t> dead(pieces_.count(), kNowhere);
    Pressure::At now;
    const auto set = [&](std::uint32_t piece, bool on) {
      if (has(counted, piece) == on) return;
      put(counted, piece, on);
      pieces_.add(now, piece, on);
    };
    const Set out = live_behind(block);
    for (std::uint32_t p = 0; p < pieces_.count(); ++p)
      if (has(out, p) && written(p, range.end)) set(p, true);
    for (std::uint32_t i = range.end; i-- > range.first;) {
      result_.behind[i] = now;  // results that are never read stand in registers as well
      for (const Pieces::Use& u : pieces_.uses(i))
        if (u.write && !has(counted, u.piece) && dead[u.piece] != i && !is_remark(i))
          dead[u.piece] = i, pieces_.add(result_.behind[i], u.piece, true);
      for (const Pieces::Use& u : pieces_.uses(i))
        if (u.write && (u.kills || !written(u.piece, i))) set(u.piece, false);
      for (const Pieces::Use& u : pieces_.uses(i))
        if (!u.write && written(u.piece, i)) set(u.piece, true);
    }
    if (block == 0) result_.start = now;
  }
  [[nodiscard]] bool is_remark(std::uint32_t i) const { return graph_.kind(i) == isa::FlowKind::Remark; }

  const Pieces& pieces_;
  FlowGraph graph_;
  std::size_t words_;
  Pressure result_;
  Set needed_, killed_, written_, live_;  ///< by block
  std::vector<std::vector<std::uint32_t>> predecessors_;
  std::vector<std::uint8_t> reached_;
};

}  // namespace

base::Result<Pressure> find_pressure(const isa::Object& object, unsigned grf_bytes) {
  const Pieces pieces(object, grf_bytes);
  Solver solver(object, pieces);
  if (solver.too_large())
    return base::limit_error("limit-memory",
                             "the object has too many variables and labels for its live bytes to be followed");
  return solver.run();
}

}  // namespace heddle::verify
