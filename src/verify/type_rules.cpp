#include "verify/type_rules.hpp"

namespace heddle::verify {
namespace {

struct Row {
  std::string_view key;   ///< family or mnemonic
  std::string_view slot;  ///< empty: every slot
  TypeRule rule;
};

constexpr auto kWarning = base::Severity::Warning;

constexpr Row kRows[] = {
    {"info", "lod", {"visa-info-lod"}},
    {"info", "dst", {"visa-info-dst"}},
    {"sample_unorm", "dst", {"visa-unorm-dst"}},
    {"sample_unorm", "", {"visa-unorm-coord"}},
    {"sample4", "aoffimmi", {"visa-sampler-aoffimmi"}},
    {"sample4", "dst", {"visa-sampler-dst-type"}},
    {"sample4", "", {"visa-sampler-param-type"}},
    {"sample", "aoffimmi", {"visa-sampler-aoffimmi"}},
    {"sample", "dst", {"visa-sampler-dst-type"}},
    {"sample", "", {"visa-sampler-param-type"}},
    {"load", "aoffimmi", {"visa-sampler-aoffimmi"}},
    {"load", "dst", {"visa-sampler-dst-type"}},
    {"load", "", {"visa-sampler-param-type"}},
    {"rt_write", "si", {"visa-rt-si"}},
    {"rt_write", "cps", {"visa-rt-cps"}},
    {"rt_write", "rti", {"visa-rt-rti"}},
    {"rt_write", "", {"visa-rt-type"}},
    {"setp", "", {"visa-setp"}},
    {"movs", "", {"visa-movs"}},
    {"sad2", "", {"visa-sad"}},
    {"sad2add", "", {"visa-sad"}},
    {"rol", "", {"visa-rotate-type"}},
    {"ror", "", {"visa-rotate-type"}},
    {"fcvt", "", {"visa-convert"}},
    {"srnd", "", {"visa-convert"}},
    {"switchjmp", "", {"visa-switchjmp"}},
    {"oword_ld", "", {"visa-oword-size"}},
    {"oword_st", "", {"visa-oword-size"}},
    {"oword_ld_unaligned", "", {"visa-oword-size"}},
    {"dpas", "", {"visa-dpas"}},
    {"dpasw", "", {"visa-dpas"}},
    {"memory_svm", "", {"visa-svm-address", kWarning}},
    {"svm_atomic", "addresses", {"visa-svm-address", kWarning}},
    {"sqrtm", "", {"visa-math-type"}},
    {"divm", "", {"visa-math-type"}},
    {"nbarrier.wait", "", {"visa-nbarrier-id"}},
    {"nbarrier.signal", "", {"visa-nbarrier-id"}},
};

}  // namespace

TypeRule type_rule(const isa::InstructionDescription& description, const isa::Slot& slot, isa::Type type,
                   bool nowhere) {
  for (const Row& row : kRows)
    if ((description.family == row.key || description.mnemonic == row.key) &&
        (row.slot.empty() || slot.name == row.slot))
      return row.rule;
  // visa-bf-op, visa-math-type: bf and df belong to a short list of instructions.
  if (nowhere && description.traits.alu && type == isa::Type::BF) return {"visa-bf-op"};
  if (nowhere && description.traits.alu && type == isa::Type::DF) return {"visa-math-type"};
  return {};
}

}  // namespace heddle::verify
