// SPDX-License-Identifier: MIT
// The same modules of operations on Heddle's machine and on lavapipe: integers equal, floating-point numbers right by
// the same bounds on both sides.

#include <gtest/gtest.h>

#include "compile/operation_cases.hpp"
#include "vulkan_client.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

/// Lavapipe's results; nothing when it cannot run them.
std::vector<Bits> on_lavapipe(VulkanClient& client, const std::vector<Operation>& operations,
                              const std::map<std::pair<std::string, unsigned>, Bits>& inputs, std::size_t count,
                              std::string& why) {
  const OperationShader shader = shader_of(operations);
  std::vector<PeerBinding> bindings(shader.inputs.size() + shader.outputs.size());
  std::vector<std::vector<std::uint8_t>> bytes(bindings.size());
  for (const OperationBuffer& b : shader.inputs) bytes[b.binding] = buffer_bytes(inputs.at({b.type, b.position}), b);
  for (const OperationBuffer& b : shader.outputs) bytes[b.binding].resize(count * b.stride * b.operations.size());
  for (std::size_t i = 0; i < bindings.size(); ++i) bindings[i].buffer = &bytes[i];
  const spirv::Module module = assemble_shader(shader.text);
  why = client.compute(module.words, bindings, static_cast<std::uint32_t>(count / 32));
  std::vector<Bits> results(operations.size());
  if (!why.empty()) return results;
  for (const OperationBuffer& b : shader.outputs) read_results(b, bytes[b.binding], count, results);
  return results;
}

class LavapipeOperations : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    client = lavapipe(why);
    if (client == nullptr) GTEST_SKIP() << why;
  }
  VulkanClient* client = nullptr;
  static constexpr std::size_t kCount = 640;
};

TEST_F(LavapipeOperations, IntegersAreEqual) {
  const std::vector<IntegerCase> cases = integer_cases();
  const std::vector<Operation> operations = integer_operations(32);
  auto inputs = integer_inputs(operations, kCount, 32);
  std::string why;
  const std::vector<Bits> theirs = on_lavapipe(*client, operations, inputs, kCount, why);
  ASSERT_EQ(why, "");
  const std::vector<Bits> ours = run_operations(operations, inputs, kCount, {});
  ASSERT_EQ(ours.size(), cases.size());
  for (std::size_t k = 0; k < cases.size(); ++k)
    for (std::size_t i = 0; i < kCount; ++i) {
      if (cases[k].name == "SMod") continue;  // Mesa 22 gives the dividend's sign: -1 mod 7 = -1
      std::uint64_t v[3] = {0, 0, 0};
      for (unsigned p = 0; p < cases[k].inputs; ++p) v[p] = inputs[{"u32", p}][i];
      if (!cases[k].defined(v, 32)) continue;
      ASSERT_EQ(ours[k][i], theirs[k][i]) << cases[k].name << " of " << v[0] << " " << v[1] << " " << v[2];
    }
}

TEST_F(LavapipeOperations, FloatsAreRightOnBothSides) {
  const std::vector<FloatCase> cases = float_cases("f32");
  const std::vector<Operation> operations = float_operations("f32");
  auto inputs = inputs_of(operations, kCount);
  std::string why;
  const std::vector<Bits> theirs = on_lavapipe(*client, operations, inputs, kCount, why);
  ASSERT_EQ(why, "");
  const std::vector<Bits> ours = run_operations(operations, inputs, kCount, {});
  ASSERT_EQ(ours.size(), cases.size());
  std::size_t equal = 0, all = 0;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    std::size_t theirs_wrong = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      double v[3] = {0, 0, 0};
      for (unsigned p = 0; p < cases[k].inputs; ++p) v[p] = real_of(inputs[{"f32", p}][i], "f32");
      if (!cases[k].defined(v)) continue;
      ++all;
      const double x = float_of(ours[k][i]), y = float_of(theirs[k][i]);
      if (x == y || (std::isnan(x) && std::isnan(y))) ++equal;
      EXPECT_TRUE(cases[k].accepts(v, ours[k][i], "f32")) << cases[k].name;
      // Vulkan's own bound for inverse functions is 4096 ulp.
      const bool near = cases[k].name.starts_with("A") && ulps(y, cases[k].expected(v), "f32") <= 4096;
      theirs_wrong += near || cases[k].accepts(v, theirs[k][i], "f32") ? 0 : 1;
    }
    // Lavapipe flushes subnormal numbers and takes polynomials for its functions.
    EXPECT_LT(theirs_wrong, kCount / 8) << operations[k].name;
  }
  EXPECT_GT(equal * 10, all * 7);
}

TEST_F(LavapipeOperations, DoublesAreRightOnBothSides) {
  const std::vector<FloatCase> cases = float_cases("f64");
  const std::vector<Operation> operations = float_operations("f64");
  auto inputs = inputs_of(operations, kCount);
  std::string why;
  const std::vector<Bits> theirs = on_lavapipe(*client, operations, inputs, kCount, why);
  if (!why.empty()) GTEST_SKIP() << why;
  const std::vector<Bits> ours = run_operations(operations, inputs, kCount, {});
  ASSERT_EQ(ours.size(), cases.size());
  for (std::size_t k = 0; k < cases.size(); ++k) {
    std::size_t theirs_wrong = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      double v[3] = {0, 0, 0};
      for (unsigned p = 0; p < cases[k].inputs; ++p) v[p] = real_of(inputs[{"f64", p}][i], "f64");
      if (!cases[k].defined(v)) continue;
      EXPECT_TRUE(cases[k].accepts(v, ours[k][i], "f64")) << cases[k].name;
      theirs_wrong += cases[k].accepts(v, theirs[k][i], "f64") ? 0 : 1;
      if (cases[k].name == "Sqrt")
        EXPECT_EQ(ulps(real_of(ours[k][i], "f64"), real_of(theirs[k][i], "f64"), "f64"), 0) << v[0];
    }
    EXPECT_LT(theirs_wrong, kCount / 8) << operations[k].name;
  }
}

TEST_F(LavapipeOperations, VectorsAgree) {
  const std::vector<VectorCase> cases = vector_cases();
  const std::vector<Operation> operations = vector_operations();
  constexpr std::size_t kFew = 96;
  auto inputs = inputs_of(operations, kFew);
  std::mt19937 random(6);
  std::uniform_real_distribution<float> range(-8, 8);
  for (auto& [key, list] : inputs)
    for (std::uint64_t& v : list) v = bits_of(range(random));
  std::string why;
  const std::vector<Bits> theirs = on_lavapipe(*client, operations, inputs, kFew, why);
  ASSERT_EQ(why, "");
  const std::vector<Bits> ours = run_operations(operations, inputs, kFew, {});
  ASSERT_EQ(ours.size(), cases.size());
  for (std::size_t k = 0; k < cases.size(); ++k)
    for (std::size_t i = 0; i < kFew; ++i) {
      std::vector<RealVector> v;
      for (unsigned p = 0; p < operations[k].inputs.size(); ++p) {
        const unsigned n = components_of(operations[k].inputs[p]);
        RealVector x;
        for (unsigned c = 0; c < n; ++c) x.push_back(float_of(inputs[{operations[k].inputs[p], p}][i * n + c]));
        v.push_back(x);
      }
      const RealVector want = cases[k].expected(v);
      for (std::size_t c = 0; c < want.size(); ++c)
        if (!std::isnan(want[c])) {
          EXPECT_NEAR(float_of(ours[k][i * want.size() + c]), float_of(theirs[k][i * want.size() + c]),
                      2 * cases[k].absolute + 1e-6)
              << operations[k].name;
        }
    }
}

TEST_F(LavapipeOperations, PackingAgrees) {
  const std::vector<Operation> operations = pack_operations();
  const auto inputs = inputs_of(operations, kCount);
  std::string why;
  const std::vector<Bits> theirs = on_lavapipe(*client, operations, inputs, kCount, why);
  if (!why.empty()) GTEST_SKIP() << why;
  const std::vector<Bits> ours = run_operations(operations, inputs, kCount, {});
  ASSERT_EQ(ours.size(), operations.size());
  for (std::size_t k = 0; k < operations.size(); ++k) {
    const bool packs = operations[k].name.starts_with("Pack");
    const unsigned n = components_of(operations[k].result), given = components_of(operations[k].inputs[0]);
    for (std::size_t i = 0; i < kCount; ++i) {
      bool number = true;  // NaN packs to anything; ties and subnormal numbers are lavapipe's own
      for (unsigned c = 0; c < given; ++c) {
        const double x = packs ? float_of(inputs.at({operations[k].inputs[0], 0})[i * given + c]) : 0;
        number = number && std::isfinite(x) && (x == 0 || std::abs(x) > 1e-4);
      }
      for (unsigned c = 0; c < n && number; ++c) {
        const std::uint64_t x = ours[k][i * n + c], y = theirs[k][i * n + c];
        if (operations[k].result.ends_with("f32"))
          EXPECT_TRUE(std::abs(float_of(x) - float_of(y)) <= 1e-6f * std::abs(float_of(x)) || x == y ||
                      (std::isnan(float_of(x)) && std::isnan(float_of(y))) || std::abs(float_of(x)) < 0x1p-14f)
              << operations[k].name << " " << float_of(x) << " " << float_of(y);
        else
          EXPECT_EQ(x, y) << operations[k].name << " element " << i;
      }
    }
  }
}

}  // namespace
