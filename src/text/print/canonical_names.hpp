// SPDX-License-Identifier: MIT
#pragma once
// The names under which an object's variables and labels are printed (TXT-34).

#include <cstdint>
#include <string>
#include <vector>

#include "isa/program.hpp"

namespace heddle::text {

struct PrintedName {
  std::string text;
  bool differs = false;  ///< from the pool name, which then stands in v_name= or in a trailing comment
};

/// General, address and predicate variables print under their pool name when that is a unique identifier and no
/// keyword, else as V<i>, A<i>, P<i>; samplers and surfaces as S<i>, T<i>; labels under their name or as L<i>.
struct CanonicalNames {
  explicit CanonicalNames(const isa::Object& object);

  std::vector<PrintedName> general, addresses, predicates, labels;  ///< declared ones, from 0
  [[nodiscard]] std::string general_name(std::uint32_t index) const;
  [[nodiscard]] std::string address_name(std::uint32_t index) const;
  [[nodiscard]] std::string predicate_name(std::uint32_t index) const;
  static std::string sampler_name(std::uint32_t index);
  static std::string surface_name(std::uint32_t index);

 private:
  void name_variables(const isa::Object& object);
  void name_labels(const isa::Object& object);
};

/// "..." with the escapes of TXT-5.
[[nodiscard]] std::string quoted(std::string_view text);
/// Characters that a label may have where it is defined.
[[nodiscard]] bool is_label_name(std::string_view word);

}  // namespace heddle::text
