// SPDX-License-Identifier: MIT
// Every operation that the compiler knows, for every type, on platforms with and without 64-bit types: what comes out
// is a program that the verifier accepts, or a refusal with its place.
// Rules: SPV-1.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "shader.hpp"
#include "spirv/compile/walk/handlers.hpp"
#include "text/text.hpp"
#include "verify/verify.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

const std::vector<std::string> kFloats = {"f16", "f32", "f64"};
const std::vector<std::string> kIntegers = {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"};

std::string type_of(const std::string& scalar, unsigned n) {
  return (n == 1 ? "%" : "%v" + std::to_string(n)) + scalar;
}

/// `body` writes $r; $a $b $c are values of $T, whose scalars are $S; $B and $I are booleans and i32 of as many
/// components, $i and $k such values; $s is a scalar, $u a run-time index below 4.
struct Operation {
  std::string name, body;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

class Shapes {
 public:
  Shapes(std::string scalar, unsigned n) : scalar_(std::move(scalar)), n_(n) { list(); }

  [[nodiscard]] const std::vector<Operation>& operations() const { return operations_; }

  [[nodiscard]] std::string module_of(const std::vector<Operation>& some) const {
    std::string text;
    for (const char* c : {"Shader",
                          "Float16",
                          "Float64",
                          "Int8",
                          "Int16",
                          "Int64",
                          "StorageBuffer8BitAccess",
                          "StorageBuffer16BitAccess",
                          "GroupNonUniform",
                          "GroupNonUniformVote",
                          "GroupNonUniformBallot",
                          "GroupNonUniformArithmetic",
                          "GroupNonUniformShuffle",
                          "GroupNonUniformShuffleRelative",
                          "GroupNonUniformClustered",
                          "GroupNonUniformQuad",
                          "GroupNonUniformRotateKHR",
                          "SubgroupBallotKHR",
                          "SubgroupVoteKHR",
                          "DotProduct",
                          "DotProductInputAll",
                          "DotProductInput4x8Bit",
                          "DotProductInput4x8BitPacked",
                          "Int64Atomics",
                          "AtomicFloat32AddEXT",
                          "AtomicFloat32MinMaxEXT",
                          "AtomicFloat64AddEXT",
                          "AtomicFloat64MinMaxEXT",
                          "DerivativeControl",
                          "ExpectAssumeKHR",
                          "ComputeDerivativeGroupLinearNV"})
      text += std::string("OpCapability ") + c + "\n";
    for (const char* e : {"SPV_KHR_subgroup_rotate", "SPV_KHR_shader_ballot", "SPV_KHR_subgroup_vote",
                          "SPV_KHR_integer_dot_product", "SPV_KHR_expect_assume", "SPV_EXT_shader_atomic_float_add",
                          "SPV_EXT_shader_atomic_float_min_max", "SPV_NV_compute_shader_derivatives"})
      text += std::string("OpExtension \"") + e + "\"\n";
    const std::string stride = std::to_string(bytes() * (n_ == 3 ? 4 : n_));
    text +=
        "%std = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main "
        "\"main\" %gid %buffer %words %shared %few %many\nOpExecutionMode %main LocalSize 32 1 1\n"
        "OpExecutionMode %main DerivativeGroupLinearNV\nOpDecorate %gid BuiltIn GlobalInvocationId\n"
        "OpDecorate %list ArrayStride " +
        stride +
        "\nOpMemberDecorate %block 0 Offset 0\nOpDecorate %block Block\nOpDecorate %buffer DescriptorSet 0\n"
        "OpDecorate %buffer Binding 0\nOpDecorate %wordlist ArrayStride 4\nOpMemberDecorate %wordblock 0 Offset 0\n"
        "OpDecorate %wordblock Block\nOpDecorate %words DescriptorSet 0\nOpDecorate %words Binding 1\n"
        "%void = OpTypeVoid\n%function = OpTypeFunction %void\n%bool = OpTypeBool\n";
    for (const std::string& f : kFloats) text += "%" + f + " = OpTypeFloat " + f.substr(1) + "\n";
    for (const std::string& i : kIntegers)
      text += "%" + i + " = OpTypeInt " + i.substr(1) + (i[0] == 'i' ? " 1\n" : " 0\n");
    std::vector<std::string> all = kFloats;
    all.insert(all.end(), kIntegers.begin(), kIntegers.end());
    all.push_back("bool");
    for (const std::string& s : all)
      for (unsigned n = 2; n <= 4; ++n)
        text += type_of(s, n) + " = OpTypeVector %" + s + " " + std::to_string(n) + "\n";
    for (unsigned k : {0u, 1u, 2u, 3u, 4u, 8u, 40u, 264u})
      text += "%k" + std::to_string(k) + " = OpConstant %u32 " + std::to_string(k) + "\n";
    const std::string t = type_of(scalar_, n_);
    // Structures that operations give.
    text += "%pair = OpTypeStruct " + t + " " + t + "\n%pair2 = OpTypeStruct " + t + " " + t +
            "\n%apart = OpTypeStruct " + t + " " + type_of("i32", n_) + "\n";
    if (is_float() && n_ > 1)
      text += "%mat = OpTypeMatrix " + t + " " + std::to_string(n_) + "\n%zeromat = OpConstantNull %mat\n";
    text += "%zero = OpConstantNull " + t + "\n%ptr = OpTypePointer StorageBuffer " + t +
            "\n%list = OpTypeRuntimeArray " + t +
            "\n%block = OpTypeStruct %list\n%blockptr = OpTypePointer StorageBuffer %block\n"
            "%buffer = OpVariable %blockptr StorageBuffer\n%wordlist = OpTypeRuntimeArray %u32\n"
            "%wordblock = OpTypeStruct %wordlist\n%wordblockptr = OpTypePointer StorageBuffer %wordblock\n"
            "%wordptr = OpTypePointer StorageBuffer %u32\n%words = OpVariable %wordblockptr StorageBuffer\n"
            "%sharedptr = OpTypePointer Workgroup " +
            t + "\n%fewtype = OpTypeArray " + t + " %k4\n%manytype = OpTypeArray " + t +
            " %k40\n%sharedlist = OpTypePointer Workgroup %manytype\n%shared = OpVariable %sharedlist Workgroup\n"
            "%privateptr = OpTypePointer Private " +
            t +
            "\n%fewptr = OpTypePointer Private %fewtype\n%manyptr = OpTypePointer Private %manytype\n"
            "%few = OpVariable %fewptr Private\n%many = OpVariable %manyptr Private\n"
            "%localptr = OpTypePointer Function " +
            t + "\n%localintptr = OpTypePointer Function " + type_of("i32", n_) +
            "\n%gidptr = OpTypePointer Input %v3u32\n%gid = OpVariable %gidptr Input\n"
            "%main = OpFunction %void None %function\n%entry = OpLabel\n%local = OpVariable %localptr Function\n"
            "%localint = OpVariable %localintptr Function\n"
            "%id3 = OpLoad %v3u32 %gid\n%id = OpCompositeExtract %u32 %id3 0\n%u = OpBitwiseAnd %u32 %id %k3\n"
            "%pw = OpAccessChain %wordptr %words %k0 %id\n%word = OpLoad %u32 %pw\n"
            "%flag = OpULessThan %bool %word %id\n%number = OpBitcast %i32 %word\n";
    for (const char* name : {"0", "1", "2"})
      text += std::string("%p") + name + " = OpAccessChain %ptr %buffer %k0 %k" + name + "\n%x" + name + " = OpLoad " +
              t + " %p" + name + "\n";
    const auto spread = [&](const std::string& id, const std::string& scalar, const std::string& of) {
      if (n_ == 1) return id + " = OpCopyObject %" + scalar + " " + of + "\n";
      std::string line = id + " = OpCompositeConstruct " + type_of(scalar, n_);
      for (unsigned k = 0; k < n_; ++k) line += " " + of;
      return line + "\n";
    };
    text += spread("%flags", "bool", "%flag") + spread("%numbers", "i32", "%number");
    text += n_ == 1 ? "%single = OpCopyObject %" + scalar_ + " %x0\n"
                    : "%single = OpCompositeExtract %" + scalar_ + " %x0 0\n";
    for (std::size_t k = 0; k < some.size(); ++k) {
      std::string body = some[k].body;
      for (const auto& [from, to] : std::map<std::string, std::string>{{"$a", "%x0"},
                                                                       {"$b", "%x1"},
                                                                       {"$c", "%x2"},
                                                                       {"$T", t},
                                                                       {"$S", "%" + scalar_},
                                                                       {"$B", type_of("bool", n_)},
                                                                       {"$I", type_of("i32", n_)},
                                                                       {"$i", "%numbers"},
                                                                       {"$k", "%flags"},
                                                                       {"$s", "%single"},
                                                                       {"$u", "%u"}})
        body = replaced(body, from, to);
      text += replaced(body, "$", "%n" + std::to_string(k) + "_") + "\n";
    }
    return text + "OpReturn\nOpFunctionEnd\n";
  }

 private:
  [[nodiscard]] bool is_float() const { return scalar_[0] == 'f'; }
  [[nodiscard]] unsigned bits() const { return static_cast<unsigned>(std::stoul(scalar_.substr(1))); }
  [[nodiscard]] unsigned bytes() const { return bits() / 8; }
  void add(const std::string& name, const std::string& body) { operations_.push_back({name, body}); }
  /// "$r = OpNAME TYPE OPERANDS" for each name.
  void each(const std::vector<std::string>& names, const std::string& rest) {
    for (const std::string& name : names) add(name, "$r = Op" + name + " " + rest);
  }
  void glsl(const std::vector<std::string>& names, const std::string& operands) {
    for (const std::string& name : names) add(name, "$r = OpExtInst $T %std " + name + " " + operands);
  }

  void list() {
    memory();
    if (is_float())
      floats();
    else
      integers();
    groups();
    if (n_ > 1) vectors();
  }

  void memory() {
    add("Store", "OpStore %p0 $a");
    const auto array = [&](const std::string& name, const std::string& pointer, const std::string& base) {
      add(name, "$e = OpAccessChain " + pointer + " " + base + " $u\nOpStore $e $a\n$f = OpInBoundsAccessChain " +
                    pointer + " " + base + " %id\n$r = OpLoad $T $f");
    };
    array("few", "%privateptr", "%few");
    array("many", "%privateptr", "%many");
    array("shared", "%sharedptr", "%shared");
    add("CopyMemory", "OpCopyMemory %local %p1");
    add("ArrayLength", "$r = OpArrayLength %u32 %buffer 0");
    add("Select", "$r = OpSelect $T $k $a $b");
    add("CopyObject", "$r = OpCopyObject $T $a");
    add("CopyLogical", "$e = OpCompositeConstruct %pair $a $b\n$r = OpCopyLogical %pair2 $e");
    for (const std::string& s : {std::string("u"), std::string("i"), std::string("f")})
      for (const unsigned other : {8u, 16u, 32u, 64u}) {
        const unsigned total = bits() * n_;
        if (total % other != 0 || total / other > 4 || (s == "f" && other == 8)) continue;
        const std::string to = type_of(s + std::to_string(other), total / other);
        if (to != type_of(scalar_, n_)) add("Bitcast" + to, "$r = OpBitcast " + to + " $a");
      }
  }

  void floats() {
    each({"FNegate"}, "$T $a");
    each({"FAdd", "FSub", "FMul", "FDiv", "FRem", "FMod"}, "$T $a $b");
    for (const char* order : {"FOrd", "FUnord"})
      for (const char* relation : {"Equal", "NotEqual", "LessThan", "GreaterThan", "LessThanEqual", "GreaterThanEqual"})
        each({std::string(order) + relation}, "$B $a $b");
    each({"IsNan", "IsInf"}, "$B $a");
    for (const std::string& f : kFloats)
      if (f != scalar_) add("FConvert_" + f, "$r = OpFConvert " + type_of(f, n_) + " $a");
    for (const std::string& i : kIntegers)
      add("ConvertFTo_" + i, std::string("$r = OpConvertFTo") + (i[0] == 'i' ? "S " : "U ") + type_of(i, n_) + " $a");
    glsl({"Round", "RoundEven", "Trunc", "FAbs", "FSign", "Floor", "Ceil", "Fract", "Sqrt", "InverseSqrt", "Normalize"},
         "$a");
    glsl({"FMin", "FMax", "NMin", "NMax", "Step", "Reflect"}, "$a $b");
    glsl({"FClamp", "NClamp", "FMix", "SmoothStep", "Fma", "FaceForward"}, "$a $b $c");
    glsl({"Refract"}, "$a $b $s");
    glsl({"Ldexp"}, "$a $i");
    glsl({"Frexp"}, "$a %localint");
    glsl({"Modf"}, "$a %local");
    add("Length", "$r = OpExtInst $S %std Length $a");
    add("Distance", "$r = OpExtInst $S %std Distance $a $b");
    add("FrexpStruct", "$r = OpExtInst %apart %std FrexpStruct $a");
    add("ModfStruct", "$r = OpExtInst %pair %std ModfStruct $a");
    if (bits() < 64) {
      glsl({"Radians", "Degrees", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Tanh", "Asinh", "Acosh",
            "Atanh", "Exp", "Log", "Exp2", "Log2"},
           "$a");
      glsl({"Atan2", "Pow"}, "$a $b");
    }
    if (bits() == 32) {
      each({"QuantizeToF16"}, "$T $a");
      each({"DPdx", "DPdy", "Fwidth", "DPdxFine", "DPdyFine", "FwidthFine", "DPdxCoarse", "DPdyCoarse", "FwidthCoarse"},
           "$T $a");
      if (n_ == 1) atomics({"AtomicFAddEXT", "AtomicFMinEXT", "AtomicFMaxEXT"});
      if (n_ == 4)
        for (const char* name : {"PackSnorm4x8", "PackUnorm4x8"})
          add(name, std::string("$r = OpExtInst %u32 %std ") + name + " $a");
      if (n_ == 2)
        for (const char* name : {"PackSnorm2x16", "PackUnorm2x16", "PackHalf2x16"})
          add(name, std::string("$r = OpExtInst %u32 %std ") + name + " $a");
    }
    if (bits() == 64 && n_ == 1) {
      atomics({"AtomicFAddEXT", "AtomicFMinEXT", "AtomicFMaxEXT"});
      add("UnpackDouble2x32", "$r = OpExtInst %v2u32 %std UnpackDouble2x32 $a");
    }
  }

  void integers() {
    each({"SNegate", "Not"}, "$T $a");
    each({"ExpectKHR"}, "$T $a $b");
    if (n_ == 1) add("AssumeTrueKHR", "OpAssumeTrueKHR $k");
    each({"IAdd", "ISub", "IMul", "SDiv", "SRem", "SMod", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "ShiftLeftLogical",
          "ShiftRightLogical", "ShiftRightArithmetic"},
         "$T $a $b");
    each({"IEqual", "INotEqual", "UGreaterThan", "SGreaterThan", "UGreaterThanEqual", "SGreaterThanEqual", "ULessThan",
          "SLessThan", "ULessThanEqual", "SLessThanEqual"},
         "$B $a $b");
    each({"BitFieldInsert"}, "$T $a $b $u %k3");
    each({"BitFieldSExtract", "BitFieldUExtract"}, "$T $a $u %k3");
    each({"BitReverse", "BitCount"}, "$T $a");
    for (const std::string& f : kFloats) each({"ConvertSToF", "ConvertUToF"}, type_of(f, n_) + " $a");
    for (const std::string& i : kIntegers)
      if (i.substr(1) != scalar_.substr(1))
        add("Convert_" + i,
            std::string(i[0] == 'i' ? "$r = OpSConvert " : "$r = OpUConvert ") + type_of(i, n_) + " $a");
    glsl({"SAbs", "SSign"}, "$a");
    glsl({"SMin", "SMax", "UMin", "UMax"}, "$a $b");
    glsl({"SClamp", "UClamp"}, "$a $b $c");
    if (bits() == 32) {
      glsl({"FindILsb", "FindSMsb", "FindUMsb"}, "$a");
      if (n_ == 1) {
        for (const char* name : {"UnpackSnorm4x8", "UnpackUnorm4x8"})
          add(name, std::string("$r = OpExtInst %v4f32 %std ") + name + " $a");
        for (const char* name : {"UnpackSnorm2x16", "UnpackUnorm2x16", "UnpackHalf2x16"})
          add(name, std::string("$r = OpExtInst %v2f32 %std ") + name + " $a");
        for (const char* name : {"SDot", "UDot", "SUDot"}) {
          const std::string sum = name[0] == 'U' ? "%u32" : "%i32";
          add(name, std::string("$r = Op") + name + " " + sum + " $a $b PackedVectorFormat4x8Bit");
          add(std::string(name) + "AccSat", std::string("$r = Op") + name + "AccSat " + sum + " $a $b " +
                                                (name[0] == 'U' ? "%word" : "%number") + " PackedVectorFormat4x8Bit");
        }
      }
      if (n_ == 2 && scalar_ == "u32") add("PackDouble2x32", "$r = OpExtInst %f64 %std PackDouble2x32 $a");
    }
    each({"SMulExtended"}, "%pair $a $b");
    if (scalar_[0] == 'u') {
      each({"UDiv", "UMod"}, "$T $a $b");
      each({"IAddCarry", "ISubBorrow", "UMulExtended"}, "%pair $a $b");
    }
    if (n_ == 1 && bits() >= 32)
      atomics({"AtomicExchange", "AtomicIAdd", "AtomicISub", "AtomicSMin", "AtomicUMin", "AtomicSMax", "AtomicUMax",
               "AtomicAnd", "AtomicOr", "AtomicXor"});
    if (n_ == 1 && bits() >= 32) {
      for (const char* place : {"%p0", "%ps"}) {
        const std::string shared = "$e = OpAccessChain %sharedptr %shared $u\n";
        const auto there = [&](const std::string& body) {
          return place[2] == 's' ? shared + replaced(body, "%ps", "$e") : body;
        };
        const std::string p = place;
        add("AtomicLoad", there("$r = OpAtomicLoad $T " + p + " %k1 %k0"));
        add("AtomicStore", there("OpAtomicStore " + p + " %k1 %k0 $a"));
        each({"AtomicCompareExchange"}, "$T %p0 %k1 %k0 %k0 $a $b");
        add("AtomicIIncrement", there("$r = OpAtomicIIncrement $T " + p + " %k1 %k0"));
        add("AtomicIDecrement", there("$r = OpAtomicIDecrement $T " + p + " %k1 %k0"));
      }
      add("ControlBarrier", "OpControlBarrier %k2 %k2 %k264");
      add("MemoryBarrier", "OpMemoryBarrier %k2 %k264");
    }
  }

  void atomics(const std::vector<std::string>& names) {
    each(names, "$T %p0 %k1 %k0 $a");
    for (const std::string& name : names)
      add(name, "$e = OpAccessChain %sharedptr %shared $u\n$r = Op" + name + " $T $e %k2 %k0 $a");
  }

  void groups() {
    each({"GroupNonUniformBroadcast", "GroupNonUniformQuadBroadcast"}, "$T %k3 $a %k2");
    each({"GroupNonUniformQuadSwap"}, "$T %k3 $a %k1");
    each({"GroupNonUniformBroadcastFirst"}, "$T %k3 $a");
    each({"GroupNonUniformShuffle", "GroupNonUniformShuffleXor", "GroupNonUniformShuffleUp",
          "GroupNonUniformShuffleDown", "GroupNonUniformRotateKHR"},
         "$T %k3 $a $u");
    each({"GroupNonUniformAllEqual"}, "%bool %k3 $a");
    each({"SubgroupFirstInvocationKHR"}, "$T $a");
    each({"SubgroupReadInvocationKHR"}, "$T $a %k2");
    const std::vector<std::string> floats = {"FAdd", "FMul", "FMin", "FMax"},
                                   integers = {"IAdd", "IMul",       "SMin",      "UMin",      "SMax",
                                               "UMax", "BitwiseAnd", "BitwiseOr", "BitwiseXor"};
    for (const std::string& op : is_float() ? floats : integers)
      for (const char* how : {"Reduce $a", "InclusiveScan $a", "ExclusiveScan $a", "ClusteredReduce $a %k4"})
        each({"GroupNonUniform" + op}, std::string("$T %k3 ") + how);
    for (const char* op : {"LogicalAnd", "LogicalOr", "LogicalXor"})
      each({std::string("GroupNonUniform") + op}, "$B %k3 InclusiveScan $k");
    each({"LogicalEqual", "LogicalNotEqual", "LogicalOr", "LogicalAnd"}, "$B $k $k");
    each({"LogicalNot"}, "$B $k");
    if (n_ != 1 || scalar_ != "u32") return;
    each({"GroupNonUniformElect"}, "%bool %k3");
    each({"GroupNonUniformAll", "GroupNonUniformAny"}, "%bool %k3 %flag");
    each({"SubgroupAllKHR", "SubgroupAnyKHR", "SubgroupAllEqualKHR"}, "%bool %flag");
    each({"SubgroupBallotKHR"}, "%v4u32 %flag");
    const std::string ballot = "$v = OpGroupNonUniformBallot %v4u32 %k3 %flag\n";
    add("Ballot", ballot + "$r = OpGroupNonUniformInverseBallot %bool %k3 $v");
    add("BallotBitExtract", ballot + "$r = OpGroupNonUniformBallotBitExtract %bool %k3 $v $u");
    for (const char* how : {"Reduce", "InclusiveScan", "ExclusiveScan"})
      add("BallotBitCount", ballot + "$r = OpGroupNonUniformBallotBitCount %u32 %k3 " + how + " $v");
    for (const char* op : {"FindLSB", "FindMSB"})
      add(op, ballot + "$r = OpGroupNonUniformBallot" + op + " %u32 %k3 $v");
  }

  void vectors() {
    add("CompositeInsert", "$r = OpCompositeInsert $T $s $a 1");
    add("VectorShuffle", "$r = OpVectorShuffle $T $a $b 3 0" + std::string(n_ > 2 ? " 1" : "") + (n_ > 3 ? " 2" : ""));
    each({"VectorExtractDynamic"}, "$S $a $u");
    each({"VectorInsertDynamic"}, "$T $a $s $u");
    each({"Any", "All"}, "%bool $k");
    if (!is_float()) {
      if (bits() < 64)
        for (const char* name : {"SDot", "UDot", "SUDot"}) {
          if (name[0] == 'U' && scalar_[0] != 'u') continue;
          const std::string sum = name[0] == 'U' ? "%u64" : "%i64";
          add(name, std::string("$r = Op") + name + " " + sum + " $a $b");
          add(std::string(name) + "AccSat", "$z = OpUndef " + sum + "\n$r = Op" + name + "AccSat " + sum + " $a $b $z");
        }
      return;
    }
    each({"VectorTimesScalar"}, "$T $a $s");
    each({"Dot"}, "$S $a $b");
    const std::string m = "$m = OpOuterProduct %mat $a $b\n";
    add("OuterProduct", m);
    add("Transpose", m + "$r = OpTranspose %mat $m");
    add("MatrixTimesScalar", m + "$r = OpMatrixTimesScalar %mat $m $s");
    add("MatrixTimesVector", m + "$r = OpMatrixTimesVector $T $m $c");
    add("VectorTimesMatrix", m + "$r = OpVectorTimesMatrix $T $c $m");
    add("MatrixTimesMatrix", m + "$r = OpMatrixTimesMatrix %mat $m $m");
    add("Determinant", m + "$r = OpExtInst $S %std Determinant $m");
    add("MatrixInverse", m + "$r = OpExtInst %mat %std MatrixInverse $m");
    if (n_ == 3) glsl({"Cross"}, "$a $b");
  }

  std::string scalar_;
  unsigned n_;
  std::vector<Operation> operations_;
};

/// What the verifier says against a program; empty: nothing.
std::string verdict(const std::string& text, isa::Platform platform) {
  base::Diagnostics found;
  text::ParseOptions parse;
  parse.platform = platform;
  parse.rules_are_errors = true;
  const auto program = text::parse(text, "shader.visaasm", parse, found);
  if (!program) return "not parsed: " + messages(found);
  verify::Options rules;
  rules.platform = platform;
  verify::check(*program, rules, found);
  return found.has_errors() ? messages(found) : std::string();
}

std::string line_of(const std::string& text, std::uint32_t number) {
  std::istringstream lines(text);
  std::string line;
  for (std::uint32_t k = 0; k < number; ++k) std::getline(lines, line);
  return line;
}

/// Compiles all operations in one module; those that are refused are left out the next time. What should not be is
/// said.
std::string complaint(const Shapes& shapes, const spirv::CompileOptions& options) {
  std::vector<Operation> rest = shapes.operations();
  for (;;) {
    const std::string text = shapes.module_of(rest);
    base::Diagnostics warnings;
    const auto compiled = spirv::compile(assemble_shader(text, "universal1.6"), options, warnings);
    if (compiled.ok()) return verdict(compiled->text, options.platform);
    std::set<std::size_t> refused;
    for (const base::Diagnostic& d : compiled.diagnostics()) {
      // The results are called after the operation: %n7_r.
      const std::string line = line_of(text, d.place.line);
      const std::size_t name = line.find("%n");
      if (d.id != "compile-unsupported" || name == std::string::npos)
        return base::render(d, {}, false) + "in the line " + line;
      refused.insert(std::stoul(line.substr(name + 2)));
    }
    for (auto k = refused.rbegin(); k != refused.rend(); ++k)
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(*k));
  }
}

struct Setting {
  isa::Platform platform;
  unsigned simd;
};

class EveryOperation : public ::testing::TestWithParam<Setting> {};
INSTANTIATE_TEST_SUITE_P(Platforms, EveryOperation,
                         ::testing::Values(Setting{isa::Platform::SKL, 8}, Setting{isa::Platform::SKL, 16},
                                           Setting{isa::Platform::SKL, 32}, Setting{isa::Platform::TGLLP, 16},
                                           Setting{isa::Platform::TGLLP, 32}, Setting{isa::Platform::DG2, 8},
                                           Setting{isa::Platform::DG2, 16}, Setting{isa::Platform::PVC, 16},
                                           Setting{isa::Platform::PVC, 32}),
                         [](const auto& i) {
                           return std::string(isa::platform_info(i.param.platform).name) + "_simd" +
                                  std::to_string(i.param.simd);
                         });

TEST_P(EveryOperation, IsVerifiedOrRefused) {
  spirv::CompileOptions options;
  options.platform = GetParam().platform;
  options.simd = GetParam().simd;
  options.target_env = "universal1.6";
  std::vector<std::string> scalars = kFloats;
  scalars.insert(scalars.end(), kIntegers.begin(), kIntegers.end());
  for (const std::string& scalar : scalars)
    for (unsigned n = 1; n <= 4; ++n) {
      const Shapes shapes(scalar, n);
      EXPECT_EQ(complaint(shapes, options), "") << type_of(scalar, n);
    }
}

/// The list above leaves out no instruction but those whose types are fixed by images, stages, pointers and groups of
/// lanes, which have tests of their own (the sweep).
TEST(OperationList, LeavesNothingOut) {
  std::set<std::uint16_t> listed;
  for (const char* scalar : {"f32", "u32", "i32", "f64"})
    for (unsigned n = 1; n <= 4; ++n) {
      const Shapes shapes(scalar, n);
      for (const spirv::Instruction& i :
           assemble_shader(shapes.module_of(shapes.operations()), "universal1.6").instructions)
        listed.insert(i.opcode);
    }
  const std::string others =
      "OpPtrAccessChain OpOrdered OpUnordered OpSampledImage OpFragmentFetchMaskAMD OpExtInstWithForwardRefsKHR "
      "OpReadClockKHR "
      "OpEmitVertex OpEndPrimitive OpEmitStreamVertex OpEndStreamPrimitive OpSetMeshOutputsEXT "
      "OpGroupNonUniformQuadAllKHR OpGroupNonUniformQuadAnyKHR OpCompositeConstructReplicateEXT "
      "OpCooperativeMatrixLoadKHR OpCooperativeMatrixStoreKHR OpCooperativeMatrixMulAddKHR "
      "OpCooperativeMatrixLengthKHR OpFmaKHR";  // unknown to
                                                // SPIRV-Tools'
                                                // assembler
  for (unsigned opcode = 0; opcode < 0x10000; ++opcode) {
    if (spirv::compiler::find_handler(static_cast<std::uint16_t>(opcode)) == nullptr || listed.contains(opcode))
      continue;
    const std::string name(spirv::opcode_name(static_cast<std::uint16_t>(opcode)));
    const bool group = name.starts_with("OpGroup") && (!name.starts_with("OpGroupNonUniform") || name.ends_with("NV"));
    const bool pointer = name.find("Ptr") != std::string::npos || name.find("Interlock") != std::string::npos;
    EXPECT_TRUE(name.starts_with("OpImage") || group || pointer || others.find(name) != std::string::npos) << name;
  }
}

}  // namespace
