// SPIRV-Tools' validator over a copy of the module without its known wrong rejections.

#include <fmt/format.h>
#include <spirv-tools/libspirv.h>

#include <algorithm>
#include <memory>
#include <set>
#include <spirv/unified1/spirv.hpp>

#include "spirv/target.hpp"
#include "spirv/validate.hpp"

namespace heddle::spirv {
namespace {

bool declares(const Module& module, std::uint32_t capability) {
  return std::any_of(module.instructions.begin(), module.instructions.end(), [&](const Instruction& i) {
    return i.opcode == spv::OpCapability && !i.operands.empty() && i.operands[0] == capability;
  });
}

/// The copy, and for each of its words the word of the module that it came from.
struct Copy {
  std::vector<std::uint32_t> words;
  std::vector<std::uint32_t> origin;
};

Copy work_around(const Module& module) {
  Copy copy;
  std::uint32_t next_id = module.bound;
  const auto put = [&](std::uint32_t word, std::uint32_t from) {
    copy.words.push_back(word);
    copy.origin.push_back(from);
  };
  for (std::uint32_t i = 0; i < 5; ++i) put(module.words[i], i);
  // R3: the extension makes ImageFootprintNV depend on Shader, SPIRV-Tools' grammar does not know it.
  bool add_shader = declares(module, spv::CapabilityImageFootprintNV) && !declares(module, spv::CapabilityShader);
  for (const Instruction& i : module.instructions) {
    if (add_shader) {
      put(2u << 16 | spv::OpCapability, i.offset);
      put(spv::CapabilityShader, i.offset);
      add_shader = false;
    }
    std::uint32_t undefined = 0;
    if (i.opcode == spv::OpImageSampleFootprintNV && !i.operands.empty()) {
      const Instruction* sampled = module.find(i.operands[0]);
      if (sampled != nullptr && sampled->opcode == spv::OpSampledImage) {
        undefined = next_id++;
        put(3u << 16 | spv::OpUndef, i.offset);
        put(sampled->type, i.offset);
        put(undefined, i.offset);
      }
    }
    for (std::size_t k = 0; k < i.words.size(); ++k) put(undefined != 0 && k == 3 ? undefined : i.words[k], i.offset);
  }
  copy.words[3] = next_id;
  return copy;
}

}  // namespace

void run_validator(const Module& module, const ValidateOptions& options, base::Diagnostics& diagnostics) {
  const auto env = target_env(options.target_env);
  if (!env) {
    diagnostics.add(
        base::error("spirv-target-env", fmt::format("unknown target environment '{}'", options.target_env)));
    return;
  }
  const std::unique_ptr<spv_context_t, decltype(&spvContextDestroy)> context(
      spvContextCreate(static_cast<spv_target_env>(*env)), &spvContextDestroy);
  const std::unique_ptr<spv_validator_options_t, decltype(&spvValidatorOptionsDestroy)> settings(
      spvValidatorOptionsCreate(), &spvValidatorOptionsDestroy);
  const Copy copy = work_around(module);
  spv_const_binary_t binary{copy.words.data(), copy.words.size()};
  spv_diagnostic problem = nullptr;
  const spv_result_t status = spvValidateWithOptions(context.get(), settings.get(), &binary, &problem);
  const std::unique_ptr<spv_diagnostic_t, decltype(&spvDiagnosticDestroy)> own_problem(problem, &spvDiagnosticDestroy);
  if (status == SPV_SUCCESS) return;
  std::string message =
      problem != nullptr && problem->error != nullptr ? problem->error : "SPIRV-Tools rejects the module";
  std::string shown;
  if (const std::size_t line = message.find('\n'); line != std::string::npos) {
    shown = message.substr(line + 1);
    message.resize(line);
  }
  while (!message.empty() && (message.back() == '.' || message.back() == ' ')) message.pop_back();
  base::Place place = base::Place::in_file(module.file);
  // The position is an index of words (SPV_ERROR_* of the parser) or of instructions (the validator's own checks).
  if (problem != nullptr && problem->position.index != 0) {
    const std::size_t word = std::min(problem->position.index, copy.origin.size() - 1);
    const std::uint32_t from = copy.origin[word];
    for (const Instruction& i : module.instructions)
      if (i.offset <= from && from < i.offset + i.words.size()) place = module.place(i);
  }
  base::Diagnostic d = base::error("spirv-val", std::move(message), std::move(place));
  while (!shown.empty() && (shown.back() == '\n' || shown.back() == ' ')) shown.pop_back();
  if (!shown.empty()) d.note("the instruction: " + shown.substr(shown.find_first_not_of(' ')));
  diagnostics.add(std::move(d.note("found by SPIRV-Tools' validator, which stops at its first error")));
}

void validate(const Module& module, const ValidateOptions& options, base::Diagnostics& diagnostics) {
  run_validator(module, options, diagnostics);
  check_footprint_rules(module, options, diagnostics);
}

}  // namespace heddle::spirv
