// SPDX-License-Identifier: MIT
#include "peers/opencl/fresh.hpp"

#include <cmath>
#include <cstdlib>
#include <random>
#include <sstream>

#include "base/half.hpp"

namespace heddle::peers {
namespace {

std::size_t size_of(const std::string& type) {
  return type.ends_with("64") ? 8 : type.ends_with("32") ? 4 : type.ends_with("16") ? 2 : 1;
}

void append(std::vector<std::uint8_t>& bytes, const std::string& type, double real, std::int64_t integer) {
  const std::size_t at = bytes.size(), size = size_of(type);
  bytes.resize(at + size);
  if (type == "f16") {
    const std::uint16_t h = base::double_to_half(real);
    std::memcpy(&bytes[at], &h, 2);
  } else if (type == "f32") {
    const auto f = static_cast<float>(real);
    std::memcpy(&bytes[at], &f, 4);
  } else if (type == "f64") {
    std::memcpy(&bytes[at], &real, 8);
  } else {
    std::memcpy(&bytes[at], &integer, size);
  }
}

std::vector<std::size_t> sizes(const std::string& text) {
  std::vector<std::size_t> values;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, 'x');) values.push_back(std::strtoul(part.c_str(), nullptr, 10));
  return values;
}

std::vector<std::uint8_t> random_content(const std::string& type, std::size_t count,
                                         const std::vector<std::string>& bounds, std::mt19937_64& random) {
  std::vector<std::uint8_t> bytes;
  const bool real = type.starts_with("f");
  for (std::size_t i = 0; i < count; ++i) {
    if (bounds.size() < 2) {
      // Any bits; every third integer is a power of two or next to one.
      std::int64_t v = static_cast<std::int64_t>(random());
      if (random() % 3 == 0)
        v = (std::int64_t{1} << (random() % 63)) * (random() % 2 != 0 ? 1 : -1) + static_cast<int>(random() % 3) - 1;
      if (type == "f64") {
        bytes.resize(bytes.size() + 8);
        std::memcpy(&bytes[bytes.size() - 8], &v, 8);
      } else if (real) {
        bytes.resize(bytes.size() + size_of(type));
        std::memcpy(&bytes[bytes.size() - size_of(type)], &v, size_of(type));
      } else {
        append(bytes, type, 0, v);
      }
    } else if (real) {
      const double low = std::strtod(bounds[0].c_str(), nullptr), high = std::strtod(bounds[1].c_str(), nullptr);
      append(bytes, type, low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53, 0);
    } else {
      const std::int64_t low = std::strtoll(bounds[0].c_str(), nullptr, 0),
                         high = std::strtoll(bounds[1].c_str(), nullptr, 0);
      append(bytes, type, 0, low + static_cast<std::int64_t>(random() % (static_cast<std::uint64_t>(high - low) + 1)));
    }
  }
  return bytes;
}

}  // namespace

std::optional<FreshKernel> read_fresh(const std::string& name, const std::string& source, std::string& why) {
  FreshKernel kernel;
  kernel.source = source;
  kernel.launch.kernel = name;
  std::mt19937_64 random(std::hash<std::string>{}(name));
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("//!")) continue;
    std::istringstream in(line.substr(3));
    std::string word;
    in >> word;
    std::vector<std::string> rest;
    for (std::string w; in >> w;) rest.push_back(w);
    const auto text = [&](std::size_t i) { return i < rest.size() ? rest[i] : std::string(); };
    const auto number = [&](std::size_t i) {
      return static_cast<std::uint32_t>(std::strtoul(text(i).c_str(), nullptr, 0));
    };
    Argument a;
    a.name = text(0);
    a.type = text(1);
    if (word == "global") {
      kernel.launch.global = sizes(text(0));
    } else if (word == "local") {
      kernel.launch.local = sizes(text(0));
    } else if (word == "offset") {
      kernel.launch.offset = sizes(text(0));
    } else if (word == "in" || word == "out" || word == "inout") {
      a.kind = Argument::Kind::Buffer;
      a.output = word != "in";
      const std::vector<std::string> bounds(rest.begin() + std::min<std::ptrdiff_t>(3, std::ssize(rest)), rest.end());
      a.bytes = word == "out" ? std::vector<std::uint8_t>(number(2) * size_of(a.type))
                              : random_content(a.type, number(2), bounds, random);
      kernel.launch.arguments.push_back(a);
    } else if (word == "value" || word == "symbol") {
      a.symbol = word == "symbol";
      a.kind = a.symbol ? Argument::Kind::Buffer : Argument::Kind::Value;
      for (std::size_t i = 2; i < rest.size(); ++i)
        append(a.bytes, a.type, std::strtod(rest[i].c_str(), nullptr),
               static_cast<std::int64_t>(rest[i].starts_with("-")
                                             ? std::strtoll(rest[i].c_str(), nullptr, 0)
                                             : static_cast<long long>(std::strtoull(rest[i].c_str(), nullptr, 0))));
      if (!a.symbol && rest.size() == 5)
        a.bytes.resize(4 * size_of(a.type));  // a vector of three takes the space of four
      kernel.launch.arguments.push_back(a);
    } else if (word == "bytes") {
      a.kind = Argument::Kind::Value;
      for (std::size_t i = 0; i + 2 <= text(1).size(); i += 2)
        a.bytes.push_back(static_cast<std::uint8_t>(std::strtoul(text(1).substr(i, 2).c_str(), nullptr, 16)));
      kernel.launch.arguments.push_back(a);
    } else if (word == "local-bytes") {
      a.kind = Argument::Kind::Local;
      a.bytes.resize(number(1));
      kernel.launch.arguments.push_back(a);
    } else if (word == "image" || word == "image-out") {
      a.kind = Argument::Kind::Image;
      a.output = word == "image-out";
      a.width = number(2);
      a.height = number(3);
      a.depth = number(4);
      const std::size_t texels = std::size_t{a.width} * a.height * std::max(1u, a.depth);
      if (a.output)
        a.bytes.resize(texels * (a.type.ends_with("32") ? 16 : 4));
      else
        a.bytes = random_content(
            a.type == "float32"  ? "f32"
            : a.type == "uint32" ? "u32"
                                 : "u8",
            texels * 4, a.type == "float32" ? std::vector<std::string>{"-4", "4"} : std::vector<std::string>{}, random);
      kernel.launch.arguments.push_back(a);
    } else if (word == "sampler") {
      a.kind = Argument::Kind::Sampler;
      for (std::size_t i = 1; i < rest.size(); ++i) {
        if (rest[i] == "linear" || rest[i] == "nearest")
          a.linear = rest[i] == "linear";
        else if (rest[i] == "unnormalized")
          a.normalized = false;
        else
          a.address = rest[i];
      }
      kernel.launch.arguments.push_back(a);
    } else if (word == "ulps") {
      kernel.bound.ulps = std::strtod(text(0).c_str(), nullptr);
    } else if (word == "absolute") {
      kernel.bound.absolute = std::strtod(text(0).c_str(), nullptr);
    } else if (word == "zero") {
      kernel.zero = true;
    } else if (word == "halves") {
      kernel.halves = true;
    } else if (word == "races") {
      kernel.races = true;
    } else if (word == "heavy") {
      kernel.heavy = true;
    } else if (word == "skip") {
      kernel.skip.insert(rest.begin(), rest.end());
    } else {
      why = "no header line starts with '" + word + "'";
      return std::nullopt;
    }
  }
  return kernel;
}

std::map<std::string, job::kernels::Variant> compile_fresh(const std::vector<const FreshKernel*>& kernels,
                                                           const std::string& device, unsigned simd,
                                                           const std::filesystem::path& folder, std::string& why,
                                                           const std::string& options) {
  namespace fs = std::filesystem;
  std::map<std::string, job::kernels::Variant> found;
  const std::string width = std::to_string(simd);
  const fs::path work = folder / (device + ".simd" + width);
  fs::create_directories(work / "dump");
  std::string source;
  for (const FreshKernel* k : kernels) source += k->source + "\n";
  heddle::test::write_text(work / "all.cl", source);
  const std::string command =
      "cd " + work.string() + " && IGC_ForceOCLSIMDWidth=" + width +
      " IGC_ShaderDumpEnable=1 IGC_DumpToCustomDir=" + work.string() + "/dump ocloc compile -file all.cl -device " +
      device + " -out_dir bin --format zebin -options '-cl-std=" + (device == "pvc" ? "CL2.0 " : "CL3.0 ") + options +
      "'";
  const heddle::test::Outcome compiled = heddle::test::run({"sh", "-c", command}, {}, {}, 300);
  if (compiled.exit_code != 0) {
    why = compiled.out + compiled.err;
    return found;
  }
  // A kernel that spilt is compiled again: the second text, with _1 in its name, belongs to the binary.
  std::map<std::string, fs::path> texts;
  for (const auto& entry : fs::directory_iterator(work / "dump")) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with(".visaasm") || file.find("_simd" + width + "_entry_") == std::string::npos) continue;
    const std::string text = job::kernels::slurp(entry.path().string());
    const std::size_t at = text.find(".kernel \"");
    if (at == std::string::npos) continue;
    const std::string name = text.substr(at + 9, text.find('"', at + 9) - at - 9);
    if (!texts.contains(name) || file.find("_1_simd") != std::string::npos) texts[name] = entry.path();
  }
  for (const auto& [name, path] : texts) {
    job::kernels::Variant v;
    v.device = device;
    v.simd = simd;
    v.path = (work / name).string();
    std::string text = job::kernels::slurp(path.string());
    // Functions stand in files of their own, each with a first line that says the version.
    for (unsigned n = 0;; ++n) {
      const fs::path function = path.parent_path() / (path.stem().string() + "_f" + std::to_string(n) + ".visaasm");
      if (!fs::exists(function)) break;
      const std::string body = job::kernels::slurp(function.string());
      text += body.substr(body.find('\n') + 1);
    }
    heddle::test::write_text(v.path + ".visaasm", text);
    for (const auto& binary : fs::directory_iterator(work / "bin"))  // .bin: the ABI and the program-scope variables
      if (binary.path().extension() == ".bin")
        fs::copy_file(binary.path(), v.path + ".zeinfo", fs::copy_options::overwrite_existing);
    found[name] = v;
  }
  return found;
}

}  // namespace heddle::peers
