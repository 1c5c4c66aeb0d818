// SPDX-License-Identifier: MIT
#include "job/opencl/dumps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "job/opencl/zebin.hpp"
#include "job/opencl/zeinfo.hpp"

namespace heddle::job {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRecipe =
    "ocloc writes them: IGC_ShaderDumpEnable=1 IGC_DumpToCustomDir=$PWD/dump ocloc compile -file k.cl -device skl "
    "-out_dir bin --format zebin; then: heddle run dump, or heddle run bin/NAME.bin";
constexpr std::size_t kMaxFiles = 20000;  ///< of one folder

/// Numbers of product families (PRODUCT_FAMILY of the note that zebins carry, the first part of ocloc's -device).
struct Product {
  std::uint32_t family;
  std::string_view platform;
};
constexpr std::array kProducts{
    Product{0x10, "BDW"},       Product{0x11, "CHV"},   Product{0x12, "SKL"},   Product{0x13, "SKL"},
    Product{0x14, "SKL"},       Product{0x16, "BXT"},   Product{0x17, "BXT"},   Product{0x1a, "ICLLP"},
    Product{0x1b, "ICLLP"},     Product{0x1c, "ICLLP"}, Product{0x1d, "TGLLP"}, Product{0x1e, "TGLLP"},
    Product{0x1f, "TGLLP"},     Product{0x20, "TGLLP"}, Product{0x21, "TGLLP"}, Product{0x4ba, "TGLLP"},
    Product{0x4e2, "XeHP_SDV"}, Product{0x4f6, "DG2"},  Product{0x4f7, "PVC"},  Product{0x4f8, "MTL"},
    Product{0x4f9, "ARL"},
};

std::string stem_of(const std::string& path) { return fs::path(path).stem().string(); }

/// The name behind a directive at the beginning of a line: a word, or a text in quotes.
std::string name_behind(std::string_view text, std::string_view directive) {
  for (std::size_t at = text.find(directive); at != std::string_view::npos; at = text.find(directive, at + 1)) {
    if (at != 0 && text[at - 1] != '\n') continue;
    std::string_view rest = text.substr(at + directive.size());
    rest = rest.substr(0, std::min(rest.find('\n'), rest.size()));
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
    if (rest.starts_with('"')) return std::string(rest.substr(1, rest.find('"', 1) - 1));
    return std::string(rest.substr(0, rest.find_first_of(" \t\r/")));
  }
  return {};
}

std::optional<std::uint32_t> number_at(std::string_view text, std::string_view word, int base) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + word.size(), 16);
  std::uint32_t value = 0;
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
  return read.ec == std::errc() ? std::optional(value) : std::nullopt;
}

struct Text {
  std::string path, stem, kernel, function;
  std::uint32_t simd = 0;
};
struct Binary {
  std::string path, stem, platform;
  ZeInfo info;
};

/// What one folder holds.
struct Folder {
  std::vector<Text> texts;
  std::vector<Binary> binaries;
  std::map<std::string, std::string> commands;  ///< by stem: the platform that a command line names
};

std::string platform_of_command(std::string_view text) {
  const auto family = number_at(text, "-device 0x", 16);
  return family ? std::string(platform_of_product(*family)) : std::string();
}

std::optional<Binary> read_binary(const std::string& path, const base::Limits& limits) {
  const auto bytes = base::read_file(path, limits);
  if (!bytes.ok() || !is_zebin(*bytes)) return std::nullopt;
  const auto zebin = parse_zebin(*bytes, path);
  if (!zebin.ok()) return std::nullopt;
  auto info = parse_zeinfo(zebin->zeinfo, path, limits);
  if (!info.ok()) return std::nullopt;
  const auto family = product_family(*bytes);
  return Binary{path, stem_of(path), std::string(platform_of_product(family.value_or(0))), std::move(*info)};
}

base::Result<Folder> read_folder(const std::string& path, const base::Limits& limits) {
  Folder folder;
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator at(path, failed), end; !failed && at != end; at.increment(failed)) {
    names.push_back(at->path().string());
    if (names.size() > kMaxFiles)
      return base::limit_error("limit-input", fmt::format("'{}' has more than {} files", path, kMaxFiles),
                               base::Place::in_file(path));
  }
  if (failed)
    return base::error("file-open", fmt::format("cannot read the folder '{}': {}", path, failed.message()),
                       base::Place::in_file(path));
  std::ranges::sort(names);
  for (const std::string& name : names) {
    if (name.ends_with(".visaasm")) {
      const auto text = base::read_text(name, limits);
      if (!text.ok()) return text.failure();
      Text t{name, stem_of(name), name_behind(*text, ".kernel "), name_behind(*text, ".global_function "),
             number_at(*text, "\n.kernel_attr SimdSize=", 10).value_or(0)};
      const bool symbols = t.kernel.starts_with("Intel_Symbol_Table");  // no kernel: where addresses are told
      if (symbols) t.kernel.clear();
      if (!t.kernel.empty() || !t.function.empty()) folder.texts.push_back(std::move(t));
    } else if (name.ends_with(".progbin")) {
      if (auto binary = read_binary(name, limits)) folder.binaries.push_back(std::move(*binary));
    } else if (name.ends_with("_cmd.txt")) {
      const auto text = base::read_text(name, limits);
      const std::string stem = stem_of(name);
      if (text.ok()) folder.commands[stem.substr(0, stem.size() - 4)] = platform_of_command(*text);
    }
  }
  return folder;
}

/// The file's name begins with that of its compilation: "OCL_asm1234" of "OCL_asm1234_simd16_entry_0001".
bool belongs(std::string_view stem, std::string_view compilation) {
  return stem.starts_with(compilation) && (stem.size() == compilation.size() || stem[compilation.size()] == '_');
}

/// A second try behind one that spilled has its number before the width: "OCL_asm1234_1_simd16_entry_0001".
std::uint32_t try_of(std::string_view stem, std::string_view compilation) {
  std::string_view rest = stem.substr(std::min(stem.size(), compilation.size() + 1));
  std::uint32_t number = 0;
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return read.ec == std::errc() && *read.ptr == '_' ? number : 0;
}

/// The kernels of a folder; where one compilation tried several times, the text that its binary was made of.
std::vector<KernelDump> kernels_of(const Folder& folder, const std::string& only_binary) {
  struct Candidate {
    KernelDump dump;
    std::string compilation;
    std::uint32_t number = 0;
    bool fits = false;
  };
  std::vector<Candidate> best;
  for (const Text& text : folder.texts) {
    if (text.kernel.empty()) continue;
    Candidate c;
    c.dump.kernel = text.kernel;
    c.dump.file = text.path;
    c.dump.simd = text.simd;
    const ZeKernel* described = nullptr;
    for (const Binary& b : folder.binaries)
      if (belongs(text.stem, b.stem)) {
        c.compilation = b.stem;
        c.dump.binary = b.path;
        c.dump.platform = b.platform;
        described = b.info.find(text.kernel);
      }
    for (const auto& [stem, platform] : folder.commands)
      if (belongs(text.stem, stem)) {
        if (c.compilation.empty()) c.compilation = stem;
        if (c.dump.platform.empty()) c.dump.platform = platform;
      }
    if (!only_binary.empty() && c.dump.binary != only_binary) continue;
    if (c.compilation.empty()) c.compilation = text.stem;
    c.number = try_of(text.stem, c.compilation);
    c.fits = described != nullptr && described->simd == text.simd;
    for (const Text& f : folder.texts)
      if (!f.function.empty() && f.stem.starts_with(text.stem + "_f")) c.dump.functions.push_back(f.path);
    for (const Text& f : folder.texts)  // of other kernels: only where none of its own has the name
      if (!f.function.empty() && belongs(f.stem, c.compilation) &&
          std::ranges::find(c.dump.functions, f.path) == c.dump.functions.end())
        c.dump.functions.push_back(f.path);
    const auto same = std::ranges::find_if(
        best, [&](const Candidate& o) { return o.compilation == c.compilation && o.dump.kernel == c.dump.kernel; });
    if (same == best.end())
      best.push_back(std::move(c));
    else if (std::pair(c.fits, c.number) > std::pair(same->fits, same->number))
      *same = std::move(c);
  }
  std::vector<KernelDump> list;
  for (Candidate& c : best) list.push_back(std::move(c.dump));
  return list;
}

base::Diagnostic missing(const std::string& path, std::string message) {
  return base::error("dump-missing", std::move(message), base::Place::in_file(path)).note(std::string(kRecipe));
}

/// Folders in which the dumps of a binary usually lie.
std::vector<std::string> folders_near(const std::string& binary) {
  const fs::path own = fs::path(binary).has_parent_path() ? fs::path(binary).parent_path() : fs::path(".");
  std::vector<std::string> list;
  std::set<std::string> known;
  for (const fs::path& candidate : {own, own / "dump", own / "dumps", own / ".." / "dump", own / ".." / "dumps",
                                    fs::path("dump"), fs::path("dumps")}) {
    std::error_code failed;
    if (!fs::is_directory(candidate, failed)) continue;
    if (known.insert(fs::weakly_canonical(candidate, failed).string()).second)
      list.push_back(candidate.lexically_normal().string());
  }
  return list;
}

base::Result<std::vector<KernelDump>> dumps_of_binary(const std::string& path, const std::vector<std::uint8_t>& bytes,
                                                      const base::Limits& limits) {
  const auto zebin = parse_zebin(bytes, path);
  if (!zebin.ok()) return zebin.failure();
  const std::vector<std::string> folders = folders_near(path);
  std::vector<std::string> others;
  for (const std::string& name : folders) {
    std::error_code failed;
    for (fs::directory_iterator at(name, failed), end; !failed && at != end; at.increment(failed)) {
      if (at->path().extension() != ".progbin") continue;
      const auto other = base::read_file(at->path().string(), limits);
      if (!other.ok()) continue;
      if (*other != bytes) {
        others.push_back(at->path().string());
        continue;
      }
      const auto folder = read_folder(name, limits);
      if (!folder.ok()) return folder.failure();
      auto list = kernels_of(*folder, (fs::path(name) / at->path().filename()).string());
      if (list.empty()) list = kernels_of(*folder, at->path().string());
      for (KernelDump& dump : list) dump.binary = path;
      if (!list.empty()) return list;
    }
  }
  base::Diagnostic d =
      missing(path, "a compiled binary (zebin) holds machine code; the vISA text that was dumped with it is not found");
  if (others.empty())
    d.notes.insert(d.notes.begin(),
                   {fmt::format("looked in: {}", folders.empty() ? "(there is no folder 'dump')"
                                                                 : fmt::format("{}", fmt::join(folders, ", "))),
                    {}});
  else
    d.notes.insert(d.notes.begin(), {fmt::format("'{}' comes from another compilation", others.front()), {}});
  return d;
}

/// Names of functions that a text calls or takes the address of.
std::set<std::string> called(std::string_view text) {
  std::set<std::string> names;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    for (const std::string_view word : {std::string_view(" fcall "), std::string_view(" faddr ")}) {
      std::size_t at = line.find(word);
      if (at == std::string_view::npos || line.substr(0, at).find("//") != std::string_view::npos) continue;
      std::string_view rest = line.substr(at + word.size());
      while (rest.starts_with(' ')) rest.remove_prefix(1);
      if (rest.starts_with('(')) rest.remove_prefix(std::min(rest.size(), rest.find(')') + 1));
      while (rest.starts_with(' ')) rest.remove_prefix(1);
      names.emplace(rest.starts_with('"') ? rest.substr(1, rest.find('"', 1) - 1)
                                          : rest.substr(0, rest.find_first_of(" \t\r/")));
    }
  }
  return names;
}

}  // namespace

std::string_view platform_of_product(std::uint32_t family) {
  const auto found = std::ranges::find(kProducts, family, &Product::family);
  return found != kProducts.end() ? found->platform : std::string_view();
}

void place_in_part(base::Place& place, const std::string& whole, const std::vector<TextPart>& parts) {
  if (parts.size() < 2 || place.file != whole || place.kind != base::Place::Kind::Text) return;
  const auto after = std::ranges::upper_bound(parts, place.line, {}, &TextPart::first_line);
  if (after == parts.begin()) return;
  const TextPart& part = *std::prev(after);
  place.file = part.file;
  place.line -= part.first_line - 1;
}

bool means_dumps(const std::string& path, const base::Limits& limits) {
  if (path.empty() || path == "-") return false;
  std::error_code failed;
  if (fs::is_directory(path, failed)) return true;
  if (!fs::is_regular_file(path, failed)) return false;
  if (path.ends_with(".visaasm")) {
    const std::string stem = stem_of(path);
    const fs::path own = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
    for (fs::directory_iterator at(own, failed), end; !failed && at != end; at.increment(failed)) {
      const std::string extension = at->path().extension().string(), other = at->path().stem().string();
      if (extension == ".progbin" && belongs(stem, other)) return true;
      if (extension == ".visaasm" && other.starts_with(stem + "_f")) return true;
    }
    return false;
  }
  const auto bytes = base::read_file(path, limits);
  return bytes.ok() && is_zebin(*bytes);
}

base::Result<std::vector<KernelDump>> find_dumps(const std::string& path, const base::Limits& limits) {
  std::error_code failed;
  if (fs::is_directory(path, failed)) {
    const auto folder = read_folder(path, limits);
    if (!folder.ok()) return folder.failure();
    auto list = kernels_of(*folder, {});
    if (list.empty())
      return missing(path, fmt::format("the folder '{}' has no vISA text (.visaasm) of a kernel", path));
    return list;
  }
  if (!path.ends_with(".visaasm")) {
    const auto bytes = base::read_file(path, limits);
    if (!bytes.ok()) return bytes.failure();
    return dumps_of_binary(path, *bytes, limits);
  }
  const fs::path own = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  auto folder = read_folder(own.string(), limits);
  if (!folder.ok()) return folder.failure();
  // This text alone, whatever other tries of it there are.
  std::erase_if(folder->texts, [&](const Text& t) { return !t.kernel.empty() && t.stem != stem_of(path); });
  auto list = kernels_of(*folder, {});
  if (list.empty()) return missing(path, fmt::format("'{}' is no text of a kernel", path));
  list.front().file = path;
  return list;
}

base::Result<KernelDump> choose_dump(const std::vector<KernelDump>& all, const std::string& name,
                                     const std::string& path) {
  const auto shown = [](const KernelDump& d) {
    return fmt::format("{} ({}{}, {})", d.kernel, d.platform.empty() ? "platform unknown" : d.platform,
                       d.simd != 0 ? fmt::format(", SIMD{}", d.simd) : std::string(),
                       d.binary.empty() ? d.file : d.binary);
  };
  std::vector<const KernelDump*> fitting;
  std::vector<std::string> texts;
  std::vector<std::string_view> names;
  for (const KernelDump& d : all) {
    if (name.empty() || d.kernel == name) fitting.push_back(&d);
    names.push_back(d.kernel);
  }
  if (fitting.size() == 1) return *fitting.front();
  const base::Place place = base::Place::in_file(path);
  for (const KernelDump& d : all)
    if (fitting.empty() || name.empty() || d.kernel == name) texts.push_back(shown(d));
  if (fitting.empty()) {
    base::Diagnostic d = base::error("dump-kernels", fmt::format("'{}' has no kernel '{}'", path, name), place);
    const std::string_view near = base::nearest(name, names);
    if (!near.empty()) d.note(fmt::format("did you mean '{}'?", near));
    return std::move(d).note(fmt::format("it has: {}", fmt::join(texts, "; ")));
  }
  const bool one_name = std::ranges::all_of(fitting, [&](const auto* d) { return d->kernel == fitting[0]->kernel; });
  base::Diagnostic d = base::error(
      "dump-kernels",
      one_name ? fmt::format("kernel '{}' was compiled {} times into '{}'", fitting[0]->kernel, fitting.size(), path)
               : fmt::format("'{}' has {} kernels: --kernel NAME chooses one", path, fitting.size()),
      place);
  d.note(fmt::format("it has: {}", fmt::join(texts, "; ")));
  if (one_name) d.note("the file in parentheses means one of them: heddle run FILE");
  return d;
}

base::Result<DumpText> read_dump(const KernelDump& dump, const base::Limits& limits) {
  auto kernel = base::read_text(dump.file, limits);
  if (!kernel.ok()) return kernel.failure();
  DumpText result;
  result.parts.push_back({1, dump.file, std::make_shared<const std::string>(*kernel)});
  result.text = std::move(*kernel);
  if (!result.text.ends_with('\n')) result.text += '\n';
  std::set<std::string> wanted = called(result.text), known;
  std::map<std::string, std::pair<std::string, std::string>> functions;  // by name: file, text
  for (const std::string& file : dump.functions) {
    auto text = base::read_text(file, limits);
    if (!text.ok()) return text.failure();
    std::string name = name_behind(*text, ".global_function ");
    functions.try_emplace(std::move(name), file, std::move(*text));
  }
  auto lines = static_cast<std::uint32_t>(std::ranges::count(result.text, '\n'));
  while (!wanted.empty()) {
    const std::string name = *wanted.begin();
    wanted.erase(wanted.begin());
    const auto found = functions.find(name);
    if (found == functions.end() || !known.insert(name).second) continue;  // a variable, or what the text itself has
    auto& [file, text] = found->second;
    result.parts.push_back({lines + 1, file, std::make_shared<const std::string>(text)});
    for (const std::string& more : called(text))
      if (!known.contains(more)) wanted.insert(more);
    // One version for the whole text; the line stays, so that lines keep their distance.
    if (const std::size_t at = text.find(".version"); at != std::string::npos && (at == 0 || text[at - 1] == '\n'))
      text.replace(at, std::min(text.find('\n', at), text.size()) - at, "//");
    if (!text.ends_with('\n')) text += '\n';
    lines += static_cast<std::uint32_t>(std::ranges::count(text, '\n'));
    result.text += text;
  }
  return result;
}

}  // namespace heddle::job
