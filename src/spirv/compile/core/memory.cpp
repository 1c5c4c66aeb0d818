// Loads, stores and access chains over every kind of memory.
// Rules: SPV-14.
#include "spirv/compile/core/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <spirv/unified1/spirv.hpp11>

#include "base/fixed_limits.hpp"
#include "spirv/compile/arithmetic/scalar.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

namespace {

/// Runs of up to four dwords that follow each other: one message each.
template <typename F>
void for_each_run(const std::vector<ScalarLocation>& list, F use) {
  for (std::size_t k = 0; k < list.size();) {
    std::size_t end = k + 1;
    if (isa::type_bytes(list[k].type) == 4 || list[k].type == isa::Type::Bool)
      while (end < list.size() && end - k < 4 &&
             (isa::type_bytes(list[end].type) == 4 || list[end].type == isa::Type::Bool) &&
             list[end].offset == list[end - 1].offset + 4)
        ++end;
    use(k, end);
    k = end;
  }
}

std::string_view channels(std::size_t count) {
  static constexpr std::string_view kMasks[] = {"R", "RG", "RGB", "RGBA"};
  return kMasks[std::min<std::size_t>(count, 4) - 1];
}

/// What a message moves for each lane: `count` dwords as channels, or one element of 1 or 2 bytes.
struct Transfer {
  bool write = false;
  unsigned bytes = 4;  ///< of an element
  unsigned count = 1;
};

/// A message between memory and the registers `data`: gather4_scaled.RG, gather_scaled.2 and the scatter forms; of
/// addresses svm_gather4scaled.RG, svm_gather.1.2.
void send(VisaWriter& b, const Pointer& p, const Transfer& transfer, const Piece& piece, const std::string& surface,
          const Part& offset, const VisaOperand& data, const Guard& guard) {
  const VisaOperand place = b.raw(offset, piece);
  const std::string_view word = transfer.write ? "scatter" : "gather";
  const bool dwords = transfer.bytes == 4;
  if (p.kind != Pointer::Kind::Address)
    b.instruction(dwords ? fmt::format("{}4_scaled.{}", word, channels(transfer.count))
                         : fmt::format("{}_scaled.{}", word, transfer.bytes),
                  piece, {surface, hexadecimal(isa::Type::UD, 0), place, data}, guard);
  else if (dwords)
    b.instruction(fmt::format("svm_{}4scaled.{}", word, channels(transfer.count)), piece,
                  {hexadecimal(isa::Type::UQ, 0), place, data}, guard);
  else
    b.instruction(fmt::format("svm_{}.1.{}", word, transfer.bytes), piece, {place, data}, guard);
}

Part join64(ShaderTranslator& t, const Part& low, const Part& high, isa::Type type) {
  const Part wide = t.b.lanes(type, "wide");
  t.b.move(narrowed(wide, isa::Type::UD, 0), low.as(isa::Type::UD));
  t.b.move(narrowed(wide, isa::Type::UD, 1), high.as(isa::Type::UD));
  return wide;
}

}  // namespace

void for_each_surface(ShaderTranslator& t, const Pointer& p, const Guard& guard,
                      const std::function<void(const std::string&, const Guard&)>& use) {
  const auto surface = [&](std::uint32_t variable, std::uint32_t element) {
    const std::string name = t.element_name(variable, element, ShaderTranslator::DescriptorPart::Surface);
    return name.empty() ? "T6" : name;
  };
  if (p.kind == Pointer::Kind::Shared) return use("%slm", guard);
  if (p.kind == Pointer::Kind::Scratch) return use("%scratch", guard);
  if (p.kind == Pointer::Kind::Address) return use("", guard);
  if (p.descriptor.variable != 0)
    return t.each_element(p.descriptor, [&](std::uint32_t element, const Guard& those) {
      use(surface(p.descriptor.variable, element), t.both(those, guard));
    });
  const auto& buffers = t.chosen_buffers();
  for (std::size_t k = 0; k < buffers.size(); ++k) {
    const std::string name = surface(buffers[k].variable, buffers[k].element);
    const Part chosen = t.b.compare("eq", p.buffer_number, ud(static_cast<std::uint32_t>(k + 1)), "is_buffer");
    use(name, t.both({chosen, false, false}, guard));
  }
}

Part ShaderTranslator::byte_offset(const Pointer& p, std::uint32_t extra) {
  if (p.kind == Pointer::Kind::Address)
    return extra == 0 ? b.in_register(p.address)
                      : b.make("add", isa::Type::UQ, {p.address, constant(isa::Type::UQ, extra)}, "address");
  if (p.kind == Pointer::Kind::Scratch) {
    const std::uint32_t lane_bytes = b.simd() * 4;
    Part offset = scratch_base();
    if (!p.dynamic.constant() || p.dynamic.bits != 0) {
      const Part scaled = b.make("mul", isa::Type::UD, {p.dynamic, ud(lane_bytes)}, "element");
      offset = b.make("add", isa::Type::UD, {scaled, offset}, "address");
    }
    return extra == 0 ? offset : b.make("add", isa::Type::UD, {offset, ud(extra * lane_bytes)}, "address");
  }
  if (p.dynamic.constant()) return b.copy(ud(static_cast<std::uint32_t>(p.dynamic.bits) + extra), "address");
  return extra == 0 ? b.in_register(p.dynamic) : b.make("add", isa::Type::UD, {p.dynamic, ud(extra)}, "address");
}

Value ShaderTranslator::load(const Pointer& p, std::string_view hint) {
  Value v;
  v.type = p.pointee;
  const std::vector<isa::Type> list = scalars(p.pointee);
  if (p.kind == Pointer::Kind::Registers) {
    if (p.dynamic_offsets.empty()) {
      for (std::size_t k = 0; k < list.size(); ++k)
        v.parts.push_back(p.first + k < p.storage->size() ? (*p.storage)[p.first + k] : constant(list[k], 0));
      return v;
    }
    for (std::size_t k = 0; k < list.size(); ++k) {
      const Part dst = b.lanes(list[k], hint);
      if (p.first + k < p.storage->size()) b.move(dst, (*p.storage)[p.first + k]);
      v.parts.push_back(dst);
    }
    for (std::size_t c = 1; c < p.dynamic_offsets.size(); ++c) {
      const Guard those{b.compare("eq", p.dynamic, ud(p.dynamic_offsets[c]), "is_index"), false, false};
      for (std::size_t k = 0; k < list.size() && p.first + p.dynamic_offsets[c] + k < p.storage->size(); ++k)
        b.move(v.parts[k], (*p.storage)[p.first + p.dynamic_offsets[c] + k], those);
    }
    return v;
  }
  const std::vector<ScalarLocation> where = scalar_locations(*this, p);
  if (where.size() != list.size() || type(p.pointee).flat > base::kValueScalars) {
    refuse(fmt::format("a value of more than {} scalars", base::kValueScalars));
    for (const isa::Type t : list) v.parts.push_back(constant(t, 0));
    return v;
  }
  v.parts.resize(list.size());
  const auto read = [&](std::uint32_t extra, const Transfer& transfer, std::string_view name) {
    const Part offset = byte_offset(p, extra);
    return b.message(16, transfer.count, isa::Type::UD, name, [&](const Piece& piece, const VisaOperand& dst) {
      for_each_surface(*this, p, {}, [&](const std::string& surface, const Guard& guard) {
        send(b, p, transfer, piece, surface, offset, dst, guard);
      });
    });
  };
  const auto finish = [&](const Part& got, isa::Type type) {
    if (type != isa::Type::Bool) return got.as(type);
    const Part flag = b.compare("ne", got.as(isa::Type::UD), ud(0), "flag");
    return flag;
  };
  if (p.kind == Pointer::Kind::Scratch) {
    for (std::size_t k = 0; k < list.size(); ++k) {
      const unsigned bytes = list[k] == isa::Type::Bool ? 4 : isa::type_bytes(list[k]);
      const Part low = read(where[k].offset, {}, hint)[0];
      if (bytes == 8)
        v.parts[k] = join64(*this, low, read(where[k].offset + 1, {}, hint)[0], list[k]);
      else
        v.parts[k] = bytes == 4 ? finish(low, list[k]) : b.copy(narrowed(low, list[k]), hint);
    }
    return v;
  }
  for_each_run(where, [&](std::size_t first, std::size_t end) {
    const isa::Type type = where[first].type;
    const unsigned bytes = type == isa::Type::Bool ? 4 : isa::type_bytes(type);
    if (bytes == 8) {
      const std::vector<Part> halves = read(where[first].offset, {.count = 2}, hint);
      v.parts[first] = join64(*this, halves[0], halves[1], type);
    } else if (bytes < 4) {
      const Part got = read(where[first].offset, {.bytes = bytes}, hint)[0];
      v.parts[first] = b.copy(narrowed(got, type), hint);
    } else {
      const std::vector<Part> got = read(where[first].offset, {.count = static_cast<unsigned>(end - first)}, hint);
      for (std::size_t k = first; k < end; ++k) v.parts[k] = finish(got[k - first], where[k].type);
    }
  });
  return v;
}

namespace {

void store_registers(ShaderTranslator& t, const Pointer& p, const Value& v) {
  const std::size_t count = t.scalars(p.pointee).size();
  const auto target = [&](std::size_t n) {
    return p.first + n < p.storage->size() ? &(*p.storage)[p.first + n] : nullptr;
  };
  if (p.dynamic_offsets.empty()) {
    // A value may be made of parts of the same variable: all are read before any is written.
    std::vector<Part> from(v.parts.begin(), v.parts.end());
    std::set<std::uint32_t> written;
    for (std::size_t k = 0; k < from.size() && k < count; ++k) {
      if (from[k].kind == Part::Kind::Variable && written.contains(from[k].variable))
        from[k] = t.b.copy(from[k], "kept");
      if (const Part* own = target(k)) written.insert(own->variable);
    }
    for (std::size_t k = 0; k < count && k < from.size(); ++k)
      if (const Part* dst = target(k); dst != nullptr && from[k].kind != Part::Kind::Undefined) t.b.move(*dst, from[k]);
    return;
  }
  for (const std::uint32_t offset : p.dynamic_offsets) {
    const Guard those{t.b.compare("eq", p.dynamic, ud(offset), "is_index"), false, false};
    for (std::size_t k = 0; k < count && k < v.parts.size(); ++k)
      if (const Part* dst = target(offset + k); dst != nullptr) t.b.move(*dst, v.parts[k], those);
  }
}

/// The channels of a piece side by side, as a message takes them: each in a group of whole registers.
Part message_data(ShaderTranslator& t, const Piece& piece, const std::vector<Part>& data) {
  VisaWriter& b = t.b;
  const unsigned group = (piece.lanes * 4 + b.grf() - 1) / b.grf() * b.grf();
  Part all = b.array(isa::Type::UD, "data", group / 4 * static_cast<unsigned>(data.size()));
  if (data.size() == 1 && data[0].kind == Part::Kind::Variable && data[0].stride == 1 &&
      (data[0].offset + piece.start * 4) % b.grf() == 0) {
    all = data[0];
    all.offset += piece.start * 4;
    return all;
  }
  for (std::size_t c = 0; c < data.size(); ++c) {
    Part to = all;
    to.stride = 1;
    to.offset = static_cast<std::uint32_t>(c) * group;
    // Halves of 64-bit lanes lie twice as wide: two registers hold fewer of them.
    const unsigned lanes = data[c].stride > 1 ? std::min(piece.lanes, b.grf() / 4) : piece.lanes;
    for (unsigned k = 0; k < piece.lanes; k += lanes) {
      const Piece part{piece.start + k, lanes};
      b.instruction("mov", part, {b.destination(to, {k, lanes}), b.source(data[c], part)});
    }
  }
  return all;
}

/// Writes dwords, or an element of `bytes`, to the memory of a pointer, `extra` bytes (scratch: dwords) behind it.
void write_memory(ShaderTranslator& t, const Pointer& p, std::uint32_t extra, unsigned bytes,
                  const std::vector<Part>& data, const Guard& guard) {
  const Transfer transfer{.write = true, .bytes = bytes, .count = static_cast<unsigned>(data.size())};
  const Part offset = t.byte_offset(p, extra);
  for (const Piece& piece : t.b.pieces(16)) {
    const Part all = message_data(t, piece, data);
    for_each_surface(t, p, guard, [&](const std::string& surface, const Guard& those) {
      send(t.b, p, transfer, piece, surface, offset, t.b.raw(all, {0, piece.lanes}), those);
    });
  }
}

/// A scalar of at most 32 bits as the dword that memory takes.
Part as_dword(ShaderTranslator& t, const Part& part) {
  if (part.kind == Part::Kind::Undefined) return ud(0);
  if (part.boolean()) return t.b.to_mask(part).as(isa::Type::UD);
  if (isa::type_bytes(part.type) >= 4) return part.as(isa::Type::UD);
  if (part.constant()) return ud(static_cast<std::uint32_t>(part.bits));
  const isa::Type bits = isa::type_bytes(part.type) == 2 ? isa::Type::UW : isa::Type::UB;
  return t.b.convert(part.as(bits), isa::Type::UD, "data");
}

}  // namespace

void ShaderTranslator::store(const Pointer& p, const Value& v) {
  if (p.kind == Pointer::Kind::Registers) {
    store_registers(*this, p, v);
    return;
  }
  const std::vector<isa::Type> list = scalars(p.pointee);
  const std::vector<ScalarLocation> where = scalar_locations(*this, p);
  if (where.size() != list.size() || v.parts.size() < list.size() || type(p.pointee).flat > base::kValueScalars) {
    refuse(fmt::format("a value of more than {} scalars", base::kValueScalars));
    return;
  }
  const bool seen_by_others = p.kind == Pointer::Kind::Buffer || p.kind == Pointer::Kind::Address;
  const Guard guard = seen_by_others ? live() : Guard{};
  const auto half = [&](std::size_t k, unsigned index) { return narrowed(v.parts[k], isa::Type::UD, index); };
  if (p.kind == Pointer::Kind::Scratch) {
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (list[k] != isa::Type::Bool && isa::type_bytes(list[k]) == 8) {
        write_memory(*this, p, where[k].offset, 4, {half(k, 0)}, guard);
        write_memory(*this, p, where[k].offset + 1, 4, {half(k, 1)}, guard);
      } else {
        write_memory(*this, p, where[k].offset, 4, {as_dword(*this, v.parts[k])}, guard);
      }
    }
    return;
  }
  for_each_run(where, [&](std::size_t first, std::size_t end) {
    const unsigned bytes = where[first].type == isa::Type::Bool ? 4 : isa::type_bytes(where[first].type);
    const std::uint32_t offset = where[first].offset;
    if (bytes == 8) {
      write_memory(*this, p, offset, 4, {half(first, 0), half(first, 1)}, guard);
    } else if (bytes < 4) {
      write_memory(*this, p, offset, bytes, {as_dword(*this, v.parts[first])}, guard);
    } else {
      std::vector<Part> data;
      for (std::size_t k = first; k < end; ++k) data.push_back(as_dword(*this, v.parts[k]));
      write_memory(*this, p, offset, 4, data, guard);
    }
  });
}

namespace {

/// Adds index * unit to the part of a pointer that is known at run time only.
void add_index(ShaderTranslator& t, Pointer& p, const Part& index, std::uint32_t unit) {
  VisaWriter& b = t.b;
  if (p.kind == Pointer::Kind::Address) {
    const isa::Type wide = isa::is_signed(index.type) ? isa::Type::Q : isa::Type::UQ;
    Part scaled = isa::type_bytes(index.type) == 8 ? index : convert_number(b, index, wide, "index");
    if (std::has_single_bit(unit)) {
      const auto bits = static_cast<std::uint32_t>(std::countr_zero(unit));
      if (bits != 0) scaled = b.make("shl", isa::Type::UQ, {scaled.as(isa::Type::UQ), ud(bits)}, "offset");
    } else {
      const Part product = b.lanes(isa::Type::UQ, "offset");
      multiply(b, product, scaled.as(isa::Type::UQ), constant(isa::Type::UQ, unit));
      scaled = product;
    }
    p.address = b.make("add", isa::Type::UQ, {p.address, scaled.as(isa::Type::UQ)}, "address");
    return;
  }
  Part scaled = index.as(isa::Type::UD);
  if (isa::type_bytes(index.type) != 4)
    scaled =
        convert_number(b, index, isa::is_signed(index.type) ? isa::Type::D : isa::Type::UD, "index").as(isa::Type::UD);
  if (unit != 1) scaled = b.make("mul", isa::Type::UD, {scaled, ud(unit)}, "offset");
  p.dynamic = p.dynamic.constant() && p.dynamic.bits == 0 ? scaled
                                                          : b.make("add", isa::Type::UD, {p.dynamic, scaled}, "offset");
}

/// The same for a constant index, whose sign counts.
void add_constant(ShaderTranslator& t, Pointer& p, const Part& index, std::uint32_t unit) {
  const unsigned width = isa::type_bytes(index.type) * 8;
  std::int64_t number = static_cast<std::int64_t>(index.bits);
  if (isa::is_signed(index.type) && width < 64) number = number << (64 - width) >> (64 - width);
  const std::uint64_t bytes = static_cast<std::uint64_t>(number) * unit;
  const std::uint64_t all = p.offset + bytes;
  if (p.kind != Pointer::Kind::Address || all <= UINT32_MAX)
    p.offset = static_cast<std::uint32_t>(all);
  else
    p.address = t.b.make("add", isa::Type::UQ, {p.address, constant(isa::Type::UQ, bytes)}, "address");
}

void add(ShaderTranslator& t, Pointer& p, const Part& index, std::uint32_t unit) {
  if (index.constant())
    add_constant(t, p, index, unit);
  else
    add_index(t, p, index, unit);
}

/// One step into a variable kept in registers.
void enter_registers(ShaderTranslator& t, Pointer& p, const TypeInfo& info, const Part& index) {
  const std::uint32_t unit = t.type(info.element).flat;
  if (index.constant()) {
    p.first += std::min(static_cast<std::uint32_t>(index.bits), info.count == 0 ? 0 : info.count - 1) * unit;
    return;
  }
  if (p.dynamic_offsets.empty()) p.dynamic_offsets = {0};
  std::vector<std::uint32_t> offsets;
  for (const std::uint32_t offset : p.dynamic_offsets)
    for (std::uint32_t k = 0; k < std::min(info.count, base::kValueScalars); ++k) offsets.push_back(offset + k * unit);
  p.dynamic_offsets = std::move(offsets);
  add_index(t, p, index, unit);
}

/// One step into a vector, matrix or array in memory.
void enter_memory(ShaderTranslator& t, Pointer& p, const TypeInfo& info, const Part& index) {
  std::uint32_t unit = 0;
  const bool dwords = p.kind == Pointer::Kind::Scratch;
  if (is(info, Spv::OpTypeVector)) {
    unit = p.row_major_vector ? p.matrix.stride : scalar_size(info, dwords);
    p.row_major_vector = false;
  } else if (is(info, Spv::OpTypeMatrix)) {
    const bool laid_out = p.matrix.stride != 0 && !dwords;
    unit = !laid_out            ? t.natural_size(info.element, dwords)
           : p.matrix.row_major ? scalar_size(info, false)
                                : p.matrix.stride;
    p.row_major_vector = laid_out && p.matrix.row_major;
  } else {
    unit = array_stride(t, p.pointee, p.kind);
  }
  add(t, p, index, unit);
}

}  // namespace

Pointer ShaderTranslator::advanced(const Pointer& pointer, std::uint32_t index, std::uint32_t stride) {
  Pointer p = pointer;
  add(*this, p, part(index), stride);
  return p;
}

Pointer ShaderTranslator::access(const Pointer& base, std::span<const std::uint32_t> indices) {
  Pointer p = base;
  for (const std::uint32_t id : indices) {
    const TypeInfo info = type(p.pointee);
    const Part index = part(id);
    const auto literal = static_cast<std::uint32_t>(index.bits);
    if (is(info, Spv::OpTypeStruct)) {
      if (!index.constant() || literal >= info.members.size()) return p;
      const std::uint32_t structure = p.pointee;
      if (p.kind == Pointer::Kind::Registers) {
        for (std::uint32_t m = 0; m < literal; ++m) p.first += type(info.members[m]).flat;
      } else {
        p.offset += member_offset(*this, structure, literal, p.kind);
        p.matrix = p.kind == Pointer::Kind::Scratch ? MatrixLayout{} : matrix_layout(*this, structure, literal);
      }
      p.pointee = info.members[literal];
      continue;
    }
    if (p.kind == Pointer::Kind::Descriptor) {  // an array of descriptors
      p.descriptor.index = index.constant()                   ? ud(literal)
                           : isa::type_bytes(index.type) == 4 ? index.as(isa::Type::UD)
                                                              : b.convert(index, isa::Type::UD, "index");
      if (!is_opaque(type(info.element))) p.kind = Pointer::Kind::Buffer;
    } else if (p.kind == Pointer::Kind::Registers) {
      enter_registers(*this, p, info, index);
    } else {
      enter_memory(*this, p, info, index);
    }
    p.pointee = info.element;
  }
  return p;
}

void ShaderTranslator::each_element(const Descriptor& d, const std::function<void(std::uint32_t, const Guard&)>& use) {
  for (const SelectedElement& selected : selected_)
    if (selected.descriptor.variable == d.variable && same_lanes(selected.descriptor.index, d.index))
      return use(kSelected, {});
  const DescriptorVariable& variable = descriptor(d.variable);
  const auto count = variable.indexed != 0
                         ? variable.indexed
                         : static_cast<std::uint32_t>(std::max(variable.surfaces.size(), variable.samplers.size()));
  if (d.index.constant() || count <= 1) {
    use(d.index.constant() ? std::min(static_cast<std::uint32_t>(d.index.bits), count == 0 ? 0 : count - 1) : 0, {});
    return;
  }
  for (std::uint32_t k = 0; k < count; ++k) use(k, {b.compare("eq", d.index, ud(k), "is_element"), false, false});
}

}  // namespace heddle::spirv::compiler
