// SPDX-License-Identifier: MIT
// The bits of every operation that shaders have, the same with both engines and tiers, one thread and several.
// HEDDLE_VECTORS=v2, v3: with older vectors (ctest runs them as bits/v2 and bits/v3).
// Rules: NUM-98.

#include "support/bits.hpp"
#include "base/bits/sha256.hpp"
#include "operation_cases.hpp"
#include "operation_threads.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

struct OperationGroup {
  std::string name;
  std::vector<Operation> operations;
  std::map<std::pair<std::string, unsigned>, Bits> inputs;
};

constexpr std::size_t kCount = 256;

std::vector<OperationGroup> operation_groups() {
  std::vector<OperationGroup> groups;
  for (const unsigned bits : {8, 16, 32, 64}) {
    const std::vector<Operation> list = integer_operations(bits);
    groups.push_back({"integer" + std::to_string(bits), list, integer_inputs(list, kCount, bits)});
  }
  const auto add = [&](const std::string& name, const std::vector<Operation>& list) {
    groups.push_back({name, list, inputs_of(list, kCount)});
  };
  for (const char* type : {"f16", "f32", "f64"}) add(type, float_operations(type));
  add("vector", vector_operations());
  add("conversion", conversion_operations(true));
  add("pack", pack_operations());
  add("subgroup", subgroup_operations(false));
  add("divergent", subgroup_operations(true));
  add("derivative", derivative_operations());
  return groups;
}

std::string hash_of(const Bits& values) {
  base::Sha256 hash;
  for (const std::uint64_t value : values) {
    std::array<std::uint8_t, 8> bytes{};
    for (unsigned k = 0; k < 8; ++k) bytes[k] = static_cast<std::uint8_t>(value >> 8 * k);
    hash.add(bytes);
  }
  return hash.hex();
}

/// Variants of one name, such as the directions of a swap, are one line of the file: that of the first.
bool first_of_its_name(const std::vector<Operation>& operations, std::size_t at) {
  return std::ranges::find(operations, operations[at].name, &Operation::name) - operations.begin() ==
         static_cast<std::ptrdiff_t>(at);
}

struct Way {
  const char* engine;
  unsigned threads;
};

TEST(Bits, OfEveryOperation) {
  BitsFile file("operations");
  spirv::CompileOptions options;
  options.target_env = "universal1.6";
  constexpr std::size_t kAtOnce = 24;  // a thread has so many registers only in the tool, but bindings are few
  for (const OperationGroup& group : operation_groups())
    for (std::size_t first = 0; first < group.operations.size(); first += kAtOnce) {
      const auto some = std::span(group.operations).subspan(first, std::min(kAtOnce, group.operations.size() - first));
      for (const Way& way : {Way{"reference", 1},
                             {"reference", 4},
                             {"first", 1},
                             {"second", 1},
                             {"second", 4},
                             {"second", 64},
                             {"interpreted", 4}}) {
        const auto results = run_operations_on(way.threads, some, group.inputs, kCount, options, way.engine);
        ASSERT_EQ(results.size(), some.size()) << group.name << " " << way.engine;
        for (std::size_t k = 0; k < some.size(); ++k)
          if (first_of_its_name(group.operations, first + k))
            file.check(group.name + "/" + some[k].name, hash_of(results[k]),
                       std::string(way.engine) + ", " + std::to_string(way.threads) + " threads");
      }
    }
  file.expect_complete();
}

}  // namespace
