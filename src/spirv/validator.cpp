// SPDX-License-Identifier: MIT
// SPIRV-Tools' validator over a copy of the module without its known wrong rejections.

#include <fmt/format.h>
#include <spirv-tools/libspirv.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <spirv/unified1/spirv.hpp>
#include <string_view>
#include <utility>

#include "base/disk_cache.hpp"
#include "base/locks/brief_mutex.hpp"
#include "spirv/matrix_rules.hpp"
#include "spirv/names.hpp"
#include "spirv/newer_opcodes.hpp"
#include "spirv/target.hpp"
#include "spirv/validate.hpp"

namespace heddle::spirv {
namespace {

bool declares(const Module& module, std::uint32_t capability) {
  return std::any_of(module.instructions.begin(), module.instructions.end(), [&](const Instruction& i) {
    return i.opcode == spv::OpCapability && !i.operands.empty() && i.operands[0] == capability;
  });
}

/// The greatest source language that SPIRV-Tools knows everywhere (C++ for OpenCL); 0 is "unknown".
constexpr std::uint32_t kLastSourceLanguage = 6;

/// The copy that SPIRV-Tools sees, and for each of its instructions the module's.
struct Copy {
  std::vector<std::uint32_t> words;
  std::vector<const Instruction*> origin;
};

/// Words for tools that read debug information; they say nothing of what a shader does.
bool is_debug(const Module& module, const Instruction& i) {
  switch (i.opcode) {
    case spv::OpSource:
    case spv::OpSourceContinued:
    case spv::OpSourceExtension:
    case spv::OpModuleProcessed:
    case spv::OpName:
    case spv::OpMemberName:
    case spv::OpLine:
    case spv::OpNoLine:
      return true;
    case spv::OpExtInstImport:
      return Module::string_at(i.operands, 0).starts_with("NonSemantic.");
    case spv::OpExtInst:
    case kExtInstWithForwardRefs: {
      const Instruction* set = i.operands.empty() ? nullptr : module.find(i.operands[0]);
      return set != nullptr && set->opcode == spv::OpExtInstImport &&
             Module::string_at(set->operands, 0).starts_with("NonSemantic.");
    }
    default:
      return false;
  }
}

/// Whether SPIRV-Tools does not know what stands here, and nothing else depends on it.
bool is_newer(const Instruction& i) {
  const auto operand = [&](std::size_t k) { return k < i.operands.size() ? i.operands[k] : 0; };
  switch (i.opcode) {
    case spv::OpCapability:
      return operand(0) == kCapabilityQuadControl || operand(0) == kCapabilityFloatControls2 ||
             operand(0) == kCapabilityReplicatedComposites || operand(0) == kCapabilityCooperativeMatrix ||
             operand(0) == kCapabilityFma;
    case spv::OpExtension: {
      const std::string name = Module::string_at(i.operands, 0);
      return name == "SPV_KHR_quad_control" || name == "SPV_KHR_maximal_reconvergence" ||
             name == "SPV_KHR_float_controls2" || name == "SPV_EXT_replicated_composites" ||
             name == "SPV_KHR_cooperative_matrix" || name == "SPV_KHR_fma";
    }
    case spv::OpExecutionMode:
      return operand(1) == kQuadDerivatives || operand(1) == kRequireFullQuads || operand(1) == kMaximallyReconverges;
    case spv::OpExecutionModeId:
      return operand(1) == kFastMathDefault;
    case spv::OpDecorate:  // with bits that are newer, and not of kernels alone any more
      return operand(1) == spv::DecorationFPFastMathMode;
    default:
      return false;
  }
}

/// VK_KHR_maintenance9: instructions of bits take integers of any width; SPIRV-Tools knows those of 32 bits alone. An
/// instruction that asks for the same types: all that is left unchecked are the offset and the count. 0: none is
/// needed.
std::uint32_t stand_in_of_bits(const Module& module, const Instruction& i) {
  const bool counts = i.opcode == spv::OpBitCount;
  if (i.operands.empty()) return 0;
  const Instruction* base = module.find(i.operands[0]);
  const Instruction* type = base != nullptr ? module.find(base->type) : nullptr;
  if (type != nullptr && type->opcode == spv::OpTypeVector) type = module.find(type->operands[0]);
  if (type == nullptr || type->opcode != spv::OpTypeInt || type->operands[0] == 32) return 0;
  if (counts) return spv::OpUndef;
  if (i.opcode == spv::OpBitFieldInsert) return i.operands.size() > 1 ? spv::OpBitwiseOr : 0;
  const bool of_one =
      i.opcode == spv::OpBitReverse || i.opcode == spv::OpBitFieldSExtract || i.opcode == spv::OpBitFieldUExtract;
  return of_one ? spv::OpNot : 0;
}

/// SPV-51: an atomic on a number through a pointer to an integer of the same width, as Mesa's zink writes them.
bool is_atomic_on_bits(const Module& module, const Instruction& i) {
  if (i.opcode != spv::OpAtomicFAddEXT && i.opcode != spv::OpAtomicFMinEXT && i.opcode != spv::OpAtomicFMaxEXT)
    return false;
  const auto found = [&](std::uint32_t id) { return id != 0 ? module.find(id) : nullptr; };
  const Instruction* number = found(i.type);
  const Instruction* variable = i.operands.empty() ? nullptr : found(i.operands[0]);
  const Instruction* pointer = variable != nullptr ? found(variable->type) : nullptr;
  const Instruction* at =
      pointer != nullptr && pointer->opcode == spv::OpTypePointer ? found(pointer->operands[1]) : nullptr;
  return number != nullptr && at != nullptr && number->opcode == spv::OpTypeFloat && at->opcode == spv::OpTypeInt &&
         number->operands[0] == at->operands[0];
}

/// VK_KHR_maintenance8: samples and fetches take offsets that are no constants; SPIRV-Tools wants constants, unless it
/// is asked, which this version can't be. In the copy a null constant of the same type stands for them.
class LaneOffsets {
 public:
  LaneOffsets(const Module& module, std::uint32_t& next_id) : module_(module) {
    for (const Instruction& i : module.instructions)
      if (const auto place = place_of(i))
        if (const Instruction* offset = module.find(i.words[place->offset]); offset != nullptr && offset->type != 0)
          if (nulls_.emplace(offset->type, next_id).second) ++next_id;
  }
  /// The constants, which stand before the first function.
  [[nodiscard]] const std::map<std::uint32_t, std::uint32_t>& nulls() const { return nulls_; }
  /// `words`: of a copy of the instruction.
  void replace(const Instruction& i, std::uint32_t* words) const {
    const auto place = place_of(i);
    const Instruction* offset = place ? module_.find(i.words[place->offset]) : nullptr;
    if (offset == nullptr) return;
    const auto null = nulls_.find(offset->type);
    if (null == nulls_.end()) return;
    words[place->mask] ^= spv::ImageOperandsConstOffsetMask | spv::ImageOperandsOffsetMask;
    words[place->offset] = null->second;
  }

 private:
  struct Place {
    std::size_t mask, offset;
  };
  static std::optional<Place> place_of(const Instruction& i) {
    const bool compares =
        i.opcode == spv::OpImageSampleDrefImplicitLod || i.opcode == spv::OpImageSampleDrefExplicitLod ||
        i.opcode == spv::OpImageSampleProjDrefImplicitLod || i.opcode == spv::OpImageSampleProjDrefExplicitLod ||
        i.opcode == spv::OpImageSparseSampleDrefImplicitLod || i.opcode == spv::OpImageSparseSampleDrefExplicitLod;
    const bool samples = compares || (i.opcode >= spv::OpImageSampleImplicitLod && i.opcode <= spv::OpImageFetch) ||
                         (i.opcode >= spv::OpImageSparseSampleImplicitLod && i.opcode <= spv::OpImageSparseFetch);
    const std::size_t mask = compares ? 6 : 5;
    if (!samples || i.words.size() <= mask) return std::nullopt;
    const std::uint32_t bits = i.words[mask];
    if ((bits & spv::ImageOperandsOffsetMask) == 0 || (bits & spv::ImageOperandsConstOffsetMask) != 0)
      return std::nullopt;
    const std::size_t before = (bits & spv::ImageOperandsBiasMask) + (bits >> spv::ImageOperandsLodShift & 1u) +
                               2 * (bits >> spv::ImageOperandsGradShift & 1u);
    const Place place{mask, mask + 1 + before};
    return place.offset < i.words.size() ? std::optional(place) : std::nullopt;
  }
  const Module& module_;
  std::map<std::uint32_t, std::uint32_t> nulls_;  // by type
};

/// SPV-54: SPIRV-Tools lets no pointer become one to another type. It is shown a null pointer of that type, which may
/// be used as variable pointers may.
class ChangedPointers {
 public:
  ChangedPointers(const Module& module, std::uint32_t& next_id) : module_(module) {
    if (!module.changes_pointers) return;
    for (const Instruction& i : module.instructions)
      if (changes(i) && nulls_.try_emplace(i.type, next_id).second) ++next_id;
  }
  /// Null pointers by their types.
  [[nodiscard]] const std::map<std::uint32_t, std::uint32_t>& nulls() const { return nulls_; }
  [[nodiscard]] bool changes(const Instruction& i) const {
    if (i.opcode != spv::OpBitcast || i.operands.empty()) return false;
    const Instruction *into = module_.find(i.type), *from = module_.find(module_.type_of(i.operands[0]));
    return into != nullptr && from != nullptr && into->opcode == spv::OpTypePointer &&
           from->opcode == spv::OpTypePointer && into->operands[0] != spv::StorageClassPhysicalStorageBuffer;
  }

 private:
  const Module& module_;
  std::map<std::uint32_t, std::uint32_t> nulls_;
};

/// SPV_KHR_compute_shader_derivatives names what its older form has, by the same numbers.
bool is_khr_derivatives(const Instruction& i) {
  return i.opcode == spv::OpExtension && Module::string_at(i.operands, 0) == "SPV_KHR_compute_shader_derivatives";
}

void put_extension(std::vector<std::uint32_t>& words, std::string_view name) {
  const std::size_t count = name.size() / 4 + 1, at = words.size();
  words.push_back(static_cast<std::uint32_t>((count + 1) << 16 | spv::OpExtension));
  words.resize(at + 1 + count);
  std::memcpy(&words[at + 1], name.data(), name.size());
}

/// Whether a decoration places a variable or a member of patches, whose locations are counted by themselves by some
/// producers.
class PatchPlaces {
 public:
  explicit PatchPlaces(const Module& module) {
    for (const Instruction& i : module.instructions)
      if (const auto place = decorated(i, spv::DecorationPatch)) places_.insert(*place);
  }
  [[nodiscard]] bool locates(const Instruction& i) const {
    const auto place = decorated(i, spv::DecorationLocation);
    return place && places_.contains(*place);
  }

 private:
  using Place = std::pair<std::uint32_t, std::uint32_t>;  ///< the member is 0 of variables, else counted from 1
  static std::optional<Place> decorated(const Instruction& i, std::uint32_t decoration) {
    if (i.opcode == spv::OpDecorate && i.operands.size() > 1 && i.operands[1] == decoration)
      return Place{i.operands[0], 0};
    if (i.opcode == spv::OpMemberDecorate && i.operands.size() > 2 && i.operands[2] == decoration)
      return Place{i.operands[0], i.operands[1] + 1};
    return std::nullopt;
  }
  std::set<Place> places_;
};
constexpr std::uint32_t kPatchLocations = 1024;  ///< in the copy: where those of patches begin

/// `debug`: with debug information. Words in it that newer tools write are replaced or left out in any case. `lenient`:
/// without what producers are known to do wrong.
Copy work_around(const Module& module, bool debug, bool lenient) {
  Copy copy;
  copy.words.assign(module.words.begin(), module.words.begin() + 5);
  std::uint32_t next_id = module.bound;
  const auto put = [&](const Instruction& from, std::initializer_list<std::uint32_t> words) {
    copy.words.insert(copy.words.end(), words);
    copy.origin.push_back(&from);
  };
  const PatchPlaces patches(module);
  const LaneOffsets offsets(module, next_id);
  const ChangedPointers pointers(module, next_id);
  const MatrixStandIns matrices(module);
  const bool has_fma = declares(module, kCapabilityFma);
  bool add_nulls = true, add_matrices = matrices.any(), add_variable_pointers = !pointers.nulls().empty();
  if (add_variable_pointers)
    put(module.instructions.front(), {2u << 16 | spv::OpCapability, spv::CapabilityVariablePointers});
  // R3: the extension makes ImageFootprintNV depend on Shader, SPIRV-Tools' grammar does not know it.
  bool add_shader = declares(module, spv::CapabilityImageFootprintNV) && !declares(module, spv::CapabilityShader);
  for (const Instruction& i : module.instructions) {
    if (i.opcode == kExtInstWithForwardRefs && is_debug(module, i)) continue;
    if (!debug && is_debug(module, i)) continue;
    if (is_newer(i)) continue;
    if (add_variable_pointers && i.opcode != spv::OpCapability) {
      put_extension(copy.words, "SPV_KHR_variable_pointers");
      copy.origin.push_back(&i);
      add_variable_pointers = false;
    }
    if (add_matrices && i.opcode != spv::OpCapability) {
      put_extension(copy.words, "SPV_VALIDATOR_ignore_type_decl_unique");
      copy.origin.push_back(&i);
      add_matrices = false;
    }
    if (is_khr_derivatives(i)) {
      put_extension(copy.words, "SPV_NV_compute_shader_derivatives");
      copy.origin.push_back(&i);
      continue;
    }
    if (matrices.replaces(i)) {
      const std::size_t before = copy.words.size();
      matrices.put(i, copy.words);
      if (copy.words.size() != before) copy.origin.push_back(&i);
      continue;
    }
    if (i.opcode == kFma && has_fma && i.operands.size() == 3) {  // a product, and a sum
      const std::uint32_t product = next_id++;
      put(i, {5u << 16 | spv::OpFMul, i.type, product, i.operands[0], i.operands[1]});
      put(i, {5u << 16 | spv::OpFAdd, i.type, i.result, product, i.operands[2]});
      continue;
    }
    if (is_replicate(i.opcode)) {  // some value of the type, checked by check_replicated
      const Instruction* part =
          i.opcode == kConstructReplicate && !i.operands.empty() ? module.find(i.operands[0]) : nullptr;
      if (part != nullptr && part->type != 0)  // which must be known there
        put(i, {4u << 16 | spv::OpCopyObject, part->type, next_id++, i.operands[0]});
      put(i, {3u << 16 | (i.opcode == kConstructReplicate ? spv::OpUndef : spv::OpConstantNull), i.type, i.result});
      continue;
    }
    if (lenient && is_atomic_on_bits(module, i)) {
      put(i, {3u << 16 | spv::OpUndef, i.type, i.result});
      continue;
    }
    if (const std::uint32_t other = stand_in_of_bits(module, i)) {
      if (other == spv::OpUndef)
        put(i, {3u << 16 | other, i.type, i.result});
      else if (other == spv::OpNot)
        put(i, {4u << 16 | other, i.type, i.result, i.operands[0]});
      else
        put(i, {5u << 16 | other, i.type, i.result, i.operands[0], i.operands[1]});
      continue;
    }
    if (add_nulls && i.opcode == spv::OpFunction) {
      for (const auto* nulls : {&offsets.nulls(), &pointers.nulls()})
        for (const auto& [type, null] : *nulls) put(i, {3u << 16 | spv::OpConstantNull, type, null});
      add_nulls = false;
    }
    if (pointers.nulls().contains(i.type) && pointers.changes(i)) {
      put(i, {4u << 16 | spv::OpCopyObject, i.type, i.result, pointers.nulls().at(i.type)});
      continue;
    }
    if (add_shader) put(i, {2u << 16 | spv::OpCapability, spv::CapabilityShader});
    add_shader = false;
    std::uint32_t undefined = 0;
    if (i.opcode == spv::OpImageSampleFootprintNV && !i.operands.empty()) {
      const Instruction* sampled = module.find(i.operands[0]);
      if (sampled != nullptr && sampled->opcode == spv::OpSampledImage) {
        undefined = next_id++;
        put(i, {3u << 16 | spv::OpUndef, sampled->type, undefined});
      }
    }
    const std::size_t at = copy.words.size();
    copy.words.insert(copy.words.end(), i.words.begin(), i.words.end());
    copy.origin.push_back(&i);
    if (undefined != 0) copy.words[at + 3] = undefined;
    offsets.replace(i, &copy.words[at]);
    if (lenient && patches.locates(i)) copy.words.back() += kPatchLocations;         // SPV-51
    if (i.opcode == kGroupNonUniformQuadAll || i.opcode == kGroupNonUniformQuadAny)  // has the words of a copy
      copy.words[at] = 4u << 16 | spv::OpCopyObject;
    if (i.opcode == spv::OpSource && i.words.size() > 1 && i.words[1] > kLastSourceLanguage) copy.words[at + 1] = 0;
  }
  copy.words[3] = next_id;
  return copy;
}

/// SPIRV-Tools' finding about a copy, if there is one.
std::optional<base::Diagnostic> finding(const Module& module, const Copy& copy, int env, const LayoutRules& layout) {
  const std::unique_ptr<spv_context_t, decltype(&spvContextDestroy)> context(
      spvContextCreate(static_cast<spv_target_env>(env)), &spvContextDestroy);
  const std::unique_ptr<spv_validator_options_t, decltype(&spvValidatorOptionsDestroy)> settings(
      spvValidatorOptionsCreate(), &spvValidatorOptionsDestroy);
  spvValidatorOptionsSetScalarBlockLayout(settings.get(), layout.scalar);
  spvValidatorOptionsSetRelaxBlockLayout(settings.get(), layout.relaxed);
  spvValidatorOptionsSetUniformBufferStandardLayout(settings.get(), layout.uniform_standard);
  spvValidatorOptionsSetWorkgroupScalarBlockLayout(settings.get(), layout.workgroup_scalar);
  spv_const_binary_t binary{copy.words.data(), copy.words.size()};
  spv_diagnostic problem = nullptr;
  const spv_result_t status = spvValidateWithOptions(context.get(), settings.get(), &binary, &problem);
  const std::unique_ptr<spv_diagnostic_t, decltype(&spvDiagnosticDestroy)> own_problem(problem, &spvDiagnosticDestroy);
  if (status == SPV_SUCCESS) return std::nullopt;
  std::string message =
      problem != nullptr && problem->error != nullptr ? problem->error : "SPIRV-Tools rejects the module";
  std::string shown;
  if (const std::size_t line = message.find('\n'); line != std::string::npos) {
    shown = message.substr(line + 1);
    message.resize(line);
  }
  while (!message.empty() && (message.back() == '.' || message.back() == ' ')) message.pop_back();
  base::Place place = base::Place::in_file(module.file);
  // The position is the number of an instruction, from 1; 0: of none.
  const std::size_t number = problem == nullptr ? 0 : problem->position.index;
  if (number != 0 && number <= copy.origin.size()) place = module.place(*copy.origin[number - 1]);
  base::Diagnostic d = base::error("spirv-val", std::move(message), std::move(place));
  while (!shown.empty() && (shown.back() == '\n' || shown.back() == ' ')) shown.pop_back();
  if (!shown.empty()) d.note("the instruction: " + shown.substr(shown.find_first_not_of(' ')));
  if (declares(module, spv::CapabilityKernel))
    d.note(
        "this is a module of OpenCL kernels, not of shaders; ocloc makes vISA of it: IGC_ShaderDumpEnable=1 "
        "IGC_DumpToCustomDir=$PWD/dump ocloc compile -spirv_input -file k.spv -device skl -out_dir bin --format zebin; "
        "then: heddle run dump/NAME.visaasm --zeinfo bin/NAME.bin");
  return std::move(d.note("found by SPIRV-Tools' validator, which stops at its first error"));
}

/// Modules that SPIRV-Tools found nothing in, by their words and what they were held against: pipelines are made of one
/// module again and again, with other constants, and checking it takes longer than translating it.
class SoundModules {
 public:
  using Key = base::KeyMaker::Sum;
  [[nodiscard]] bool has(const Key& key) {
    const std::scoped_lock lock(mutex_);
    return known_.contains({key.low, key.high});
  }
  void add(const Key& key) {
    const std::scoped_lock lock(mutex_);
    if (known_.size() == kMax) known_.clear();
    known_.emplace(key.low, key.high);
  }

 private:
  static constexpr std::size_t kMax = 4096;
  base::BriefMutex mutex_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> known_;
};

SoundModules::Key key_of(const Module& module, int env, bool lenient, const LayoutRules& layout) {
  base::KeyMaker key;
  key.values(env, lenient);
  key.values(layout.scalar, layout.relaxed, layout.uniform_standard, layout.workgroup_scalar);
  key.add(module.words.data(), module.words.size() * sizeof module.words[0]);
  return key.sum();
}

/// The type of every part of a composite, or 0 where they differ or there are none.
std::uint32_t part_type(const Module& module, std::uint32_t type) {
  const Instruction* t = module.find(type);
  if (t == nullptr || t->operands.empty()) return 0;
  switch (t->opcode) {
    case spv::OpTypeVector:
    case spv::OpTypeMatrix:
    case spv::OpTypeArray:
      return t->operands[0];
    case kTypeCooperativeMatrix:
      return t->operands[0];
    case spv::OpTypeStruct:
      return std::ranges::all_of(t->operands, [&](std::uint32_t m) { return m == t->operands[0]; }) ? t->operands[0]
                                                                                                    : 0;
    default:
      return 0;
  }
}

bool is_constant_or_undefined(const Instruction& i) {
  return (i.opcode >= spv::OpConstantTrue && i.opcode <= spv::OpSpecConstantOp) || i.opcode == spv::OpUndef ||
         i.opcode == kConstantReplicate || i.opcode == kSpecConstantReplicate;
}

/// What is wrong with a composite of one value, or nothing.
std::string_view replicated_problem(const Module& module, const Instruction& i, std::size_t at) {
  if (i.operands.size() != 1) return "it takes the value of one part";
  const auto found = module.definition.find(i.operands[0]);
  if (found == module.definition.end() || found->second >= at) return "its value is not defined above it";
  const Instruction& part = module.instructions[found->second];
  const std::uint32_t wanted = part_type(module, i.type);
  if (wanted == 0) return "its type has no parts of one type";
  if (part.type != wanted) return "its value is of another type than its parts";
  if (i.opcode != kConstructReplicate && !is_constant_or_undefined(part)) return "its value is no constant";
  return {};
}

/// SPV_EXT_replicated_composites, which SPIRV-Tools does not know.
void check_replicated(const Module& module, base::Diagnostics& diagnostics) {
  const bool declared = declares(module, kCapabilityReplicatedComposites);
  for (std::size_t k = 0; k < module.instructions.size(); ++k) {
    const Instruction& i = module.instructions[k];
    if (!is_replicate(i.opcode)) continue;
    const std::string_view problem =
        declared ? replicated_problem(module, i, k) : "the capability ReplicatedCompositesEXT is not declared";
    if (!problem.empty())
      diagnostics.add(
          base::error("spirv-replicated", fmt::format("{}: {}", opcode_name(i.opcode), problem), module.place(i)));
  }
}

}  // namespace

void run_validator(const Module& module, const ValidateOptions& options, base::Diagnostics& diagnostics) {
  const auto env = target_env(options.target_env);
  if (!env) {
    diagnostics.add(
        base::error("spirv-target-env", fmt::format("unknown target environment '{}'", options.target_env)));
    return;
  }
  static SoundModules& sound = *new SoundModules;  // processes end while pipelines are made
  const SoundModules::Key key = key_of(module, *env, options.lenient, options.layout);
  if (sound.has(key)) return;
  std::optional<base::Diagnostic> found =
      finding(module, work_around(module, true, options.lenient), *env, options.layout);
  if (!found) return sound.add(key);
  const bool debug = std::any_of(module.instructions.begin(), module.instructions.end(),
                                 [&](const Instruction& i) { return is_debug(module, i); });
  std::optional<base::Diagnostic> rest =
      debug ? finding(module, work_around(module, false, options.lenient), *env, options.layout) : found;
  if (rest) {
    diagnostics.add(std::move(*rest));
    return;
  }
  found->severity = base::Severity::Warning;
  diagnostics.add(
      std::move(found->note("only debug information is concerned, which changes nothing that a shader does")));
}

void validate(const Module& module, const ValidateOptions& options, base::Diagnostics& diagnostics) {
  check_replicated(module, diagnostics);
  check_cooperative_matrices(module, diagnostics);
  run_validator(module, options, diagnostics);
  check_footprint_rules(module, options, diagnostics);
}

}  // namespace heddle::spirv
