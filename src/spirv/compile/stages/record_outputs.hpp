// SPDX-License-Identifier: MIT
#pragma once
// Outputs of the stages before the rasterizer: each vertex is a record of a raw buffer.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "spirv/compile/stages/stage.hpp"

namespace heddle::spirv::compiler {

class RecordOutputs {
 public:
  /// The scalars of an output variable, 0 at the start.
  [[nodiscard]] std::vector<Part> declare(ShaderContext& t, const InterfaceVariable& v);
  /// The lines that say how a record lies; `more` dwords of the stage's own follow its outputs.
  void describe(ShaderContext& t, std::uint32_t more = 0);
  /// Writes what the outputs hold to the record that begins at the byte `base`; and `more`, a dword behind them.
  void write(ShaderContext& t, const Part& base, const Guard& guard, const std::optional<Part>& more = {}) const;
  /// What they hold is undefined from here on (run-undefined-register).
  void forget(ShaderContext& t) const;
  [[nodiscard]] std::uint32_t bytes() const { return static_cast<std::uint32_t>(outputs_.size() * 4); }

 private:
  struct Output {
    Part part;
    std::string line;                       ///< LOCATION COMPONENT TYPE QUALIFIER NAME
    std::optional<std::uint32_t> captured;  ///< byte of the vertex in the buffer
    std::uint32_t buffer = 0;
    bool is_short = false;  ///< captured alone, 16 bits of it
  };
  void write_dword(ShaderContext& t, const Part& base, const Part& data, const Guard& guard) const;
  [[nodiscard]] static Part dword_of(ShaderContext& t, const Output& output);
  void add_short(const InterfaceVariable& v, const Part& part, std::string line);
  void add(const InterfaceVariable& v, const Part& part, std::string line);
  void declare_builtin(ShaderContext& t, const InterfaceVariable& v, const std::vector<Part>& list);

  std::vector<Output> outputs_;
  std::vector<Part> declared_;                      ///< the scalars of all of them, as the shader writes them
  std::map<std::uint32_t, OutputCapture> buffers_;  ///< of transform feedback: stride and stream
  std::uint32_t next_captured_ = 0;                 ///< byte of the variable that is declared
  bool captures_ = false;
  std::string surface_;
};

}  // namespace heddle::spirv::compiler
