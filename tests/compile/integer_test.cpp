// SPDX-License-Identifier: MIT
// Integer operations of 8 to 64 bits against C++.
// Rules: SPV-9, SPV-12.

#include "operation_cases.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

struct Setting {
  unsigned bits, simd;
  isa::Platform platform;
};

class Integers : public ::testing::TestWithParam<Setting> {};
INSTANTIATE_TEST_SUITE_P(Widths, Integers,
                         ::testing::Values(Setting{32, 8, isa::Platform::SKL}, Setting{32, 16, isa::Platform::SKL},
                                           Setting{32, 32, isa::Platform::TGLLP}, Setting{32, 16, isa::Platform::DG2},
                                           Setting{8, 16, isa::Platform::SKL}, Setting{8, 32, isa::Platform::ICLLP},
                                           Setting{16, 8, isa::Platform::SKL}, Setting{16, 16, isa::Platform::DG2},
                                           Setting{64, 8, isa::Platform::SKL}, Setting{64, 16, isa::Platform::ICLLP},
                                           Setting{64, 32, isa::Platform::TGLLP}),
                         [](const auto& i) {
                           return "bits" + std::to_string(i.param.bits) + "_simd" + std::to_string(i.param.simd) + "_" +
                                  std::string(isa::platform_info(i.param.platform).name);
                         });

TEST_P(Integers, EqualWhatCppComputes) {
  const Setting setting = GetParam();
  const unsigned bits = setting.bits;
  const std::string type = "u" + std::to_string(bits);
  const std::vector<IntegerCase> all = integer_cases();
  const std::vector<Operation> operations = integer_operations(bits);
  constexpr std::size_t kCount = 960;
  auto inputs = integer_inputs(operations, kCount, bits);
  spirv::CompileOptions options;
  options.simd = setting.simd;
  options.platform = setting.platform;
  options.target_env = "universal1.6";  // Vulkan has bit fields of 32 bits only
  const std::vector<Bits> results = run_operations(operations, inputs, kCount, options);
  ASSERT_EQ(results.size(), all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    unsigned wrong = 0;
    for (std::size_t i = 0; i < kCount && wrong < 3; ++i) {
      std::uint64_t v[3] = {0, 0, 0};
      for (unsigned p = 0; p < all[k].inputs; ++p) v[p] = inputs[{type, p}][i];
      if (!all[k].defined(v, bits)) continue;
      const std::uint64_t want = cut(all[k].expected(v, bits), bits);
      if (results[k][i] == want) continue;
      ++wrong;
      ADD_FAILURE() << all[k].name << " of " << std::hex << v[0] << " " << v[1] << " " << v[2] << " is "
                    << results[k][i] << ", not " << want;
    }
  }
}

}  // namespace
