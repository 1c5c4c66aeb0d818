// SPDX-License-Identifier: MIT
#pragma once
// The kernels of one program: machine code for each static state that its slots were met in. What is bound is known by
// its identities, so that a kernel is found again without a look at anything else.

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/jit/runtime/compiled_kernel.hpp"
#include "machine/bindings.hpp"

namespace heddle::engine::jit {

/// A kernel with the state that its code reads, for what stood in the slots. Never changed. It keeps no surface alive:
/// what it points to is used only while those that it was made for are bound.
struct BoundKernel {
  std::shared_ptr<const CompiledKernel> kernel;  ///< null, inside the family: it cannot be compiled
  std::string why_not;                           ///< then
  std::vector<const void*> table;                ///< ThreadContext::images
  std::vector<machine::jit::MessageCall> calls;  ///< ThreadContext::calls
  std::vector<Images::Message> messages;         ///< of each site, or null
  std::vector<std::uint64_t> identities;         ///< of what stood in the slots of KernelVariants, in its order
  std::vector<std::uint32_t> static_states;      ///< of each site, as KernelVariants numbers them
};

/// Every function may be called from several threads at once.
class KernelVariants {
 public:
  using Pixels = machine::Resource<machine::PixelState>;
  /// As PreparedKernel::create.
  static std::unique_ptr<KernelVariants> create(const reference::ResolvedKernel& kernel, const machine::Bindings& slots,
                                                const KernelOptions& options, std::string& why_not);

  ~KernelVariants();
  KernelVariants(const KernelVariants&) = delete;
  KernelVariants& operator=(const KernelVariants&) = delete;

  /// Bytes of bound kernels that all families together keep, to be found again.
  static constexpr std::size_t kMaxKept = std::size_t{64} << 20;

  /// Whether `bound` is what find() would give.
  [[nodiscard]] bool fits(const BoundKernel& bound, const machine::Bindings& bindings, const Pixels& pixels) const;
  /// The kernel for what is bound. Compiles where the static state is new; null, with the reason, where that failed.
  /// `last`: found before, or null; what has not changed since is not looked at again.
  [[nodiscard]] std::shared_ptr<const BoundKernel> find(const machine::Bindings& bindings, const Pixels& pixels,
                                                        const BoundKernel* last, std::string& why_not);
  [[nodiscard]] const PreparedKernel& prepared() const { return *prepared_; }
  /// Instructions that ran in the code that ran most, about.
  [[nodiscard]] std::uint64_t executed();
  /// The code that ran most; before any ran, CompiledKernel::list_unbound.
  [[nodiscard]] CodeListing list();

 private:
  void find_alike();
  using Identities = std::vector<std::uint64_t>;
  template <typename T>
  struct Hash {
    std::size_t operator()(const std::vector<T>& values) const;
  };
  struct Variant {
    std::shared_ptr<const CompiledKernel> kernel;  ///< null: it cannot be compiled
    std::string why_not;
  };
  explicit KernelVariants(std::shared_ptr<const PreparedKernel> prepared);
  [[nodiscard]] std::uint64_t identity(std::size_t slot, const machine::Bindings& bindings, const Pixels& pixels) const;
  [[nodiscard]] std::uint32_t number_of(const machine::jit::PreparedMessage* message);
  [[nodiscard]] std::shared_ptr<const BoundKernel> make(Identities identities, const machine::Bindings& bindings,
                                                        const machine::PixelState* pixels, const BoundKernel* last);
  [[nodiscard]] std::shared_ptr<const CompiledKernel> most_run();
  [[nodiscard]] Variant variant_of(const std::vector<std::uint32_t>& static_states,
                                   std::span<const Images::Message> messages);
  void keep(const std::shared_ptr<const BoundKernel>& made);
  void forget();
  struct All;

  std::shared_ptr<const PreparedKernel> prepared_;
  std::vector<std::uint32_t> surface_slots_, sampler_slots_;  ///< that messages name
  std::vector<std::vector<std::uint32_t>> site_slots_;        ///< of each site: positions in Identities
  std::vector<std::uint32_t> alike_;                          ///< the first site with the same message
  mutable std::shared_mutex mutex_;                           ///< of bound_
  std::unordered_map<Identities, std::shared_ptr<const BoundKernel>, Hash<std::uint64_t>> bound_;
  std::size_t kept_bytes_ = 0;  ///< of bound_
  std::mutex making_;           ///< of what follows
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::uint32_t last_number_ = 0;  ///< never given again, although numbers_ may be cleared
  std::unordered_map<std::vector<std::uint32_t>, Variant, Hash<std::uint32_t>> variants_;
};

}  // namespace heddle::engine::jit
