// SPDX-License-Identifier: MIT
// The rewrite: queries are read and checked, their functions linked, each instruction replaced in its place, the module
// put together again.
#include "layer/rewriter/rewrite.hpp"

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.hpp>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "layer/rewriter/derivatives.hpp"
#include "layer/rewriter/library.hpp"
#include "layer/rewriter/query.hpp"
#include "layer/rewriter/writer.hpp"

namespace heddle::layer {
namespace {

constexpr std::uint32_t kMaxBound = 0x3fffff;  // SPIR-V's own limit
constexpr std::uint32_t kMaxWords = 0xffff;    // of one instruction
constexpr float kNoMinLod = -4096;             // below every level

bool is_footprint(const Instruction& i) { return i.opcode() == spv::OpImageSampleFootprintNV; }

class Rewriter {
 public:
  Rewriter(const Module& module, const RewriteOptions& options) : m_(module), options_(options), w_(module) {}

  Rewritten run();

 private:
  bool read_queries();
  [[nodiscard]] static std::string_view function_of(const Query& q);
  void link();
  void write_functions();
  void write_query(const Query& q);
  void write_zero(const Instruction& i);
  [[nodiscard]] bool assemble(Words& out);
  void put_entry_point(Words& out, const Instruction& i) const;
  [[nodiscard]] bool is_dropped(const Instruction& i) const;
  [[nodiscard]] bool uses_min_lod() const;

  // Instructions at the place of the query.
  std::uint32_t emit(std::uint16_t opcode, std::uint32_t type, std::span<const std::uint32_t> operands);
  std::uint32_t emit(std::uint16_t opcode, std::uint32_t type, std::initializer_list<std::uint32_t> operands) {
    return emit(opcode, type, std::span(operands.begin(), operands.size()));
  }
  void keep_non_uniform(std::uint32_t from, std::uint32_t to);
  std::uint32_t to_uint(std::uint32_t id);
  std::uint32_t float_or(std::uint32_t id, float standard) { return id != 0 ? id : w_.float_constant(standard); }
  std::uint32_t coordinate(const Query& q);
  std::uint32_t offset(const Query& q);
  void put_level_operands(const Query& q, std::uint32_t p, Words& call);
  void put_implicit(const Query& q, std::uint32_t p, Words& call);
  void put_size(const Query& q, Words& call);

  // What is known of the sampler.
  void put_record(const SamplerOrigin& origin, Words& call);
  void put_constant_record(const SamplerRecord& record, Words& call);
  [[nodiscard]] const SamplerBinding* binding_of(const SamplerOrigin& origin) const;
  [[nodiscard]] const SamplerRecord* constant_of(const SamplerOrigin& origin, const SamplerBinding& binding) const;
  void put_loaded_record(const SamplerOrigin& origin, const SamplerBinding& binding, const HiddenBuffer& buffer,
                         Words& call);
  std::uint32_t hidden_variable(const HiddenBuffer& buffer);

  [[nodiscard]] bool anisotropy_is_possible() const {
    return std::bit_cast<float>(options_.unknown[kMaxAnisotropy]) > 1;
  }

  const Module& m_;
  const RewriteOptions& options_;
  ModuleWriter w_;
  std::map<const Instruction*, Query> queries_;
  LinkedFunctions linked_;
  Words body_;                                        ///< the functions anew
  std::map<std::uint32_t, std::uint32_t> variables_;  ///< set -> hidden variable
  Rewritten result_;
};

// --- reading --------------------------------------------------------------------------------------------------------

bool Rewriter::read_queries() {
  const std::set<std::uint32_t> without = functions_without_derivatives(m_);
  std::uint32_t function = 0;
  for (const Instruction& i : std::span(m_.instructions()).subspan(m_.functions())) {
    if (i.opcode() == spv::OpFunction) function = i.result;
    if (i.opcode() != spv::OpImageSampleFootprintNV) continue;
    Query q;
    if (std::string problem = read_query(m_, i, q); !problem.empty()) {
      result_.message = "OpImageSampleFootprintNV %" + std::to_string(i.word(2)) + ": " + problem;
      if (!options_.lenient || m_.definition(i.type) == nullptr || i.result == 0) return false;
      continue;  // answers zero
    }
    if (q.operand == LevelOperand::None && without.count(function) != 0) q.operand = LevelOperand::Lod;
    queries_.emplace(&i, q);
  }
  return true;
}

std::string_view Rewriter::function_of(const Query& q) {
  switch (q.operand) {
    case LevelOperand::Lod:
      return q.dim == 3 ? "footprint_3d_lod" : "footprint_2d_lod";
    case LevelOperand::Grad:
      return q.dim == 3 ? "footprint_3d_grad" : "footprint_2d_grad";
    case LevelOperand::None:
      break;
  }
  return q.dim == 3 ? "footprint_3d_queried" : "footprint_2d_queried";
}

void Rewriter::link() {
  std::set<std::string_view> names;
  for (const auto& [i, q] : queries_) names.insert(function_of(q));
  if (!names.empty()) linked_ = link_functions(w_, std::vector(names.begin(), names.end()));
}

// --- one query ------------------------------------------------------------------------------------------------------

std::uint32_t Rewriter::emit(std::uint16_t opcode, std::uint32_t type, std::span<const std::uint32_t> operands) {
  Words words{type, w_.new_id()};
  words.insert(words.end(), operands.begin(), operands.end());
  ModuleWriter::put(body_, opcode, words);
  return words[1];
}

void Rewriter::keep_non_uniform(std::uint32_t from, std::uint32_t to) {
  if (m_.decoration(from, spv::DecorationNonUniform))
    ModuleWriter::put(w_.annotations, spv::OpDecorate, {to, spv::DecorationNonUniform});
}

std::uint32_t Rewriter::to_uint(std::uint32_t id) {
  const Instruction& type = *m_.definition(m_.type_of(id));
  if (type.word(2) != 32) return emit(spv::OpUConvert, w_.uint_type(), {id});
  return type.word(3) == 0 ? id : emit(spv::OpBitcast, w_.uint_type(), {id});
}

std::uint32_t Rewriter::coordinate(const Query& q) {
  if (q.components == q.dim) return q.coordinate;
  Words operands{q.coordinate, q.coordinate};
  for (std::uint32_t k = 0; k < q.dim; ++k) operands.push_back(k);
  return emit(spv::OpVectorShuffle, w_.vector_type(w_.float_type(), q.dim), operands);
}

std::uint32_t Rewriter::offset(const Query& q) {
  const std::uint32_t type = w_.vector_type(w_.int_type(), q.dim);
  if (q.offset == 0) return w_.splat(type, w_.constant(w_.int_type(), 0), q.dim);
  return m_.type_of(q.offset) == type ? q.offset : emit(spv::OpBitcast, type, {q.offset});
}

/// The device's own choice: OpImageQueryLod has everything in it but Bias, by which the coordinate is scaled.
void Rewriter::put_implicit(const Query& q, std::uint32_t p, Words& call) {
  const std::uint32_t vector = w_.vector_type(w_.float_type(), q.dim), pair = w_.vector_type(w_.float_type(), 2);
  std::uint32_t asked = p;
  if (q.bias != 0) {
    const std::uint32_t scale = emit(spv::OpExtInst, w_.float_type(), {w_.glsl(), GLSLstd450Exp2, q.bias});
    asked = emit(spv::OpVectorTimesScalar, vector, {p, scale});
  }
  const std::uint32_t queried = emit(spv::OpImageQueryLod, pair, {q.sampled_image, asked});
  if (q.dim == 2) {
    const std::uint32_t zero = w_.splat(pair, w_.float_constant(0), 2);
    call.push_back(anisotropy_is_possible() ? emit(spv::OpDPdx, pair, {p}) : zero);
    call.push_back(anisotropy_is_possible() ? emit(spv::OpDPdy, pair, {p}) : zero);
  }
  call.push_back(queried);
}

void Rewriter::put_level_operands(const Query& q, std::uint32_t p, Words& call) {
  if (q.operand == LevelOperand::Lod) call.push_back(float_or(q.lod, 0));
  if (q.operand == LevelOperand::Grad) call.insert(call.end(), {q.dx, q.dy});
  if (q.operand == LevelOperand::None)
    put_implicit(q, p, call);
  else
    call.push_back(float_or(q.bias, 0));
  call.push_back(float_or(q.min_lod, kNoMinLod));
}

void Rewriter::put_size(const Query& q, Words& call) {
  const std::uint32_t image = emit(spv::OpImage, q.image_type, {q.sampled_image});
  keep_non_uniform(q.sampled_image, image);
  const std::uint32_t level = w_.constant(w_.int_type(), 0);
  call.push_back(emit(spv::OpImageQuerySizeLod, w_.vector_type(w_.uint_type(), q.dim), {image, level}));
  call.push_back(emit(spv::OpImageQueryLevels, w_.uint_type(), {image}));
}

void Rewriter::write_query(const Query& q) {
  const LinkedFunction& function = linked_.find(function_of(q))->second;
  const std::uint32_t p = coordinate(q);
  Words call{function.id, p};
  put_level_operands(q, p, call);
  call.insert(call.end(), {offset(q), to_uint(q.granularity), q.coarse});
  put_size(q, call);
  put_record(q.sampler, call);
  const std::uint32_t answer = emit(spv::OpFunctionCall, function.type, call);
  Words made{q.type, q.result};  // the module's own structure
  for (std::uint32_t k = 0; k < 6; ++k)
    made.push_back(emit(spv::OpCompositeExtract, m_.definition(q.type)->word(2 + k), {answer, k}));
  ModuleWriter::put(body_, spv::OpCompositeConstruct, made);
}

void Rewriter::write_zero(const Instruction& i) {
  ModuleWriter::put(body_, spv::OpCopyObject, {i.type, i.result, w_.null(i.type)});
}

// --- the sampler ----------------------------------------------------------------------------------------------------

const SamplerBinding* Rewriter::binding_of(const SamplerOrigin& origin) const {
  if (!origin.found) return nullptr;
  const auto found = std::ranges::find_if(options_.samplers, [&](const SamplerBinding& b) {
    return b.set == origin.set && b.binding == origin.binding && b.count != 0;
  });
  return found == options_.samplers.end() ? nullptr : &*found;
}

/// Immutable samplers: the element's where its index is a constant, any one where all are equal.
const SamplerRecord* Rewriter::constant_of(const SamplerOrigin& origin, const SamplerBinding& binding) const {
  if (binding.constants.empty()) return nullptr;
  const Instruction* index = m_.definition(origin.index);
  if (origin.index == 0) return binding.constants.data();
  if (index != nullptr && index->opcode() == spv::OpConstant && index->word(3) < binding.constants.size())
    return &binding.constants[index->word(3)];
  const bool equal =
      std::ranges::all_of(binding.constants, [&](const SamplerRecord& r) { return r == binding.constants[0]; });
  return equal ? binding.constants.data() : nullptr;
}

void Rewriter::put_constant_record(const SamplerRecord& record, Words& call) {
  for (unsigned half = 0; half < 2; ++half) {
    Words parts;
    for (unsigned k = 0; k < 4; ++k) parts.push_back(w_.constant(w_.uint_type(), record[4 * half + k]));
    call.push_back(w_.composite(w_.vector_type(w_.uint_type(), 4), parts));
  }
}

/// struct { uvec4 records[2 * n]; }, which no other variable of the module is.
std::uint32_t Rewriter::hidden_variable(const HiddenBuffer& buffer) {
  const auto [at, added] = variables_.emplace(buffer.set, 0);
  if (!added) return at->second;
  const std::uint32_t vector = w_.vector_type(w_.uint_type(), 4);
  const std::uint32_t array = w_.type(spv::OpTypeArray, {vector, w_.constant(w_.uint_type(), 2 * buffer.records)});
  const std::uint32_t block = w_.type(spv::OpTypeStruct, {array});
  const std::uint32_t pointer = w_.type(spv::OpTypePointer, {spv::StorageClassUniform, block});
  at->second = w_.new_id();
  ModuleWriter::put(w_.globals, spv::OpVariable, {pointer, at->second, spv::StorageClassUniform});
  ModuleWriter::put(w_.annotations, spv::OpDecorate, {array, spv::DecorationArrayStride, 16});
  ModuleWriter::put(w_.annotations, spv::OpDecorate, {block, spv::DecorationBlock});
  ModuleWriter::put(w_.annotations, spv::OpMemberDecorate, {block, 0, spv::DecorationOffset, 0});
  ModuleWriter::put(w_.annotations, spv::OpDecorate, {at->second, spv::DecorationDescriptorSet, buffer.set});
  ModuleWriter::put(w_.annotations, spv::OpDecorate, {at->second, spv::DecorationBinding, buffer.binding});
  return at->second;
}

void Rewriter::put_loaded_record(const SamplerOrigin& origin, const SamplerBinding& binding, const HiddenBuffer& buffer,
                                 Words& call) {
  const std::uint32_t uint = w_.uint_type(), vector = w_.vector_type(uint, 4);
  std::uint32_t first = w_.constant(uint, 2 * *binding.first_record);
  if (origin.index != 0) {
    const std::uint32_t last = w_.constant(uint, binding.count - 1);
    const std::uint32_t held = emit(spv::OpExtInst, uint, {w_.glsl(), GLSLstd450UMin, to_uint(origin.index), last});
    const std::uint32_t twice = emit(spv::OpIMul, uint, {held, w_.constant(uint, 2)});
    first = emit(spv::OpIAdd, uint, {first, twice});
  }
  const std::uint32_t second = origin.index == 0 ? w_.constant(uint, 2 * *binding.first_record + 1)
                                                 : emit(spv::OpIAdd, uint, {first, w_.constant(uint, 1)});
  const std::uint32_t variable = hidden_variable(buffer),
                      pointer = w_.type(spv::OpTypePointer, {spv::StorageClassUniform, vector});
  for (const std::uint32_t index : {first, second}) {
    const std::uint32_t element = emit(spv::OpAccessChain, pointer, {variable, w_.constant(uint, 0), index});
    call.push_back(emit(spv::OpLoad, vector, {element}));
  }
}

void Rewriter::put_record(const SamplerOrigin& origin, Words& call) {
  if (const SamplerBinding* binding = binding_of(origin); binding != nullptr) {
    if (const SamplerRecord* record = constant_of(origin, *binding); record != nullptr) {
      put_constant_record(*record, call);
      return;
    }
    const auto buffer =
        std::ranges::find_if(options_.buffers, [&](const HiddenBuffer& b) { return b.set == origin.set; });
    if (binding->first_record && buffer != options_.buffers.end()) {
      put_loaded_record(origin, *binding, *buffer, call);
      return;
    }
  }
  ++result_.unknown_samplers;
  put_constant_record(options_.unknown, call);
}

// --- the module -----------------------------------------------------------------------------------------------------

void Rewriter::write_functions() {
  for (const Instruction& i : std::span(m_.instructions()).subspan(m_.functions())) {
    if (i.opcode() != spv::OpImageSampleFootprintNV)
      body_.insert(body_.end(), i.words.begin(), i.words.end());
    else if (const auto q = queries_.find(&i); q != queries_.end())
      write_query(q->second);
    else
      write_zero(i);
  }
}

/// Whether another instruction needs the capability MinLod.
bool Rewriter::uses_min_lod() const {
  return std::ranges::any_of(m_.instructions(), [](const Instruction& i) {
    const bool plain =
        i.opcode() >= spv::OpImageSampleImplicitLod && i.opcode() <= spv::OpImageSampleProjDrefExplicitLod;
    const bool sparse =
        i.opcode() >= spv::OpImageSparseSampleImplicitLod && i.opcode() <= spv::OpImageSparseSampleProjDrefExplicitLod;
    if (!plain && !sparse) return false;
    const unsigned kind = i.opcode() - (plain ? spv::OpImageSampleImplicitLod : spv::OpImageSparseSampleImplicitLod);
    return (i.word((kind & 2u) != 0 ? 6 : 5) & spv::ImageOperandsMinLodMask) != 0;
  });
}

bool Rewriter::is_dropped(const Instruction& i) const {
  if (i.opcode() == spv::OpCapability)
    return i.word(1) == spv::CapabilityImageFootprintNV || (i.word(1) == spv::CapabilityMinLod && !uses_min_lod());
  if (i.opcode() != spv::OpExtension) return false;
  std::string name;
  for (const std::uint32_t word : i.words.subspan(1))
    for (unsigned shift = 0; shift < 32; shift += 8)
      if (const char c = static_cast<char>(word >> shift & 0xffu); c != 0) name.push_back(c);
  return name == "SPV_NV_shader_image_footprint";
}

/// From SPIR-V 1.4 on an entry point names all variables that it uses.
void Rewriter::put_entry_point(Words& out, const Instruction& i) const {
  out.insert(out.end(), i.words.begin(), i.words.end());
  if (m_.version() < 0x10400) return;
  for (const auto& [set, variable] : variables_) out.push_back(variable);
  out[out.size() - i.words.size() - variables_.size()] += static_cast<std::uint32_t>(variables_.size()) << 16;
}

bool Rewriter::assemble(Words& out) {
  for (const std::uint32_t needed : {spv::CapabilityShader, spv::CapabilityImageQuery})
    if (!m_.has_capability(needed)) ModuleWriter::put(w_.capabilities, spv::OpCapability, {needed});
  const auto add = [&out](const Words& section) { out.insert(out.end(), section.begin(), section.end()); };
  out.assign(m_.header().begin(), m_.header().end());
  out[3] = w_.bound();
  add(w_.capabilities);
  bool has_model = false;
  const auto all = std::span(m_.instructions());
  for (const Instruction& i : all.first(m_.types())) {
    if (i.opcode() == spv::OpMemoryModel && !std::exchange(has_model, true)) add(w_.imports);
    if (i.opcode() == spv::OpEntryPoint)
      put_entry_point(out, i);
    else if (!is_dropped(i))
      out.insert(out.end(), i.words.begin(), i.words.end());
  }
  add(w_.annotations);
  for (const Instruction& i : all.subspan(m_.types(), m_.functions() - m_.types()))
    out.insert(out.end(), i.words.begin(), i.words.end());
  add(w_.globals);
  add(body_);
  add(w_.functions);
  return has_model;
}

Rewritten Rewriter::run() {
  result_.status = Rewritten::Status::Refused;
  const bool small = std::ranges::all_of(m_.instructions(), [&](const Instruction& i) {
    return i.words.size() + options_.buffers.size() <= kMaxWords && i.result < m_.bound();
  });
  if (!small || m_.bound() > kMaxBound) {
    result_.message = "the module's ids are beyond its bound, or its instructions too long";
    return result_;
  }
  if (std::ranges::any_of(std::span(m_.instructions()).first(m_.functions()), is_footprint)) {
    result_.message = "OpImageSampleFootprintNV stands outside of functions";
    return result_;
  }
  if (!read_queries()) return result_;
  link();
  write_functions();
  Words out;
  if (!assemble(out) || w_.bound() > kMaxBound) {
    result_.message = "the module has no memory model, or no ids are left";
    return result_;
  }
  result_.status = Rewritten::Status::Done;
  result_.words = std::move(out);
  return result_;
}

}  // namespace

SamplerRecord unknown_sampler(float max_anisotropy, float max_lod_bias) {
  SamplerRecord r{};
  r[kFlags] = kMagLinear | kMinLinear | kMipLinear;
  r[kMaxLod] = std::bit_cast<std::uint32_t>(1000.0f);
  r[kMaxAnisotropy] = std::bit_cast<std::uint32_t>(max_anisotropy);
  r[kMaxLodBias] = std::bit_cast<std::uint32_t>(max_lod_bias);
  return r;
}

Rewritten rewrite_footprints(std::span<const std::uint32_t> words, const RewriteOptions& options) {
  if (!has_footprints(words)) return {};
  const std::optional<Module> module = Module::read(words);
  if (!module) return {};
  return Rewriter(*module, options).run();
}

}  // namespace heddle::layer
