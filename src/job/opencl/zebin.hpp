// SPDX-License-Identifier: MIT
#pragma once
// The binary that ocloc writes (`--format zebin`, a 64-bit ELF): it holds the ABI description (.ze_info) and the
// program-scope variables that a kernel reaches by `faddr`.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "isa/platform.hpp"
#include "machine/bindings.hpp"

namespace heddle::job {

struct ZebinSymbol {
  std::string name;
  std::uint32_t section = 0;  ///< index in Zebin::data
  std::uint64_t offset = 0;
};

/// A 64-bit address (or one of its halves) to be stored in a data section.
struct ZebinRelocation {
  std::uint32_t section = 0;
  std::uint64_t offset = 0;
  std::uint32_t symbol = 0;  ///< index in Zebin::symbols
  std::int64_t addend = 0;
  unsigned bytes = 8;
  bool high = false;
};

struct Zebin {
  std::string zeinfo;  ///< text of .ze_info
  std::uint32_t product =
      0;  ///< the family of products that it is for, as .note.intelgt.compat numbers them; 0: it does not say
  std::vector<std::shared_ptr<std::vector<std::uint8_t>>> data;  ///< .data.const, .data.global, .bss ...
  std::vector<ZebinSymbol> symbols;
  std::vector<ZebinRelocation> relocations;

  /// Gives the sections addresses that no buffer has, and every symbol that the job does not bind itself its own.
  void bind(machine::Bindings& bindings) const;
};

/// Whether a kernel of the platform may be described by a binary for that product; nothing is known of other numbers.
/// `name`: of the product.
[[nodiscard]] bool fits_product(isa::Platform platform, std::uint32_t product, std::string& name);

[[nodiscard]] bool is_zebin(std::span<const std::uint8_t> bytes);
/// Intel's number of the product family that the binary is for, of its note; nothing where it has none.
[[nodiscard]] std::optional<std::uint32_t> product_family(std::span<const std::uint8_t> bytes);
/// Id: zebin-invalid.
[[nodiscard]] base::Result<Zebin> parse_zebin(std::span<const std::uint8_t> bytes, const std::string& file);

}  // namespace heddle::job
