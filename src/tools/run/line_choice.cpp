// SPDX-License-Identifier: MIT
#include "tools/run/line_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "isa/description.hpp"
#include "isa/source_map.hpp"
#include "tools/command_line/numbers.hpp"

namespace heddle::tools {
namespace {

struct Range {
  std::string file;
  std::uint32_t first = 0, last = 0;
};

std::optional<Range> range_of(const std::string& text) {
  Range r;
  std::string lines = text;
  if (const std::size_t colon = text.rfind(':'); colon != std::string::npos) {
    r.file = text.substr(0, colon);
    lines = text.substr(colon + 1);
    if (r.file.empty()) return std::nullopt;
  }
  const std::size_t dash = lines.find('-');
  const auto first = parse_number<std::uint32_t>(lines.substr(0, dash));
  const auto last = dash == std::string::npos ? first : parse_number<std::uint32_t>(lines.substr(dash + 1));
  if (!first || !last || *first > *last) return std::nullopt;
  r.first = *first, r.last = *last;
  return r;
}

/// The whole name, or its end: "scene.frag" is "shaders/scene.frag".
bool names(std::string_view file, std::string_view word) {
  if (!file.ends_with(word)) return false;
  return file.size() == word.size() || file[file.size() - word.size() - 1] == '/' || word.starts_with('/');
}

/// The instructions of one program.
class Chooser {
 public:
  Chooser(const VisaFile& file, const Range& range, bool last) : file_(file), range_(range), last_(last) {}

  void choose(bool of_source, std::unordered_set<const isa::Instruction*>& set) {
    if (!file_.program) return;
    for (const isa::Object& object : file_.program->objects) {
      const isa::SourceMap sources(object);
      const isa::Instruction* before = nullptr;
      for (const isa::Instruction& i : object.instructions) {
        if (i.description->traits.flow == isa::FlowKind::Remark || i.description->traits.flow == isa::FlowKind::Label)
          continue;
        const bool hit = of_source ? in_source(sources, i) : in_text(i);
        if (hit && !(last_ && of_source)) set.insert(&i);
        if (last_ && of_source && before != nullptr && !hit) set.insert(before);
        before = hit ? &i : nullptr;
      }
      if (last_ && of_source && before != nullptr) set.insert(before);
    }
  }
  std::set<std::uint32_t> known;  ///< lines of the file that instructions come from
  bool knows_file = false;

 private:
  bool in_source(const isa::SourceMap& sources, const isa::Instruction& i) {
    const auto source = sources.find(i);
    if (!source) return false;
    const std::string& wanted = range_.file.empty() ? file_.source_name : range_.file;
    if (wanted != "-" && !names(source->file, wanted) && !names(wanted, source->file)) return false;
    knows_file = true;
    known.insert(source->line);
    return source->line >= range_.first && source->line <= range_.last;
  }
  bool in_text(const isa::Instruction& i) {
    if (i.position.line == 0) return false;
    base::Place place = base::Place::text(file_.name, i.position.line, 1);
    job::place_in_part(place, file_.name, file_.parts);
    if (range_.file.empty() ? place.file != file_.name && !file_.parts.empty() && place.file != file_.parts[0].file
                            : !names(place.file, range_.file))
      return false;
    knows_file = true;
    return place.line >= range_.first && place.line <= range_.last;
  }

  const VisaFile& file_;
  const Range& range_;
  bool last_;
};

}  // namespace

base::Result<LineChoice> choose_lines(const std::string& flag, const std::string& text, const RunPrograms& programs,
                                      const RunOptions& options, bool last) {
  const auto wrong = [&](const std::string& why) { return base::error("usage-flag", fmt::format("{} {}", flag, why)); };
  const auto range = range_of(text);
  if (!range)
    return wrong(last ? "takes 'end', a line of the program, or FILE:LINE"
                      : "takes A or A-B, A no greater than B, or FILE:A-B");
  LineChoice choice;
  choice.instructions = std::make_shared<std::unordered_set<const isa::Instruction*>>();
  choice.text = range->file.empty() ? fmt::format("line {}", text) : text;
  std::set<std::uint32_t> known;
  bool knows_file = false;
  for (const VisaFile* file : programs.all()) {
    Chooser chooser(*file, *range, last);
    const bool shader = !file->source_name.empty() && options.keep.empty();
    if (range->file.empty()) {
      chooser.choose(shader, *choice.instructions);
      if (shader && file == &programs.main && file->source_name != "-")
        choice.text = fmt::format("{}:{}", file->source_name.substr(file->source_name.find_last_of('/') + 1), text);
    } else {
      chooser.choose(false, *choice.instructions);
      chooser.choose(true, *choice.instructions);
    }
    knows_file = knows_file || chooser.knows_file;
    known.insert(chooser.known.begin(), chooser.known.end());
    if (range->file.empty()) break;  // the main program's
  }
  if (!choice.instructions->empty()) return choice;
  if (!range->file.empty() && !knows_file)
    return wrong(fmt::format("{}: no instruction comes from a file '{}'", text, range->file));
  if (!known.empty())
    return wrong(
        fmt::format("{}: no instruction comes from there; lines that have some: {}", text, fmt::join(known, " ")));
  return choice;
}

}  // namespace heddle::tools
