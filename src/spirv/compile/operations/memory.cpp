// Loads, stores and access chains over every kind of memory.
// Rules: SPV-14.
#include "spirv/compile/operations/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

namespace heddle::spirv::compiler {

using Spv = spv::Op;

namespace {

/// Runs of up to four dwords that follow each other: one message each.
template <typename F>
void for_each_run(const std::vector<Place>& list, F use) {
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

/// What a surface operand of this pointer is called, for one descriptor.
std::string surface_of(ShaderTranslator& t, const Pointer& p, std::uint32_t element) {
  if (p.kind == Pointer::Kind::Shared) return "%slm";
  if (p.kind == Pointer::Kind::Scratch) return "%scratch";
  const DescriptorVariable& d = t.descriptor(p.descriptor.variable);
  return element < d.surfaces.size() ? d.surfaces[element] : "T6";
}

void for_each_surface(ShaderTranslator& t, const Pointer& p, const Guard& guard,
                      const std::function<void(const std::string&, const Guard&)>& use) {
  if (p.kind != Pointer::Kind::Buffer) {
    use(surface_of(t, p, 0), guard);
    return;
  }
  t.each_element(p.descriptor, [&](std::uint32_t element, const Guard& those) {
    use(surface_of(t, p, element), t.both(those, guard));
  });
}

Part join64(ShaderTranslator& t, const Part& low, const Part& high, isa::Type type) {
  const Part wide = t.b.lanes(type, "wide");
  t.b.move(narrowed(wide, isa::Type::UD, 0), low.as(isa::Type::UD));
  t.b.move(narrowed(wide, isa::Type::UD, 1), high.as(isa::Type::UD));
  return wide;
}

}  // namespace

Part ShaderTranslator::byte_offset(const Pointer& p, std::uint32_t extra) {
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
    if (p.places.empty()) {
      for (std::size_t k = 0; k < list.size(); ++k)
        v.parts.push_back(p.first + k < p.storage->size() ? (*p.storage)[p.first + k] : ud(0));
      return v;
    }
    for (std::size_t k = 0; k < list.size(); ++k) {
      const Part dst = b.lanes(list[k], hint);
      if (p.first + k < p.storage->size()) b.move(dst, (*p.storage)[p.first + k]);
      v.parts.push_back(dst);
    }
    for (std::size_t c = 1; c < p.places.size(); ++c) {
      const Guard those{b.compare("eq", p.dynamic, ud(p.places[c]), "is_index"), false, false};
      for (std::size_t k = 0; k < list.size() && p.first + p.places[c] + k < p.storage->size(); ++k)
        b.move(v.parts[k], (*p.storage)[p.first + p.places[c] + k], those);
    }
    return v;
  }
  const std::vector<Place> where = places(*this, p);
  if (where.size() != list.size() || type(p.pointee).flat > kMaxScalars) {
    refuse(fmt::format("a value of more than {} scalars", kMaxScalars));
    for (const isa::Type t : list) v.parts.push_back(constant(t, 0));
    return v;
  }
  v.parts.resize(list.size());
  const auto read = [&](std::uint32_t extra, std::string_view mnemonic, unsigned count, std::string_view name) {
    const Part offset = byte_offset(p, extra);
    return b.message(16, count, isa::Type::UD, name, [&](const Piece& piece, const std::string& dst) {
      for_each_surface(*this, p, {}, [&](const std::string& surface, const Guard& guard) {
        b.line(fmt::format("{}{} {} {} 0x0:ud {} {}", b.guard_text(guard), mnemonic, VisaWriter::exec(piece), surface,
                           b.raw(offset, piece), dst));
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
      const Part low = read(where[k].offset, "gather4_scaled.R", 1, hint)[0];
      if (bytes == 8)
        v.parts[k] = join64(*this, low, read(where[k].offset + 1, "gather4_scaled.R", 1, hint)[0], list[k]);
      else
        v.parts[k] = bytes == 4 ? finish(low, list[k]) : b.copy(narrowed(low, list[k]), hint);
    }
    return v;
  }
  for_each_run(where, [&](std::size_t first, std::size_t end) {
    const isa::Type type = where[first].type;
    const unsigned bytes = type == isa::Type::Bool ? 4 : isa::type_bytes(type);
    if (bytes == 8) {
      const std::vector<Part> halves = read(where[first].offset, "gather4_scaled.RG", 2, hint);
      v.parts[first] = join64(*this, halves[0], halves[1], type);
    } else if (bytes < 4) {
      const Part got = read(where[first].offset, fmt::format("gather_scaled.{}", bytes), 1, hint)[0];
      v.parts[first] = b.copy(narrowed(got, type), hint);
    } else {
      const std::vector<Part> got = read(where[first].offset, fmt::format("gather4_scaled.{}", channels(end - first)),
                                         static_cast<unsigned>(end - first), hint);
      for (std::size_t k = first; k < end; ++k) v.parts[k] = finish(got[k - first], where[k].type);
    }
  });
  return v;
}

void ShaderTranslator::store(const Pointer& p, const Value& v) {
  const std::vector<isa::Type> list = scalars(p.pointee);
  if (p.kind == Pointer::Kind::Registers) {
    const auto target = [&](std::size_t n) {
      return p.first + n < p.storage->size() ? &(*p.storage)[p.first + n] : nullptr;
    };
    if (p.places.empty()) {
      // A value may be made of parts of the same variable: all are read before any is written.
      std::vector<Part> from(v.parts.begin(), v.parts.end());
      std::set<std::uint32_t> written;
      for (std::size_t k = 0; k < from.size() && k < list.size(); ++k) {
        if (from[k].kind == Part::Kind::Variable && written.contains(from[k].variable))
          from[k] = b.copy(from[k], "kept");
        if (const Part* own = target(k)) written.insert(own->variable);
      }
      for (std::size_t k = 0; k < list.size() && k < from.size(); ++k)
        if (const Part* dst = target(k); dst != nullptr && from[k].kind != Part::Kind::Undefined) b.move(*dst, from[k]);
      return;
    }
    for (std::size_t c = 0; c < p.places.size(); ++c) {
      const Guard those{b.compare("eq", p.dynamic, ud(p.places[c]), "is_index"), false, false};
      for (std::size_t k = 0; k < list.size() && k < v.parts.size(); ++k)
        if (const Part* dst = target(p.places[c] + k); dst != nullptr) b.move(*dst, v.parts[k], those);
    }
    return;
  }
  const std::vector<Place> where = places(*this, p);
  if (where.size() != list.size() || v.parts.size() < list.size() || type(p.pointee).flat > kMaxScalars) {
    refuse(fmt::format("a value of more than {} scalars", kMaxScalars));
    return;
  }
  const Guard guard = p.kind == Pointer::Kind::Buffer ? live() : Guard{};
  // Data of several channels lies in groups one after the other.
  const auto write = [&](std::uint32_t extra, std::string_view mnemonic, const std::vector<Part>& data) {
    const Part offset = byte_offset(p, extra);
    for (const Piece& piece : b.pieces(16)) {
      const unsigned group = (piece.lanes * 4 + b.grf() - 1) / b.grf() * b.grf();
      Part block = b.block(isa::Type::UD, "data", group / 4 * static_cast<unsigned>(data.size()));
      if (data.size() == 1 && data[0].kind == Part::Kind::Variable && data[0].stride == 1 &&
          (data[0].offset + piece.start * 4) % b.grf() == 0) {
        block = data[0];
        block.offset += piece.start * 4;
      } else {
        for (std::size_t c = 0; c < data.size(); ++c) {
          Part to = block;
          to.stride = 1;
          to.offset = static_cast<std::uint32_t>(c) * group;
          // Halves of 64-bit lanes lie twice as wide: two registers hold fewer of them.
          const unsigned lanes = data[c].stride > 1 ? std::min(piece.lanes, b.grf() / 4) : piece.lanes;
          for (unsigned k = 0; k < piece.lanes; k += lanes) {
            const Piece part{piece.start + k, lanes};
            b.line(fmt::format("mov {} {} {}", VisaWriter::exec(part), b.destination(to, {k, lanes}),
                               b.source(data[c], part)));
          }
        }
      }
      for_each_surface(*this, p, guard, [&](const std::string& surface, const Guard& those) {
        b.line(fmt::format("{}{} {} {} 0x0:ud {} {}", b.guard_text(those), mnemonic, VisaWriter::exec(piece), surface,
                           b.raw(offset, piece), b.raw(block, {0, piece.lanes})));
      });
    }
  };
  const auto dword = [&](Part part) {
    if (part.kind == Part::Kind::Undefined) return ud(0);
    if (part.boolean()) return b.to_mask(part).as(isa::Type::UD);
    if (isa::type_bytes(part.type) < 4) {
      const isa::Type bits = isa::type_bytes(part.type) == 2 ? isa::Type::UW : isa::Type::UB;
      return part.constant() ? ud(static_cast<std::uint32_t>(part.bits))
                             : b.convert(part.as(bits), isa::Type::UD, "data");
    }
    return part.as(isa::Type::UD);
  };
  if (p.kind == Pointer::Kind::Scratch) {
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (list[k] != isa::Type::Bool && isa::type_bytes(list[k]) == 8) {
        write(where[k].offset, "scatter4_scaled.R", {narrowed(v.parts[k], isa::Type::UD, 0)});
        write(where[k].offset + 1, "scatter4_scaled.R", {narrowed(v.parts[k], isa::Type::UD, 1)});
      } else {
        write(where[k].offset, "scatter4_scaled.R", {dword(v.parts[k])});
      }
    }
    return;
  }
  for_each_run(where, [&](std::size_t first, std::size_t end) {
    const unsigned bytes = where[first].type == isa::Type::Bool ? 4 : isa::type_bytes(where[first].type);
    if (bytes == 8) {
      write(where[first].offset, "scatter4_scaled.RG",
            {narrowed(v.parts[first], isa::Type::UD, 0), narrowed(v.parts[first], isa::Type::UD, 1)});
    } else if (bytes < 4) {
      write(where[first].offset, fmt::format("scatter_scaled.{}", bytes), {dword(v.parts[first])});
    } else {
      std::vector<Part> data;
      for (std::size_t k = first; k < end; ++k) data.push_back(dword(v.parts[k]));
      write(where[first].offset, fmt::format("scatter4_scaled.{}", channels(end - first)), data);
    }
  });
}

Pointer ShaderTranslator::access(const Pointer& base, std::span<const std::uint32_t> indices) {
  Pointer p = base;
  // Adds index * unit to the run-time part of the address.
  const auto add = [&](const Part& index, std::uint32_t unit) {
    Part scaled = index.as(isa::Type::UD);
    if (isa::type_bytes(index.type) != 4) scaled = b.convert(index, isa::Type::UD, "index");
    if (unit != 1) scaled = b.make("mul", isa::Type::UD, {scaled, ud(unit)}, "offset");
    p.dynamic = p.dynamic.constant() && p.dynamic.bits == 0
                    ? scaled
                    : b.make("add", isa::Type::UD, {p.dynamic, scaled}, "offset");
  };
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
      p.pointee = info.element;
      if (!is_opaque(type(p.pointee))) p.kind = Pointer::Kind::Buffer;
      continue;
    }
    if (p.kind == Pointer::Kind::Registers) {
      const std::uint32_t unit = type(info.element).flat;
      if (index.constant()) {
        p.first += std::min(literal, info.count == 0 ? 0 : info.count - 1) * unit;
      } else {
        if (p.places.empty()) p.places = {0};
        std::vector<std::uint32_t> places;
        for (const std::uint32_t place : p.places)
          for (std::uint32_t k = 0; k < std::min(info.count, kMaxScalars); ++k) places.push_back(place + k * unit);
        p.places = std::move(places);
        add(index, unit);
      }
      p.pointee = info.element;
      continue;
    }
    std::uint32_t unit = 0;
    const bool dwords = p.kind == Pointer::Kind::Scratch;
    if (is(info, Spv::OpTypeVector)) {
      unit = p.row_major_vector ? p.matrix.stride : scalar_size(info, dwords);
      p.row_major_vector = false;
    } else if (is(info, Spv::OpTypeMatrix)) {
      const bool laid_out = p.matrix.stride != 0 && !dwords;
      unit = !laid_out            ? natural_size(info.element, dwords)
             : p.matrix.row_major ? scalar_size(info, false)
                                  : p.matrix.stride;
      p.row_major_vector = laid_out && p.matrix.row_major;
    } else {
      unit = array_stride(*this, p.pointee, p.kind);
    }
    if (index.constant())
      p.offset += literal * unit;
    else
      add(index, unit);
    p.pointee = info.element;
  }
  return p;
}

void ShaderTranslator::each_element(const Descriptor& d, const std::function<void(std::uint32_t, const Guard&)>& use) {
  const DescriptorVariable& variable = descriptor(d.variable);
  const auto count = static_cast<std::uint32_t>(std::max(variable.surfaces.size(), variable.samplers.size()));
  if (d.index.constant() || count <= 1) {
    use(d.index.constant() ? std::min(static_cast<std::uint32_t>(d.index.bits), count == 0 ? 0 : count - 1) : 0, {});
    return;
  }
  for (std::uint32_t k = 0; k < count; ++k) use(k, {b.compare("eq", d.index, ud(k), "is_element"), false, false});
}

}  // namespace heddle::spirv::compiler
