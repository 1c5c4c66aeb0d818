// SPDX-License-Identifier: MIT
// Rules: DIF-2.
#include "tools/diff/first_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "machine/thread.hpp"
#include "pipeline/observers.hpp"

namespace heddle::tools {
namespace {

constexpr std::uint64_t kWindow = 1024;  ///< instructions that are looked at one by one

struct ThreadName {
  std::array<std::uint32_t, 3> group{};
  std::uint32_t thread = 0;
  const isa::Object* kernel = nullptr;
  auto operator<=>(const ThreadName&) const = default;
};

/// What a thread does before another one runs.
struct Stretch {
  ThreadName who;
  std::uint32_t number = 0;  ///< of the thread's own stretches
  std::uint64_t hash = 14695981039346656037u, count = 0;
  std::vector<std::uint64_t> windows;  ///< the hash at the end of each whole window
};

struct Value {
  std::uint64_t bits = 0;
  isa::Type type = isa::Type::UD;
  std::uint32_t lane = ~0u;      ///< none: a predicate's name and byte offsets say it
  std::uint32_t variable = ~0u;  ///< raw results: whose
  std::uint32_t offset = 0;
  bool predicate = false;
};

struct Event {
  std::uint32_t number = 0, lanes = 0;
  const isa::Object* object = nullptr;
  const isa::Instruction* instruction = nullptr;
  std::vector<Value> values;
  std::vector<std::optional<std::array<std::uint32_t, 2>>> pixels;  ///< by lane
};

/// Which stretch, and from which of its instructions on.
struct StretchStart {
  ThreadName who;
  std::uint32_t number = 0;
  std::uint64_t from = 0;
};

void mix(std::uint64_t& hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  hash *= 1099511628211u;
}

class Recorder final : public machine::Observer {
 public:
  explicit Recorder(const PairNumbers& numbers, std::optional<StretchStart> wanted = {})
      : numbers_(numbers), wanted_(std::move(wanted)) {}

  void raw_result(const machine::Thread& thread, const machine::Decoded&, const machine::Operand& operand,
                  std::uint32_t at, std::uint32_t size) override {
    if (&thread != raw_of_) raws_.clear();
    raw_of_ = &thread;
    raws_.push_back({operand.base + at, size, operand.id, operand.root_begin});
  }
  void instruction(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes) override {
    const auto raws = raw_of_ == &thread ? std::exchange(raws_, {}) : std::vector<Raw>();
    raw_of_ = nullptr;
    const auto number = numbers_.find(d.instruction);
    if (number == numbers_.end()) return;
    Stretch& stretch = stretch_of(thread);
    const bool shown = wanted_ && wanted_->who == stretch.who && wanted_->number == stretch.number;
    if (wanted_ && (!shown || stretch.count < wanted_->from || stretch.count >= wanted_->from + kWindow)) {
      ++stretch.count;
      return;
    }
    values_.clear();
    gather(thread, d, lanes, raws);
    ++stretch.count;
    if (shown) {
      Event event{number->second, lanes, pipeline::object_of(thread, d).object, d.instruction, values_, {}};
      for (std::uint32_t lane = 0; lane < 32; ++lane) event.pixels.push_back(pipeline::pixel_of(thread, lane));
      events.push_back(std::move(event));
      return;
    }
    mix(stretch.hash, number->second);
    mix(stretch.hash, lanes);
    for (const Value& v : values_) mix(stretch.hash, v.bits), mix(stretch.hash, v.offset << 6 | v.lane);
    if (stretch.count % kWindow == 0) stretch.windows.push_back(stretch.hash);
  }
  [[nodiscard]] bool wants_memory() const override { return false; }
  [[nodiscard]] bool wants_texels() const override { return false; }
  [[nodiscard]] bool wants_raw_results() const override { return true; }

  std::vector<Stretch> stretches;
  std::vector<Event> events;  ///< of the wanted window

 private:
  struct Raw {
    std::uint32_t begin = 0, bytes = 0, variable = 0, from = 0;
  };

  Stretch& stretch_of(const machine::Thread& thread) {
    const machine::ThreadStart& start = thread.setup();
    // The kernel is what the thread began with, whichever function it is in; both runs have a kernel of their own.
    const ThreadName who{start.group_id, start.thread, nullptr};
    if (stretches.empty() || &thread != running_ || stretches.back().who != who) {
      running_ = &thread;
      stretches.push_back({who, counts_[who]++, 14695981039346656037u, 0, {}});
    }
    return stretches.back();
  }

  void gather(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes,
              const std::vector<Raw>& raws) {
    const machine::PreparedObject& object = pipeline::object_of(thread, d);
    if (&object != &thread.object()) return;  // a call or a return: the registers are another activation's
    const machine::Registers& registers = thread.registers();
    for (unsigned k = 0; k < d.operand_count; ++k) {
      const isa::Slot* slot = d.description->slot_of(k);
      const machine::Operand& o = object.operands[d.first_operand + k];
      if (slot == nullptr || o.null || (slot->access != isa::Access::Write && slot->access != isa::Access::ReadWrite))
        continue;
      if (o.kind == isa::OperandKind::General && o.in_bounds) {
        for (unsigned lane = 0; lane < d.lanes; ++lane)
          if ((lanes >> (lane + d.mask_offset) & 1u) != 0)
            values_.push_back({registers.load(o.base + o.lane[lane], o.size), o.type, lane + d.mask_offset});
      } else if (o.kind == isa::OperandKind::Predicate) {
        for (unsigned lane = 0; lane < 32; ++lane)
          if ((lanes >> lane & 1u) != 0)
            values_.push_back({registers.predicate(o.id) >> lane & 1u, isa::Type::UD, lane, ~0u, 0, true});
      }
    }
    for (const Raw& raw : raws) bytes(thread, raw.begin, raw.bytes, raw.variable, raw.from);
    if (!values_.empty() || !raws.empty()) return;
    // What leaves nothing in registers (a store) is known by what it was given.
    for (unsigned k = 0; k < d.operand_count; ++k) {
      const machine::Operand& o = object.operands[d.first_operand + k];
      if (o.kind != isa::OperandKind::Raw || o.null) continue;
      constexpr std::uint32_t kMax = 256;
      bytes(thread, o.base, std::min(kMax, o.root_end > o.base ? o.root_end - o.base : 0), o.id, o.root_begin);
    }
  }
  void bytes(const machine::Thread& thread, std::uint32_t begin, std::uint32_t count, std::uint32_t variable,
             std::uint32_t from) {
    const auto info =
        isa::variable_info(*thread.object().object, variable, isa::platform_info(thread.code().platform).grf_bytes);
    const isa::Type type = info ? info->type : isa::Type::UD;
    std::uint32_t size = isa::type_bytes(type);
    const bool odd = count % size != 0;
    if (odd) size = 1;
    for (std::uint32_t at = begin; at + size <= begin + count; at += size)
      if (thread.registers().defined(at, size))
        values_.push_back({thread.registers().load(at, size), odd ? isa::Type::UB : type, ~0u, variable, at - from});
  }

  const PairNumbers& numbers_;
  std::optional<StretchStart> wanted_;
  const machine::Thread* running_ = nullptr;
  std::map<ThreadName, std::uint32_t> counts_;
  const machine::Thread* raw_of_ = nullptr;
  std::vector<Raw> raws_;
  std::vector<Value> values_;
};

/// The first stretch of A that B did otherwise.
std::optional<StretchStart> first_stretch(const Recorder& a, const Recorder& b) {
  std::map<std::pair<ThreadName, std::uint32_t>, const Stretch*> of_b;
  for (const Stretch& s : b.stretches) of_b[{s.who, s.number}] = &s;
  for (const Stretch& s : a.stretches) {
    const auto found = of_b.find({s.who, s.number});
    if (found == of_b.end()) return StretchStart{s.who, s.number, 0};
    const Stretch& other = *found->second;
    if (s.hash == other.hash && s.count == other.count) continue;
    std::size_t window = 0;
    while (window < std::min(s.windows.size(), other.windows.size()) && s.windows[window] == other.windows[window])
      ++window;
    return StretchStart{s.who, s.number, window * kWindow};
  }
  if (b.stretches.size() > a.stretches.size())
    return StretchStart{b.stretches[a.stretches.size()].who, b.stretches[a.stretches.size()].number, 0};
  return std::nullopt;
}

std::string shown(const Value& v) {
  if (v.predicate) return v.bits != 0 ? "true" : "false";
  const std::string text = pipeline::value_text(v.bits, v.type);
  const bool is_float = v.type == isa::Type::F || v.type == isa::Type::HF || v.type == isa::Type::DF;
  return is_float ? fmt::format("{} (0x{:0{}x})", text, v.bits, 2 * isa::type_bytes(v.type)) : text;
}

void compare(const Event& x, const Event& y, FirstDifference& d) {
  if (x.lanes != y.lanes) {
    d.what = FirstDifference::What::Lanes;
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(x.lanes ^ y.lanes));
    d.lane = lane;
    d.pixel = x.pixels[lane];
    return;
  }
  for (std::size_t k = 0; k < std::max(x.values.size(), y.values.size()); ++k) {
    const Value* p = k < x.values.size() ? &x.values[k] : nullptr;
    const Value* q = k < y.values.size() ? &y.values[k] : nullptr;
    if (p != nullptr && q != nullptr && p->bits == q->bits && p->offset == q->offset && p->lane == q->lane) continue;
    const Value& one = p != nullptr ? *p : *q;
    if (one.lane != ~0u) {
      d.lane = one.lane;
      d.pixel = x.pixels[one.lane % 32];
    } else {
      d.part = fmt::format("byte {} of {}", one.offset,
                           isa::variable_info(p != nullptr ? *x.object : *y.object, one.variable, 32)
                               .value_or(isa::VariableInfo{isa::Type::UD, 0, 0, 0, 0, 0, "its variable"})
                               .name);
    }
    d.a.value = p != nullptr ? shown(*p) : "nothing";
    d.b.value = q != nullptr ? shown(*q) : "nothing";
    return;
  }
}

}  // namespace

std::optional<FirstDifference> find_first_difference(const ObservedRun& a, const PairNumbers& numbers_a,
                                                     const ObservedRun& b, const PairNumbers& numbers_b, bool& failed) {
  Recorder first_a(numbers_a), first_b(numbers_b);
  const bool ran_a = a(first_a), ran_b = b(first_b);
  failed = !ran_a || !ran_b;
  if (failed) return std::nullopt;
  const auto wanted = first_stretch(first_a, first_b);
  if (!wanted) return std::nullopt;
  Recorder again_a(numbers_a, wanted), again_b(numbers_b, wanted);
  failed = !a(again_a) || !b(again_b);
  if (failed) return std::nullopt;
  FirstDifference d;
  d.group = wanted->who.group;
  d.thread = wanted->who.thread;
  const std::vector<Event>&x = again_a.events, &y = again_b.events;
  const auto fill = [](Executed& to, const std::vector<Event>& list, std::size_t k) {
    if (k >= list.size()) return;
    to.object = list[k].object;
    to.instruction = list[k].instruction;
    to.lanes = list[k].lanes;
  };
  const auto equal = [](const Event& p, const Event& q) {
    return p.number == q.number && p.lanes == q.lanes &&
           std::equal(p.values.begin(), p.values.end(), q.values.begin(), q.values.end(),
                      [](const Value& v, const Value& w) {
                        return v.bits == w.bits && v.offset == w.offset && v.lane == w.lane;
                      });
  };
  std::size_t k = 0;
  while (k < x.size() && k < y.size() && equal(x[k], y[k])) ++k;
  fill(d.a, x, k);
  fill(d.b, y, k);
  if (k >= x.size() || k >= y.size() || x[k].number != y[k].number)
    d.what = FirstDifference::What::Way;
  else
    compare(x[k], y[k], d);
  return d;
}

}  // namespace heddle::tools
