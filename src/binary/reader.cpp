// SPDX-License-Identifier: MIT
// Rules: ENC-1, ENC-2, ENC-4, ENC-9, ENC-37.
#include "binary/reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "binary/decode.hpp"
#include "binary/object_reader.hpp"

namespace heddle::binary {
namespace {

struct GenBinaryLocation {
  std::uint8_t platform;
  std::uint32_t offset, size;
};

/// An object as the header lists it.
struct Entry {
  isa::ObjectKind kind = isa::ObjectKind::Kernel;
  std::string name;
  std::uint8_t linkage = 0;
  std::uint32_t offset = 0, size = 0, input_offset = 0;
  std::vector<GenBinaryLocation> gen_binaries;
  bool overlaps = false;
};

struct Range {
  std::uint64_t begin = 0, end = 0;
  std::string what;
  Entry* entry = nullptr;
};

class Reader {
 public:
  Reader(std::span<const std::uint8_t> bytes, std::string file, const ReadOptions& options,
         base::Diagnostics& diagnostics)
      : bytes_(bytes), in_(bytes), options_(options), diagnostics_(diagnostics) {
    program_.file = std::move(file);
  }

  std::optional<isa::Program> run() {
    if (!version()) return std::nullopt;
    header();
    check_overlaps();
    read_objects();
    return std::move(program_);
  }

 private:
  void error(std::string_view id, std::string message, std::uint64_t at, std::uint32_t length) {
    diagnostics_.add(base::error(std::string(id), std::move(message), base::Place::binary(program_.file, at, length)));
  }
  void warning(std::string_view id, std::string message, std::uint64_t at, std::uint32_t length) {
    diagnostics_.add(
        base::warning(std::string(id), std::move(message), base::Place::binary(program_.file, at, length)));
  }
  bool truncated() {
    if (!in_.failed()) return false;
    error("visa-bin-truncated", "the file ends inside its header", in_.failed_at(), 0);
    return true;
  }

  bool version() {
    if (bytes_.size() > options_.limits.input_bytes) {
      diagnostics_.add(base::limit_error(
          "limit-input", fmt::format("the file has {} bytes, more than --max-input allows", bytes_.size()),
          base::Place::in_file(program_.file)));
      return false;
    }
    const auto magic = in_.take(4);
    if (magic.empty() || base::as_text(magic) != "CISA") {
      error("visa-bin-magic", "not a vISA container: the first four bytes are not \"CISA\"", 0, 4);
      return false;
    }
    program_.major = in_.u8();
    program_.minor = in_.u8();
    if (truncated()) return false;
    const unsigned key = version_key();
    const bool known = program_.minor < 10 && ((key >= 32 && key <= 39) || key == 40 || key == 41);
    if (!known) {
      error("visa-bin-version",
            fmt::format("container version {}.{} is not read: 3.2 to 4.1 are", program_.major, program_.minor), 4, 2);
      return false;
    }
    return true;
  }
  [[nodiscard]] unsigned version_key() const { return program_.major * 10u + program_.minor; }

  std::string name() {
    const std::size_t length = version_key() >= 37 ? in_.u16() : in_.u8();
    return std::string(base::as_text(in_.take(length)));
  }
  /// Tables of variables' and of functions' symbols. The text has no place for them.
  void relocations(const std::string& object) {
    const std::size_t at = in_.position();
    std::size_t count = 0;
    for (int table = 0; table < 2; ++table) {
      const std::size_t symbols = in_.u16();
      in_.take(symbols * 4);
      count += symbols;
    }
    if (count != 0 && !in_.failed())
      warning("visa-bin-relocation",
              fmt::format("{} relocation{} of object \"{}\" {} left out", count, count == 1 ? "" : "s", object,
                          count == 1 ? "is" : "are"),
              at, static_cast<std::uint32_t>(in_.position() - at));
  }

  void header() {
    const unsigned kernels = in_.u16();
    for (unsigned i = 0; i < kernels && !in_.failed(); ++i) {
      Entry entry;
      entry.name = name();
      entry.offset = in_.u32();
      entry.size = in_.u32();
      entry.input_offset = in_.u32();
      relocations(entry.name);
      for (unsigned gen = in_.u8(); gen > 0 && !in_.failed(); --gen) gen_binary(entry);
      if (!in_.failed()) entries_.push_back(std::move(entry));
    }
    if (truncated()) return;
    const std::size_t at = in_.position();
    const unsigned file_scope = in_.u16();
    if (file_scope != 0 && version_key() >= 34) {
      error("visa-bin-filescope", fmt::format("{} file-scope variables: only versions before 3.4 have any", file_scope),
            at, 2);
      header_end_ = in_.position();
      return;
    }
    for (unsigned n = 0; n < file_scope && !in_.failed(); ++n)
      if (!file_scope_variable()) return;
    const unsigned functions = in_.u16();
    for (unsigned i = 0; i < functions && !in_.failed(); ++i) {
      Entry entry;
      entry.kind = isa::ObjectKind::Function;
      entry.linkage = in_.u8();
      entry.name = name();
      entry.offset = in_.u32();
      entry.size = in_.u32();
      relocations(entry.name);
      if (!in_.failed()) entries_.push_back(std::move(entry));
    }
    header_end_ = in_.position();
    truncated();
  }

  /// Variables of the whole file, which old kernels name by aliases (ENC-37).
  bool file_scope_variable() {
    const std::size_t at = in_.position();
    isa::GeneralVariable v;
    v.position.offset = at;
    in_.u8();  // linkage
    v.name = std::string(base::as_text(in_.take(in_.u16())));
    const std::uint8_t type = in_.u8();
    v.type = static_cast<isa::Type>(type & 15u);
    v.align = static_cast<isa::Align>(type >> 4);
    v.elements = in_.u16();
    const unsigned attributes = in_.u8();
    if (truncated()) return false;
    if (attributes == 0 && type >> 4 <= 9) {
      file_scope_.push_back(std::move(v));
      return true;
    }
    error("visa-bin-filescope",
          fmt::format("file-scope variable \"{}\" has attributes or an unknown alignment", v.name), at, 0);
    header_end_ = in_.position();
    return false;
  }

  void gen_binary(Entry& entry) {
    const std::size_t at = in_.position();
    const GenBinaryLocation gen{in_.u8(), in_.u32(), in_.u32()};
    if (in_.failed()) return;
    if (std::uint64_t{gen.offset} + gen.size > bytes_.size())
      return error(
          "visa-bin-truncated",
          fmt::format("a Gen binary of {} bytes at {:#x} reaches past the end of the file", gen.size, gen.offset), at,
          9);
    gen_ranges_.push_back({gen.offset, std::uint64_t{gen.offset} + gen.size, "a Gen binary", nullptr});
    entry.gen_binaries.push_back(gen);
  }

  /// visa-bin-overlap: objects, header and Gen binaries are apart. An object that overlaps something is not read.
  void check_overlaps() {
    std::vector<Range> ranges = std::move(gen_ranges_);
    ranges.push_back({0, header_end_, "the header", nullptr});
    for (Entry& entry : entries_)
      ranges.push_back(
          {entry.offset, std::uint64_t{entry.offset} + entry.size, "object \"" + entry.name + "\"", &entry});
    std::sort(ranges.begin(), ranges.end(),
              [](const Range& a, const Range& b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
    const Range* last = nullptr;  // the one that reaches furthest so far
    for (const Range& range : ranges) {
      if (range.begin == range.end) continue;
      if (last != nullptr && range.begin < last->end) {
        overlaps_ = true;
        if (range.entry != nullptr) range.entry->overlaps = true;
        error("visa-bin-overlap", fmt::format("{} overlaps {}", range.what, last->what), range.begin, 0);
      }
      if (last == nullptr || range.end > last->end) last = &range;
    }
  }

  void read_objects() {
    std::vector<ObjectParts> parts;
    for (const Entry& entry : entries_) {
      if (entry.overlaps) continue;
      if (entry.offset > bytes_.size()) {
        error("visa-bin-truncated",
              fmt::format("object \"{}\" starts at {:#x}, behind the end of the file", entry.name, entry.offset),
              bytes_.size(), 0);
        continue;
      }
      const ObjectLocation location{entry.kind,         entry.offset,       entry.size,
                                    entry.input_offset, file_scope_.size(), !entry.gen_binaries.empty()};
      ObjectParts object = read_object(bytes_, location, version_key(), program_.file, options_, diagnostics_);
      object.object.linkage = entry.linkage;
      if (options_.keep_gen_binaries && !overlaps_) copy_gen_binaries(entry, object.object);
      if (object.object.name.empty()) object.object.name = entry.name;
      parts.push_back(std::move(object));
    }
    decode(parts);
    const bool functions =
        std::ranges::any_of(entries_, [](const Entry& entry) { return entry.kind == isa::ObjectKind::Function; });
    if (functions && !file_scope_.empty())
      error("visa-bin-filescope",
            fmt::format("{} file-scope variables, which kernels share with functions: only kernels alone can have them",
                        file_scope_.size()),
            header_end_, 0);
    for (ObjectParts& object : parts) {
      import_file_scope(object.object);
      define_labels(object.object);
      program_.objects.push_back(std::move(object.object));
    }
  }

  /// ENC-37: a kernel that names file-scope variables gets copies of all of them in front of its own variables, whose
  /// numbers move.
  void import_file_scope(isa::Object& object) const {
    const auto is_alias = [](const isa::GeneralVariable& v) { return v.alias_scope != 0; };
    if (file_scope_.empty() || std::ranges::none_of(object.variables, is_alias)) return;
    const auto count = static_cast<std::uint32_t>(file_scope_.size());
    const auto moved = [count](std::uint32_t id) { return id >= isa::kFirstVariable ? id + count : id; };
    for (isa::GeneralVariable& v : object.variables) {
      v.alias = is_alias(v) ? isa::kFirstVariable + v.alias : moved(v.alias);
      v.alias_scope = 0;
    }
    for (isa::Input& input : object.inputs)
      if (input.kind() == isa::InputKind::General) input.id = moved(input.id);
    for (isa::Operand& o : object.operands)
      if (o.kind == isa::OperandKind::Raw || o.kind == isa::OperandKind::General ||
          o.kind == isa::OperandKind::AddressOf)
        o.id = moved(o.id);
    object.variables.insert(object.variables.begin(), file_scope_.begin(), file_scope_.end());
  }

  void copy_gen_binaries(const Entry& entry, isa::Object& object) const {
    for (const GenBinaryLocation& gen : entry.gen_binaries) {
      const auto data = bytes_.subspan(gen.offset, gen.size);
      object.gen_binaries.push_back({gen.platform, {data.begin(), data.end()}});
    }
  }

  struct Attempt {
    base::Diagnostics diagnostics;
    std::uint64_t reached = 0;  ///< decoded bytes of all objects
    std::size_t wrong = 0;
    bool complete = true;
  };

  Attempt decode_as(std::vector<ObjectParts>& parts, isa::Dialect dialect) {
    Attempt attempt{base::Diagnostics(options_.limits.diagnostics)};
    std::uint64_t budget = options_.limits.instructions;
    for (ObjectParts& object : parts) {
      object.object.instructions.clear();
      object.object.operands.clear();
      object.object.strings.clear();
      if (!object.usable) continue;
      CodeContext context{program_.file};
      context.minor_key = version_key();
      context.dialect = dialect;
      context.lenient = options_.lenient;
      context.document_codes = options_.document_codes;
      context.grf_bytes = options_.platform ? isa::platform_info(*options_.platform).grf_bytes : 32u;
      context.instruction_limit = budget;
      StringUse strings{object.pool, {}};
      const CodeResult result =
          decode_code(object.code, object.code_offset, context, object.object, strings, attempt.diagnostics);
      budget -= object.object.instructions.size();
      attempt.reached += result.reached - object.code_offset;
      attempt.wrong += result.wrong;
      attempt.complete = attempt.complete && result.complete;
    }
    return attempt;
  }

  /// ENC-9: the file is in the 12504 dialect when that decodes everything, else in the newer one when that does;
  /// when neither does, the attempt that got further speaks.
  void decode(std::vector<ObjectParts>& parts) {
    const bool forced = options_.dialect != DialectChoice::Auto;
    program_.dialect = options_.dialect == DialectChoice::Newer ? isa::Dialect::Newer : isa::Dialect::Igc12504;
    Attempt first = decode_as(parts, program_.dialect);
    const bool good = first.complete && first.wrong == 0;
    if (forced || good || version_key() < 38 || first.diagnostics.hit_limit()) return report(first.diagnostics);
    Attempt second = decode_as(parts, isa::Dialect::Newer);
    const bool second_good = second.complete && second.wrong == 0;
    if (second_good || second.reached > first.reached) {
      program_.dialect = isa::Dialect::Newer;
      diagnostics_.append(second.diagnostics);
      if (second_good)
        diagnostics_.add(base::remark("visa-text-paired-surface",
                                      "read as the dialect of newer tools: null paired surfaces are dropped",
                                      base::Place::in_file(program_.file)));
      return;
    }
    decode_as(parts, isa::Dialect::Igc12504);
    report(first.diagnostics);
  }

  /// What was found. The dumps of Intel's OpenCL compiler lack operands, so that nothing behind the first one makes
  /// sense: one message says so. They are known by the path of the assembly that they would be written to.
  void report(const base::Diagnostics& found) {
    if (!found.has_errors() || base::as_text(bytes_).find("OCL_asm") == std::string_view::npos)
      return diagnostics_.append(found);
    const auto first = std::ranges::find(found.all(), base::Severity::Error, &base::Diagnostic::severity);
    base::Diagnostic d = *first;
    d.message = fmt::format("operands are missing from here on ({})", first->message);
    d.note("the .isa files that Intel's OpenCL compiler dumps lack operands; the .visaasm file beside it is complete");
    d.note(
        "both come from: IGC_ShaderDumpEnable=1 IGC_DumpToCustomDir=$PWD/dump ocloc compile -file k.cl -device skl "
        "-out_dir bin --format zebin");
    diagnostics_.add(std::move(d));
  }

  /// visa-text-label: a label is defined once, and one that is named is defined (calls of other files' functions
  /// excepted).
  void define_labels(isa::Object& object) {
    for (std::size_t i = 0; i < object.instructions.size(); ++i) {
      const isa::Instruction& instruction = object.instructions[i];
      if (instruction.description->slots.size() != 1 || instruction.description->has_exec ||
          instruction.description->slots[0].kind != isa::SlotKind::Label)
        continue;
      const std::uint32_t id = object.operands_of(instruction)[0].id;
      if (id >= object.labels.size()) continue;
      isa::Label& label = object.labels[id];
      if (label.instruction)
        error("visa-text-label", fmt::format("label {} is defined twice", label.name), instruction.position.offset, 0);
      else
        label.instruction = static_cast<std::uint32_t>(i);
    }
    std::vector<bool> reported(object.labels.size());
    for (const isa::Instruction& instruction : object.instructions)
      for (const isa::Operand& operand : object.operands_of(instruction)) {
        if (operand.kind != isa::OperandKind::Label || operand.id >= object.labels.size()) continue;
        const isa::Label& label = object.labels[operand.id];
        if (label.instruction || label.kind == isa::LabelKind::FcCall || reported[operand.id]) continue;
        reported[operand.id] = true;
        error("visa-text-label", fmt::format("label {} is not defined", label.name), instruction.position.offset, 0);
      }
  }

  std::vector<Range> gen_ranges_;
  std::vector<Entry> entries_;
  std::vector<isa::GeneralVariable> file_scope_;
  std::span<const std::uint8_t> bytes_;
  base::ByteCursor in_;
  const ReadOptions& options_;
  base::Diagnostics& diagnostics_;
  isa::Program program_;
  std::uint64_t header_end_ = 0;
  bool overlaps_ = false;
};

}  // namespace

std::optional<isa::Program> read(std::span<const std::uint8_t> bytes, std::string file, const ReadOptions& options,
                                 base::Diagnostics& diagnostics) {
  return Reader(bytes, std::move(file), options, diagnostics).run();
}

}  // namespace heddle::binary
