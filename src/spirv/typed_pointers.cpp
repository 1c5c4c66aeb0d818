// SPDX-License-Identifier: MIT
// Rules: SPV-54.
#include "spirv/typed_pointers.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "spirv/newer_opcodes.hpp"
#define SPV_ENABLE_UTILITY_CODE
#include <spirv/unified1/spirv.hpp>

namespace heddle::spirv {
namespace {

constexpr std::size_t kHeaderWords = 5;
using Words = std::vector<std::uint32_t>;
using Ins = std::span<const std::uint32_t>;  ///< the words of one instruction

std::uint32_t opcode_of(Ins i) { return i[0] & 0xffffu; }

/// What is said of types, constants and decorations anywhere in the module.
class Facts {
 public:
  /// False where the words are no module, or it does not have the capability. Capabilities come first, so that other
  /// modules are not read any further.
  bool read(std::span<const std::uint32_t> words) {
    bool untyped = false;
    for (std::size_t at = kHeaderWords; at < words.size();) {
      const std::size_t count = words[at] >> 16;
      if (count == 0 || count > words.size() - at) return false;
      const Ins i = words.subspan(at, count);
      if (opcode_of(i) != spv::OpCapability && !untyped) return false;
      untyped = untyped || (count > 1 && i[1] == kCapabilityUntypedPointers);
      all.push_back(i);
      take(i);
      at += count;
    }
    return untyped;
  }

  std::vector<Ins> all;
  std::unordered_map<std::uint32_t, Ins> types, constants;
  std::unordered_map<std::uint32_t, std::uint32_t> strides;  ///< ArrayStride of types
  std::unordered_map<std::uint32_t, std::uint32_t> type_of;  ///< of results
  std::unordered_set<std::uint32_t> in_phis;                 ///< values that OpPhi chooses from
  std::unordered_set<std::uint32_t> chains;                  ///< pointers that access chains of untyped ones make
  std::optional<std::uint32_t> word_type;                    ///< unsigned integers of 32 bits
  std::uint32_t least_access = 4;                            ///< bytes of the smallest access that the module declares

  [[nodiscard]] Ins type(std::uint32_t id) const {
    const auto found = types.find(id);
    return found != types.end() ? found->second : Ins();
  }
  [[nodiscard]] bool is_untyped(std::uint32_t type_id) const {
    const Ins t = type(type_id);
    return t.size() == 3 && opcode_of(t) == kTypeUntypedPointer;
  }
  /// What a typed pointer points to; 0: it is none.
  [[nodiscard]] std::uint32_t pointee_of_type(std::uint32_t type_id) const {
    const Ins t = type(type_id);
    return t.size() == 4 && opcode_of(t) == spv::OpTypePointer ? t[3] : 0;
  }
  /// The member, or the element, of a type; 0: there is none.
  [[nodiscard]] std::uint32_t part(std::uint32_t type_id, std::uint32_t index) const {
    const Ins t = type(type_id);
    if (t.size() < 3) return 0;
    switch (opcode_of(t)) {
      case spv::OpTypeVector:
      case spv::OpTypeMatrix:
      case spv::OpTypeArray:
      case spv::OpTypeRuntimeArray:
        return t[2];
      case spv::OpTypeStruct: {
        const auto value = constants.find(index);
        if (value == constants.end() || value->second.size() < 4) return 0;
        const std::uint32_t member = value->second[3];
        return member < t.size() - 2 ? t[2 + member] : 0;
      }
      default:
        return 0;
    }
  }
  [[nodiscard]] std::uint32_t walk(std::uint32_t type_id, Ins indices) const {
    for (const std::uint32_t index : indices)
      if (type_id != 0) type_id = part(type_id, index);
    return type_id;
  }

 private:
  void take_capability(std::uint32_t capability) {
    switch (capability) {
      case spv::CapabilityStorageBuffer8BitAccess:
      case spv::CapabilityUniformAndStorageBuffer8BitAccess:
      case spv::CapabilityStoragePushConstant8:
      case spv::CapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR:
        least_access = 1;
        break;
      case spv::CapabilityStorageBuffer16BitAccess:
      case spv::CapabilityUniformAndStorageBuffer16BitAccess:
      case spv::CapabilityStoragePushConstant16:
      case spv::CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR:
        least_access = std::min(least_access, 2u);
        break;
      default:
        break;
    }
  }
  void take(Ins i) {
    const std::uint32_t op = opcode_of(i);
    if (op == spv::OpCapability && i.size() > 1) take_capability(i[1]);
    if (op == spv::OpDecorate && i.size() > 3 && i[2] == spv::DecorationArrayStride) strides[i[1]] = i[3];
    if (op >= kUntypedAccessChain && op <= kUntypedInBoundsPtrAccessChain && i.size() > 2) chains.insert(i[2]);
    if (op == spv::OpPhi)
      for (std::size_t k = 3; k < i.size(); k += 2) in_phis.insert(i[k]);
    const bool is_type = (op >= spv::OpTypeVoid && op <= spv::OpTypeFunction) || op == kTypeUntypedPointer;
    if (is_type && i.size() > 1) types.emplace(i[1], i);
    if (op == spv::OpTypeInt && i.size() == 4 && i[2] == 32 && i[3] == 0 && !word_type) word_type = i[1];
    if ((op == spv::OpConstant || op == spv::OpConstantNull) && i.size() > 2) constants.emplace(i[2], i);
    bool has_result = false, has_type = false;
    spv::HasResultAndType(static_cast<spv::Op>(op), &has_result, &has_type);
    if (((has_result && has_type) || has_untyped_result(op)) && i.size() > 2) type_of.emplace(i[2], i[1]);
  }
};

class Typing {
 public:
  Typing(const Facts& facts, std::uint32_t bound) : facts_(facts), next_(bound) {
    word_ = facts.word_type ? *facts.word_type : next_++;
  }

  TypedPointers run(std::span<const std::uint32_t> words) {
    bool in_functions = false;
    for (const Ins i : facts_.all) {
      in_functions = in_functions || opcode_of(i) == spv::OpFunction;
      out_ = in_functions ? &functions_ : begins_globals(i) || !globals_.empty() ? &globals_ : &preamble_;
      if (in_functions) give_variables_to_phis(i);
      if (!one(i)) put(i);
    }
    TypedPointers made;
    made.changes_types = changes_types_;
    made.words.assign(words.begin(), words.begin() + kHeaderWords);
    made.words[3] = next_;
    // New pointer types come last of all types: variables, which need them before, have taken theirs along.
    for (const Words* part : {&capabilities_, &preamble_, &decorations_, &globals_, &late_types_, &functions_})
      made.words.insert(made.words.end(), part->begin(), part->end());
    return made;
  }

 private:
  /// Types, constants and variables follow; lines in front of them belong to them.
  static bool begins_globals(Ins i) {
    const std::uint32_t op = opcode_of(i);
    return op == spv::OpLine || op == spv::OpNoLine || (op >= spv::OpTypeVoid && op <= spv::OpTypeForwardPointer) ||
           op == kTypeUntypedPointer;
  }

  /// Nothing stands before OpPhi, and blocks come in any order: variables get the type that the module gives them in a
  /// function's first block, which runs before all others.
  void give_variables_to_phis(Ins i) {
    switch (opcode_of(i)) {
      case spv::OpFunction:
        begins_function_ = true;
        return;
      case spv::OpFunctionParameter:
      case spv::OpLabel:
      case spv::OpVariable:
      case spv::OpLine:
      case spv::OpNoLine:
        return;
      default:
        if (!std::exchange(begins_function_, false)) return;
    }
    for (const std::uint32_t id : variables_in_phis_) {
      emit(spv::OpBitcast, {made_.at(id).like, values_[id] = next_++, id});
      changes_types_ = true;
    }
  }

  void put(Ins i) { out_->insert(out_->end(), i.begin(), i.end()); }
  static void emit(Words& to, std::uint32_t op, std::initializer_list<std::uint32_t> operands, Ins more = {}) {
    to.push_back(static_cast<std::uint32_t>((1 + operands.size() + more.size()) << 16 | op));
    to.insert(to.end(), operands.begin(), operands.end());
    to.insert(to.end(), more.begin(), more.end());
  }
  void emit(std::uint32_t op, std::initializer_list<std::uint32_t> operands, Ins more = {}) {
    emit(*out_, op, operands, more);
  }

  /// Pointers like an untyped (or other) pointer type, to `pointee`. `stride`: of the elements that it walks over.
  std::uint32_t pointer_type(std::uint32_t like, std::uint32_t pointee, std::optional<std::uint32_t> stride = {}) {
    const Ins type = facts_.type(like);
    const std::uint32_t storage = type[2];
    if (!stride)
      if (const auto found = facts_.strides.find(like); found != facts_.strides.end()) stride = found->second;
    const auto [at, added] = pointer_types_.try_emplace({storage, pointee, stride.value_or(0)}, next_);
    if (!added) return at->second;
    const std::uint32_t id = next_++;
    if (stride) emit(decorations_, spv::OpDecorate, {id, spv::DecorationArrayStride, *stride});
    emit(out_ == &functions_ ? late_types_ : globals_, spv::OpTypePointer, {id, storage, pointee});
    return id;
  }
  /// The type that the module gives a value; 0: there is no such value.
  std::uint32_t given_type(std::uint32_t id) const {
    const auto found = facts_.type_of.find(id);
    return found != facts_.type_of.end() ? found->second : 0;
  }
  /// 0: it is no pointer.
  std::uint32_t pointee_of(std::uint32_t id) const {
    if (const auto made = made_.find(id); made != made_.end()) return made->second.pointee;
    const std::uint32_t type = given_type(id);
    return facts_.is_untyped(type) ? word_ : facts_.pointee_of_type(type);
  }
  bool is_pointer(std::uint32_t id) const { return pointee_of(id) != 0; }

  /// The pointer as one to `pointee`. `given`: of the type that the module gives it.
  std::uint32_t as(std::uint32_t id, std::uint32_t pointee, std::optional<std::uint32_t> stride = {},
                   bool given = false) {
    if (pointee_of(id) == pointee && !stride && !given) return id;
    const auto known = made_.find(id);
    const std::uint32_t like = known != made_.end() ? known->second.like : given_type(id);
    const std::uint32_t type = given ? like : pointer_type(like, pointee, stride), made = next_++;
    emit(spv::OpBitcast, {type, made, id});
    made_[made] = {like, pointee};
    changes_types_ = true;
    return made;
  }

  bool one(Ins i) {
    const std::uint32_t op = opcode_of(i);
    switch (op) {
      case spv::OpCapability:
        return i.size() == 2 && i[1] == kCapabilityUntypedPointers;
      case spv::OpExtension:
        return std::string_view(reinterpret_cast<const char*>(i.data() + 1), (i.size() - 1) * 4)
            .starts_with("SPV_KHR_untyped_pointers");
      case spv::OpTypeInt:
        return i.size() > 1 && i[1] == word_ && std::exchange(word_declared_, true);
      case kTypeUntypedPointer:
        return untyped_type(i);
      case kUntypedVariable:
        return variable(i);
      case kUntypedAccessChain:
      case kUntypedInBoundsAccessChain:
        return i.size() > 4 && chain(i, op == kUntypedAccessChain ? spv::OpAccessChain : spv::OpInBoundsAccessChain, 0);
      case kUntypedPtrAccessChain:
      case kUntypedInBoundsPtrAccessChain:
        return i.size() > 5 &&
               chain(i, op == kUntypedPtrAccessChain ? spv::OpPtrAccessChain : spv::OpInBoundsPtrAccessChain, 1);
      case kUntypedArrayLength:
        return array_length(i);
      case kUntypedPrefetch:
        return true;
      case spv::OpImageTexelPointer:
        return texel_pointer(i);
      case spv::OpCopyMemory:
        return copy(i);
      case spv::OpCopyMemorySized:
        return copy_sized(i);
      case spv::OpPtrDiff:
        return difference(i);
      case kCooperativeMatrixLoad:
        return matrix(i, 3);
      case kCooperativeMatrixStore:
        return matrix(i, 1);
      case spv::OpPhi:
        return choice(i);
      case spv::OpSelect:
      case spv::OpCopyObject:
      case spv::OpFunctionCall:
      case spv::OpCompositeConstruct:
      case spv::OpPtrEqual:
      case spv::OpPtrNotEqual:
        return pass_on(i, 3, i.size());
      case spv::OpCompositeInsert:
        return pass_on(i, 3, 5);
      case spv::OpReturnValue:
        return pass_on(i, 1, 2);
      default:
        return access(i);
    }
  }

  /// One to words, of which nothing depends on what it points to.
  bool untyped_type(Ins i) {
    if (i.size() != 3) return false;
    if (!word_declared_) emit(spv::OpTypeInt, {word_, 32, 0});
    word_declared_ = true;
    emit(spv::OpTypePointer, {i[1], i[2], word_});
    return true;
  }
  bool variable(Ins i) {
    if (i.size() < 5 || !facts_.is_untyped(i[1])) return false;
    const std::uint32_t type = pointer_type(i[1], i[4]);
    made_[i[2]] = {i[1], i[4]};
    emit(spv::OpVariable, {type, i[2], i[3]}, i.subspan(5));
    if (facts_.in_phis.contains(i[2]) && out_ == &globals_) variables_in_phis_.push_back(i[2]);
    return true;
  }
  /// `elements`: how many operands stand before the indices that walk through the type.
  bool chain(Ins i, std::uint32_t op, std::size_t elements) {
    const std::uint32_t pointee = facts_.walk(i[3], i.subspan(5 + elements));
    if (pointee == 0 || !facts_.is_untyped(i[1]) || !is_pointer(i[4])) return false;
    const std::uint32_t base = as(i[4], i[3]);
    const std::uint32_t type = pointer_type(i[1], pointee);
    emit(op, {type, i[2], base}, i.subspan(5));
    made_[i[2]] = {i[1], pointee};
    if (facts_.in_phis.contains(i[2])) {
      emit(spv::OpBitcast, {i[1], value_of(i[2]), i[2]});
      changes_types_ = true;
    }
    return true;
  }
  bool array_length(Ins i) {
    if (i.size() != 6 || !is_pointer(i[4])) return false;
    const std::uint32_t base = as(i[4], i[3]);
    emit(spv::OpArrayLength, {i[1], i[2], base, i[5]});
    return true;
  }
  bool texel_pointer(Ins i) {
    if (i.size() != 6 || !facts_.is_untyped(i[1]) || !is_pointer(i[3])) return false;
    const Ins image = facts_.type(pointee_of(i[3]));
    if (image.size() < 3 || opcode_of(image) != spv::OpTypeImage) return false;
    const std::uint32_t type = pointer_type(i[1], image[2]);
    emit(spv::OpImageTexelPointer, {type, i[2]}, i.subspan(3));
    made_[i[2]] = {i[1], image[2]};
    return true;
  }
  /// The pointer that has a type in the module says how much is copied.
  bool copy(Ins i) {
    if (i.size() < 3 || !is_pointer(i[1]) || !is_pointer(i[2])) return false;
    const std::uint32_t pointee = pointee_of(facts_.is_untyped(given_type(i[1])) ? i[2] : i[1]);
    const std::uint32_t to = as(i[1], pointee), from = as(i[2], pointee);
    emit(spv::OpCopyMemory, {to, from}, i.subspan(3));
    return true;
  }
  /// The bytes that both pointers of a copy are at a multiple of. The last memory operands that there are hold for the
  /// pointers that follow, too. Without an alignment nothing is known: the least that may be accessed.
  std::uint32_t alignment_of_copy(Ins operands) const {
    std::uint32_t least = operands.empty() ? facts_.least_access : 4;
    for (std::size_t k = 0; k < operands.size();) {
      const std::uint32_t mask = operands[k++];
      std::uint32_t here = facts_.least_access;
      if ((mask & spv::MemoryAccessAlignedMask) != 0 && k < operands.size() && operands[k++] != 0)
        here = operands[k - 1];
      least = std::min(least, here);
      k += static_cast<std::size_t>(std::popcount(
          mask & (spv::MemoryAccessMakePointerAvailableMask | spv::MemoryAccessMakePointerVisibleMask)));  // scopes
    }
    return least == 3 ? 1 : least;
  }
  /// Bytes are an array of the widest integers that the size and the alignment allow.
  bool copy_sized(Ins i) {
    if (i.size() < 4 || !is_pointer(i[1]) || !is_pointer(i[2])) return false;
    const auto size = facts_.constants.find(i[3]);
    if (size == facts_.constants.end() || size->second.size() < 4) return size != facts_.constants.end();
    const std::uint32_t bytes = size->second[3];
    if (bytes == 0) return true;
    const std::uint32_t unit = std::min(bytes % 4 == 0   ? 4u
                                        : bytes % 2 == 0 ? 2u
                                                         : 1u,
                                        alignment_of_copy(i.subspan(4)));
    const std::uint32_t array = array_type(unit, bytes / unit);
    const std::uint32_t to = as(i[1], array), from = as(i[2], array);
    emit(spv::OpCopyMemory, {to, from}, i.subspan(4));
    return true;
  }
  std::uint32_t array_type(std::uint32_t unit, std::uint32_t count) {
    const auto [at, added] = array_types_.try_emplace({unit, count}, 0);
    if (!added) return at->second;
    const std::uint32_t element = unit == 4 ? word_ : small_type(unit), length = next_++, array = next_++;
    emit(late_types_, spv::OpConstant, {word_, length, count});
    emit(late_types_, spv::OpTypeArray, {array, element, length});
    emit(decorations_, spv::OpDecorate, {array, spv::DecorationArrayStride, unit});
    return at->second = array;
  }
  /// Unsigned integers of one byte or two.
  std::uint32_t small_type(std::uint32_t bytes) {
    const auto [at, added] = small_types_.try_emplace(bytes, 0);
    if (!added) return at->second;
    // What moves bytes needs it only where these have a type.
    emit(capabilities_, spv::OpCapability, {bytes == 1 ? spv::CapabilityInt8 : spv::CapabilityInt16});
    const auto known = std::ranges::find_if(facts_.all, [&](Ins t) {
      return opcode_of(t) == spv::OpTypeInt && t.size() == 4 && t[2] == 8 * bytes && t[3] == 0;
    });
    if (known != facts_.all.end()) return at->second = (*known)[1];
    emit(late_types_, spv::OpTypeInt, {next_, 8 * bytes, 0});
    return at->second = next_++;
  }
  /// A load or store of a cooperative matrix: its stride counts what the pointer points to, and bytes of an untyped
  /// one.
  bool matrix(Ins i, std::size_t at) {
    if (i.size() <= at || !facts_.is_untyped(given_type(i[at])) || !is_pointer(i[at])) return false;
    Words copy(i.begin(), i.end());
    copy[at] = as(i[at], small_type(1));
    put(copy);
    return true;
  }
  /// Untyped pointers count bytes.
  bool difference(Ins i) {
    if (i.size() != 5 || !facts_.is_untyped(given_type(i[3])) || !is_pointer(i[4])) return false;
    const std::uint32_t first = as(i[3], word_, 1), second = as(i[4], word_, 1);
    emit(spv::OpPtrDiff, {i[1], i[2], first, second});
    return true;
  }

  /// The pointer of an access chain as the module gives it.
  std::uint32_t value_of(std::uint32_t chain) {
    const auto [at, added] = values_.try_emplace(chain, next_);
    if (added) ++next_;
    return at->second;
  }
  /// Nothing stands before OpPhi: its pointers are made behind their chains, some of which come later, and where the
  /// function begins.
  bool choice(Ins i) {
    Words copy(i.begin(), i.end());
    for (std::size_t k = 3; k < copy.size(); k += 2)
      if (facts_.chains.contains(copy[k]))
        copy[k] = value_of(copy[k]);
      else if (const auto variable = values_.find(copy[k]); variable != values_.end())
        copy[k] = variable->second;
    put(copy);
    return true;
  }
  /// Pointers as values have the type that the module gives them. Behind `end` nothing is a value.
  bool pass_on(Ins i, std::size_t first, std::size_t end) {
    Words copy(i.begin(), i.end());
    for (std::size_t k = first; k < std::min(end, copy.size()); ++k)
      if (made_.contains(copy[k])) copy[k] = as(copy[k], word_, {}, true);
    put(copy);
    return true;
  }

  /// Loads, stores and atomics, whose values have a type.
  bool access(Ins i) {
    const std::uint32_t op = opcode_of(i);
    const bool stores = op == spv::OpStore || op == spv::OpAtomicStore;
    const bool reads = op == spv::OpLoad || op == spv::OpAtomicFAddEXT || op == spv::OpAtomicFMinEXT ||
                       op == spv::OpAtomicFMaxEXT ||
                       (op >= spv::OpAtomicLoad && op <= spv::OpAtomicXor && op != spv::OpAtomicStore);
    const std::size_t at = stores ? 1 : 3, value = op == spv::OpStore ? 2 : 4;
    if ((!stores && !reads) || i.size() <= (stores ? value : at) || !is_pointer(i[at])) return false;
    const auto of_value = facts_.type_of.find(stores ? i[value] : 0);
    if (stores && of_value == facts_.type_of.end()) return false;
    const std::uint32_t type = stores ? of_value->second : i[1];
    Words copy(i.begin(), i.end());
    copy[at] = as(i[at], type);
    if (stores && made_.contains(i[value])) copy[value] = as(i[value], word_, {}, true);
    put(copy);
    return true;
  }

  struct Made {
    std::uint32_t like;  ///< the module's own type of it, or of what it was made of
    std::uint32_t pointee;
  };
  const Facts& facts_;
  std::uint32_t next_, word_ = 0;
  bool word_declared_ = false, changes_types_ = false;
  bool begins_function_ = false;  ///< its first block has no instruction yet that is no variable
  Words capabilities_, preamble_, decorations_, globals_, late_types_, functions_;
  Words* out_ = &preamble_;
  std::unordered_map<std::uint32_t, Made> made_;  ///< pointers whose types are new
  /// Of chains, and of variables that OpPhi chooses from: the same of the module's own type.
  std::unordered_map<std::uint32_t, std::uint32_t> values_;
  Words variables_in_phis_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> pointer_types_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> array_types_;
  std::map<std::uint32_t, std::uint32_t> small_types_;
};

}  // namespace

TypedPointers with_typed_pointers(std::span<const std::uint32_t> words) {
  Facts facts;
  constexpr std::uint32_t kMaxIds = 0x10000000;  // new ones are less than those that there may be
  if (words.size() <= kHeaderWords || words[3] > kMaxIds || words.size() > kMaxIds || !facts.read(words)) return {};
  return Typing(facts, words[3]).run(words);
}

}  // namespace heddle::spirv
