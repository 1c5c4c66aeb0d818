// SPDX-License-Identifier: MIT
// Assembling and reading large generated kernels, side by side with GenX_IR's parse in interleaved rounds; and the cost
// for each instruction as files grow. Options: --heddle PROGRAM, --markdown FILE, --all (5 million instructions too),
// --rounds N.
//
// GenX_IR's parse alone: an unknown mnemonic on the last line ends the tool after it has read, and built its
// representation of, everything before. Heddle's figures are whole processes too: `heddle as` from text to a
// written container, and reading that container into a program (this program with --read).
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include "base/file.hpp"
#include "binary/reader.hpp"
#include "support/measure.hpp"
#include "toolchain/generate.hpp"

namespace heddle::bench {
namespace {

namespace fs = std::filesystem;

int read_container(const std::string& path) {
  base::Limits limits;
  const auto bytes = base::read_file(path, limits);
  if (!bytes) return 1;
  base::Diagnostics problems;
  const auto program = binary::read(*bytes, path, {}, problems);
  if (!program || problems.has_errors()) return 1;
  std::fflush(nullptr);
  std::_Exit(0);  // as the heddle program, which also ends without taking the program apart
}

struct Folder {
  fs::path path;
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "heddle-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path.empty()) fs::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

bool write_generated(const fs::path& path, Mix mix, std::uint64_t count, bool error_at_end) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  generate(file, mix, count, error_at_end);
  return std::fclose(file) == 0;
}

class Bench {
 public:
  Bench(Options options, unsigned rounds) : options_(std::move(options)), rounds_(rounds) {
    heddle_ = options_.heddle.find('/') == std::string::npos ? options_.heddle : fs::absolute(options_.heddle).string();
    self_ = fs::read_symlink("/proc/self/exe").string();
  }

  int run() {
    if (folder_.path.empty()) return fail("no temporary folder");
    section_.paragraph(
        fmt::format("Medians of {} interleaved rounds. GenX_IR's parse alone: an unknown mnemonic on the last line "
                    "stops it there. Heddle: whole "
                    "processes, `heddle as` from text to the written container, and reading that container. Ratios are "
                    "GenX_IR / Heddle. "
                    "Wanted: at least 10 in time, 4 in memory.",
                    rounds_));
    std::vector<std::vector<std::string>> rows{
        {"100,000 instructions", "time", "CPU time", "peak memory", "time ratio", "CPU ratio", "memory ratio"}};
    if (!compare(Mix::Mixed, "mixed", rows) || !compare(Mix::Image, "image", rows)) return 1;
    section_.table(rows);

    section_.paragraph("Cost for each instruction (mixed) as files grow:");
    std::vector<std::vector<std::string>> growth{
        {"instructions", "as, time", "as, each", "as, memory each", "read, time", "read, each", "read, memory each"}};
    for (const std::uint64_t count : {std::uint64_t{100'000}, std::uint64_t{1'000'000}, std::uint64_t{5'000'000}}) {
      if (count > 1'000'000 && !options_.all) continue;
      if (!grow(count, growth)) return 1;
    }
    section_.table(growth);
    return section_.finish(options_.markdown) ? 0 : fail("cannot write the Markdown file");
  }

 private:
  static int fail(const std::string& why) {
    std::fprintf(stderr, "bench toolchain: %s\n", why.c_str());
    return 1;
  }
  Usage assemble(const std::string& stem) {
    return run_process({heddle_, "as", stem + ".visaasm", "-o", stem + ".isa"}, folder_.path);
  }
  Usage read(const std::string& stem) { return run_process({self_, "--read", stem + ".isa"}, folder_.path); }

  bool compare(Mix mix, const std::string& name, std::vector<std::vector<std::string>>& rows) {
    constexpr std::uint64_t kCount = 100'000;
    const fs::path good = folder_.path / (name + ".visaasm"), bad = folder_.path / (name + "-stop.visaasm");
    if (!write_generated(good, mix, kCount, false) || !write_generated(bad, mix, kCount, true))
      return fail("cannot write to " + folder_.path.string()), false;
    std::vector<Usage> theirs, as, reads;
    bool have_peer = true;
    for (unsigned round = 0; round < rounds_; ++round) {
      if (have_peer) {
        theirs.push_back(run_process({"GenX_IR", bad.string(), "-platform", "SKL"}, folder_.path));
        have_peer = theirs.back().seconds > 0;
      }
      as.push_back(assemble(name));
      reads.push_back(read(name));
      if (as.back().exit_code != 0) return fail("heddle as refused the generated " + name + " kernel"), false;
      if (reads.back().exit_code != 0)
        return fail("the container of the generated " + name + " kernel could not be read"), false;
    }
    const Usage peer = median(theirs), a = median(as), r = median(reads);
    const auto row = [&](const std::string& what, const Usage& u, bool ratios) {
      std::vector<std::string> cells{name + ": " + what, format_seconds(u.seconds), format_seconds(u.cpu_seconds),
                                     format_bytes(static_cast<double>(u.peak_bytes))};
      if (ratios && have_peer) {
        cells.push_back(format_number(peer.seconds / u.seconds));
        cells.push_back(format_number(peer.cpu_seconds / u.cpu_seconds));
        cells.push_back(format_number(static_cast<double>(peer.peak_bytes) / static_cast<double>(u.peak_bytes)));
      }
      rows.push_back(std::move(cells));
    };
    if (have_peer)
      row("GenX_IR parse", peer, false);
    else
      std::fprintf(stderr, "bench toolchain: GenX_IR is not installed (libigc-tools); no ratios\n");
    row("heddle as", a, true);
    row("reading its .isa", r, true);
    Usage both;
    both.seconds = a.seconds + r.seconds;
    both.cpu_seconds = a.cpu_seconds + r.cpu_seconds;
    both.peak_bytes = std::max(a.peak_bytes, r.peak_bytes);
    row("as and reading together", both, true);
    return true;
  }

  bool grow(std::uint64_t count, std::vector<std::vector<std::string>>& rows) {
    const std::string stem = "grow";
    if (!write_generated(folder_.path / (stem + ".visaasm"), Mix::Mixed, count, false))
      return fail("cannot write to " + folder_.path.string()), false;
    std::vector<Usage> as, reads;
    for (unsigned round = 0; round < (count > 1'000'000 ? 1u : 3u); ++round) {
      as.push_back(assemble(stem));
      reads.push_back(read(stem));
      if (as.back().exit_code != 0 || reads.back().exit_code != 0)
        return fail(fmt::format("{} instructions: heddle failed", count)), false;
    }
    const Usage a = median(as), r = median(reads);
    const auto each = static_cast<double>(count);
    rows.push_back({fmt::format("{}", count), format_seconds(a.seconds), format_seconds(a.seconds / each),
                    format_number(static_cast<double>(a.peak_bytes) / each) + " B", format_seconds(r.seconds),
                    format_seconds(r.seconds / each), format_number(static_cast<double>(r.peak_bytes) / each) + " B"});
    return true;
  }

  Options options_;
  unsigned rounds_;
  std::string heddle_, self_;
  Folder folder_;
  Section section_{"vISA toolchain against GenX_IR"};
};

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {
  using namespace heddle::bench;
  const Options options = parse_options(argc, argv, {"--rounds N", "--read FILE", "--generate N", "image"});
  unsigned rounds = 5;
  for (std::size_t i = 0; i + 1 < options.rest.size(); ++i) {
    const std::string& value = options.rest[i + 1];
    if (options.rest[i] == "--read") return read_container(value);
    if (options.rest[i] == "--rounds")
      rounds = std::max(1u, static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10)));
    if (options.rest[i] == "--generate") {  // for looking at the text, or profiling with it
      generate(stdout, options.rest.size() > i + 2 && options.rest[i + 2] == "image" ? Mix::Image : Mix::Mixed,
               std::strtoull(value.c_str(), nullptr, 10), false);
      return 0;
    }
  }
  return Bench(options, rounds).run();
}
