// SPDX-License-Identifier: MIT
// Rules: SPV-14, SPV-34.
#include "spirv/compile/core/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/fixed_limits.hpp"
#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/core/context.hpp"

namespace heddle::spirv::compiler {
namespace {

unsigned memory_bytes(isa::Type type) { return type == isa::Type::Bool ? 4 : isa::type_bytes(type); }

/// Runs of up to four dwords that follow each other, `step` apart as offsets count: one message each.
template <typename F>
void for_each_run(std::span<const ScalarLocation> list, F use, std::uint32_t step = 4) {
  for (std::size_t k = 0; k < list.size();) {
    std::size_t end = k + 1;
    if (isa::type_bytes(list[k].type) == 4 || list[k].type == isa::Type::Bool)
      while (end < list.size() && end - k < 4 &&
             (isa::type_bytes(list[end].type) == 4 || list[end].type == isa::Type::Bool) &&
             list[end].offset == list[end - 1].offset + step)
        ++end;
    use(k, end);
    k = end;
  }
}

std::string_view channels(std::size_t count) {
  static constexpr std::string_view kMasks[] = {"R", "RG", "RGB", "RGBA"};
  return kMasks[std::min<std::size_t>(count, 4) - 1];
}

}  // namespace

// --- messages ---

/// A message between memory and the registers `data`: gather4_scaled.RG, gather_scaled.2 and the scatter forms; of
/// addresses svm_gather4scaled.RG, svm_gather.1.2.
void Memory::send(VisaWriter& b, const Pointer& p, const Transfer& transfer, const LaneRange& range,
                  const std::string& surface, const Part& offset, const VisaOperand& data, const Guard& guard) {
  const VisaOperand place = b.raw(offset, range);
  const std::string_view word = transfer.write ? "scatter" : "gather";
  const bool dwords = transfer.bytes == 4;
  if (p.kind != Pointer::Kind::Address)
    b.instruction(dwords ? fmt::format("{}4_scaled.{}", word, channels(transfer.count))
                         : fmt::format("{}_scaled.{}", word, transfer.bytes),
                  range, {surface, hexadecimal(isa::Type::UD, 0), place, data}, guard);
  else if (dwords)
    b.instruction(fmt::format("svm_{}4scaled.{}", word, channels(transfer.count)), range,
                  {hexadecimal(isa::Type::UQ, 0), place, data}, guard);
  else
    b.instruction(fmt::format("svm_{}.1.{}", word, transfer.bytes), range, {place, data}, guard);
}

void Memory::for_each_surface(const Pointer& p, const Guard& guard,
                              const std::function<void(const std::string&, const Guard&)>& use) {
  const auto surface = [&](std::uint32_t variable, std::uint32_t element) {
    const std::string name = t_.descriptors.element_name(variable, element, DescriptorPart::Surface);
    return name.empty() ? "T6" : name;
  };
  if (p.kind == Pointer::Kind::Shared) return use("%slm", guard);
  if (p.kind == Pointer::Kind::Scratch) return use("%scratch", guard);
  if (p.kind == Pointer::Kind::Constants) return use(t_.blocks.surface(), guard);
  if (p.kind == Pointer::Kind::Record) return use(p.records->surface, guard);
  if (p.kind == Pointer::Kind::Address) return use("", guard);
  if (p.descriptor.variable != 0)
    return t_.descriptors.each_element(p.descriptor, [&](std::uint32_t element, const Guard& those) {
      use(surface(p.descriptor.variable, element), both(t_.b, those, guard));
    });
  const auto& buffers = t_.pointers.chosen_buffers();
  for (std::size_t k = 0; k < buffers.size(); ++k) {
    const std::string name = surface(buffers[k].variable, buffers[k].element);
    const Part chosen = t_.b.compare("eq", p.buffer_number, ud(static_cast<std::uint32_t>(k + 1)), "is_buffer");
    use(name, both(t_.b, {chosen, false, false}, guard));
  }
}

std::vector<Part> Memory::read(const Pointer& p, std::uint32_t extra, const Transfer& transfer, std::string_view hint) {
  const Part offset = t_.pointers.byte_offset(p, extra);
  return t_.b.message(16, transfer.count, isa::Type::UD, hint, [&](const LaneRange& range, const VisaOperand& dst) {
    for_each_surface(p, {}, [&](const std::string& surface, const Guard& guard) {
      send(t_.b, p, transfer, range, surface, offset, dst, guard);
    });
  });
}

/// Writes dwords, or an element of `bytes`, to the memory of a pointer, `extra` bytes (scratch: dwords) behind it.
void Memory::write(const Pointer& p, std::uint32_t extra, unsigned bytes, const std::vector<Part>& data,
                   const Guard& guard) {
  const Transfer transfer{.write = true, .bytes = bytes, .count = static_cast<unsigned>(data.size())};
  const Part offset = t_.pointers.byte_offset(p, extra);
  for (const LaneRange& range : t_.b.lane_ranges(16)) {
    const Part all = message_data(range, data);
    for_each_surface(p, guard, [&](const std::string& surface, const Guard& those) {
      send(t_.b, p, transfer, range, surface, offset, t_.b.raw(all, {0, range.lanes}), those);
    });
  }
}

Part Memory::message_data(const LaneRange& range, const std::vector<Part>& data) {
  VisaWriter& b = t_.b;
  const unsigned group = (range.lanes * 4 + b.grf() - 1) / b.grf() * b.grf();
  Part all = b.array(isa::Type::UD, "data", group / 4 * static_cast<unsigned>(data.size()));
  if (data.size() == 1 && data[0].kind == Part::Kind::Variable && data[0].stride == 1 &&
      (data[0].offset + range.start * 4) % b.grf() == 0) {
    all = data[0];
    all.offset += range.start * 4;
    return all;
  }
  for (std::size_t c = 0; c < data.size(); ++c) {
    Part to = all;
    to.stride = 1;
    to.offset = static_cast<std::uint32_t>(c) * group;
    // Halves of 64-bit lanes lie twice as wide: two registers hold fewer of them.
    const unsigned lanes = data[c].stride > 1 ? std::min(range.lanes, b.grf() / 4) : range.lanes;
    for (unsigned k = 0; k < range.lanes; k += lanes) {
      const LaneRange part{range.start + k, lanes};
      b.instruction("mov", part, {b.destination(to, {k, lanes}), b.source(data[c], part)});
    }
  }
  return all;
}

/// A scalar of at most 32 bits as the dword that memory takes.
Part Memory::as_dword(const Part& part) {
  if (part.kind == Part::Kind::Undefined) return ud(0);
  if (part.boolean()) return t_.b.to_mask(part).as(isa::Type::UD);
  if (isa::type_bytes(part.type) >= 4) return part.as(isa::Type::UD);
  if (part.constant()) return ud(static_cast<std::uint32_t>(part.bits));
  const isa::Type bits = isa::type_bytes(part.type) == 2 ? isa::Type::UW : isa::Type::UB;
  return t_.b.convert(part.as(bits), isa::Type::UD, "data");
}

/// A dword of memory as the scalar of 32 bits that it is.
Part Memory::from_dword(const Part& got, isa::Type type) {
  if (type != isa::Type::Bool) return got.as(type);
  return t_.b.compare("ne", got.as(isa::Type::UD), ud(0), "flag");
}

Part Memory::join_qword(const Part& low, const Part& high, isa::Type type) {
  const Part wide = t_.b.lanes(type, "wide");
  t_.b.move(narrowed(wide, isa::Type::UD, 0), low.as(isa::Type::UD));
  t_.b.move(narrowed(wide, isa::Type::UD, 1), high.as(isa::Type::UD));
  return wide;
}

// --- loads ---

Value Memory::load(const Pointer& p, std::string_view hint) {
  Value v;
  v.type = p.pointee;
  if (p.kind == Pointer::Kind::Registers) {
    load_registers(p, hint, v);
    return v;
  }
  if (p.chooses_record) {
    load_records(p, hint, v);
    return v;
  }
  const std::vector<isa::Type> list = t_.types.scalars(p.pointee);
  const std::vector<ScalarLocation> where = t_.layout.scalars(p);
  if (where.size() != list.size() || t_.types.of(p.pointee).flat > base::kValueScalars) {
    t_.refuse(fmt::format("a value of more than {} scalars", base::kValueScalars));
    for (const isa::Type type : list) v.parts.push_back(constant(type, 0));
    return v;
  }
  v.parts.resize(where.size());
  if (p.kind == Pointer::Kind::Scratch)
    load_scratch(p, where, hint, v);
  else if (p.kind == Pointer::Kind::Record)
    load_record(p, where, hint, v.parts);
  else
    load_memory(p, where, hint, v);
  return v;
}

void Memory::load_registers(const Pointer& p, std::string_view hint, Value& v) {
  const std::vector<isa::Type> list = t_.types.scalars(p.pointee);
  if (p.dynamic_offsets.empty()) {
    for (std::size_t k = 0; k < list.size(); ++k)
      v.parts.push_back(p.first + k < p.storage->size() ? (*p.storage)[p.first + k] : constant(list[k], 0));
    return;
  }
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Part dst = t_.b.lanes(list[k], hint);
    if (p.first + k < p.storage->size()) t_.b.move(dst, (*p.storage)[p.first + k]);
    v.parts.push_back(dst);
  }
  for (std::size_t c = 1; c < p.dynamic_offsets.size(); ++c) {
    const Guard those{t_.b.compare("eq", p.dynamic, ud(p.dynamic_offsets[c]), "is_index"), false, false};
    for (std::size_t k = 0; k < list.size() && p.first + p.dynamic_offsets[c] + k < p.storage->size(); ++k)
      t_.b.move(v.parts[k], (*p.storage)[p.first + p.dynamic_offsets[c] + k], those);
  }
}

void Memory::load_scratch(const Pointer& p, std::span<const ScalarLocation> where, std::string_view hint, Value& v) {
  for (std::size_t k = 0; k < where.size(); ++k) {
    const isa::Type type = where[k].type;
    const unsigned bytes = memory_bytes(type);
    const Part low = read(p, where[k].offset, {}, hint)[0];
    if (bytes == 8)
      v.parts[k] = join_qword(low, read(p, where[k].offset + 1, {}, hint)[0], type);
    else
      v.parts[k] = bytes == 4 ? from_dword(low, type) : t_.b.copy(narrowed(low, type), hint);
  }
}

/// A whole array of records.
void Memory::load_records(const Pointer& p, std::string_view hint, Value& v) {
  const TypeInfo info = t_.types.of(p.pointee);
  if (info.flat > base::kValueScalars)
    return t_.refuse(fmt::format("a value of more than {} scalars", base::kValueScalars));
  for (std::uint32_t k = 0; k < info.count; ++k) {
    Pointer one = p;
    one.record = p.records->place(ud(k));
    one.chooses_record = false;
    one.pointee = info.element;
    const Value element = load(one, hint);
    v.parts.insert(v.parts.end(), element.parts.begin(), element.parts.end());
  }
}

/// Records have 32 bits for what is shorter, as it travels between stages (SPV-34).
void Memory::load_record(const Pointer& p, std::span<const ScalarLocation> where, std::string_view hint,
                         std::span<Part> to) {
  for_each_run(
      where,
      [&](std::size_t first, std::size_t end) {
        const isa::Type type = where[first].type;
        if (memory_bytes(type) == 8) {
          const std::vector<Part> halves = read(p, where[first].offset, {.count = 2}, hint);
          to[first] = join_qword(halves[0], halves[1], type);
          return;
        }
        const std::vector<Part> got = read(p, where[first].offset, {.count = static_cast<unsigned>(end - first)}, hint);
        for (std::size_t k = first; k < end; ++k) {
          const isa::Type wanted = where[k].type;
          if (memory_bytes(wanted) == 4)
            to[k] = from_dword(got[k - first], wanted);
          else
            to[k] = t_.b.convert(got[k - first].as(isa::is_float(wanted)    ? isa::Type::F
                                                   : isa::is_signed(wanted) ? isa::Type::D
                                                                            : isa::Type::UD),
                                 wanted, hint);
        }
      },
      1);
}

void Memory::load_memory(const Pointer& p, const std::vector<ScalarLocation>& where, std::string_view hint, Value& v) {
  for_each_run(where, [&](std::size_t first, std::size_t end) {
    const isa::Type type = where[first].type;
    const unsigned bytes = memory_bytes(type);
    if (bytes == 8) {
      const std::vector<Part> halves = read(p, where[first].offset, {.count = 2}, hint);
      v.parts[first] = join_qword(halves[0], halves[1], type);
    } else if (bytes < 4) {
      const Part got = read(p, where[first].offset, {.bytes = bytes}, hint)[0];
      v.parts[first] = t_.b.copy(narrowed(got, type), hint);
    } else {
      const std::vector<Part> got = read(p, where[first].offset, {.count = static_cast<unsigned>(end - first)}, hint);
      for (std::size_t k = first; k < end; ++k) v.parts[k] = from_dword(got[k - first], where[k].type);
    }
  });
}

std::vector<Part> Memory::load_dwords(const Pointer& p, unsigned count, std::string_view hint) {
  return read(p, p.offset, {.count = count}, hint);
}

// --- stores ---

void Memory::store_dwords(const Pointer& p, const std::vector<Part>& dwords) { write(p, p.offset, 4, dwords, {}); }

void Memory::store(const Pointer& p, const Value& v) {
  if (p.read_only || t_.blocks.store(p, v)) return;
  if (v.block != nullptr && v.parts.empty()) {  // a part of one, small
    Value apart = load(v.block->place, "copied");
    apart.type = p.pointee;
    store(p, apart);
    return;
  }
  if (p.kind == Pointer::Kind::Registers) {
    store_registers(p, v);
    return;
  }
  const std::size_t count = t_.types.scalars(p.pointee).size();
  const std::vector<ScalarLocation> where = t_.layout.scalars(p);
  if (where.size() != count || v.parts.size() < count || t_.types.of(p.pointee).flat > base::kValueScalars) {
    t_.refuse(fmt::format("a value of more than {} scalars", base::kValueScalars));
    return;
  }
  if (p.kind == Pointer::Kind::Scratch)
    store_scratch(p, where, v);
  else if (p.kind == Pointer::Kind::Record)
    store_record(p, where, v);
  else
    store_memory(p, where, v);
}

void Memory::store_registers(const Pointer& p, const Value& v) {
  const std::size_t count = t_.types.scalars(p.pointee).size();
  const auto target = [&](std::size_t n) {
    return p.first + n < p.storage->size() ? &(*p.storage)[p.first + n] : nullptr;
  };
  if (p.dynamic_offsets.empty()) {
    // A value may be made of parts of the same variable: all are read before any is written.
    std::vector<Part> from(v.parts.begin(), v.parts.end());
    std::set<std::uint32_t> written;
    for (std::size_t k = 0; k < from.size() && k < count; ++k) {
      if (from[k].kind == Part::Kind::Variable && written.contains(from[k].variable))
        from[k] = t_.b.copy(from[k], "kept");
      if (const Part* own = target(k)) written.insert(own->variable);
    }
    for (std::size_t k = 0; k < count && k < from.size(); ++k)
      if (const Part* dst = target(k); dst != nullptr && from[k].kind != Part::Kind::Undefined)
        t_.b.move(*dst, from[k]);
    return;
  }
  for (const std::uint32_t offset : p.dynamic_offsets) {
    const Guard those{t_.b.compare("eq", p.dynamic, ud(offset), "is_index"), false, false};
    for (std::size_t k = 0; k < count && k < v.parts.size(); ++k)
      if (const Part* dst = target(offset + k); dst != nullptr) t_.b.move(*dst, v.parts[k], those);
  }
}

void Memory::store_scratch(const Pointer& p, std::span<const ScalarLocation> where, const Value& v) {
  for (std::size_t k = 0; k < where.size(); ++k) {
    if (where[k].type != isa::Type::Bool && isa::type_bytes(where[k].type) == 8) {
      write(p, where[k].offset, 4, {narrowed(v.parts[k], isa::Type::UD, 0)}, {});
      write(p, where[k].offset + 1, 4, {narrowed(v.parts[k], isa::Type::UD, 1)}, {});
    } else {
      write(p, where[k].offset, 4, {as_dword(v.parts[k])}, {});
    }
  }
}

void Memory::store_record(const Pointer& p, std::span<const ScalarLocation> where, const Value& v) {
  for_each_run(
      where,
      [&](std::size_t first, std::size_t end) {
        std::vector<Part> data;
        if (memory_bytes(where[first].type) == 8) {
          data = {narrowed(v.parts[first], isa::Type::UD, 0), narrowed(v.parts[first], isa::Type::UD, 1)};
        } else {
          for (std::size_t k = first; k < end; ++k) {
            const isa::Type type = where[k].type;
            const bool is_short = memory_bytes(type) < 4 && v.parts[k].kind != Part::Kind::Undefined;
            data.push_back(is_short ? t_.b.convert(v.parts[k],
                                                   isa::is_float(type)    ? isa::Type::F
                                                   : isa::is_signed(type) ? isa::Type::D
                                                                          : isa::Type::UD,
                                                   "data")
                                          .as(isa::Type::UD)
                                    : as_dword(v.parts[k]));
          }
        }
        write(p, where[first].offset, 4, data, {});
      },
      1);
}

void Memory::store_memory(const Pointer& p, const std::vector<ScalarLocation>& where, const Value& v) {
  const bool seen_by_others = p.kind == Pointer::Kind::Buffer || p.kind == Pointer::Kind::Address;
  const Guard guard = seen_by_others ? t_.lanes.live() : Guard{};
  for_each_run(where, [&](std::size_t first, std::size_t end) {
    const unsigned bytes = memory_bytes(where[first].type);
    const std::uint32_t offset = where[first].offset;
    if (bytes == 8) {
      write(p, offset, 4, {narrowed(v.parts[first], isa::Type::UD, 0), narrowed(v.parts[first], isa::Type::UD, 1)},
            guard);
    } else if (bytes < 4) {
      write(p, offset, bytes, {as_dword(v.parts[first])}, guard);
    } else {
      std::vector<Part> data;
      for (std::size_t k = first; k < end; ++k) data.push_back(as_dword(v.parts[k]));
      write(p, offset, 4, data, guard);
    }
  });
}

}  // namespace heddle::spirv::compiler
