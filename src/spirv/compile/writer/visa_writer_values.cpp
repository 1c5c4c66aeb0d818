// SPDX-License-Identifier: MIT
// What handlers ask for most: values computed, chosen, moved and converted.
#include "spirv/compile/writer/visa_writer.hpp"

namespace heddle::spirv::compiler {

Part VisaWriter::make(std::string_view name, isa::Type type, std::initializer_list<Source> sources,
                      std::string_view hint) {
  const Part dst = lanes(type, hint);
  op(name, dst, sources);
  return dst;
}

Part VisaWriter::compare(std::string_view condition, const Source& a, const Source& b, std::string_view hint) {
  const Part p = predicate(hint);
  op("cmp." + std::string(condition), p, {a, b});
  return p;
}

Part VisaWriter::to_predicate(const Part& value) {
  if (value.kind == Part::Kind::Predicate) return value;
  const Part p = predicate("cond");
  if (value.kind == Part::Kind::Variable)
    op("cmp.ne", p, {value.as(isa::Type::D), constant(isa::Type::D, 0)});
  else {
    const Part one = copy(constant(isa::Type::D, value.bits));
    op("cmp.ne", p, {one, constant(isa::Type::D, 0)});
  }
  return p;
}

Part VisaWriter::to_mask(const Part& value, std::string_view hint) {
  if (value.kind == Part::Kind::Variable) return value.as(isa::Type::D);
  if (value.kind != Part::Kind::Predicate) return constant(isa::Type::D, value.bits != 0 ? 0xffffffffu : 0);
  const Part mask = lanes(isa::Type::Bool, hint);
  move(mask, value);
  return mask.as(isa::Type::D);
}

Part VisaWriter::select(const Part& condition, const Part& a, const Part& b, std::string_view hint) {
  if (condition.constant()) return condition.bits != 0 ? a : b;
  const Part p = to_predicate(condition);
  if (a.boolean() || b.boolean()) {
    const Part dst = lanes(isa::Type::Bool, hint);
    move(dst, b);
    move(dst, a, {p, false, false});
    return dst;
  }
  const isa::Type type = a.kind == Part::Kind::Undefined ? b.type : a.type;
  const Part dst = lanes(type, hint);
  Part first = a.as(type);
  if (first.kind != Part::Kind::Variable) first = copy(first);
  op("sel", dst, {first, b.as(type)}, {p, false, false});
  return dst;
}

void VisaWriter::move(const Part& dst, const Part& src, const Guard& guard) {
  if (dst.kind == Part::Kind::Predicate) {
    if (src.kind == Part::Kind::Predicate && guard.predicate.kind != Part::Kind::Predicate && !guard.no_mask) {
      op("or", dst, {src, src});
      return;
    }
    // Under a predicate: through a mask, since logic on predicates takes none.
    const Part mask = lanes(isa::Type::Bool, "mask");
    move(mask, dst);
    move(mask, src, guard);
    op("cmp.ne", dst, {mask.as(isa::Type::D), constant(isa::Type::D, 0)});
    return;
  }
  if (dst.type != isa::Type::Bool) {
    op("mov", dst, {src.kind == Part::Kind::Undefined ? constant(dst.type, 0) : src}, guard);
    return;
  }
  const Part mask = dst.as(isa::Type::D);
  if (src.kind != Part::Kind::Predicate) {
    op("mov", mask,
       {src.kind == Part::Kind::Variable ? src.as(isa::Type::D)
                                         : constant(isa::Type::D, src.bits != 0 ? 0xffffffffu : 0)},
       guard);
    return;
  }
  const Part ones = copy(constant(isa::Type::D, 0xffffffffu), "ones");
  if (guard.predicate.kind != Part::Kind::Predicate) {
    op("sel", mask, {ones, constant(isa::Type::D, 0)}, {src, false, guard.no_mask});
    return;
  }
  const Part chosen = lanes(isa::Type::D, "mask");
  op("sel", chosen, {ones, constant(isa::Type::D, 0)}, {src, false, guard.no_mask});
  op("mov", mask, {chosen}, guard);
}

Part VisaWriter::copy(const Part& src, std::string_view hint) {
  const Part dst = lanes(src.boolean() ? isa::Type::Bool : src.type, hint);
  move(dst, src);
  return dst;
}

Part VisaWriter::convert(const Part& src, isa::Type type, std::string_view hint) {
  const Part dst = lanes(type, hint);
  op("mov", dst, {src});
  return dst;
}

Part VisaWriter::in_register(const Part& part, std::string_view hint) {
  if (part.kind == Part::Kind::Variable && part.stride == 1 && part.offset % grf() == 0) return part;
  return copy(part, hint);
}

Part VisaWriter::lane_numbers() {
  if (lane_numbers_.kind != Part::Kind::Variable) {
    lane_numbers_ = lanes(isa::Type::UD, "lane");
    at_start([&] {
      for (unsigned start = 0; start < simd(); start += 8) {
        const LaneRange range{start, 8};
        instruction("mov", range, {destination(lane_numbers_, range), hexadecimal(isa::Type::UV, 0x76543210)},
                    every_lane());
        if (start != 0)
          instruction("add", range,
                      {destination(lane_numbers_, range), source(lane_numbers_, range), source(ud(start), range)},
                      every_lane());
      }
    });
  }
  return lane_numbers_;
}

std::vector<Part> VisaWriter::message(unsigned max_lanes, unsigned channels, isa::Type type, std::string_view hint,
                                      const std::function<void(const LaneRange&, const VisaOperand& dst)>& emit) {
  const std::vector<LaneRange> list = lane_ranges(max_lanes);
  const unsigned size = isa::type_bytes(type);
  std::vector<Part> results;
  if (list.size() == 1) {
    const Part dst = lanes(type, hint, channels);
    emit(list[0], raw(dst, {0, list[0].lanes}));
    for (unsigned c = 0; c < channels; ++c) results.push_back(group(dst, c));
    return results;
  }
  for (unsigned c = 0; c < channels; ++c) results.push_back(lanes(type, hint));
  const unsigned step = (list[0].lanes * size + grf() - 1) / grf() * grf();
  for (const LaneRange& range : list) {
    const Part dst = array(type, hint, (step * channels) / size);
    emit(range, raw(dst, {0, range.lanes}));
    for (unsigned c = 0; c < channels; ++c) {
      Part from = dst;
      from.stride = 1;
      from.offset = c * step;
      instruction("mov", range, {destination(results[c], range), source(from, {0, range.lanes})});
    }
  }
  return results;
}

}  // namespace heddle::spirv::compiler
