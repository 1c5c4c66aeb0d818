// SPDX-License-Identifier: MIT
#pragma once
// The variables of a program: how they are declared, and their names.

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spirv/compile/writer/part.hpp"
#include "spirv/compile/writer/shared_predicates.hpp"

namespace heddle::spirv::compiler {

/// Bindless surfaces and samplers have one name each: what a handle names is moved to it before each use. Until then it
/// stands behind the name: "%bss:0", "S31:handle(0,0)<0;1,0>".
inline constexpr std::string_view kBindlessSurface = "%bss:", kBindlessSampler = "S31:";

/// A kernel's name as vISA has it: letters, digits, single underscores.
[[nodiscard]] std::string legal_name(std::string_view hint);

/// `hint` becomes the name, made unique and legal.
class Declarations {
 public:
  Declarations(unsigned simd, unsigned grf) : simd_(simd), grf_(grf) {}

  [[nodiscard]] unsigned simd() const { return simd_; }
  [[nodiscard]] unsigned grf() const { return grf_; }

  /// `groups` times one element for each lane, each group from a register boundary on; the part is the first group.
  [[nodiscard]] Part lanes(isa::Type type, std::string_view hint, unsigned groups = 1);
  /// Group `index` of such a variable.
  [[nodiscard]] Part group(const Part& first, unsigned index) const;
  /// Bytes from one group to the next.
  [[nodiscard]] unsigned group_bytes(isa::Type type) const;
  /// A variable of `elements` elements, at a register boundary; the part is its element 0, the same for all lanes.
  [[nodiscard]] Part array(isa::Type type, std::string_view hint, unsigned elements);
  /// Element `index` of an array, the same for all lanes.
  [[nodiscard]] Part element(const Part& array, unsigned index) const;
  [[nodiscard]] Part predicate(std::string_view hint);
  /// What is declared from now on belongs to `origin`, a number of the caller's.
  void set_origin(std::uint32_t origin) { origin_ = origin; }
  [[nodiscard]] std::string address(std::string_view hint, unsigned elements);
  [[nodiscard]] std::string label(std::string_view hint) { return unique(hint); }
  /// `.input` of a variable at a byte of the register file.
  void input(const Part& variable, std::uint32_t offset, std::uint32_t bytes);
  /// Declares the next surface or sampler variable and returns its name, "T6".
  [[nodiscard]] std::string surface();
  /// The same for a descriptor: where the binding table is full, a bindless surface.
  [[nodiscard]] std::string descriptor_surface();
  /// Likewise beyond the samplers that instructions can name.
  [[nodiscard]] std::string sampler();
  /// `count` handles of their own, the first of which is returned.
  [[nodiscard]] std::uint32_t surface_handles(std::uint32_t count) {
    return std::exchange(bindless_surfaces_, bindless_surfaces_ + count);
  }
  [[nodiscard]] std::uint32_t sampler_handles(std::uint32_t count) {
    return std::exchange(bindless_samplers_, bindless_samplers_ + count);
  }
  /// Of the variable, read as part.type.
  [[nodiscard]] std::string name(const Part& part);

 protected:
  [[nodiscard]] const std::string& predicate_name(const Part& part) const { return predicates_[part.variable].name; }
  [[nodiscard]] std::span<const NamedPredicate> predicates() const { return predicates_; }
  /// Predicates that took another's name are not declared.
  void share(const SharedPredicates& shared);
  /// The lines of all variables that are used, then those of inputs.
  void append_declarations(std::string& out) const;

 private:
  struct Variable {
    std::string name;
    isa::Type type;
    std::uint32_t elements;
    std::map<isa::Type, std::string> aliases;
    bool used = false;  ///< others are not declared
  };
  struct Declaration {
    static constexpr std::uint32_t kAlways = ~0u;
    std::string text;
    std::uint32_t variable = kAlways;   ///< only if this one is used
    std::uint32_t predicate = kAlways;  ///< only if this one keeps its name
  };
  [[nodiscard]] Part declare(isa::Type type, std::string_view hint, std::uint32_t elements);
  [[nodiscard]] std::string unique(std::string_view hint);

  unsigned simd_, grf_;
  std::vector<Variable> variables_;
  std::vector<NamedPredicate> predicates_;
  std::vector<bool> renamed_;  ///< predicates that are not declared: empty, or one for each
  std::map<std::string, std::uint32_t, std::less<>> predicate_kinds_;
  std::uint32_t origin_ = 0;
  std::set<std::string, std::less<>> names_;
  std::map<std::string, unsigned, std::less<>> next_suffix_;
  std::vector<Declaration> declarations_;
  std::string inputs_;
  unsigned surfaces_ = 0, samplers_ = 0, bindless_surfaces_ = 0, bindless_samplers_ = 0;
};

}  // namespace heddle::spirv::compiler
