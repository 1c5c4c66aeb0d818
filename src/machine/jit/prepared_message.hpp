// SPDX-License-Identifier: MIT
#pragma once
// Messages to the texture unit and to the render cache that are made ready while a kernel is compiled: what is bound to
// their surface and sampler is known, and turned into the state of the vector functions once. Each kind of message has
// a class of its own beside its instructions; the engine knows only what stands here.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heddle::machine::jit {

class CodegenContext;

/// The slots that a message looks at while it is prepared: indices of the binding table and of the samplers.
struct MessageSlots {
  std::optional<std::uint32_t> surface, sampler;
  bool by_handle = false;  ///< what is bound is found out while the program runs, by %bss, S31 or both
  bool operator==(const MessageSlots&) const = default;
};

class PreparedMessage {
 public:
  PreparedMessage() = default;
  PreparedMessage(const PreparedMessage&) = delete;
  PreparedMessage& operator=(const PreparedMessage&) = delete;
  virtual ~PreparedMessage() = default;

  /// The vector function that does it: (static state, dynamic state, inputs, mask, output, thread).
  struct Function {
    std::string entry;  ///< "heddle_simd_gather4_16"; empty: the emitted code does without
    /// In the second tier a constant of the compiled code, which decides what is left of the kernel, and part of its
    /// key. Code of the first tier passes it.
    std::span<const std::uint8_t> static_state;
    bool has_output = true;      ///< it takes a pointer to output words
    unsigned channel_words = 0;  ///< not 0: the output is four channels of so many words, then the null mask
    bool one_texel = false;      ///< each channel of the output is made of one texel for each lane
    /// Not 0: the size of the kernel's inputs, which have nothing but pointers to words. The message's function takes
    /// the pointers themselves instead; they stand at these bytes of the inputs.
    std::uint32_t input_bytes = 0;
    std::vector<std::uint32_t> inputs = {};
  };
  [[nodiscard]] virtual Function function() const = 0;
  /// Another one that code which knows the state calls beside it, as what counts texels; its entry is empty: none.
  [[nodiscard]] virtual Function second_function() const { return {}; }

  /// function() for lanes whose surfaces differ in nothing but where their texels lie: one input more says how many
  /// bytes from this message's texels those of each lane are. Its entry is empty: the message has none.
  [[nodiscard]] virtual Function apart_function() const { return {}; }
  /// Messages that may be done in one call of it have the same shape, none of them 0, and differ in place. `texels`:
  /// where this one's lie; those of a call lie less than kMaxApart away.
  [[nodiscard]] virtual std::uint64_t shape() const { return 0; }
  [[nodiscard]] virtual bool differs_in_place(const PreparedMessage& /*other*/) const { return false; }
  [[nodiscard]] virtual const std::uint8_t* texels() const { return nullptr; }
  static constexpr std::int64_t kMaxApart = 1 << 30;

  /// Whether nothing happens where no lane is enabled (EXE-3).
  [[nodiscard]] virtual bool needs_lane() const { return true; }

  /// What is found out when the compiled code is put together.
  struct LinkFacts {
    unsigned unread_channels = 0;  ///< bit c: no call looks at channel c of the output
    bool has_vbmi = false;         ///< of the processor that the code is for
  };
  /// Writes it into a copy of the static state.
  virtual void complete(std::span<std::uint8_t> /*static_state*/, const LinkFacts& /*facts*/) const {}

  /// What the kernel reads while it runs; ThreadContext::images points to it.
  [[nodiscard]] virtual const void* dynamic_state() const = 0;
  [[nodiscard]] virtual std::size_t dynamic_bytes() const = 0;
  /// Of these the first ones that the kernel looks at: as many may be copied elsewhere.
  [[nodiscard]] virtual std::size_t read_bytes() const { return dynamic_bytes(); }
  /// All memory that the message takes.
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// Messages of one key that name the same slots read equal dynamic state: with one place for it, what they calculate
  /// alike from it is seen to be alike. Empty: the message has a place of its own.
  [[nodiscard]] virtual std::string place_key() const { return {}; }

  /// What the emitted code itself depends on, of the state: code that calls the kernel with whatever state is bound is
  /// the same for all messages of an instruction that have the same form.
  [[nodiscard]] virtual std::uint32_t form() const { return 0; }

  /// Emits the instruction, as an Emitter does.
  [[nodiscard]] virtual bool emit(CodegenContext& e) const = 0;
};

/// The prepared message of one instruction, and where the engine has put its parts.
struct MessageUse {
  std::uint32_t slot = 0;  ///< of its dynamic state in ThreadContext::images; open: in ThreadContext::calls
  /// The code does not know the state: the function's first argument is the place of its MessageCall.
  bool open = false;
  /// Open, and the place is not in ThreadContext::calls: heddle_jit_message finds it, or nothing.
  bool by_handle = false;
  /// (dynamic state, inputs or pointers to their words, mask, output, thread): the kernel for its static state
  std::string function;
  std::string second;  ///< the same of the second kernel; open, and where there is none: empty
  std::string apart;   ///< by handle: PreparedMessage::apart_function, called as `function` is; or empty
  const PreparedMessage* message = nullptr;
};

}  // namespace heddle::machine::jit
