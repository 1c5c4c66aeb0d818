// SPDX-License-Identifier: MIT
#pragma once
// Loads and stores over every kind of memory.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spirv/compile/module/layout.hpp"
#include "spirv/compile/module/value.hpp"
#include "spirv/compile/writer/visa_writer.hpp"

namespace heddle::spirv::compiler {

class ShaderContext;

class Memory {
 public:
  explicit Memory(ShaderContext& context) : t_(context) {}

  [[nodiscard]] Value load(const Pointer& pointer, std::string_view hint);
  void store(const Pointer& pointer, const Value& value);
  /// Up to four dwords that follow each other, of buffers, shared memory and addresses.
  [[nodiscard]] std::vector<Part> load_dwords(const Pointer& pointer, unsigned count, std::string_view hint);
  void store_dwords(const Pointer& pointer, const std::vector<Part>& dwords);
  /// Calls `use(surface, guard)` for each surface that the pointer may mean, with the lanes of `guard` that mean it;
  /// addresses have no surface: an empty name.
  void for_each_surface(const Pointer& p, const Guard& guard,
                        const std::function<void(const std::string&, const Guard&)>& use);
  /// The channels of a range side by side, as a message takes them: each in a group of whole registers.
  [[nodiscard]] Part message_data(const LaneRange& range, const std::vector<Part>& data);

 private:
  /// What a message moves for each lane: `count` dwords as channels, or one element of 1 or 2 bytes.
  struct Transfer {
    bool write = false;
    unsigned bytes = 4;  ///< of an element
    unsigned count = 1;
  };
  static void send(VisaWriter& b, const Pointer& p, const Transfer& transfer, const LaneRange& range,
                   const std::string& surface, const Part& offset, const VisaOperand& data, const Guard& guard);
  [[nodiscard]] std::vector<Part> read(const Pointer& p, std::uint32_t extra, const Transfer& transfer,
                                       std::string_view hint);
  void write(const Pointer& p, std::uint32_t extra, unsigned bytes, const std::vector<Part>& data, const Guard& guard);
  [[nodiscard]] Part as_dword(const Part& part);
  [[nodiscard]] Part from_dword(const Part& got, isa::Type type);
  [[nodiscard]] Part join_qword(const Part& low, const Part& high, isa::Type type);
  void load_registers(const Pointer& p, std::string_view hint, Value& v);
  void load_scratch(const Pointer& p, std::span<const ScalarLocation> where, std::string_view hint, Value& v);
  void load_records(const Pointer& p, std::string_view hint, Value& v);
  void load_record(const Pointer& p, std::span<const ScalarLocation> where, std::string_view hint, std::span<Part> to);
  void store_record(const Pointer& p, std::span<const ScalarLocation> where, const Value& v);
  void load_memory(const Pointer& p, const std::vector<ScalarLocation>& where, std::string_view hint, Value& v);
  void store_registers(const Pointer& p, const Value& v);
  void store_scratch(const Pointer& p, std::span<const ScalarLocation> where, const Value& v);
  void store_memory(const Pointer& p, const std::vector<ScalarLocation>& where, const Value& v);

  ShaderContext& t_;
};

}  // namespace heddle::spirv::compiler
