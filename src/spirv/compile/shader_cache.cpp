// SPDX-License-Identifier: MIT
// Compiled shaders that earlier runs left on disk.

#include <cstring>

#include "base/disk_cache.hpp"
#include "spirv/compile/compile.hpp"

namespace heddle::spirv {
namespace {

using Bytes = std::vector<std::uint8_t>;

class Writer {
 public:
  explicit Writer(std::size_t expected) { bytes_.reserve(expected); }
  void number(std::uint64_t n) { raw(&n, sizeof n); }
  void raw(const void* data, std::size_t size) {
    const auto* at = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), at, at + size);
  }
  void text(std::string_view s) {
    number(s.size());
    raw(s.data(), s.size());
  }
  [[nodiscard]] Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

class Reader {
 public:
  explicit Reader(const Bytes& bytes) : at_(bytes.data()), left_(bytes.size()) {}
  bool number(std::uint64_t& n) {
    if (left_ < sizeof n) return false;
    std::memcpy(&n, at_, sizeof n);
    skip(sizeof n);
    return true;
  }
  bool text(std::string_view& s) {
    std::uint64_t size = 0;
    if (!number(size) || size > left_) return false;
    s = {reinterpret_cast<const char*>(at_), static_cast<std::size_t>(size)};
    skip(s.size());
    return true;
  }
  [[nodiscard]] bool at_end() const { return left_ == 0; }

 private:
  void skip(std::size_t n) {
    at_ += n;
    left_ -= n;
  }
  const std::uint8_t* at_;
  std::size_t left_;
};

/// Everything that the text depends on. It is kept with the text and compared, so that a hash decides nothing.
Bytes origin_of(const Module& module, const CompileOptions& options) {
  Writer w(module.words.size() * 4 + 256);
  w.text(base::build_name());
  w.text(module.file.substr(module.file.rfind('/') + 1));  // named in the text's first line
  if (!module.text.empty()) {                              // lines of the program may be those of the assembly
    w.text(module.file);
    w.text(module.text);
  }
  w.text(options.entry);
  w.number(options.stage ? isa::stage_info(*options.stage).execution_model : UINT32_MAX);
  w.number(static_cast<std::uint64_t>(options.platform));
  w.number(options.simd);
  w.number(options.specialization.size());
  for (const Specialization& s : options.specialization) {
    w.number(s.id);
    w.number(s.constant);
    w.number(s.value.index());
    std::visit([&](const auto& value) { w.raw(&value, sizeof value); }, s.value);
  }
  w.number(static_cast<std::uint64_t>(options.portable) | static_cast<std::uint64_t>(options.lenient) << 1 |
           static_cast<std::uint64_t>(options.check_output) << 2 |
           static_cast<std::uint64_t>(options.sample_shading) << 3 |
           static_cast<std::uint64_t>(options.empty_write) << 4 |
           static_cast<std::uint64_t>(options.alpha_to_coverage) << 5);
  w.number(options.targets);
  w.text(options.target_env);
  w.number(static_cast<std::uint64_t>(options.layout.scalar) | static_cast<std::uint64_t>(options.layout.relaxed) << 1 |
           static_cast<std::uint64_t>(options.layout.uniform_standard) << 2 |
           static_cast<std::uint64_t>(options.layout.workgroup_scalar) << 3);
  w.number(options.runtime_array);
  w.number(static_cast<std::uint32_t>(options.array_lengths.size()));
  for (const auto& [place, length] : options.array_lengths) {
    w.number(place.first);
    w.number(place.second);
    w.number(length);
  }
  w.number(static_cast<std::uint32_t>(options.planes.size()));
  for (const auto& [place, list] : options.planes) {
    w.number(place.first);
    w.number(place.second);
    w.number(static_cast<std::uint32_t>(list.size()));
    for (const SampledPlanes& planes : list) w.raw(&planes, sizeof planes);
  }
  w.number(options.predicates);
  w.raw(module.words.data(), module.words.size() * 4);
  return w.take();
}

bool read_entry(const Bytes& bytes, const Bytes& origin, Compiled& compiled) {
  Reader r(bytes);
  std::string_view kept_origin, kernel, text;
  std::uint64_t uses_extension = 0;
  if (!r.text(kept_origin) || kept_origin.size() != origin.size() ||
      std::memcmp(kept_origin.data(), origin.data(), origin.size()) != 0 || !r.number(uses_extension) ||
      uses_extension > 1 || !r.text(kernel) || !r.text(text) || !r.at_end())
    return false;
  compiled.kernel = kernel;
  compiled.text = text;
  compiled.uses_extension = uses_extension != 0;
  return true;
}

}  // namespace

base::Result<Compiled> compile(const Module& module, const CompileOptions& options, base::Diagnostics& warnings,
                               const base::DiskCache& cache) {
  const auto translate = [&](base::Diagnostics& found) {
    if (options.translating) options.translating();
    return compile(module, options, found);
  };
  if (!cache.enabled()) return translate(warnings);
  const Bytes origin = origin_of(module, options);
  base::KeyMaker key;
  key.add(origin.data(), origin.size());
  const std::string name = key.hex();
  if (const auto entry = cache.find(name)) {
    Compiled compiled;
    if (read_entry(*entry, origin, compiled)) return compiled;
  }
  base::Diagnostics found;
  auto compiled = translate(found);
  if (compiled.ok() && found.empty()) {
    Writer w(origin.size() + compiled->text.size() + 256);
    w.number(origin.size());
    w.raw(origin.data(), origin.size());
    w.number(compiled->uses_extension ? 1 : 0);
    w.text(compiled->kernel);
    w.text(compiled->text);
    cache.store(name, w.take());
  }
  warnings.append(found);
  return compiled;
}

}  // namespace heddle::spirv
