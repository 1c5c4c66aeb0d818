// SPDX-License-Identifier: MIT
#pragma once
// Names of places in code, from the symbol tables of programs and libraries.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace heddle::bench {

class Symbols {
 public:
  /// The function at an offset from where the file was loaded, without its arguments and outer namespaces; the file's
  /// name where it has no symbols.
  [[nodiscard]] std::string function(const std::string& file, std::uint64_t offset);

 private:
  using Table = std::vector<std::pair<std::uint64_t, std::string>>;
  const Table& table(const std::string& file);
  std::map<std::string, Table> tables_;
};

/// What was mapped where in a process: lines of /proc/self/maps.
class Maps {
 public:
  void add(const std::string& line);
  /// The function at an address, or what else lies there.
  [[nodiscard]] std::string name(std::uint64_t address, Symbols& symbols) const;

 private:
  struct Range {
    std::uint64_t begin, end;
    std::string file;
  };
  std::vector<Range> ranges_;
  std::map<std::string, std::uint64_t> loaded_;  ///< where the first range of a file begins
};

}  // namespace heddle::bench
