// SPDX-License-Identifier: MIT
#pragma once
// The compiler's description of a kernel's ABI (.zeinfo, YAML).

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.hpp"
#include "base/node.hpp"
#include "base/result.hpp"

namespace heddle::job {

struct ZeArgument {
  std::string type;  ///< arg_type: "global_id_offset", "arg_byvalue", "arg_bypointer" ...
  std::uint32_t offset = 0, size = 0;
  std::int32_t index = -1;          ///< arg_index
  std::string address_mode;         ///< addrmode: stateful, stateless, slm
  std::string address_space;        ///< addrspace: global, constant, local, image, sampler
  std::string access;               ///< access_type
  std::uint32_t source_offset = 0;  ///< of a struct's run of members: byte in the struct
  std::int32_t sampler_index = -1;
  std::uint32_t slm_alignment = 4;
};

struct ZeSampler {
  std::uint32_t index = 0;
  std::string address_mode, filter_mode;
  bool normalized = false;
};

struct ZeMemory {
  std::string type, usage;  ///< scratch / global; single_space, private_space ...
  std::uint64_t size = 0;
  bool per_lane = false;  ///< is_simt_thread
};

struct ZeName {
  std::string name, type_name;  ///< type_name: "float2;8"
  std::string access;           ///< __read_only ...
};

struct ZeKernel {
  std::string name;
  std::uint32_t simd = 0;
  std::uint64_t slm_size = 0;
  std::uint32_t local_id_bytes = 0;               ///< of the local ids of a thread
  std::array<std::uint32_t, 3> required_group{};  ///< 0: none
  std::array<std::uint32_t, 3> walk_order{0, 1, 2};
  std::vector<ZeArgument> payload;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> bindings;  ///< bti, argument index
  std::vector<ZeSampler> samplers;
  std::vector<ZeMemory> memory;
  std::vector<ZeName> names;  ///< by argument index; empty where the compiler kept none

  [[nodiscard]] std::optional<std::uint32_t> bti_of(std::uint32_t argument) const;
};

struct ZeInfo {
  std::vector<ZeKernel> kernels;
  [[nodiscard]] const ZeKernel* find(std::string_view name) const;
};

/// YAML as a tree: plain integers are Integer, true and false Boolean, everything else Text. Anchors and aliases are
/// refused. Id: zeinfo-syntax.
[[nodiscard]] base::Result<base::Node> parse_yaml(std::string_view text, const std::string& file,
                                                  const base::Limits& limits = {});

/// Ids: zeinfo-syntax, zeinfo-value. Members that Heddle does not use are skipped: the compiler adds more with time.
[[nodiscard]] base::Result<ZeInfo> parse_zeinfo(std::string_view text, const std::string& file,
                                                const base::Limits& limits = {});

}  // namespace heddle::job
