// SPDX-License-Identifier: MIT
// Subgroup operations, with all lanes and with some of them, and derivatives in compute shaders, against C++.
// Rules: SPV-21.

#include <numeric>
#include <optional>

#include "operation_cases.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

/// One subgroup: the values of %a and %b in each lane, and which lanes are active.
struct Group {
  Bits a, b;
  std::vector<bool> active;
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(a.size()); }
  [[nodiscard]] unsigned first() const {
    return static_cast<unsigned>(std::find(active.begin(), active.end(), true) - active.begin());
  }
  template <class P>
  [[nodiscard]] std::uint64_t ballot(P p) const {
    std::uint64_t bits = 0;
    for (unsigned k = 0; k < size(); ++k)
      if (active[k] && p(k)) bits |= std::uint64_t{1} << k;
    return bits;
  }
};

struct Case {
  std::string name, type, result, body;  ///< defines %_x; T, Z stand for type and a zero
  std::function<std::optional<std::uint64_t>(const Group& g, unsigned lane)> expected;  ///< nothing: undefined
};

using Fold = std::function<std::uint64_t(std::uint64_t, std::uint64_t)>;

enum class Kind { Reduce, Inclusive, Exclusive, Clustered };

Case folded(const std::string& op, const std::string& type, Kind kind, std::uint64_t identity, Fold fold) {
  static constexpr const char* kWords[] = {"Reduce", "InclusiveScan", "ExclusiveScan", "ClusteredReduce"};
  const std::string word = kWords[static_cast<unsigned>(kind)];
  const unsigned bits = static_cast<unsigned>(std::stoul(type.substr(1)));
  return {op + "_" + type + "_" + word, type, type,
          "%_x = OpGroupNonUniform" + op + " %T %u32_3 " + word + " %a" + (kind == Kind::Clustered ? " %u32_4" : ""),
          [=](const Group& g, unsigned lane) -> std::optional<std::uint64_t> {
            unsigned first = 0, end = g.size();
            if (kind == Kind::Inclusive) end = lane + 1;
            if (kind == Kind::Exclusive) end = lane;
            if (kind == Kind::Clustered) {
              first = lane / 4 * 4;
              end = first + 4;
            }
            std::uint64_t value = identity;
            for (unsigned k = first; k < end; ++k)
              if (g.active[k]) value = cut(fold(value, g.a[k]), bits);
            return cut(value, bits);
          }};
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const Kind kind : {Kind::Reduce, Kind::Inclusive, Kind::Exclusive, Kind::Clustered}) {
    for (const std::string& type : {std::string("u8"), std::string("u16"), std::string("u32"), std::string("u64")}) {
      const unsigned bits = static_cast<unsigned>(std::stoul(type.substr(1)));
      const std::uint64_t all = cut(~std::uint64_t{0}, bits);
      list.push_back(folded("IAdd", type, kind, 0, [](auto x, auto y) { return x + y; }));
      list.push_back(folded("SMin", type, kind, all >> 1,
                            [bits](auto x, auto y) { return signed_of(x, bits) < signed_of(y, bits) ? x : y; }));
      list.push_back(folded("UMax", type, kind, 0, [](auto x, auto y) { return std::max(x, y); }));
      list.push_back(folded("BitwiseXor", type, kind, 0, [](auto x, auto y) { return x ^ y; }));
      list.push_back(folded("BitwiseAnd", type, kind, all, [](auto x, auto y) { return x & y; }));
      list.push_back(folded("IMul", type, kind, 1, [](auto x, auto y) { return x * y; }));
    }
    list.push_back(folded("FMax", "f32", kind, bits_of(-INFINITY),
                          [](auto x, auto y) { return bits_of(std::fmax(float_of(x), float_of(y))); }));
    // Numbers whose sums are exact.
    list.push_back(
        folded("FAdd", "f32", kind, bits_of(-0.0f), [](auto x, auto y) { return bits_of(float_of(x) + float_of(y)); }));
  }
  const auto lane_of = [](auto index) {
    return [=](const Group& g, unsigned lane) -> std::optional<std::uint64_t> {
      const unsigned k = index(g, lane);
      if (k >= g.size() || !g.active[k]) return std::nullopt;
      return g.a[k];
    };
  };
  for (const std::string& type : {std::string("u8"), std::string("u32"), std::string("u64"), std::string("f32")}) {
    const auto add = [&](const std::string& name, const std::string& operands, auto index) {
      list.push_back({name + "_" + type, type, type,
                      "%_i = OpBitwiseAnd %u32 %b %u32_7\n%_x = OpGroupNonUniform" + name + " %T %u32_3 %a" + operands,
                      lane_of(index)});
    };
    add("Broadcast", " %u32_5", [](const Group&, unsigned) { return 5u; });
    add("BroadcastFirst", "", [](const Group& g, unsigned) { return g.first(); });
    add("Shuffle", " %_i", [](const Group& g, unsigned lane) { return static_cast<unsigned>(g.b[lane] & 7); });
    add("ShuffleXor", " %u32_3", [](const Group&, unsigned lane) { return lane ^ 3; });
    add("ShuffleUp", " %u32_2", [](const Group&, unsigned lane) { return lane - 2; });
    add("ShuffleDown", " %u32_2", [](const Group&, unsigned lane) { return lane + 2; });
    add("QuadBroadcast", " %u32_2", [](const Group&, unsigned lane) { return lane / 4 * 4 + 2; });
    add("QuadSwap", " %u32_0", [](const Group&, unsigned lane) { return lane ^ 1; });
    add("QuadSwap", " %u32_1", [](const Group&, unsigned lane) { return lane ^ 2; });
    add("QuadSwap", " %u32_2", [](const Group&, unsigned lane) { return lane ^ 3; });
  }
  const std::string odd = "%_o = OpBitwiseAnd %u32 %a %u32_4\n%_q = OpINotEqual %bool %_o %u32_0\n";
  const auto is_odd = [](const Group& g) { return [&g](unsigned k) { return (g.a[k] & 4) != 0; }; };
  const auto as_number = [](const std::string& text) { return text + "\n%_x = OpSelect %u32 %_y %u32_1 %u32_0"; };
  list.push_back({"Ballot", "u32", "u32",
                  odd + "%_v = OpGroupNonUniformBallot %v4u32 %u32_3 %_q\n%_x = OpCompositeExtract %u32 %_v 0",
                  [=](const Group& g, unsigned) { return g.ballot(is_odd(g)); }});
  for (const std::string& word : {std::string("Reduce"), std::string("InclusiveScan"), std::string("ExclusiveScan")})
    list.push_back(
        {"BitCount" + word, "u32", "u32",
         odd + "%_v = OpGroupNonUniformBallot %v4u32 %u32_3 %_q\n%_x = OpGroupNonUniformBallotBitCount %u32 %u32_3 " +
             word + " %_v",
         [=](const Group& g, unsigned lane) -> std::optional<std::uint64_t> {
           std::uint64_t bits = g.ballot(is_odd(g));
           if (word == "InclusiveScan") bits &= (std::uint64_t{2} << lane) - 1;
           if (word == "ExclusiveScan") bits &= (std::uint64_t{1} << lane) - 1;
           return std::popcount(bits);
         }});
  list.push_back(
      {"FindLSB", "u32", "u32",
       odd + "%_v = OpGroupNonUniformBallot %v4u32 %u32_3 %_q\n%_x = OpGroupNonUniformBallotFindLSB %u32 %u32_3 %_v",
       [=](const Group& g, unsigned) -> std::optional<std::uint64_t> {
         const std::uint64_t bits = g.ballot(is_odd(g));
         return bits == 0 ? std::nullopt : std::optional<std::uint64_t>(std::countr_zero(bits));
       }});
  list.push_back(
      {"FindMSB", "u32", "u32",
       odd + "%_v = OpGroupNonUniformBallot %v4u32 %u32_3 %_q\n%_x = OpGroupNonUniformBallotFindMSB %u32 %u32_3 %_v",
       [=](const Group& g, unsigned) -> std::optional<std::uint64_t> {
         const std::uint64_t bits = g.ballot(is_odd(g));
         return bits == 0 ? std::nullopt : std::optional<std::uint64_t>(63 - std::countl_zero(bits));
       }});
  list.push_back(
      {"InverseBallot", "u32", "u32",
       as_number(
           odd +
           "%_v = OpGroupNonUniformBallot %v4u32 %u32_3 %_q\n%_y = OpGroupNonUniformInverseBallot %bool %u32_3 %_v"),
       [=](const Group& g, unsigned lane) { return std::uint64_t{(g.a[lane] & 4) != 0}; }});
  list.push_back({"BitExtract", "u32", "u32",
                  as_number(odd + "%_v = OpGroupNonUniformBallot %v4u32 %u32_3 %_q\n%_y = "
                                  "OpGroupNonUniformBallotBitExtract %bool %u32_3 %_v %u32_6"),
                  [=](const Group& g, unsigned) { return g.ballot(is_odd(g)) >> 6 & 1; }});
  list.push_back({"Elect", "u32", "u32", as_number("%_y = OpGroupNonUniformElect %bool %u32_3"),
                  [](const Group& g, unsigned lane) { return std::uint64_t{lane == g.first()}; }});
  list.push_back({"All", "u32", "u32", as_number(odd + "%_y = OpGroupNonUniformAll %bool %u32_3 %_q"),
                  [=](const Group& g, unsigned) {
                    return std::uint64_t{g.ballot(is_odd(g)) == g.ballot([](unsigned) { return true; })};
                  }});
  list.push_back({"Any", "u32", "u32", as_number(odd + "%_y = OpGroupNonUniformAny %bool %u32_3 %_q"),
                  [=](const Group& g, unsigned) { return std::uint64_t{g.ballot(is_odd(g)) != 0}; }});
  list.push_back({"AllEqual", "u32", "u32", as_number(odd + "%_y = OpGroupNonUniformAllEqual %bool %u32_3 %_o"),
                  [=](const Group& g, unsigned) {
                    const std::uint64_t bits = g.ballot(is_odd(g));
                    return std::uint64_t{bits == 0 || bits == g.ballot([](unsigned) { return true; })};
                  }});
  list.push_back({"LogicalXor", "u32", "u32",
                  as_number(odd + "%_y = OpGroupNonUniformLogicalXor %bool %u32_3 Reduce %_q"),
                  [=](const Group& g, unsigned) { return std::uint64_t(std::popcount(g.ballot(is_odd(g))) & 1); }});
  return list;
}

Operation operation_of(const Case& c, bool divergent) {
  std::string text = c.body;
  for (std::size_t at = text.find("%T"); at != std::string::npos; at = text.find("%T", at + 1))
    text.replace(at, 2, "%" + c.type);
  Operation o{c.name, c.result, {c.type, "u32"}, text + "\n%r = OpCopyObject %" + c.result + " %_x\n", ""};
  if (divergent)
    o.body =
        "%_z = OpBitwiseAnd %u32 %b %u32_3\n%_p = OpINotEqual %bool %_z %u32_0\nOpSelectionMerge %_m "
        "None\nOpBranchConditional %_p %_t %_e\n%_t = OpLabel\n" +
        text + "\nOpBranch %_m\n%_e = OpLabel\nOpBranch %_m\n%_m = OpLabel\n%r = OpPhi %" + c.result + " %_x %_t %" +
        c.result + "_0 %_e\n";
  return o;
}

class Subgroups : public ::testing::TestWithParam<std::tuple<unsigned, bool>> {};
INSTANTIATE_TEST_SUITE_P(Widths, Subgroups, ::testing::Combine(::testing::Values(8u, 16u, 32u), ::testing::Bool()));

TEST_P(Subgroups, EqualCpp) {
  const auto [simd, divergent] = GetParam();
  const std::vector<Case> all = cases();
  const std::vector<Operation> operations = subgroup_operations(divergent);
  constexpr std::size_t kCount = 128;
  auto inputs = inputs_of(operations, kCount);
  std::mt19937_64 random(3);
  for (auto& [key, list] : inputs)
    for (std::uint64_t& v : list)
      v = key.first == "f32" ? bits_of(static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 8)
                             : cut(random(), static_cast<unsigned>(std::stoul(key.first.substr(1))));
  spirv::CompileOptions options;
  options.simd = simd;
  const std::vector<Bits> results = run_operations(operations, inputs, kCount, options);
  ASSERT_EQ(results.size(), all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    unsigned wrong = 0;
    for (std::size_t first = 0; first < kCount && wrong < 3; first += simd) {
      Group g;
      for (std::size_t i = first; i < first + simd; ++i) {
        g.a.push_back(inputs[{all[k].type, 0}][i]);
        g.b.push_back(inputs[{"u32", 1}][i]);
        g.active.push_back(!divergent || (g.b.back() & 3) != 0);
      }
      for (unsigned lane = 0; lane < simd && wrong < 3; ++lane) {
        const auto want = g.active[lane] ? all[k].expected(g, lane) : std::optional<std::uint64_t>(0);
        const std::uint64_t got = results[k][first + lane];
        if (!want || got == *want) continue;
        ++wrong;
        ADD_FAILURE() << all[k].name << " in lane " << lane << " of " << first << ": " << std::hex << got << ", not "
                      << *want;
      }
    }
  }
}

/// Lanes 0 1 / 2 3 of each four are a quad.
class DerivativeGroups : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Widths, DerivativeGroups, ::testing::Values(8u, 16u, 32u));

TEST_P(DerivativeGroups, AreLinear) {
  const unsigned simd = GetParam();
  const std::vector<Operation> operations = derivative_operations();
  constexpr std::size_t kCount = 64;
  auto inputs = inputs_of(operations, kCount);
  std::mt19937 random(8);
  for (std::uint64_t& v : inputs[{"f32", 0}]) v = bits_of(static_cast<float>(random() % 4096) / 16);
  spirv::CompileOptions options;
  options.simd = simd;
  const std::vector<Bits> results = run_operations(operations, inputs, kCount, options);
  ASSERT_EQ(results.size(), operations.size());
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto value = [&](std::size_t corner) { return float_of(inputs[{"f32", 0}][i / 4 * 4 + corner]); };
    const std::size_t row = i % 4 / 2 * 2, column = i % 2;
    const float fine_x = value(row + 1) - value(row), fine_y = value(column + 2) - value(column);
    const float coarse_x = value(1) - value(0), coarse_y = value(2) - value(0);
    const float want[] = {fine_x,   fine_y,   std::abs(fine_x) + std::abs(fine_y),
                          fine_x,   fine_y,   std::abs(fine_x) + std::abs(fine_y),
                          coarse_x, coarse_y, std::abs(coarse_x) + std::abs(coarse_y)};
    for (std::size_t k = 0; k < operations.size(); ++k)
      EXPECT_EQ(float_of(results[k][i]), want[k]) << operations[k].name << " " << i;
  }
}

}  // namespace

std::vector<Operation> heddle::test::subgroup_operations(bool divergent) {
  std::vector<Operation> operations;
  for (const Case& c : cases()) operations.push_back(operation_of(c, divergent));
  return operations;
}

std::vector<Operation> heddle::test::derivative_operations() {
  std::vector<Operation> operations;
  for (const char* name :
       {"DPdx", "DPdy", "Fwidth", "DPdxFine", "DPdyFine", "FwidthFine", "DPdxCoarse", "DPdyCoarse", "FwidthCoarse"})
    operations.push_back({name, "f32", {"f32"}, std::string("%r = Op") + name + " %f32 %a", ""});
  return operations;
}
