// SPDX-License-Identifier: MIT
#include "operation_run.hpp"

#include <algorithm>
#include <limits>

#include "base/half.hpp"
#include "operation_threads.hpp"

namespace heddle::test {
namespace {

Bits special_floats(const std::string& scalar) {
  if (scalar == "f16")
    return {0, 0x8000, 0x3c00, 0xbc00, 0x3800, 0x4248, 0x7c00, 0xfc00, 0x7e00, 0x0400, 0x03ff, 0x7bff, 0xc100, 0x5000};
  const std::vector<double> list = {0.0,
                                    -0.0,
                                    1.0,
                                    -1.0,
                                    0.5,
                                    -0.5,
                                    1.5,
                                    2.5,
                                    -2.5,
                                    3.0,
                                    1e-3,
                                    -7.25,
                                    100.75,
                                    -1e6,
                                    16777216.0,
                                    8388609.5,
                                    0x1p31,
                                    -0x1p31,
                                    0x1p32,
                                    3e9,
                                    0x1p63,
                                    -0x1p63,
                                    0x1p-126,
                                    0x1p-140,
                                    3e38,
                                    std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<double>::quiet_NaN()};
  Bits bits;
  for (const double v : list)
    bits.push_back(scalar == "f32" ? bits_of(static_cast<float>(v)) : std::bit_cast<std::uint64_t>(v));
  return bits;
}

Bits special_integers(unsigned bits) {
  Bits list;
  for (const std::int64_t v : {0ll, 1ll, 2ll, 3ll, 5ll, 7ll, 31ll, 100ll, -1ll, -2ll, -7ll, -100ll})
    list.push_back(cut(static_cast<std::uint64_t>(v), bits));
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  for (const std::uint64_t v : {top, top - 1, top + 1, top / 2, cut(0x123456789abcdef0, bits),
                                cut(0xfedcba9876543210, bits), cut(0xf0f0f0f00f0f0f0f, bits)})
    list.push_back(v);
  return list;
}

std::string toml_data(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(4, bytes.size() - i));
    text += (i == 0 ? "" : ",") + std::to_string(word);
  }
  return text;
}

unsigned bytes_of(const std::string& type) {
  const std::string scalar = component_of(type);
  return scalar == "bool" ? 4 : static_cast<unsigned>(std::stoul(scalar.substr(1))) / 8;
}

}  // namespace

std::vector<std::uint8_t> buffer_bytes(const Bits& values, const OperationBuffer& b) {
  const unsigned components = components_of(b.type), bytes = bytes_of(b.type);
  std::vector<std::uint8_t> data(values.size() / components * b.stride);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::memcpy(data.data() + i / components * b.stride + i % components * bytes, &values[i], bytes);
  return data;
}

void read_results(const OperationBuffer& b, std::span<const std::uint8_t> bytes, std::size_t count,
                  std::vector<Bits>& results) {
  const unsigned size = bytes_of(b.type), n = components_of(b.type);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < b.operations.size(); ++k)
      for (unsigned c = 0; c < n; ++c) {
        std::uint64_t value = 0;
        const std::size_t at = (i * b.operations.size() + k) * b.stride + c * size;
        if (at + size <= bytes.size()) std::memcpy(&value, bytes.data() + at, size);
        results[b.operations[k]].push_back(value);
      }
}

Bits values_of(const std::string& scalar, unsigned position, std::size_t count) {
  Bits list;
  std::mt19937_64 random(1234 + position * 77 + scalar.size() * 13 + static_cast<unsigned char>(scalar.back()));
  if (scalar == "bool") {
    while (list.size() < count) list.push_back(random() & 1);
    return list;
  }
  const unsigned bits = static_cast<unsigned>(std::stoul(scalar.substr(1)));
  const Bits special = scalar[0] == 'f' ? special_floats(scalar) : special_integers(bits);
  const std::size_t n = special.size();
  // Every pair of special values first.
  for (std::size_t i = 0; i < n * n && list.size() < count; ++i)
    list.push_back(special[position == 0 ? i % n : position == 1 ? i / n : (i * 7 + i / n) % n]);
  while (list.size() < count) {
    const std::uint64_t word = random();
    if (scalar[0] != 'f') {
      list.push_back(cut(word >> (random() % bits), bits));  // small and large ones
    } else if (scalar == "f32") {
      const float small =
          std::bit_cast<float>(static_cast<std::uint32_t>((word & 0x807fffffu) | ((0x7au + (word >> 40) % 12) << 23)));
      list.push_back(word >> 60 == 0 ? word & 0xffffffffu : bits_of(small));
    } else if (scalar == "f64") {
      list.push_back(word >> 60 == 0 ? random() : (word & 0x800fffffffffffffull) | ((0x3fa + (word >> 52) % 12) << 52));
    } else {
      list.push_back(word & 0xffff);
    }
  }
  return list;
}

std::map<std::pair<std::string, unsigned>, Bits> inputs_of(std::span<const Operation> operations, std::size_t count) {
  std::map<std::pair<std::string, unsigned>, Bits> inputs;
  for (const Operation& o : operations)
    for (unsigned p = 0; p < o.inputs.size(); ++p) {
      Bits& list = inputs[{o.inputs[p], p}];
      if (list.empty()) list = values_of(component_of(o.inputs[p]), p, count * components_of(o.inputs[p]));
    }
  return inputs;
}

std::vector<Bits> run_operations(std::span<const Operation> operations,
                                 const std::map<std::pair<std::string, unsigned>, Bits>& inputs, std::size_t count,
                                 const spirv::CompileOptions& options, const std::string& engine,
                                 std::span<const std::string> modes) {
  return run_operations_on(0, operations, inputs, count, options, engine, modes);
}

std::vector<Bits> run_operations_on(unsigned threads, std::span<const Operation> operations,
                                    const std::map<std::pair<std::string, unsigned>, Bits>& inputs, std::size_t count,
                                    const spirv::CompileOptions& options, const std::string& engine,
                                    std::span<const std::string> modes) {
  const OperationShader shader = shader_of(operations, 32, modes);
  job::RunHooks hooks;
  if (engine == "first") hooks.tiers = engine::jit::Tiers::First;
  if (engine == "second") hooks.tiers = engine::jit::Tiers::Second;
  hooks.disk_cache = engine != "interpreted";  // which has no code, unless HEDDLE_INTERPRET is off
  std::string toml = std::string("engine = \"") + (engine == "reference" ? "reference" : "fast") + "\"\ngroups = [" +
                     std::to_string(count / 32) + "]\n";
  if (threads != 0) toml += "threads = " + std::to_string(threads) + "\n";
  for (const OperationBuffer& b : shader.inputs) {
    const Bits* values = nullptr;
    for (const auto& [key, list] : inputs)
      if (key.second == b.position &&
          (key.first == b.type || (component_of(key.first) == "bool" && b.type.ends_with("u32") &&
                                   components_of(key.first) == components_of(b.type))))
        values = &list;
    if (values == nullptr) {
      ADD_FAILURE() << "no input " << b.type;
      return {};
    }
    toml += "[buffers.\"0." + std::to_string(b.binding) + "\"]\ntype = \"u32\"\ndata = [" +
            toml_data(buffer_bytes(*values, b)) + "]\n";
  }
  for (const OperationBuffer& b : shader.outputs)
    toml += "[buffers.\"0." + std::to_string(b.binding) +
            "\"]\ntype = \"u32\"\ncount = " + std::to_string((count * b.stride * b.operations.size() + 3) / 4) +
            "\nsave = \"out" + std::to_string(b.binding) + ".bin\"\n";
  spirv::Module module;
  try {
    module = assemble_shader(shader.text);
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what() << shader.text;
    return {};
  }
  const job::RunResult outcome = run_shader(module, toml, options, hooks);
  if (!outcome.succeeded) {
    ADD_FAILURE() << messages(outcome.diagnostics).substr(0, 2000);
    return {};
  }
  std::vector<Bits> results(operations.size());
  for (const OperationBuffer& b : shader.outputs) {
    const std::string bytes = output_bytes(outcome, "out" + std::to_string(b.binding) + ".bin");
    read_results(b, std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), count, results);
  }
  return results;
}

double real_of(std::uint64_t bits, const std::string& scalar) {
  if (scalar == "f16") return base::half_to_float(static_cast<std::uint16_t>(bits));
  if (scalar == "f32") return float_of(bits);
  return std::bit_cast<double>(bits);
}

double ulps(double got, double want, const std::string& scalar) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : INFINITY;
  const int digits = scalar == "f16"   ? 11
                     : scalar == "f32" ? 24
                                       : 53,
            least = scalar == "f16"   ? -14
                    : scalar == "f32" ? -126
                                      : -1022;
  const double limit = scalar == "f16" ? 65520 : scalar == "f32" ? 0x1.ffffffp127 : INFINITY;
  if (std::abs(want) >= limit) want = std::copysign(INFINITY, want);
  if (got == want) return 0;
  if (std::isinf(got) || std::isinf(want)) return INFINITY;
  const int exponent = want == 0 ? least : std::max(std::ilogb(want), least);
  return std::abs(got - want) / std::ldexp(1.0, exponent - digits + 1);
}

}  // namespace heddle::test
