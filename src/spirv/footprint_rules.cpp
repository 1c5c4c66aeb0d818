// SPDX-License-Identifier: MIT
// The module rules of SPV_NV_shader_image_footprint, R1 to R25.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <spirv/unified1/spirv.hpp>
#include <unordered_set>

#include "spirv/names.hpp"
#include "spirv/validate.hpp"

namespace heddle::spirv {
namespace {

constexpr std::string_view kExtension = "SPV_NV_shader_image_footprint";

constexpr FootprintRule kRules[] = {
    {"R1", "spirv-footprint-extension",
     "a module that declares ImageFootprintNV has OpExtension \"SPV_NV_shader_image_footprint\"", "extension text"},
    {"R2", "spirv-footprint-capability", "OpImageSampleFootprintNV needs capability ImageFootprintNV",
     "extension text"},
    {"R4", "spirv-footprint-result-struct", "Result Type is a structure of six members", "extension text"},
    {"R5", "spirv-footprint-single-type", "member 0 (single level) is a Boolean scalar", "extension text"},
    {"R6", "spirv-footprint-anchor-type",
     "member 1 (anchor) is a vector of unsigned integers with as many components as Coordinate", "extension text"},
    {"R7", "spirv-footprint-offset-type",
     "member 2 (offset) is a vector of unsigned integers with as many components as Coordinate", "extension text"},
    {"R8", "spirv-footprint-mask-type", "member 3 (mask) is a vector of two unsigned integers", "extension text"},
    {"R9", "spirv-footprint-lod-type", "member 4 (lod) is an unsigned integer scalar", "extension text"},
    {"R10", "spirv-footprint-granularity-result-type", "member 5 (granularity) is an unsigned integer scalar",
     "extension text"},
    {"R12", "spirv-footprint-sampled-image", "Sampled Image is an object of type OpTypeSampledImage", "extension text"},
    {"R13", "spirv-footprint-dim", "the image's Dim is 2D or 3D", "extension text"},
    {"R14", "spirv-footprint-arrayed", "the image is not arrayed", "extension text"},
    {"R15", "spirv-footprint-multisampled", "the image is not multisampled", "extension text"},
    {"R16", "spirv-footprint-coordinate", "Coordinate is a float vector of 2 (2D) or 3 (3D) components",
     "extension text; that there are no more is Heddle's reading"},
    {"R17", "spirv-footprint-granularity-type", "Granularity is an integer scalar of either signedness",
     "extension text"},
    {"R18", "spirv-footprint-coarse", "Coarse is a constant instruction of Boolean scalar type", "extension text"},
    {"R19", "spirv-footprint-operands",
     "image operands are none, Bias, MinLod, Bias and MinLod, or Lod; in 2D also Grad, or Grad and MinLod",
     "extension text"},
    {"R20", "spirv-footprint-minlod-capability", "image operand MinLod needs capability MinLod",
     "SPIR-V specification, Image Operands"},
    {"R21", "spirv-footprint-operand-type",
     "Bias, Lod and MinLod are float scalars, Grad two float vectors of Coordinate's size",
     "SPIR-V specification, Image Operands"},
    {"R22", "spirv-footprint-derivatives",
     "without Lod or Grad the instruction is reachable only from entry points that have derivatives: Fragment, or "
     "compute with a derivative group mode",
     "inferred from the ImplicitLod instructions; the extension is silent"},
    {"R23", "spirv-footprint-sampled-image-block",
     "the result of OpSampledImage is used only by image instructions, in its own block",
     "SPIR-V specification, OpSampledImage"},
    {"R24", "spirv-footprint-granularity-value", "a constant Granularity is defined for the Dim",
     "extension text, table; the OpenGL extension calls others undefined"},
    {"R25", "spirv-footprint-operand-words", "the words after the image operands mask match its bits, in bit order",
     "SPIR-V specification, Image Operands"},
};

struct OperandBit {
  std::uint32_t bit;
  std::string_view name;
  unsigned ids;
};
constexpr OperandBit kOperandBits[] = {
    {0x1, "Bias", 1},
    {0x2, "Lod", 1},
    {0x4, "Grad", 2},
    {0x8, "ConstOffset", 1},
    {0x10, "Offset", 1},
    {0x20, "ConstOffsets", 1},
    {0x40, "Sample", 1},
    {0x80, "MinLod", 1},
    {0x100, "MakeTexelAvailable", 1},
    {0x200, "MakeTexelVisible", 1},
    {0x400, "NonPrivateTexel", 0},
    {0x800, "VolatileTexel", 0},
    {0x1000, "SignExtend", 0},
    {0x2000, "ZeroExtend", 0},
    {0x4000, "Nontemporal", 0},
    {0x10000, "Offsets", 1},
};
constexpr std::uint32_t kBias = 1, kLod = 2, kGrad = 4, kConstOffset = 8, kOffset = 16, kMinLod = 0x80;

std::string operand_names(std::uint32_t mask) {
  std::string text;
  for (const OperandBit& o : kOperandBits)
    if ((mask & o.bit) != 0) text += (text.empty() ? "" : "|") + std::string(o.name);
  for (unsigned bit = 0; bit < 32; ++bit)
    if ((mask >> bit & 1) != 0 && std::none_of(std::begin(kOperandBits), std::end(kOperandBits),
                                               [&](const OperandBit& o) { return o.bit == 1u << bit; }))
      text += (text.empty() ? "" : "|") + fmt::format("bit {}", bit);
  return text.empty() ? "None" : text;
}

/// §2 of the extension: values that are defined as an input.
bool granularity_defined(std::uint32_t value, unsigned dims) {
  if (dims == 3) return value == 1 || value == 3 || (value >= 10 && value <= 14);
  return (value >= 1 && value <= 7) || (value >= 11 && value <= 15);
}
std::string_view granularity_values(unsigned dims) { return dims == 3 ? "1, 3, 10 to 14" : "1 to 7, 11 to 15"; }

std::string_view dim_name(std::uint32_t dim) {
  constexpr std::array<std::string_view, 7> kNames = {"1D", "2D", "3D", "Cube", "Rect", "Buffer", "SubpassData"};
  return dim < kNames.size() ? kNames[dim] : "an unknown Dim";
}

bool compute_like(std::uint32_t model) {
  return model == spv::ExecutionModelGLCompute || model == spv::ExecutionModelTaskNV ||
         model == spv::ExecutionModelMeshNV || model == spv::ExecutionModelTaskEXT ||
         model == spv::ExecutionModelMeshEXT;
}

bool image_instruction(std::uint16_t op) {
  return (op >= spv::OpImageSampleImplicitLod && op <= spv::OpImageQuerySamples) ||
         (op >= spv::OpImageSparseSampleImplicitLod && op <= spv::OpImageSparseRead) ||
         op == spv::OpImageSampleFootprintNV;
}

class Checker {
 public:
  Checker(const Module& module, const ValidateOptions& options, base::Diagnostics& diagnostics)
      : module_(module), options_(options), diagnostics_(diagnostics) {}

  void run() {
    collect();
    if (capability_ && !extension_)
      report("R1", *capability_, fmt::format("ImageFootprintNV needs OpExtension \"{}\"", kExtension));
    for (const Instruction* i : queries_) check_query(*i);
    check_sampled_images();
    check_derivatives();
  }

 private:
  void collect() {
    std::uint32_t function = 0, block = 0;
    for (const Instruction& i : module_.instructions) {
      switch (i.opcode) {
        case spv::OpCapability:
          if (!i.operands.empty() && i.operands[0] == spv::CapabilityImageFootprintNV) capability_ = &i;
          if (!i.operands.empty() && i.operands[0] == spv::CapabilityMinLod) min_lod_capability_ = true;
          break;
        case spv::OpExtension:
          extension_ = extension_ || Module::string_at(i.operands, 0) == kExtension;
          break;
        case spv::OpFunction:
          function = i.result;
          break;
        case spv::OpFunctionEnd:
          function = block = 0;
          break;
        case spv::OpLabel:
          block = i.result;
          break;
        case spv::OpFunctionCall:
          if (!i.operands.empty()) calls_[function].push_back(i.operands[0]);
          break;
        case spv::OpImageSampleFootprintNV:
          queries_.push_back(&i);
          function_of_[&i] = function;
          break;
        default:
          break;
      }
      if (block != 0) block_of_[&i] = block;
    }
  }

  /// `lenient` tells what is assumed when the rule is relaxed; empty: it never is.
  void report(std::string_view rule, const Instruction& at, std::string message, std::string_view lenient = {}) {
    const FootprintRule& r =
        *std::find_if(std::begin(kRules), std::end(kRules), [&](const FootprintRule& x) { return x.rule == rule; });
    const bool relaxed = options_.lenient && !lenient.empty();
    base::Diagnostic d = relaxed ? base::warning(std::string(r.id), std::move(message), module_.place(at))
                                 : base::error(std::string(r.id), std::move(message), module_.place(at));
    if (relaxed) d.note(fmt::format("lenient: {}", lenient));
    d.note(fmt::format("{}: {} ({})", r.rule, r.requirement, r.source));
    if (at.source_line != 0) {
      const Instruction* file = module_.find(at.source_file);
      const std::string name =
          file != nullptr && file->opcode == spv::OpString ? Module::string_at(file->operands, 0) : "source";
      d.notes.push_back(
          {"made from this line", base::Place::text(name, at.source_line, std::max(1u, at.source_column))});
    }
    diagnostics_.add(std::move(d));
  }

  const Instruction* type(std::uint32_t id, std::uint16_t opcode) const {
    const Instruction* t = module_.find(id);
    return t != nullptr && t->opcode == opcode ? t : nullptr;
  }
  bool is_unsigned(std::uint32_t id) const {
    const Instruction* t = type(id, spv::OpTypeInt);
    return t != nullptr && t->operands.size() >= 2 && t->operands[1] == 0;
  }
  bool is_vector(std::uint32_t id, unsigned count, bool floats) const {
    const Instruction* t = type(id, spv::OpTypeVector);
    if (t == nullptr || t->operands.size() < 2 || t->operands[1] != count) return false;
    return floats ? type(t->operands[0], spv::OpTypeFloat) != nullptr : is_unsigned(t->operands[0]);
  }
  std::string found(std::uint32_t value) const {
    const std::uint32_t t = module_.type_of(value);
    return t == 0 ? module_.id_name(value) + " without a type" : module_.type_text(t);
  }

  void check_query(const Instruction& i) {
    if (capability_ == nullptr) report("R2", i, "OpImageSampleFootprintNV needs capability ImageFootprintNV");
    if (i.operands.size() < 4) {
      report("R25", i,
             fmt::format("the instruction needs Sampled Image, Coordinate, Granularity and Coarse, it has {} operands",
                         i.operands.size()));
      return;
    }
    const unsigned dims = check_image(i, i.operands[0]);
    check_coordinate(i, i.operands[1], dims);
    // R6, R7 compare with Coordinate itself, so that one mistake gives one message.
    const unsigned components = vector_size(i.operands[1]) != 0 ? vector_size(i.operands[1]) : dims;
    check_result(i, components);
    check_granularity(i, i.operands[2], dims);
    check_coarse(i, i.operands[3]);
    check_operands(i, dims, components);
  }

  unsigned vector_size(std::uint32_t value) const {
    const Instruction* t = type(module_.type_of(value), spv::OpTypeVector);
    return t != nullptr && t->operands.size() >= 2 ? t->operands[1] : 0;
  }

  /// R12 to R15. Returns the number of dimensions, 0 when they are not known.
  unsigned check_image(const Instruction& i, std::uint32_t id) {
    arrayed_ = false;
    const Instruction* sampled = type(module_.type_of(id), spv::OpTypeSampledImage);
    if (sampled == nullptr || sampled->operands.empty()) {
      report("R12", i, "Sampled Image must have a sampled-image type, found " + found(id));
      return 0;
    }
    const Instruction* image = type(sampled->operands[0], spv::OpTypeImage);
    if (image == nullptr || image->operands.size() < 5) return 0;
    const std::uint32_t dim = image->operands[1];
    if (dim != spv::Dim2D && dim != spv::Dim3D)
      report("R13", i, fmt::format("Dim must be 2D or 3D, found {}", dim_name(dim)));
    arrayed_ = image->operands[3] != 0;
    if (arrayed_) report("R14", i, "the image must not be arrayed");
    if (image->operands[4] != 0) report("R15", i, "the image must not be multisampled");
    return dim == spv::Dim2D ? 2 : dim == spv::Dim3D ? 3 : 0;
  }

  void check_coordinate(const Instruction& i, std::uint32_t id, unsigned dims) {
    if (arrayed_ && is_vector(module_.type_of(id), dims + 1, true)) return;  // the layer goes with R14
    if (dims != 0 && !is_vector(module_.type_of(id), dims, true))
      report("R16", i, fmt::format("Coordinate must be a vector of {} floats, found {}", dims, found(id)));
  }

  void check_result(const Instruction& i, unsigned components) {
    const Instruction* s = type(i.type, spv::OpTypeStruct);
    if (s == nullptr || s->operands.size() != 6) {
      report("R4", i, "Result Type must be a structure of six members, found " + module_.type_text(i.type));
      return;
    }
    const auto member = [&](std::size_t n) { return s->operands[n]; };
    if (type(member(0), spv::OpTypeBool) == nullptr)
      report("R5", i, "member 0 (single level) must be a Boolean scalar, found " + module_.type_text(member(0)));
    if (components != 0) {
      if (!is_vector(member(1), components, false))
        report("R6", i,
               fmt::format("member 1 (anchor) must be a vector of {} unsigned integers, found {}", components,
                           module_.type_text(member(1))));
      if (!is_vector(member(2), components, false))
        report("R7", i,
               fmt::format("member 2 (offset) must be a vector of {} unsigned integers, found {}", components,
                           module_.type_text(member(2))));
    }
    if (!is_vector(member(3), 2, false))
      report("R8", i,
             "member 3 (mask) must be a vector of two unsigned integers, found " + module_.type_text(member(3)));
    if (!is_unsigned(member(4)))
      report("R9", i, "member 4 (lod) must be an unsigned integer scalar, found " + module_.type_text(member(4)));
    if (!is_unsigned(member(5)))
      report("R10", i,
             "member 5 (granularity) must be an unsigned integer scalar, found " + module_.type_text(member(5)));
  }

  void check_granularity(const Instruction& i, std::uint32_t id, unsigned dims) {
    if (type(module_.type_of(id), spv::OpTypeInt) == nullptr) {
      report("R17", i, "Granularity must be an integer scalar, found " + found(id));
      return;
    }
    const auto value = module_.constant_value(id);
    if (value && dims != 0 && !granularity_defined(*value, dims))
      report("R24", i,
             fmt::format("granularity {} is not defined for Dim {}D (defined: {})", static_cast<std::int32_t>(*value),
                         dims, granularity_values(dims)),
             "the next larger defined value is taken, else the largest (FC11)");
  }

  void check_coarse(const Instruction& i, std::uint32_t id) {
    const Instruction* c = module_.find(id);
    const bool boolean = c != nullptr && type(c->type, spv::OpTypeBool) != nullptr;
    const bool constant = c != nullptr && (c->opcode == spv::OpConstantTrue || c->opcode == spv::OpConstantFalse ||
                                           c->opcode == spv::OpConstantNull || c->opcode == spv::OpSpecConstantTrue ||
                                           c->opcode == spv::OpSpecConstantFalse || c->opcode == spv::OpSpecConstantOp);
    if (boolean && constant) return;
    if (!boolean)
      report("R18", i, "Coarse must be a Boolean constant, found " + found(id));
    else
      report("R18", i,
             fmt::format("Coarse must be a Boolean constant, found {}, which is computed", module_.id_name(id)),
             "evaluated at run time");
  }

  void check_operands(const Instruction& i, unsigned dims, unsigned components) {
    if (i.operands.size() == 4) return;
    const std::uint32_t mask = i.operands[4];
    unsigned needed = 0;
    for (const OperandBit& o : kOperandBits) needed += (mask & o.bit) != 0 ? o.ids : 0;
    const std::size_t ids = i.operands.size() - 5;
    if (ids != needed) {
      report("R25", i, fmt::format("image operands mask {} needs {} ids, found {}", operand_names(mask), needed, ids));
      return;
    }
    check_operand_set(i, mask, dims);
    if ((mask & kMinLod) != 0 && !min_lod_capability_) report("R20", i, "image operand MinLod needs capability MinLod");
    std::size_t at = 5;
    for (const OperandBit& o : kOperandBits) {
      if ((mask & o.bit) == 0) continue;
      for (unsigned n = 0; n < o.ids; ++n) {
        const std::uint32_t id = i.operands[at++];
        if (o.bit == kGrad) {
          if (components != 0 && !is_vector(module_.type_of(id), components, true))
            report("R21", i,
                   fmt::format("operand Grad must be two vectors of {} floats, found {}", components, found(id)));
        } else if ((o.bit & (kBias | kLod | kMinLod)) != 0 && type(module_.type_of(id), spv::OpTypeFloat) == nullptr) {
          report("R21", i, fmt::format("operand {} must be a float scalar, found {}", o.name, found(id)));
        }
      }
    }
  }

  void check_operand_set(const Instruction& i, std::uint32_t mask, unsigned dims) {
    const bool allowed = mask == 0 || mask == kBias || mask == kMinLod || mask == (kBias | kMinLod) || mask == kLod ||
                         (dims != 3 && (mask == kGrad || mask == (kGrad | kMinLod)));
    if (allowed) return;
    // 9.3: what producers are known to write.
    const std::uint32_t known = kBias | kLod | kGrad | kMinLod | kConstOffset | kOffset;
    const bool relaxed = (mask & ~known) == 0 && (mask & (kLod | kGrad)) != (kLod | kGrad) &&
                         (mask & (kConstOffset | kOffset)) != (kConstOffset | kOffset);
    report("R19", i,
           fmt::format("image operands {} are not allowed here (allowed: none, Bias, MinLod, Bias|MinLod, Lod{})",
                       operand_names(mask), dims == 3 ? "; Grad only in 2D" : ", Grad, Grad|MinLod"),
           relaxed ? "each operand does what it does elsewhere: Bias is added, MinLod clamps, offsets move the texel "
                     "indices before wrapping"
                   : "");
  }

  /// R23, for the sampled images that reach a footprint query.
  void check_sampled_images() {
    if (queries_.empty()) return;
    std::unordered_set<std::uint32_t> reach;  // ids that footprint queries take, directly or through copies
    for (const Instruction* q : queries_)
      if (!q->operands.empty()) reach.insert(q->operands[0]);
    for (bool grown = true; grown;) {
      grown = false;
      for (const Instruction& i : module_.instructions)
        if (i.opcode == spv::OpCopyObject && !i.operands.empty() && reach.count(i.result) != 0)
          grown = reach.insert(i.operands[0]).second || grown;
    }
    for (const Instruction& user : module_.instructions) {
      if (user.opcode == spv::OpName || user.opcode == spv::OpDecorate || user.opcode == spv::OpDecorateId) continue;
      const bool query = user.opcode == spv::OpImageSampleFootprintNV;
      if (!query && user.opcode != spv::OpCopyObject) continue;
      if (user.operands.empty() || reach.count(user.operands[0]) == 0) continue;
      const Instruction* sampled = module_.find(user.operands[0]);
      if (sampled == nullptr || sampled->opcode != spv::OpSampledImage) continue;
      const std::string name = module_.id_name(sampled->result);
      if (!image_instruction(user.opcode))
        report("R23", user,
               fmt::format("OpSampledImage {} is used by {}, which is no image instruction", name,
                           opcode_name(user.opcode)));
      else if (block_of_[&user] != block_of_[sampled])
        report("R23", user, fmt::format("OpSampledImage {} is used outside its block", name));
    }
  }

  /// R22.
  void check_derivatives() {
    std::unordered_map<std::uint32_t, bool> derivative_mode;  // entry function -> has a derivative group mode
    for (const Instruction& i : module_.instructions)
      if ((i.opcode == spv::OpExecutionMode || i.opcode == spv::OpExecutionModeId) && i.operands.size() >= 2 &&
          (i.operands[1] == spv::ExecutionModeDerivativeGroupQuadsNV ||
           i.operands[1] == spv::ExecutionModeDerivativeGroupLinearNV))
        derivative_mode[i.operands[0]] = true;
    std::set<std::pair<const Instruction*, std::uint32_t>> reported;
    for (const Instruction& entry : module_.instructions) {
      if (entry.opcode != spv::OpEntryPoint || entry.operands.size() < 3) continue;
      const std::uint32_t model = entry.operands[0], start = entry.operands[1];
      if (model == spv::ExecutionModelFragment || (compute_like(model) && derivative_mode[start])) continue;
      std::unordered_set<std::uint32_t> reached = {start};
      std::vector<std::uint32_t> work = {start};
      while (!work.empty()) {
        const std::uint32_t function = work.back();
        work.pop_back();
        for (const std::uint32_t callee : calls_[function])
          if (reached.insert(callee).second) work.push_back(callee);
      }
      for (const Instruction* q : queries_) {
        const std::uint32_t mask = q->operands.size() > 4 ? q->operands[4] : 0;
        if ((mask & (kLod | kGrad)) != 0 || reached.count(function_of_[q]) == 0 || !reported.insert({q, start}).second)
          continue;
        report("R22", *q,
               fmt::format("implicit LOD needs derivatives, which entry point \"{}\" ({}) does not have",
                           Module::string_at(entry.operands, 2), execution_model_name(model)),
               compute_like(model) ? "Lod 0 is taken" : "");
      }
    }
  }

  const Module& module_;
  const ValidateOptions& options_;
  base::Diagnostics& diagnostics_;
  const Instruction* capability_ = nullptr;
  bool extension_ = false, min_lod_capability_ = false;
  bool arrayed_ = false;  ///< the image of the query at hand
  std::vector<const Instruction*> queries_;
  std::unordered_map<const Instruction*, std::uint32_t> function_of_, block_of_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> calls_;
};

}  // namespace

std::span<const FootprintRule> footprint_rules() { return kRules; }

std::string footprint_rules_markdown() {
  std::string text =
      "## Texel footprints (SPV_NV_shader_image_footprint)\n\nThe page [SPIR-V](spirv.md) has the rules R1 to R25.\n\n";
  for (const FootprintRule& rule : kRules)
    text +=
        fmt::format("### {}\n\n*error* ({}): {}.\nSource: {}.\n\n", rule.id, rule.rule, rule.requirement, rule.source);
  return text;
}

void check_footprint_rules(const Module& module, const ValidateOptions& options, base::Diagnostics& diagnostics) {
  Checker(module, options, diagnostics).run();
}

}  // namespace heddle::spirv
