// Variables, access chains, loads and stores.
#include "spirv/compile/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

namespace heddle::spirv::compiler {

using Spv = spv::Op;

namespace {

bool is(const TypeInfo& info, Spv op) { return info.op == static_cast<std::uint16_t>(op); }

bool is_opaque(const TypeInfo& info) {
  return is(info, Spv::OpTypeImage) || is(info, Spv::OpTypeSampler) || is(info, Spv::OpTypeSampledImage) ||
         is(info, Spv::OpTypeAccelerationStructureKHR);
}

std::uint32_t scalar_size(const TypeInfo& info, bool dwords) {
  const std::uint32_t bytes = info.scalar == isa::Type::Bool ? 4 : isa::type_bytes(info.scalar);
  return dwords ? std::max(1u, bytes / 4) : bytes;
}

MatrixLayout matrix_layout(Translator& t, std::uint32_t structure, std::uint32_t member) {
  MatrixLayout layout;
  if (const auto stride =
          t.member_decoration(structure, member, static_cast<std::uint32_t>(spv::Decoration::MatrixStride));
      stride && !stride->empty())
    layout.stride = (*stride)[0];
  layout.row_major =
      t.member_decoration(structure, member, static_cast<std::uint32_t>(spv::Decoration::RowMajor)).has_value();
  return layout;
}

void collect(Translator& t, std::uint32_t type, Pointer::Kind kind, std::uint32_t offset, MatrixLayout matrix,
             bool spread, std::vector<Place>& out) {
  const TypeInfo info = t.type(type);
  if (info.flat == 0) return;
  const bool dwords = kind == Pointer::Kind::Scratch;
  switch (static_cast<Spv>(info.op)) {
    case Spv::OpTypeVector: {
      const std::uint32_t step = spread ? matrix.stride : scalar_size(info, dwords);
      for (std::uint32_t c = 0; c < info.count; ++c) out.push_back({offset + c * step, info.scalar});
      return;
    }
    case Spv::OpTypeMatrix: {
      const std::uint32_t column = matrix.stride != 0 ? (matrix.row_major ? scalar_size(info, dwords) : matrix.stride)
                                                      : t.natural_size(info.element, dwords);
      for (std::uint32_t c = 0; c < info.count; ++c)
        collect(t, info.element, kind, offset + c * column, matrix, matrix.row_major, out);
      return;
    }
    case Spv::OpTypeArray: {
      const std::uint32_t step = array_stride(t, type, kind);
      for (std::uint32_t c = 0; c < info.count; ++c)
        collect(t, info.element, kind, offset + c * step, matrix, false, out);
      return;
    }
    case Spv::OpTypeStruct:
      for (std::uint32_t m = 0; m < info.members.size(); ++m) {
        // Scratch has a layout of its own, whatever the type says.
        collect(t, info.members[m], kind, offset + member_offset(t, type, m, kind),
                dwords ? MatrixLayout{} : matrix_layout(t, type, m), false, out);
      }
      return;
    default:
      if (info.flat == 1) out.push_back({offset, info.scalar});
  }
}

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
std::string surface_of(Translator& t, const Pointer& p, std::uint32_t element) {
  if (p.kind == Pointer::Kind::Shared) return "%slm";
  if (p.kind == Pointer::Kind::Scratch) return "%scratch";
  const DescriptorVariable& d = t.descriptor(p.descriptor.variable);
  return element < d.surfaces.size() ? d.surfaces[element] : "T6";
}

void for_each_surface(Translator& t, const Pointer& p, const Guard& guard,
                      const std::function<void(const std::string&, const Guard&)>& use) {
  if (p.kind != Pointer::Kind::Buffer) {
    use(surface_of(t, p, 0), guard);
    return;
  }
  t.each_element(p.descriptor, [&](std::uint32_t element, const Guard& those) {
    use(surface_of(t, p, element), t.both(those, guard));
  });
}

Part join64(Translator& t, const Part& low, const Part& high, isa::Type type) {
  const Part wide = t.b.lanes(type, "wide");
  t.b.move(narrowed(wide, isa::Type::UD, 0), low.as(isa::Type::UD));
  t.b.move(narrowed(wide, isa::Type::UD, 1), high.as(isa::Type::UD));
  return wide;
}

}  // namespace

std::uint32_t Translator::natural_size(std::uint32_t id, bool dwords) {
  if (const auto known = natural_sizes_.find({id, dwords}); known != natural_sizes_.end()) return known->second;
  const std::uint64_t size = measure(id, dwords);
  return natural_sizes_[{id, dwords}] = static_cast<std::uint32_t>(std::min<std::uint64_t>(0x7fffffffu, size));
}

std::uint64_t Translator::measure(std::uint32_t id, bool dwords) {
  const TypeInfo info = type(id);
  switch (static_cast<Spv>(info.op)) {
    case Spv::OpTypeVector:
      return info.count * scalar_size(info, dwords);
    case Spv::OpTypeMatrix:
    case Spv::OpTypeArray:
      return std::uint64_t{info.count} * natural_size(info.element, dwords);
    case Spv::OpTypeStruct: {
      std::uint64_t size = 0;
      for (const std::uint32_t member : info.members) {
        // 64-bit members on 8 bytes, the others on 4, bytes and words where they come.
        const std::uint32_t bytes = natural_size(member, dwords), align = dwords ? 1 : 8;
        size = (size + align - 1) / align * align + bytes;
      }
      return dwords ? size : (size + 7) / 8 * 8;
    }
    default:
      return scalar_size(info, dwords);
  }
}

std::uint32_t array_stride(Translator& t, std::uint32_t array, Pointer::Kind kind) {
  if (kind == Pointer::Kind::Buffer || kind == Pointer::Kind::Shared)
    if (const auto stride = t.decoration(array, static_cast<std::uint32_t>(spv::Decoration::ArrayStride));
        stride && !stride->empty())
      return (*stride)[0];
  return t.natural_size(t.type(array).element, kind == Pointer::Kind::Scratch);
}

std::uint32_t member_offset(Translator& t, std::uint32_t structure, std::uint32_t member, Pointer::Kind kind) {
  if (kind == Pointer::Kind::Buffer || kind == Pointer::Kind::Shared)
    if (const auto offset = t.member_decoration(structure, member, static_cast<std::uint32_t>(spv::Decoration::Offset));
        offset && !offset->empty())
      return (*offset)[0];
  const bool dwords = kind == Pointer::Kind::Scratch;
  const TypeInfo info = t.type(structure);
  std::uint32_t at = 0;
  for (std::uint32_t m = 0; m < member && m < info.members.size(); ++m) {
    if (!dwords) at = (at + 7) / 8 * 8;
    at += t.natural_size(info.members[m], dwords);
  }
  return dwords ? at : (at + 7) / 8 * 8;
}

std::vector<Place> places(Translator& t, const Pointer& pointer) {
  std::vector<Place> list;
  if (t.type(pointer.pointee).flat <= kMaxScalars)
    collect(t, pointer.pointee, pointer.kind, pointer.offset, pointer.matrix, pointer.row_major_vector, list);
  return list;
}

namespace {

/// Bytes to the end of a type in Workgroup memory, where the module may say the layout.
std::uint64_t shared_extent(Translator& t, std::uint32_t id, MatrixLayout matrix,
                            std::unordered_map<std::uint32_t, std::uint64_t>& known) {
  const TypeInfo info = t.type(id);
  const std::uint64_t natural = t.natural_size(id, false);
  std::uint64_t extent = std::max<std::uint64_t>(4, natural);
  if (is(info, Spv::OpTypeMatrix))
    return matrix.stride == 0 ? extent
                              : std::uint64_t{matrix.stride} * std::max(info.count, t.type(info.element).count);
  if (is(info, Spv::OpTypeArray)) {
    const std::uint64_t element = shared_extent(t, info.element, matrix, known);
    return std::max<std::uint64_t>(
        extent, (std::max(1u, info.count) - 1) * std::uint64_t{array_stride(t, id, Pointer::Kind::Shared)} + element);
  }
  if (!is(info, Spv::OpTypeStruct)) return extent;
  if (const auto found = known.find(id); found != known.end()) return found->second;
  for (std::uint32_t m = 0; m < info.members.size(); ++m)
    extent = std::max(extent, member_offset(t, id, m, Pointer::Kind::Shared) +
                                  shared_extent(t, info.members[m], matrix_layout(t, id, m), known));
  return known[id] = extent;
}

}  // namespace

/// Where a Workgroup variable lies. Blocks (WorkgroupMemoryExplicitLayoutKHR) all begin at the same place.
void Translator::shared_variable(Pointer& p) {
  std::unordered_map<std::uint32_t, std::uint64_t> known;
  const auto is_block = [&](std::uint32_t id) {
    return is(type(id), Spv::OpTypeStruct) &&
           decoration(id, static_cast<std::uint32_t>(spv::Decoration::Block)).has_value();
  };
  const auto reserve = [&](std::uint64_t bytes) {
    const std::uint32_t start = (std::min(shared_bytes, 1u << 28) + 15) / 16 * 16;
    shared_bytes = start + static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, 1u << 30));
    return start;
  };
  if (!is_block(p.pointee)) {
    p.offset = reserve(shared_extent(*this, p.pointee, {}, known));
    return;
  }
  if (!shared_blocks_) {
    std::uint64_t largest = 0;
    for (const Instruction& i : module.instructions) {
      if (static_cast<Spv>(i.opcode) == Spv::OpFunction) break;
      if (static_cast<Spv>(i.opcode) != Spv::OpVariable ||
          static_cast<spv::StorageClass>(i.operands[0]) != spv::StorageClass::Workgroup)
        continue;
      if (const std::uint32_t pointee = type(i.type).element; is_block(pointee))
        largest = std::max(largest, shared_extent(*this, pointee, {}, known));
    }
    shared_blocks_ = reserve(largest);
  }
  p.offset = *shared_blocks_;
}

std::shared_ptr<std::vector<Part>> Translator::new_storage(std::uint32_t id, std::string_view hint) {
  auto storage = std::make_shared<std::vector<Part>>();
  const std::vector<isa::Type> list = scalars(id);
  const TypeInfo info = type(id);
  static constexpr std::string_view kComponents[] = {"x", "y", "z", "w"};
  for (std::size_t k = 0; k < list.size(); ++k)
    storage->push_back(b.lanes(list[k], list.size() == 1 ? std::string(hint)
                                        : is(info, Spv::OpTypeVector) && k < 4
                                            ? fmt::format("{}_{}", hint, kComponents[k])
                                            : fmt::format("{}_{}", hint, k)));
  return storage;
}

void Translator::variable(const Instruction& i) {
  const auto storage = static_cast<spv::StorageClass>(i.operands[0]);
  auto p = std::make_shared<Pointer>();
  p->pointee = type(i.type).element;
  p->storage_class = i.operands[0];
  p->root = i.result;
  const TypeInfo pointee = type(p->pointee);
  switch (storage) {
    case spv::StorageClass::UniformConstant:
    case spv::StorageClass::Uniform:
    case spv::StorageClass::StorageBuffer:
    case spv::StorageClass::PushConstant:
      p->descriptor.variable = i.result;
      p->kind = is_opaque(pointee) || is(pointee, Spv::OpTypeArray) || is(pointee, Spv::OpTypeRuntimeArray)
                    ? Pointer::Kind::Descriptor
                    : Pointer::Kind::Buffer;
      break;
    case spv::StorageClass::Workgroup:
      p->kind = Pointer::Kind::Shared;
      shared_variable(*p);
      if (shared_bytes > (1u << 20))
        refuse(fmt::format("{} bytes of Workgroup memory are more than any device has", shared_bytes));
      break;
    case spv::StorageClass::Private:
    case spv::StorageClass::Function:
      if (pointee.flat > kMaxScalars || (pointee.flat > 32 && dynamic_.count(i.result) != 0)) {
        p->kind = Pointer::Kind::Scratch;
        // Calls of one function follow each other: its variables keep their place.
        const auto [place, is_new] = scratch_places_.emplace(i.result, scratch_dwords);
        p->offset = place->second;
        if (is_new) {
          const std::uint64_t all = std::uint64_t{scratch_dwords} + natural_size(p->pointee, true);
          scratch_dwords = static_cast<std::uint32_t>(std::min<std::uint64_t>(all, 1u << 30));
          if (all > (1u << 16)) refuse(fmt::format("{} bytes of private memory a lane are too much", all * 4));
        }
      } else {
        p->storage = new_storage(p->pointee, name_of(i.result, "variable"));
      }
      break;
    case spv::StorageClass::Input:
    case spv::StorageClass::Output:
      p->storage = std::make_shared<std::vector<Part>>();  // the stage fills it
      break;
    default:
      refuse(fmt::format("storage class {} is not supported", i.operands[0]));
      p->storage = new_storage(p->pointee, "variable");
  }
  Value v;
  v.type = i.type;
  v.pointer = p;
  set(i.result, v);
  if (i.operands.size() > 1 && (storage == spv::StorageClass::Private || storage == spv::StorageClass::Function)) {
    Value initial = value(i.operands[1]);
    initial.type = p->pointee;
    store(*p, initial);
  } else if (p->kind == Pointer::Kind::Registers && storage == spv::StorageClass::Function && killed_may_read(i)) {
    for (const Part& scalar : *p->storage) b.move(scalar, constant(scalar.type, 0));
  }
}

/// A killed lane that goes on for its quad's sake must not read what nothing wrote: variables of shaders that kill
/// start as 0, unless the block that declares them writes them.
bool Translator::killed_may_read(const Instruction& variable) const {
  if (!kills_) return false;
  for (auto k = static_cast<std::size_t>(&variable - module.instructions.data()) + 1; k < module.instructions.size();
       ++k) {
    const Instruction& i = module.instructions[k];
    switch (static_cast<Spv>(i.opcode)) {
      case Spv::OpStore:
        if (i.operands[0] == variable.result) return false;
        break;
      case Spv::OpLabel:
      case Spv::OpFunctionEnd:
        return true;
      default:
        break;
    }
  }
  return true;
}

Part Translator::scratch_base() {
  if (scratch_base_.kind != Part::Kind::Variable) {
    scratch_base_ = b.lanes(isa::Type::UD, "scratch_lane");
    const Part lane = b.lane_numbers();
    b.at_start([&] {
      const Part base = b.block(isa::Type::UD, "scratch_start", 1);
      b.line(fmt::format("and (M1_NM, 1) {} %r0(0,5)<0;1,0> 0xfffffc00:ud", b.destination(base, {0, 1})));
      b.op("shl", scratch_base_, {lane, ud(2)}, {{}, false, true});
      b.op("add", scratch_base_, {scratch_base_, base}, {{}, false, true});
    });
  }
  return scratch_base_;
}

Part Translator::byte_offset(const Pointer& p, std::uint32_t extra) {
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

Value Translator::load(const Pointer& p, std::string_view hint) {
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
        b.line(fmt::format("{}{} {} {} 0x0:ud {} {}", b.guard_text(guard), mnemonic, Builder::exec(piece), surface,
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

void Translator::store(const Pointer& p, const Value& v) {
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
            b.line(fmt::format("mov {} {} {}", Builder::exec(part), b.destination(to, {k, lanes}),
                               b.source(data[c], part)));
          }
        }
      }
      for_each_surface(*this, p, guard, [&](const std::string& surface, const Guard& those) {
        b.line(fmt::format("{}{} {} {} 0x0:ud {} {}", b.guard_text(those), mnemonic, Builder::exec(piece), surface,
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

Pointer Translator::access(const Pointer& base, std::span<const std::uint32_t> indices) {
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

void Translator::each_element(const Descriptor& d, const std::function<void(std::uint32_t, const Guard&)>& use) {
  const DescriptorVariable& variable = descriptor(d.variable);
  const auto count = static_cast<std::uint32_t>(std::max(variable.surfaces.size(), variable.samplers.size()));
  if (d.index.constant() || count <= 1) {
    use(d.index.constant() ? std::min(static_cast<std::uint32_t>(d.index.bits), count == 0 ? 0 : count - 1) : 0, {});
    return;
  }
  for (std::uint32_t k = 0; k < count; ++k) use(k, {b.compare("eq", d.index, ud(k), "is_element"), false, false});
}

namespace {

void make_variable(Translator& t) { t.variable(*t.at); }

std::shared_ptr<Pointer> pointer(Translator& t, std::uint32_t id) { return t.value(id).pointer; }

void access_chain(Translator& t) {
  const auto base = pointer(t, t.operand(0));
  if (base == nullptr) {
    t.refuse("this pointer is not supported");
    return;
  }
  std::span<const std::uint32_t> indices = t.at->operands.subspan(1);
  Pointer from = *base;
  if (static_cast<Spv>(t.at->opcode) == Spv::OpPtrAccessChain && !indices.empty()) {
    t.refuse("pointers to elements of arrays that are not named are not supported");
    indices = indices.subspan(1);
  }
  Value v;
  v.type = t.at->type;
  v.pointer = std::make_shared<Pointer>(t.access(from, indices));
  t.set(t.at->result, std::move(v));
}

void load(Translator& t) {
  const auto p = pointer(t, t.operand(0));
  if (p == nullptr) {
    t.refuse("this pointer is not supported");
    return;
  }
  if (p->kind == Pointer::Kind::Descriptor) {
    Value v;
    v.type = t.at->type;
    const TypeInfo info = t.type(t.at->type);
    if (!is_opaque(info)) {
      t.refuse("a whole array of descriptors cannot be loaded");
      return;
    }
    v.handle = std::make_shared<Handle>();
    if (is(info, Spv::OpTypeSampler)) {
      v.handle->sampler = p->descriptor;
    } else {
      v.handle->image = p->descriptor;
      v.handle->type = is(info, Spv::OpTypeImage) ? t.at->type : t.module.find(t.at->type)->operands[0];
      if (is(info, Spv::OpTypeSampledImage)) v.handle->sampler = p->descriptor;
    }
    t.set(t.at->result, std::move(v));
    return;
  }
  Value v = t.load(*p, t.name_of(t.at->result, t.name_of(p->root, "loaded")));
  if (p->kind == Pointer::Kind::Registers && p->places.empty() && !t.may_alias(*p))
    for (Part& part : v.parts)
      if (part.kind == Part::Kind::Variable) part = t.b.copy(part, t.name_of(t.at->result, "loaded"));
  v.type = t.at->type;
  t.set(t.at->result, std::move(v));
}

void store(Translator& t) {
  const auto p = pointer(t, t.operand(0));
  if (p == nullptr)
    t.refuse("this pointer is not supported");
  else
    t.store(*p, t.value(t.operand(1)));
}

void copy_memory(Translator& t) {
  const auto to = pointer(t, t.operand(0)), from = pointer(t, t.operand(1));
  if (to == nullptr || from == nullptr)
    t.refuse("this pointer is not supported");
  else
    t.store(*to, t.load(*from, "copied"));
}

/// Elements of a runtime array: what is left of the buffer behind its start, in strides.
void array_length(Translator& t) {
  const auto p = pointer(t, t.operand(0));
  if (p == nullptr || p->kind != Pointer::Kind::Buffer) {
    t.refuse("only the arrays of buffers have a length");
    return;
  }
  const std::uint32_t member = t.operand(1);
  const std::uint32_t offset = member_offset(t, p->pointee, member, p->kind);
  const std::uint32_t stride = std::max(1u, array_stride(t, t.type(p->pointee).members[member], p->kind));
  const Part zero = t.b.copy(ud(0), "level");
  const Part bytes = t.b.message(16, 1, isa::Type::UD, "bytes", [&](const Piece& piece, const std::string& dst) {
    // resinfo takes no predicate: of several buffers the lanes pick theirs afterwards.
    t.each_element(p->descriptor, [&](std::uint32_t element, const Guard& those) {
      const std::string& surface = t.descriptor(p->descriptor.variable).surfaces[element];
      if (those.predicate.kind != Part::Kind::Predicate) {
        t.b.line(fmt::format("resinfo.R {} {} {} {}", Builder::exec(piece), surface, t.b.raw(zero, piece), dst));
        return;
      }
      const Part one = t.b.block(isa::Type::UD, "size", piece.lanes);
      t.b.line(fmt::format("resinfo.R {} {} {} {}", Builder::exec(piece), surface, t.b.raw(zero, piece),
                           t.b.raw(one, {0, 1})));
      Part from = one;
      from.stride = 1;
      const std::string name = dst.substr(0, dst.find('.'));
      t.b.line(fmt::format("{}mov {} {}(0,0)<1> {}", t.b.guard_text(those), Builder::exec(piece), name,
                           t.b.source(from, {0, piece.lanes})));
    });
  })[0];
  const Part rest = offset == 0 ? bytes : t.b.make("add", isa::Type::UD, {bytes, ud(0u - offset)}, "rest");
  const Part length = t.result(isa::Type::UD);
  if (stride == 1)
    t.b.move(length, rest);
  else if ((stride & (stride - 1)) == 0)
    t.b.op("shr", length, {rest, ud(static_cast<std::uint32_t>(__builtin_ctz(stride)))});
  else
    t.b.op("div", length, {rest, ud(stride)});
  t.set({length});
}

constexpr Op kOps[] = {
    {static_cast<std::uint16_t>(Spv::OpVariable), make_variable},
    {static_cast<std::uint16_t>(Spv::OpAccessChain), access_chain},
    {static_cast<std::uint16_t>(Spv::OpInBoundsAccessChain), access_chain},
    {static_cast<std::uint16_t>(Spv::OpPtrAccessChain), access_chain},
    {static_cast<std::uint16_t>(Spv::OpLoad), load},
    {static_cast<std::uint16_t>(Spv::OpStore), store},
    {static_cast<std::uint16_t>(Spv::OpCopyMemory), copy_memory},
    {static_cast<std::uint16_t>(Spv::OpArrayLength), array_length},
};

}  // namespace

std::span<const Op> memory_ops() { return kOps; }

}  // namespace heddle::spirv::compiler
