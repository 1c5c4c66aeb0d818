// SPDX-License-Identifier: MIT
// heddle judge: recorded answers of a device beside what the texts allow.
// Rules: BND-16.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "base/file.hpp"
#include "tools/batch/batch.hpp"
#include "tools/batch/bounds_call.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/command_line/numbers.hpp"
#include "tools/commands.hpp"

namespace heddle::tools {
namespace {

namespace bounds = texture::bounds;

struct JudgeOptions {
  Common common;
  std::string recorded, requests, api = "vulkan", format_word = "text";
  unsigned sub_texel_bits = 0, mipmap_bits = 0, findings = 20;
  bool edges = false;
};

struct Line {
  std::string_view text;
  std::uint64_t number = 0;
};

/// The lines that are not blank.
std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  std::uint64_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    ++number;
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.push_back({line, number});
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// An answer that is not all inside.
struct Finding {
  std::uint64_t line = 0;  ///< of the answers
  std::string id;          ///< JSON
  JudgedValue value;
};

struct Skipped {
  std::uint64_t line = 0;
  std::string reason;
};

/// Everything that is said at the end.
struct Summary {
  std::uint64_t answers = 0, inside = 0, edge = 0, outside = 0;
  std::uint64_t unanswered = 0;                                    ///< requests
  std::map<std::string_view, std::array<std::uint64_t, 2>> rules;  ///< at the edge, outside
  std::vector<Finding> findings;
  std::vector<Skipped> skipped;
};

/// Requests and definitions while they come, and the answers to them.
class Judge {
 public:
  Judge(const JudgeOptions& options, const bounds::Options& freedom)
      : options_(options), freedom_(freedom), batch_(options.common.limits) {}

  /// A line of the requests, or of a file that has both. False after a message.
  [[nodiscard]] bool add(const std::string& file, const Line& line, bool answers_too) {
    const auto node = base::parse_json(line.text, file, options_.common.limits);
    if (!node.ok() || node->kind != base::Node::Kind::Table)
      return complain(file, line, "batch-json", "the line is no JSON object");
    if (node->find("define") != nullptr) return define(file, line);
    if (node->find("op") != nullptr) {
      // Names mean what they mean here, whatever a later line makes of them.
      requests_.push_back({id_of(*node).value_or("null"), batch_.allowed(line.text, freedom_)});
      ++summary_.unanswered;
      return true;
    }
    if (!answers_too) return complain(file, line, "judge-line", "a line of the requests has 'op' or 'define'");
    answer(line, *node);
    return true;
  }
  /// A line of the answers.
  [[nodiscard]] bool add_answer(const std::string& file, const Line& line) {
    const auto node = base::parse_json(line.text, file, options_.common.limits);
    if (!node.ok() || node->kind != base::Node::Kind::Table)
      return complain(file, line, "batch-json", "the line is no JSON object");
    if (node->find("defined") == nullptr) answer(line, *node);  // what batch says to a definition
    return true;
  }
  [[nodiscard]] const Summary& summary() const { return summary_; }

 private:
  struct Request {
    std::string id;
    AllowedAnswers allowed;
    bool answered = false;
  };

  static bool complain(const std::string& file, const Line& line, std::string id, std::string message) {
    base::Place place;
    place.kind = base::Place::Kind::Text;
    place.file = file;
    place.line = static_cast<std::uint32_t>(line.number);
    place.column = 1;
    print_diagnostics({base::error(std::move(id), std::move(message), place)});
    return false;
  }

  bool define(const std::string& file, const Line& line) {
    std::string text;
    if (batch_.answer(line.text, line.number, text)) return true;
    const auto answer = base::parse_json(text, "", options_.common.limits);
    const base::Node* error = answer.ok() ? answer->find("error") : nullptr;
    const base::Node* message = error != nullptr ? error->find("message") : nullptr;
    return complain(file, line, "judge-define", message != nullptr ? message->text : "the definition is wrong");
  }

  /// The request that an answer belongs to: the next one where the id fits, else the first of the same id, one without
  /// an answer before the others.
  Request* request_of(const base::Node& answer) {
    const std::string id = id_of(answer).value_or("null");
    const std::size_t at = next_++;
    if (at < requests_.size() && (requests_[at].id == id || id == "null")) return &requests_[at];
    if (id == "null") return nullptr;
    auto same = std::ranges::find_if(requests_, [&](const Request& r) { return r.id == id && !r.answered; });
    if (same == requests_.end()) same = std::ranges::find(requests_, id, &Request::id);
    return same == requests_.end() ? nullptr : &*same;
  }

  void answer(const Line& line, const base::Node& node) {
    ++summary_.answers;
    Request* request = request_of(node);
    if (request == nullptr) {
      summary_.skipped.push_back({line.number, !requests_.empty() ? "no request has its id"
                                               : options_.requests.empty()
                                                   ? "no request stands before it; --requests names a file of them"
                                                   : "the file of --requests has no request"});
      return;
    }
    if (!request->answered) --summary_.unanswered;
    request->answered = true;
    Judgement judgement = judge_answer(request->allowed, node);
    if (!judgement.why_not.empty()) {
      summary_.skipped.push_back({line.number, std::move(judgement.why_not)});
      return;
    }
    summary_.inside += judgement.inside;
    summary_.edge += judgement.edge;
    summary_.outside += judgement.outside;
    for (JudgedValue& value : judgement.found) {
      const bool outside = value.verdict == bounds::Verdict::Outside;
      ++summary_.rules[value.rule][outside ? 1 : 0];
      if (outside || options_.edges) summary_.findings.push_back({line.number, request->id, std::move(value)});
    }
  }

  const JudgeOptions& options_;
  bounds::Options freedom_;
  Batch batch_;
  std::vector<Request> requests_;
  std::size_t next_ = 0;
  Summary summary_;
};

std::string finding_text(const std::string& file, const Finding& f) {
  return fmt::format("{}:{}: id {}: lane {}, {} is {}, {} [{}, {}] ({})\n", file, f.line, f.id, f.value.lane,
                     f.value.channel, f.value.value,
                     f.value.verdict == bounds::Verdict::Outside ? "outside" : "at the edge of", f.value.low,
                     f.value.high, f.value.rule);
}

void print_text(const JudgeOptions& o, const Summary& s) {
  std::string text;
  const std::size_t shown = std::min<std::size_t>(s.findings.size(), o.findings);
  for (std::size_t k = 0; k < shown; ++k) text += finding_text(o.recorded, s.findings[k]);
  if (shown < s.findings.size())
    text += fmt::format("and {} more (--findings {})\n", s.findings.size() - shown, s.findings.size());
  for (std::size_t k = 0; k < std::min<std::size_t>(s.skipped.size(), o.findings); ++k)
    text += fmt::format("{}:{}: not judged: {}\n", o.recorded, s.skipped[k].line, s.skipped[k].reason);
  text += fmt::format("{} answers: {} values inside, {} at the edge, {} outside; {} answers not judged\n", s.answers,
                      s.inside, s.edge, s.outside, s.skipped.size());
  for (const auto& [rule, counts] : s.rules)
    text += fmt::format("  {}: {} at the edge, {} outside\n", rule, counts[0], counts[1]);
  if (s.unanswered != 0)
    text += fmt::format("{} no answer\n",
                        s.unanswered == 1 ? "1 request has" : fmt::format("{} requests have", s.unanswered));
  print(text);
}

/// An end of an interval as JSON has it: null where there is none.
std::string end_text(double end) { return std::isfinite(end) ? fmt::format("{}", end) : "null"; }

void print_json(const JudgeOptions& o, const Summary& s) {
  std::string text = fmt::format(
      "{{\"answers\":{},\"inside\":{},\"edge\":{},\"outside\":{},\"not_judged\":{},\"unanswered\":{},\"rules\":{{",
      s.answers, s.inside, s.edge, s.outside, s.skipped.size(), s.unanswered);
  bool first = true;
  for (const auto& [rule, counts] : s.rules) {
    text += fmt::format("{}\"{}\":{{\"edge\":{},\"outside\":{}}}", first ? "" : ",", rule, counts[0], counts[1]);
    first = false;
  }
  text += "},\"findings\":[";
  for (std::size_t k = 0; k < std::min<std::size_t>(s.findings.size(), o.findings); ++k) {
    const Finding& f = s.findings[k];
    text += fmt::format(
        "{}{{\"line\":{},\"id\":{},\"lane\":{},\"channel\":\"{}\",\"verdict\":\"{}\",\"value\":{},\"low\":{},"
        "\"high\":{},\"rule\":\"{}\"}}",
        k == 0 ? "" : ",", f.line, f.id, f.value.lane, f.value.channel, bounds::name_of(f.value.verdict),
        base::json_quote(f.value.value), end_text(f.value.low), end_text(f.value.high), f.value.rule);
  }
  text += "],\"skipped\":[";
  for (std::size_t k = 0; k < std::min<std::size_t>(s.skipped.size(), o.findings); ++k)
    text += fmt::format("{}{{\"line\":{},\"reason\":{}}}", k == 0 ? "" : ",", s.skipped[k].line,
                        base::json_quote(s.skipped[k].reason));
  print(text + "]}\n");
}

std::optional<std::string> text_of(const std::string& path, const base::Limits& limits, base::ExitCode& code) {
  auto text = base::read_text(path, limits);
  if (text.ok()) return *std::move(text);
  print_diagnostics(text.diagnostics());
  code = exit_code(text.diagnostics());
  return std::nullopt;
}

base::ExitCode run_judge(const JudgeOptions& o) {
  bounds::Options freedom;
  freedom.api = *bounds::find_api(o.api);
  for (const unsigned bits : {o.sub_texel_bits, o.mipmap_bits})
    if (bits > 16) {
      print_diagnostics({base::error("usage-flag", "--sub-texel-bits and --mipmap-bits are 1 to 16")});
      return base::ExitCode::Usage;
    }
  freedom.sub_texel_bits = o.sub_texel_bits;
  freedom.mipmap_bits = o.mipmap_bits;
  base::ExitCode code = base::ExitCode::Done;
  const auto recorded = text_of(o.recorded, o.common.limits, code);
  const bool apart = !o.requests.empty();
  const auto requests = apart && recorded ? text_of(o.requests, o.common.limits, code) : std::optional<std::string>("");
  if (!recorded || !requests) return code;
  Judge judge(o, freedom);
  bool good = true;
  for (const Line& line : lines_of(*requests)) good = good && judge.add(o.requests, line, false);
  for (const Line& line : lines_of(*recorded))
    good = good && (apart ? judge.add_answer(o.recorded, line) : judge.add(o.recorded, line, true));
  if (!good) return base::ExitCode::WrongInput;
  if (format_of(o.format_word) == OutputFormat::Json)
    print_json(o, judge.summary());
  else
    print_text(o, judge.summary());
  const Summary& s = judge.summary();
  return s.outside != 0 || s.unanswered != 0 || !s.skipped.empty() ? base::ExitCode::WrongInput : base::ExitCode::Done;
}

}  // namespace

void add_judge(Commands& commands) {
  const auto o = std::make_shared<JudgeOptions>();
  Command c =
      commands.add("judge", "recorded answers of a device: inside, at the edge of or outside what Vulkan allows");
  c.example("heddle judge recorded.jsonl --requests asked.jsonl", "answers as heddle batch writes them");
  c.example("heddle judge both.jsonl --sub-texel-bits 8 --format json",
            "a file with definitions, requests and answers");
  c.option("recorded", o->recorded, "JSON lines with answers; without --requests, definitions and requests before them")
      .required();
  c.option("--requests", o->requests, "the definitions and requests that were answered").value_name("FILE");
  c.option("--api", o->api, "whose rules decide").one_of({"vulkan", "d3d11", "webgpu"}).shows_default();
  c.option("--sub-texel-bits", o->sub_texel_bits, "subTexelPrecisionBits of the device; default: the least allowed");
  c.option("--mipmap-bits", o->mipmap_bits, "mipmapPrecisionBits of the device; default: the least allowed");
  c.flag("--edges", o->edges, "list what lies at the edge too");
  c.option("--findings", o->findings, "list so many at most").shows_default();
  format_option(c, o->format_word, "form of the report");
  c.footer(
      "Exit code 1: an answer lies outside, is missing, or could not be judged. docs/rules/bounds.md has the rules.");
  common_options(c, o->common);
  surface_limits(c, o->common);
  c.runs([o] { return run_judge(*o); });
}

}  // namespace heddle::tools
