// SPDX-License-Identifier: MIT
// Rules: R4 to R10, R12 to R17, R19, R21, R25, in the lenient reading of FP-21.
#include "layer/rewriter/query.hpp"

#include <spirv/unified1/spirv.hpp>

#include <algorithm>

namespace heddle::layer {
namespace {

bool is_type(const Module& m, std::uint32_t id, std::uint16_t opcode) {
  const Instruction* i = m.definition(id);
  return i != nullptr && i->opcode() == opcode;
}
bool is_integer(const Module& m, std::uint32_t type) { return is_type(m, type, spv::OpTypeInt); }
bool is_uint(const Module& m, std::uint32_t type) {
  return is_integer(m, type) && m.definition(type)->word(2) == 32 && m.definition(type)->word(3) == 0;
}
bool is_float(const Module& m, std::uint32_t type) {
  return is_type(m, type, spv::OpTypeFloat) && m.definition(type)->word(2) == 32;
}

/// Components of a vector type, 0 of another; `component`: its component's type.
std::uint32_t vector_size(const Module& m, std::uint32_t type, std::uint32_t& component) {
  if (!is_type(m, type, spv::OpTypeVector)) return 0;
  component = m.definition(type)->word(2);
  return m.definition(type)->word(3);
}
std::uint32_t uint_vector_size(const Module& m, std::uint32_t type) {
  std::uint32_t component = 0;
  const std::uint32_t size = vector_size(m, type, component);
  return is_uint(m, component) ? size : 0;
}
std::uint32_t float_vector_size(const Module& m, std::uint32_t type) {
  std::uint32_t component = 0;
  const std::uint32_t size = vector_size(m, type, component);
  return is_float(m, component) ? size : 0;
}

bool is_result(const Module& m, std::uint32_t type, unsigned dim) {  // R4 to R10
  const Instruction* s = m.definition(type);
  return s != nullptr && s->opcode() == spv::OpTypeStruct && s->words.size() == 8 &&
         is_type(m, s->word(2), spv::OpTypeBool) && uint_vector_size(m, s->word(3)) == dim &&
         uint_vector_size(m, s->word(4)) == dim && uint_vector_size(m, s->word(5)) == 2 && is_uint(m, s->word(6)) &&
         is_uint(m, s->word(7));
}

/// R12 to R15.
std::string read_image(const Module& m, Query& q) {
  const Instruction* sampled = m.definition(m.type_of(q.sampled_image));
  if (sampled == nullptr || sampled->opcode() != spv::OpTypeSampledImage)
    return "Sampled Image has no sampled-image type";
  q.image_type = sampled->word(2);
  const Instruction* image = m.definition(q.image_type);
  if (image == nullptr || image->opcode() != spv::OpTypeImage || image->words.size() < 9)
    return "the image has no image type";
  const std::uint32_t dim = image->word(3);
  if (dim != spv::Dim2D && dim != spv::Dim3D) return "Dim is neither 2D nor 3D";
  if (image->word(5) != 0) return "the image is arrayed";
  if (image->word(6) != 0) return "the image is multisampled";
  q.dim = dim == spv::Dim3D ? 3 : 2;
  return {};
}

/// The ids behind the mask, in bit order.
class OperandReader {
 public:
  OperandReader(const Module& m, const Instruction& i) : m_(m), i_(i), mask_(i.word(7)) {}

  /// The next id, where the mask has the bit.
  std::uint32_t take(std::uint32_t bit) {
    if ((mask_ & bit) == 0) return 0;
    return next();
  }
  std::uint32_t next() {
    const std::uint32_t id = i_.word(at_++);
    complete_ &= id != 0;
    return id;
  }
  [[nodiscard]] std::uint32_t mask() const { return mask_; }
  [[nodiscard]] bool matched() const { return complete_ && at_ == std::max<std::size_t>(i_.words.size(), 8); }
  [[nodiscard]] bool scalar(std::uint32_t id) const { return id == 0 || is_float(m_, m_.type_of(id)); }

 private:
  const Module& m_;
  const Instruction& i_;
  std::uint32_t mask_;
  std::size_t at_ = 8;
  bool complete_ = true;
};

/// R19, with offsets and with hints, which change no address.
const std::uint32_t kAllowedOperands =
    spv::ImageOperandsBiasMask | spv::ImageOperandsLodMask | spv::ImageOperandsGradMask |
    spv::ImageOperandsConstOffsetMask | spv::ImageOperandsOffsetMask | spv::ImageOperandsMinLodMask |
    spv::ImageOperandsNonPrivateTexelMask | spv::ImageOperandsVolatileTexelMask | spv::ImageOperandsSignExtendMask |
    spv::ImageOperandsZeroExtendMask | spv::ImageOperandsNontemporalMask;

std::string read_operands(const Module& m, const Instruction& i, Query& q) {
  OperandReader r(m, i);
  if ((r.mask() & ~kAllowedOperands) != 0) return "an image operand is not allowed here";  // R19
  q.bias = r.take(spv::ImageOperandsBiasMask);
  q.lod = r.take(spv::ImageOperandsLodMask);
  q.dx = r.take(spv::ImageOperandsGradMask);
  if (q.dx != 0) q.dy = r.next();
  q.offset = r.take(spv::ImageOperandsConstOffsetMask);
  if (const std::uint32_t offset = r.take(spv::ImageOperandsOffsetMask); offset != 0) q.offset = offset;
  q.min_lod = r.take(spv::ImageOperandsMinLodMask);
  if (!r.matched()) return "the words of the image operands do not match their mask";  // R25
  if (q.lod != 0 && q.dx != 0) return "Lod and Grad exclude each other";
  q.operand = q.lod != 0 ? LevelOperand::Lod : q.dx != 0 ? LevelOperand::Grad : LevelOperand::None;
  if (!r.scalar(q.bias) || !r.scalar(q.lod) || !r.scalar(q.min_lod))
    return "Bias, Lod and MinLod are floats of 32 bits";  // R21
  if (q.dx != 0 && (float_vector_size(m, m.type_of(q.dx)) != q.dim || float_vector_size(m, m.type_of(q.dy)) != q.dim))
    return "Grad has vectors as long as Dim says";
  std::uint32_t component = 0;
  if (q.offset != 0 && (vector_size(m, m.type_of(q.offset), component) != q.dim || !is_integer(m, component) ||
                        m.definition(component)->word(2) != 32))
    return "an offset is a vector of integers as long as Dim says";
  return {};
}

/// A variable, or an element of one that is an array.
SamplerOrigin origin_of_pointer(const Module& m, std::uint32_t pointer) {
  SamplerOrigin origin;
  const Instruction* i = m.definition(pointer);
  if (i == nullptr) return origin;
  if (i->opcode() == spv::OpAccessChain || i->opcode() == spv::OpInBoundsAccessChain) {
    if (i->words.size() != 5) return origin;
    const Instruction* index = m.definition(m.type_of(i->word(4)));
    if (index == nullptr || index->opcode() != spv::OpTypeInt || index->word(2) != 32) return origin;
    origin.index = i->word(4);
    i = m.definition(i->word(3));
  }
  if (i == nullptr || i->opcode() != spv::OpVariable) return origin;
  const auto set = m.decoration(i->result, spv::DecorationDescriptorSet),
             binding = m.decoration(i->result, spv::DecorationBinding);
  if (!set || !binding) return origin;
  origin.set = *set;
  origin.binding = *binding;
  origin.found = true;
  return origin;
}

SamplerOrigin origin_of(const Module& m, std::uint32_t id) {
  for (unsigned steps = 0; steps < 16; ++steps) {
    const Instruction* i = m.definition(id);
    if (i == nullptr) break;
    if (i->opcode() == spv::OpLoad) return origin_of_pointer(m, i->word(3));
    if (i->opcode() == spv::OpSampledImage)
      id = i->word(4);
    else if (i->opcode() == spv::OpCopyObject)
      id = i->word(3);
    else
      break;
  }
  return {};
}

}  // namespace

std::string read_query(const Module& m, const Instruction& i, Query& q) {
  if (i.words.size() < 7 || i.type == 0 || i.result == 0) return "it has too few words";
  q.type = i.type;
  q.result = i.result;
  q.sampled_image = i.word(3);
  q.coordinate = i.word(4);
  q.granularity = i.word(5);
  q.coarse = i.word(6);
  if (std::string problem = read_image(m, q); !problem.empty()) return problem;
  if (!is_result(m, q.type, q.dim)) return "Result Type is not the structure of the instruction";
  q.components = float_vector_size(m, m.type_of(q.coordinate));
  if (q.components < q.dim) return "Coordinate is no vector of floats as long as Dim says";  // R16
  if (!is_integer(m, m.type_of(q.granularity))) return "Granularity is no integer";          // R17
  if (!is_type(m, m.type_of(q.coarse), spv::OpTypeBool)) return "Coarse is no Boolean";
  if (std::string problem = read_operands(m, i, q); !problem.empty()) return problem;
  q.sampler = origin_of(m, q.sampled_image);
  return {};
}

}  // namespace heddle::layer
