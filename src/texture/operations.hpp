#pragma once
// The operations of 3D_SAMPLE, 3D_LOAD, 3D_SAMPLE4 and INFO as data: names, codes, parameter order (SAM-1, LD-1,
// GA-2, INF-1).

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "texture/context.hpp"
#include "texture/enumerations.hpp"

namespace heddle::texture {

/// "u", "dudx", "offuv_r" ...
[[nodiscard]] std::string_view param_name(Param param);
[[nodiscard]] std::optional<Param> find_param(std::string_view name);

enum class OpPlatforms : std::uint8_t { All, UpToGen12lp, Xe2Up };

struct Operation {
  Op op{};
  std::string_view name;  ///< as in the tables and in JSON requests
  OpFamily family{};
  std::uint8_t code = 0;
  std::uint8_t second_code = 0;  ///< another encoding that decoders know; equal to `code` when there is none
  LodSource lod{};
  bool compare = false;
  OpPlatforms platforms = OpPlatforms::All;
  std::uint8_t parameter_count = 0;
  std::array<Param, 12> parameter{};
  bool extra_r_ai = false;  ///< `r` and `ai` after the packed operand are accepted

  [[nodiscard]] std::span<const Param> parameters() const { return {parameter.data(), parameter_count}; }
  [[nodiscard]] bool has(Param p) const;
  [[nodiscard]] bool packed() const;            ///< takes a packed operand (PKO-4: 32-bit lanes)
  [[nodiscard]] bool per_lane_offsets() const;  ///< immediate offsets are ignored (GA-8)
  [[nodiscard]] bool derivatives() const { return lod == LodSource::Implicit || lod == LodSource::Bias; }
};

[[nodiscard]] std::span<const Operation> all_operations();
[[nodiscard]] const Operation& operation(Op op);
[[nodiscard]] const Operation* find_operation(std::string_view name);
/// By the op bits 7:0 of an instruction. E1: document behaviour swaps gather4_b and gather4_i. Codes 11h and 12h of
/// 3D_SAMPLE exist on every platform here; whether a platform has an op is only checked (OpPlatforms).
[[nodiscard]] const Operation* find_operation(OpFamily family, std::uint8_t code,
                                              Behaviour behaviour = Behaviour::Hardware);
/// The code that an instruction carries for `op` under a behaviour (E1).
[[nodiscard]] std::uint8_t operation_code(const Operation& op, Behaviour behaviour = Behaviour::Hardware);

/// The parameters in order. 16-bit operands (UW) of ld2dms_w carry the MCS value in four words instead of two (LD-1).
[[nodiscard]] std::span<const Param> parameters(const Operation& op, bool half_parameters);

/// The meaning of each of `count` operands of an instruction; missing trailing parameters are left out (EXE-6). At most
/// 14 names.
struct ParameterList {
  std::array<Param, 14> names{};
  std::uint8_t count = 0;
};
[[nodiscard]] ParameterList operand_parameters(const Operation& op, unsigned count, bool half_parameters = false);
/// The most operands the operation takes, the accepted extras included.
[[nodiscard]] unsigned most_operands(const Operation& op, bool half_parameters = false);

[[nodiscard]] bool platform_has(OpPlatforms platforms, Platform platform);

}  // namespace heddle::texture
