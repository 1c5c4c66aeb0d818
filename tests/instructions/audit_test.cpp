// SPDX-License-Identifier: MIT
// Every instruction that the reference engine executes has a case in this program's tables: the harness notes what ran.
#include <algorithm>
#include <map>

#include "engine/harness.hpp"
#include "instructions/reference.hpp"
#include "instructions/registry.hpp"

namespace heddle::engine::testing {
namespace {

/// Another dialect's encoding of the same mnemonic, or the conditional form of a message or call that is the same to
/// the engine, has run.
bool covered_by_twin(const isa::InstructionDescription& description) {
  static const std::map<std::string_view, std::string_view> kTwins = {
      {"fccall", "call"}, {"raw_sendc", "raw_send"}, {"raw_sendsc", "raw_sends"}, {"raw_sendsc_eot", "raw_sends_eot"}};
  const auto twin = kTwins.find(description.mnemonic);
  return std::any_of(executed_forms().begin(), executed_forms().end(), [&](const isa::InstructionDescription* other) {
    return (other->mnemonic == description.mnemonic || (twin != kTwins.end() && other->mnemonic == twin->second)) &&
           instructions::reference_of(*other) == instructions::reference_of(description);
  });
}

class Audit final : public ::testing::Environment {
 public:
  void TearDown() override {
    const std::string filter = GTEST_FLAG_GET(filter);
    if (filter != "*" || ::testing::UnitTest::GetInstance()->failed_test_count() != 0) return;
    std::string missing;
    for (const isa::InstructionDescription& description : instructions::registry().descriptions()) {
      const machine::Execute execute = instructions::reference_of(description);
      if (execute == nullptr || execute == instructions::does_nothing || covered_by_twin(description)) continue;
      const std::string name(description.mnemonic);
      if (!executed_forms().contains(&description)) missing += " " + name;
    }
    EXPECT_EQ(missing, "") << "instructions without a test in tests/instructions";
  }
};

const auto* const kAudit = ::testing::AddGlobalTestEnvironment(new Audit);

}  // namespace
}  // namespace heddle::engine::testing
