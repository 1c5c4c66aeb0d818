// SPDX-License-Identifier: MIT
#pragma once
// What every call of the texture unit does around the operation: checks the options, makes the context, hands out the
// reports.

#include <optional>

#include "library/image/impl.hpp"
#include "texture/operations.hpp"
#include "texture/request.hpp"

namespace heddle::library {

[[nodiscard]] inline std::uint32_t word(float x) { return __builtin_bit_cast(std::uint32_t, x); }

/// What is wrong with the arguments that all operations take.
[[nodiscard]] std::optional<Diagnostic> operation_problem(const Image& image, const OperationOptions& options);

/// There is no such operation; the nearest one that there is.
[[nodiscard]] Diagnostic unknown_operation(std::string_view name);

/// A comparison through a sampler that names none has always the same answer: a warning (bind-compare).
void check_comparison(base::Diagnostics& reports, const texture::Operation& operation, const Sampler& sampler);

/// One operation while it runs.
class OperationCall {
 public:
  explicit OperationCall(const OperationOptions& options);
  OperationCall(const OperationCall&) = delete;
  OperationCall& operator=(const OperationCall&) = delete;
  /// After it: its errors; warnings go where the options ask for them.
  [[nodiscard]] Result<Done> finish() const;

  texture::OperationContext context;

 private:
  class Recorder final : public texture::TexelObserver {
   public:
    explicit Recorder(std::vector<TexelRead>& reads) : reads_(reads) {}
    void texel(const texture::TexelTouch& t) override {
      reads_.push_back({{.x = t.x, .y = t.y, .slice = t.slice, .level = t.level}, t.weighted});
    }

   private:
    std::vector<TexelRead>& reads_;
  };
  const OperationOptions& options_;
  std::optional<Recorder> recorder_;
};

}  // namespace heddle::library
