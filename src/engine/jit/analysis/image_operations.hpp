// SPDX-License-Identifier: MIT
#pragma once
// The messages of a kernel whose surface and sampler are known when it is compiled.

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/jit/analysis/known_values.hpp"
#include "machine/jit/prepared_message.hpp"
#include "machine/pixels.hpp"

namespace heddle::engine::jit {

/// An instruction that a prepared message may stand for, whatever is bound to the slots that it names.
struct MessageSite {
  std::uint32_t instruction = 0;
  machine::jit::MessageSlots slots;
  std::shared_ptr<const machine::jit::KnownValues> known;  ///< before it; surfaces and samplers count
  /// Of a site with slots.by_handle: a message of the form that its code is made for.
  std::shared_ptr<const machine::jit::PreparedMessage> sample = nullptr;
};

/// A message of the site for images of no known kind; null where the reference function is called.
[[nodiscard]] std::unique_ptr<machine::jit::PreparedMessage> prepare_example(const MessageSite& site,
                                                                             const machine::Code& code,
                                                                             const machine::StateIndex& states,
                                                                             const machine::PixelState* pixels);

/// The handles that %bss and S31 hold at a site; nothing where they have no value.
struct Handles {
  std::optional<std::uint32_t> surface, sampler;
  bool operator==(const Handles&) const = default;
};

/// `pixels`: of a pixel dispatch, with any state; null of others.
[[nodiscard]] std::vector<MessageSite> find_message_sites(const machine::Code& code, const machine::StateIndex& states,
                                                          const ControlFlowGraph& graph, const KnownValueMap& known,
                                                          const machine::PixelState* pixels);

/// The message of a site for what is bound; null where the reference function is called.
[[nodiscard]] std::unique_ptr<machine::jit::PreparedMessage> prepare_site(const MessageSite& site,
                                                                          const machine::Code& code,
                                                                          const machine::StateIndex& states,
                                                                          const machine::Bindings& bindings,
                                                                          const machine::PixelState* pixels);

/// The same of a site by handle, where its code can do it.
[[nodiscard]] std::unique_ptr<machine::jit::PreparedMessage> prepare_by_handle(
    const MessageSite& site, const Handles& handles, const machine::Code& code, const machine::StateIndex& states,
    const machine::Bindings& bindings, const machine::PixelState* pixels);

/// How often messages by handle of one state were called, and how often of those the code did not know the state
/// (Images::Function::likely), which only the second tier counts.
struct StateCalls {
  std::uint64_t all = 0, unknown = 0;
};
/// What the code of a message by handle is given: it counts there.
struct HandleCall {
  machine::jit::MessageCall call;
  StateCalls* calls = nullptr;
};

class Images {
 public:
  using Message = std::shared_ptr<const machine::jit::PreparedMessage>;
  /// What the code knows: the static state of each message, or its form alone (PreparedMessage::form).
  enum class Knows : std::uint8_t { States, Forms };
  Images() = default;
  /// `messages`: of each site, or null.
  Images(std::span<const MessageSite> sites, std::span<const Message> messages, Knows knows = Knows::States);

  /// Of an instruction, or nullptr.
  [[nodiscard]] const machine::jit::MessageUse* at(std::uint32_t instruction) const {
    const auto at = std::ranges::lower_bound(uses_, instruction, {}, &Use::instruction);
    return at != uses_.end() && at->instruction == instruction ? &at->use : nullptr;
  }
  struct Use {
    std::uint32_t instruction = 0;
    machine::jit::MessageUse use;
  };
  /// Of sites with a message, by instruction.
  [[nodiscard]] const std::vector<Use>& uses() const { return uses_; }
  /// ThreadContext::images
  [[nodiscard]] const void* const* table() const { return table_.data(); }
  /// Of each site, or null.
  [[nodiscard]] const std::vector<Message>& messages() const { return messages_; }
  /// For each entry of the table, the first site that uses it.
  [[nodiscard]] const std::vector<std::uint32_t>& table_sites() const { return table_sites_; }

  /// Code that differs: entry point, and the state that decides which code runs. Where forms are known alone: how it is
  /// called.
  struct Function {
    std::string name;
    machine::jit::PreparedMessage::Function kernel;
    std::shared_ptr<const machine::jit::PreparedMessage> message;  ///< the first that uses it; `kernel` points into it
    bool open = false;  ///< what it calls stands in the MessageCall that it is given (machine::jit::MessageUse)
    /// Open: one whose state it is likely given, which the second tier has code for. Null: nobody knows.
    std::shared_ptr<const machine::jit::PreparedMessage> likely = nullptr;
    bool apart = false;  ///< PreparedMessage::apart_function
    [[nodiscard]] machine::jit::PreparedMessage::Function likely_kernel() const {
      return apart ? likely->apart_function() : likely->function();
    }
  };
  [[nodiscard]] const std::vector<Function>& functions() const { return functions_; }
  /// `messages`: by site, those that sites by handle are likely given; or null. Sites of one state share its code.
  void set_likely(std::span<const MessageSite> sites, std::span<const Message> messages);

 private:
  using PlaceKeys = std::map<std::string, std::uint32_t>;
  [[nodiscard]] const std::string& function_for(const Message& message, machine::jit::PreparedMessage::Function kernel,
                                                Knows knows);
  [[nodiscard]] std::string likely_function(const Message& message, bool apart);
  [[nodiscard]] std::uint32_t place_for(const machine::jit::PreparedMessage& message,
                                        const machine::jit::MessageSlots& slots, std::uint32_t site, PlaceKeys& known);

  std::vector<Use> uses_;
  std::vector<Message> messages_;
  std::vector<const void*> table_;
  std::vector<std::uint32_t> table_sites_;
  std::vector<Function> functions_;
};

/// Whether code for the state of one message is code for that of the other.
[[nodiscard]] bool same_state(const Images::Message& a, const Images::Message& b);

/// Of a site by handle: a state that it met, and how often.
struct MetState {
  Images::Message message;  ///< null: it met none
  StateCalls calls;
};

}  // namespace heddle::engine::jit
