// SPDX-License-Identifier: MIT
// Rules: DIF-1.
#include "tools/diff/sequence.hpp"

#include "instructions/check.hpp"
#include "isa/description.hpp"

namespace heddle::tools {
namespace {

using isa::OperandKind;

/// FNV-1a over numbers.
struct Hash {
  std::uint64_t value = 14695981039346656037u;
  void add(std::uint64_t number) {
    for (unsigned byte = 0; byte < 8; ++byte) {
      value ^= number >> (8 * byte) & 0xffu;
      value *= 1099511628211u;
    }
  }
  void add(std::string_view text) {
    for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
    add(text.size());
  }
};

class Builder {
 public:
  Builder(const isa::Program& program, const isa::Object& object, unsigned grf_bytes)
      : object_(object), grf_(grf_bytes), storage_(object, grf_bytes) {
    result_.program = &program;
    result_.object = &object;
  }

  Sequence run() {
    std::vector<bool> entered(object_.labels.size(), false);
    for (const isa::Instruction& i : object_.instructions)
      if (i.description->traits.flow != isa::FlowKind::Label)
        for (const isa::Operand& o : object_.operands_of(i))
          if (o.kind == OperandKind::Label && o.id < entered.size()) entered[o.id] = true;
    for (const isa::Instruction& i : object_.instructions) {
      const isa::FlowKind flow = i.description->traits.flow;
      if (flow == isa::FlowKind::Remark) continue;
      const std::span<const isa::Operand> operands = object_.operands_of(i);
      const bool label = flow == isa::FlowKind::Label && !operands.empty();
      if (label && (operands[0].id >= entered.size() || !entered[operands[0].id])) continue;
      step(i);
    }
    return std::move(result_);
  }

 private:
  void step(const isa::Instruction& i) {
    Step step{&i, 0, static_cast<std::uint32_t>(result_.references.size()), 0};
    Hash hash;
    hash.add(i.description->index);
    hash.add(i.description->has_exec ? i.exec.bits : 0);
    hash.add(i.predicate.present() ? 4u + i.predicate.combine() * 2 + (i.predicate.inverse() ? 1 : 0) : 0);
    if (i.predicate.present()) add(ReferenceKind::Predicate, i.predicate.id(), false);
    const std::span<const isa::Operand> operands = object_.operands_of(i);
    hash.add(operands.size());
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const isa::Slot* slot = i.description->slot_of(k);
      operand(hash, operands[k],
              slot != nullptr && (slot->access == isa::Access::Write || slot->access == isa::Access::ReadWrite));
    }
    step.shape = hash.value;
    step.count = static_cast<std::uint32_t>(result_.references.size()) - step.first;
    result_.steps.push_back(step);
  }

  void add(ReferenceKind kind, std::uint32_t id, bool written) { result_.references.push_back({kind, id, written}); }

  /// The bytes of a general variable, aliases followed: how they are spelled does not matter.
  void general(Hash& hash, const isa::Operand& o, std::int64_t offset, bool written) {
    const instructions::Storage& s = storage_[o.id];
    hash.add(static_cast<std::uint64_t>(s.type));
    hash.add(static_cast<std::uint64_t>(offset + static_cast<std::int64_t>(s.root_offset)));
    if (!s.valid || s.root < isa::kFirstVariable)
      hash.add(1000 + (s.valid ? s.root : o.id));
    else
      add(ReferenceKind::General, s.root, written);
  }

  void operand(Hash& hash, const isa::Operand& o, bool written) {
    hash.add(static_cast<std::uint64_t>(o.kind) << 8 | static_cast<std::uint64_t>(o.modifier));
    const unsigned size = o.kind == OperandKind::General ? isa::type_bytes(storage_[o.id].type) : 1;
    switch (o.kind) {
      case OperandKind::General:
        if (o.is_null()) return;
        hash.add(o.region.bits);
        return general(hash, o, std::int64_t{o.row} * grf_ + std::int64_t{o.col} * size, written);
      case OperandKind::Raw:
        return o.is_null() ? hash.add(std::uint64_t{0}) : general(hash, o, o.offset, written);
      case OperandKind::AddressOf:
        return general(hash, o, o.offset, written);
      case OperandKind::Address:
        hash.add(std::uint64_t{o.row} << 8 | o.col);
        return add(ReferenceKind::Address, o.id, written);
      case OperandKind::Indirect:
        hash.add(std::uint64_t{o.row} << 32 | o.region.bits);
        hash.add(static_cast<std::uint64_t>(o.type));
        hash.add(static_cast<std::uint64_t>(o.offset));
        return add(ReferenceKind::Address, o.id, false);
      case OperandKind::Predicate:
        return add(ReferenceKind::Predicate, o.id, written);
      case OperandKind::Label:
        return add(ReferenceKind::Label, o.id, false);
      case OperandKind::String:
        return hash.add(o.id < object_.strings.size() ? std::string_view(object_.strings[o.id]) : std::string_view());
      case OperandKind::Immediate:
        hash.add(static_cast<std::uint64_t>(o.type));
        return hash.add(o.value);
      case OperandKind::State:
        hash.add(static_cast<std::uint64_t>(o.state) << 32 | static_cast<std::uint32_t>(o.offset));
        return hash.add(o.id);
      case OperandKind::Surface:
      case OperandKind::Sampler:  // what is bound to them is known by these numbers
        return hash.add(o.id);
      case OperandKind::Integer:
        return hash.add(o.value);
      case OperandKind::Absent:
        return;
    }
  }

  const isa::Object& object_;
  unsigned grf_;
  instructions::StorageTable storage_;
  Sequence result_;
};

}  // namespace

Sequence make_sequence(const isa::Program& program, const isa::Object& object, unsigned grf_bytes) {
  return Builder(program, object, grf_bytes).run();
}

}  // namespace heddle::tools
