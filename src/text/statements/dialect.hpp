// SPDX-License-Identifier: MIT
#pragma once
// The paired-surface dialect of newer tools (TXT-31). Every sampler instruction is read in the 12504 form; when the
// file is known, the first parameter becomes the paired surface or stays a parameter.

#include <optional>

#include "text/lexical/context.hpp"

namespace heddle::text {

/// TXT-31: %null.0 directly after dst with at least one parameter behind it; on XE2 and later also any raw without
/// which alone the number of parameters fits.
[[nodiscard]] bool looks_paired(const isa::Object& object, const isa::Instruction& i,
                                std::optional<isa::Platform> platform);

class Dialect : ParserPart {
 public:
  explicit Dialect(ParseContext& context) : ParserPart(context) {}

  /// Once the whole file is read. The dialect in which it must be read again, or nothing: then it is settled.
  [[nodiscard]] std::optional<DialectChoice> settle();

 private:
  [[nodiscard]] std::optional<DialectChoice> detect() const;
  void pair_surfaces();
  void pair_surface(const ParseContext::Paired& p);
  void make_newer();
  void drop_surfaces();

  struct Found {
    std::size_t count = 0;
    Span first;
    void add(Span span) {
      if (count++ == 0) first = span;
    }
  };
  Found dropped_, kept_;  ///< paired surfaces: null ones, and others
};

}  // namespace heddle::text
