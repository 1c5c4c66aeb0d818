// SPDX-License-Identifier: MIT
// Rules: SPV-55.
#include "spirv/matrix_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <spirv/unified1/spirv.hpp>
#include <string_view>
#include <vector>

#include "spirv/newer_opcodes.hpp"

namespace heddle::spirv {
namespace {

constexpr std::size_t kStandInComponents = 4;

/// One rule after the other; each says what is wrong in a few words, or nothing.
class Rules {
 public:
  explicit Rules(const Module& module) : module_(module) {
    for (const Instruction& i : module.instructions) {
      if (i.opcode == spv::OpFunction) break;
      if (i.opcode == spv::OpExtension)
        extension_ = extension_ || Module::string_at(i.operands, 0) == "SPV_KHR_cooperative_matrix";
      if (i.opcode != spv::OpCapability || i.operands.empty()) continue;
      capability_ = capability_ || i.operands[0] == kCapabilityCooperativeMatrix;
      memory_model_ = memory_model_ || i.operands[0] == spv::CapabilityVulkanMemoryModel;
    }
    for (std::size_t k = 0; capability_ && k < module.instructions.size(); ++k)
      if (module.instructions[k].opcode == spv::OpFunction) functions_.push_back(k);
  }

  [[nodiscard]] std::string_view problem(const Instruction& i, std::size_t at) const {
    const bool is_length =
        i.opcode == spv::OpSpecConstantOp && !i.operands.empty() && i.operands[0] == kCooperativeMatrixLength;
    if (!is_cooperative_matrix(i.opcode) && !is_length) return capability_ ? of_other(i, at) : std::string_view();
    if (!capability_) return "the capability CooperativeMatrixKHR is not declared";
    if (!extension_) return "the extension SPV_KHR_cooperative_matrix is not declared";
    if (!memory_model_) return "the capability VulkanMemoryModel is not declared";
    switch (i.opcode) {
      case kTypeCooperativeMatrix:
        return type(i, at);
      case kCooperativeMatrixLoad:
        return load(i, at);
      case kCooperativeMatrixStore:
        return store(i, at);
      case kCooperativeMatrixMulAdd:
        return product(i, at);
      case spv::OpSpecConstantOp:
        return length(i, at, 1);
      default:
        return length(i, at, 0);
    }
  }

 private:
  /// Of instructions that other values have, too: what SPIRV-Tools does not see, as it is shown vectors.
  [[nodiscard]] std::string_view of_other(const Instruction& i, std::size_t at) const {
    switch (i.opcode) {
      case spv::OpVariable:
        return variable(i);
      case spv::OpTypePointer:
        return pointer(i);
      case spv::OpConvertFToU:
      case spv::OpConvertFToS:
      case spv::OpConvertSToF:
      case spv::OpConvertUToF:
      case spv::OpUConvert:
      case spv::OpSConvert:
      case spv::OpFConvert:
      case spv::OpBitcast:
        return conversion(i);
      case spv::OpVectorShuffle:
      case spv::OpVectorExtractDynamic:
      case spv::OpVectorInsertDynamic:
      case spv::OpDot:
        return is_matrix(module_.find(i.type)) ||
                       std::ranges::any_of(i.operands, [&](std::uint32_t id) { return is_matrix(type_of(id)); })
                   ? "it takes vectors, no cooperative matrices"
                   : std::string_view();
      case spv::OpMatrixTimesScalar:
        return is_matrix(module_.find(i.type)) ? scaled(i, at) : std::string_view();
      default:
        return {};
    }
  }

  /// What defines an id above an instruction, in its function or outside all; null: nothing.
  [[nodiscard]] const Instruction* above(std::uint32_t id, std::size_t at) const {
    const auto found = module_.definition.find(id);
    if (found == module_.definition.end() || found->second >= at) return nullptr;
    const auto function_of = [&](std::size_t k) { return std::ranges::upper_bound(functions_, k); };
    const auto its = function_of(found->second);
    return its == functions_.begin() || its == function_of(at) ? &module_.instructions[found->second] : nullptr;
  }
  [[nodiscard]] const Instruction* type_of(std::uint32_t id) const {
    const std::uint32_t type = module_.type_of(id);
    return type != 0 ? module_.find(type) : nullptr;
  }
  [[nodiscard]] static bool is(const Instruction* i, std::uint16_t opcode, std::size_t operands) {
    return i != nullptr && i->opcode == opcode && i->operands.size() >= operands;
  }
  [[nodiscard]] static bool is_matrix(const Instruction* type) { return is(type, kTypeCooperativeMatrix, 5); }
  [[nodiscard]] bool is_integer(std::uint32_t id) const { return is(type_of(id), spv::OpTypeInt, 2); }
  [[nodiscard]] bool is_constant_word(std::uint32_t id, std::size_t at) const {
    const Instruction* c = above(id, at);
    return c != nullptr && c->opcode >= spv::OpConstantTrue && c->opcode <= spv::OpSpecConstantOp && is_integer(id) &&
           type_of(id)->operands[0] == 32;
  }

  [[nodiscard]] std::string_view type(const Instruction& i, std::size_t at) const {
    if (i.operands.size() != 5) return "it takes a component type, a scope, rows, columns and a use";
    const Instruction* component = above(i.operands[0], at);
    if (!is(component, spv::OpTypeInt, 2) && !is(component, spv::OpTypeFloat, 1))
      return "its components are no integers or floating-point numbers";
    for (std::size_t k = 1; k < 5; ++k)
      if (!is_constant_word(i.operands[k], at)) return "scope, rows, columns and use are constants of 32 bits";
    if (module_.constant_value(i.operands[4]).value_or(kMatrixA) > kMatrixAccumulator)
      return "its use is none of MatrixAKHR (0), MatrixBKHR (1) and MatrixAccumulatorKHR (2)";
    return {};
  }

  /// `k`: the operand that says the layout; the stride and memory operands follow.
  [[nodiscard]] std::string_view memory(const Instruction& i, std::size_t at, std::size_t k,
                                        std::uint32_t forbidden) const {
    const Instruction* pointer = above(i.operands[0], at) != nullptr ? type_of(i.operands[0]) : nullptr;
    if (!is(pointer, spv::OpTypePointer, 2)) return "its pointer is none";
    const std::uint32_t storage = pointer->operands[0];
    if (storage != spv::StorageClassWorkgroup && storage != spv::StorageClassStorageBuffer &&
        storage != spv::StorageClassPhysicalStorageBuffer)
      return "its pointer is not into Workgroup, StorageBuffer or PhysicalStorageBuffer memory";
    const Instruction* element = module_.find(pointer->operands[1]);
    if (is(element, spv::OpTypeVector, 2)) element = module_.find(element->operands[0]);
    if (!is(element, spv::OpTypeInt, 2) && !is(element, spv::OpTypeFloat, 1))
      return "its pointer is not to a scalar or vector of numbers";
    if (!is_constant_word(i.operands[k], at)) return "its layout is no constant of 32 bits";
    if (module_.constant_value(i.operands[k]).value_or(kRowMajor) > kColumnMajor)
      return "its layout is neither RowMajorKHR (0) nor ColumnMajorKHR (1)";
    if (i.operands.size() == k + 1) return "both layouts need a stride";
    if (above(i.operands[k + 1], at) == nullptr || !is_integer(i.operands[k + 1])) return "its stride is no integer";
    if (i.operands.size() > k + 2 && (i.operands[k + 2] & forbidden) != 0)
      return "loads make nothing available, stores nothing visible";
    return {};
  }
  [[nodiscard]] std::string_view load(const Instruction& i, std::size_t at) const {
    if (i.operands.size() < 2) return "it takes a pointer, a layout and a stride";
    if (!is_matrix(module_.find(i.type))) return "its type is no cooperative matrix";
    return memory(i, at, 1, spv::MemoryAccessMakePointerAvailableMask);
  }
  [[nodiscard]] std::string_view store(const Instruction& i, std::size_t at) const {
    if (i.operands.size() < 3) return "it takes a pointer, a matrix, a layout and a stride";
    if (above(i.operands[1], at) == nullptr || !is_matrix(type_of(i.operands[1])))
      return "what it stores is no cooperative matrix";
    return memory(i, at, 2, spv::MemoryAccessMakePointerVisibleMask);
  }

  /// Two constants, as far as their values are known here.
  [[nodiscard]] bool differ(std::uint32_t x, std::uint32_t y) const {
    const auto a = module_.constant_value(x), b = module_.constant_value(y);
    return x != y && a && b && *a != *b;
  }
  [[nodiscard]] bool has_use(const Instruction& type, std::uint32_t use) const {
    return module_.constant_value(type.operands[4]).value_or(use) == use;
  }
  [[nodiscard]] std::string_view product(const Instruction& i, std::size_t at) const {
    if (i.operands.size() < 3) return "it takes matrices A, B and C";
    const Instruction* types[4] = {};
    for (std::size_t k = 0; k < 3; ++k)
      if (above(i.operands[k], at) != nullptr) types[k] = type_of(i.operands[k]);
    types[3] = module_.find(i.type);
    if (!std::ranges::all_of(types, is_matrix)) return "its operands and its result are cooperative matrices";
    const Instruction &a = *types[0], &b = *types[1], &c = *types[2], &result = *types[3];
    if (!has_use(a, kMatrixA) || !has_use(b, kMatrixB) || !has_use(c, kMatrixAccumulator) ||
        !has_use(result, kMatrixAccumulator))
      return "the uses of its matrices are MatrixAKHR, MatrixBKHR, MatrixAccumulatorKHR and MatrixAccumulatorKHR";
    if (differ(a.operands[1], b.operands[1]) || differ(a.operands[1], c.operands[1]) ||
        differ(a.operands[1], result.operands[1]))
      return "the scopes of its matrices are different";
    if (differ(a.operands[3], b.operands[2]) || differ(a.operands[2], c.operands[2]) ||
        differ(b.operands[3], c.operands[3]) || differ(c.operands[2], result.operands[2]) ||
        differ(c.operands[3], result.operands[3]))
      return "the rows and columns of its matrices don't go together";
    const std::uint32_t signs = i.operands.size() > 3 ? i.operands[3] : 0;
    for (unsigned k = 0; k < 4; ++k)
      if ((signs >> k & 1u) != 0 && !is(module_.find(types[k]->operands[0]), spv::OpTypeInt, 2))
        return "matrices with signed components have integers";
    return {};
  }

  /// `k`: the operand that is the type, which stands above: what it is made of may not depend on the length.
  [[nodiscard]] std::string_view length(const Instruction& i, std::size_t at, std::size_t k) const {
    if (i.operands.size() != k + 1 || !is_matrix(above(i.operands[k], at)))
      return "its operand is no type of a cooperative matrix that stands above it";
    const Instruction* result = module_.find(i.type);
    if (!is(result, spv::OpTypeInt, 2) || result->operands[0] != 32 || result->operands[1] != 0)
      return "its result is no unsigned integer of 32 bits";
    return {};
  }

  [[nodiscard]] std::string_view conversion(const Instruction& i) const {
    const Instruction *to = module_.find(i.type), *from = i.operands.empty() ? nullptr : type_of(i.operands[0]);
    if (!is_matrix(to) && !is_matrix(from)) return {};
    if (!is_matrix(to) || !is_matrix(from)) return "only both its operand and its result are cooperative matrices";
    for (std::size_t k = 1; k < 5; ++k)
      if (differ(to->operands[k], from->operands[k]))
        return "scope, rows, columns and use of its operand and its result are different";
    return {};
  }

  [[nodiscard]] std::string_view scaled(const Instruction& i, std::size_t at) const {
    const Instruction* type = module_.find(i.type);
    if (i.operands.size() != 2 || above(i.operands[0], at) == nullptr || module_.type_of(i.operands[0]) != i.type)
      return "its matrix has another type than its result";
    if (above(i.operands[1], at) == nullptr || module_.type_of(i.operands[1]) != type->operands[0])
      return "its scalar has another type than the components";
    return {};
  }

  /// Types within types are not defined below what uses them, but for pointers.
  [[nodiscard]] bool contains_matrix(std::uint32_t type, unsigned depth) const {
    const Instruction* t = depth == 0 ? nullptr : module_.find(type);
    if (t == nullptr || t->operands.empty()) return false;
    if (is_matrix(t)) return true;
    if (t->opcode == spv::OpTypeArray || t->opcode == spv::OpTypeRuntimeArray)
      return contains_matrix(t->operands[0], depth - 1);
    return t->opcode == spv::OpTypeStruct &&
           std::ranges::any_of(t->operands, [&](std::uint32_t m) { return contains_matrix(m, depth - 1); });
  }
  [[nodiscard]] std::string_view pointer(const Instruction& i) const {
    if (i.operands.size() < 2 || i.operands[0] != spv::StorageClassPhysicalStorageBuffer) return {};
    return contains_matrix(i.operands[1], 16) ? "cooperative matrices don't lie in memory that has addresses"
                                              : std::string_view();
  }
  [[nodiscard]] std::string_view variable(const Instruction& i) const {
    const Instruction* pointer = module_.find(i.type);
    if (i.operands.empty() || !is(pointer, spv::OpTypePointer, 2)) return {};
    if (i.operands[0] == spv::StorageClassFunction || i.operands[0] == spv::StorageClassPrivate) return {};
    return contains_matrix(pointer->operands[1], 16) ? "only Function and Private variables hold cooperative matrices"
                                                     : std::string_view();
  }

  const Module& module_;
  bool capability_ = false, extension_ = false, memory_model_ = false;
  std::vector<std::size_t> functions_;  ///< where they begin
};

}  // namespace

void check_cooperative_matrices(const Module& module, base::Diagnostics& diagnostics) {
  const Rules rules(module);
  for (std::size_t k = 0; k < module.instructions.size(); ++k) {
    const Instruction& i = module.instructions[k];
    if (const std::string_view problem = rules.problem(i, k); !problem.empty())
      diagnostics.add(base::error("spirv-cooperative-matrix", fmt::format("{}: {}", opcode_name(i.opcode), problem),
                                  module.place(i)));
  }
}

// --- what SPIRV-Tools is shown ---

MatrixStandIns::MatrixStandIns(const Module& module)
    : module_(module), any_(std::ranges::any_of(module.instructions, [](const Instruction& i) {
        return i.opcode == kTypeCooperativeMatrix;
      })) {}

bool MatrixStandIns::is_matrix(std::uint32_t type) const {
  const Instruction* t = type != 0 ? module_.find(type) : nullptr;
  return t != nullptr && t->opcode == kTypeCooperativeMatrix;
}

/// Whether literal indices may lead into a matrix.
bool MatrixStandIns::indexes_matrix(const Instruction& i) const {
  return i.opcode == spv::OpCompositeExtract || i.opcode == spv::OpCompositeInsert;
}

bool MatrixStandIns::replaces(const Instruction& i) const {
  if (!any_) return false;
  if (is_cooperative_matrix(i.opcode) || indexes_matrix(i)) return true;
  switch (i.opcode) {
    case spv::OpConstantComposite:
    case spv::OpSpecConstantComposite:
    case spv::OpCompositeConstruct:
      return is_matrix(i.type) && i.operands.size() == 1;
    case spv::OpMatrixTimesScalar:
      return is_matrix(i.type) && i.operands.size() == 2;
    case spv::OpSpecConstantOp:
      return !i.operands.empty() && i.operands[0] == kCooperativeMatrixLength;
    default:
      return false;
  }
}

/// An element of a matrix becomes the first of the vector.
void MatrixStandIns::put_indices(const Instruction& i, std::vector<std::uint32_t>& words) const {
  const std::size_t at = words.size(), base = i.opcode == spv::OpCompositeExtract ? 0 : 1;
  words.insert(words.end(), i.words.begin(), i.words.end());
  if (i.operands.size() <= base) return;
  std::uint32_t type = module_.type_of(i.operands[base]);
  for (std::size_t k = base + 1; k < i.operands.size(); ++k) {
    const Instruction* t = type != 0 ? module_.find(type) : nullptr;
    if (t == nullptr || t->operands.empty()) return;
    const std::uint32_t index = i.operands[k];
    if (t->opcode == kTypeCooperativeMatrix) words[at + 3 + k] = 0;
    type = t->opcode != spv::OpTypeStruct ? t->operands[0] : index < t->operands.size() ? t->operands[index] : 0;
  }
}

void MatrixStandIns::put(const Instruction& i, std::vector<std::uint32_t>& words) const {
  const auto emit = [&](std::uint32_t opcode, std::initializer_list<std::uint32_t> operands) {
    words.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | opcode);
    words.insert(words.end(), operands);
  };
  switch (i.opcode) {
    case kTypeCooperativeMatrix:
      return emit(spv::OpTypeVector, {i.result, i.operands.empty() ? 0 : i.operands[0], kStandInComponents});
    case kCooperativeMatrixStore:
      return;
    case spv::OpCompositeExtract:
    case spv::OpCompositeInsert:
      return put_indices(i, words);
    case spv::OpMatrixTimesScalar: {
      const Instruction* type = module_.find(i.type);
      const Instruction* component = type->operands.empty() ? nullptr : module_.find(type->operands[0]);
      if (component != nullptr && component->opcode == spv::OpTypeFloat)
        return emit(spv::OpVectorTimesScalar, {i.type, i.result, i.operands[0], i.operands[1]});
      return emit(spv::OpUndef, {i.type, i.result});
    }
    case spv::OpConstantComposite:
    case spv::OpSpecConstantComposite:
    case spv::OpCompositeConstruct: {
      const std::uint32_t part = i.operands[0];
      return emit(i.opcode, {i.type, i.result, part, part, part, part});
    }
    case spv::OpSpecConstantOp:
      return emit(spv::OpSpecConstant, {i.type, i.result, 1});
    default:  // of a load, a product, a length
      return emit(spv::OpUndef, {i.type, i.result});
  }
}

}  // namespace heddle::spirv
