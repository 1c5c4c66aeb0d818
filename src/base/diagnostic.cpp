// SPDX-License-Identifier: MIT
#include "base/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/internal_error.hpp"

namespace heddle::base {

Place Place::in_file(std::string file) {
  Place place;
  place.kind = Kind::File;
  place.file = std::move(file);
  return place;
}

Place Place::command_line(std::string_view flag) {
  return in_file(flag.empty() ? "command line" : fmt::format("command line, {}", flag));
}

bool Place::on_command_line() const {
  return kind == Kind::File && (file == "command line" || file.starts_with("command line, --"));
}

Place Place::text(std::string file, std::uint32_t line, std::uint32_t column, std::uint32_t length) {
  Place place;
  place.kind = Kind::Text;
  place.file = std::move(file);
  place.line = line;
  place.column = column;
  place.length = length;
  return place;
}

Place Place::binary(std::string file, std::uint64_t offset, std::uint32_t length) {
  Place place;
  place.kind = Kind::Binary;
  place.file = std::move(file);
  place.offset = offset;
  place.length = length;
  return place;
}

Place Place::at_instruction(std::string file, std::string object, std::uint32_t index) {
  Place place;
  place.kind = Kind::Instruction;
  place.file = std::move(file);
  place.object = std::move(object);
  place.instruction = index;
  return place;
}

namespace {

Diagnostic make(Severity severity, std::string id, std::string message, Place place) {
  Diagnostic d;
  d.severity = severity;
  d.id = std::move(id);
  d.message = std::move(message);
  d.place = std::move(place);
  return d;
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::Note:
      return "note";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      return "error";
  }
  return "error";
}

std::string place_prefix(const Place& place) {
  switch (place.kind) {
    case Place::Kind::None:
      return {};
    case Place::Kind::File:
      return place.file + ": ";
    case Place::Kind::Text:
      if (place.column == 0) return fmt::format("{}:{}: ", place.file, place.line);
      return fmt::format("{}:{}:{}: ", place.file, place.line, place.column);
    case Place::Kind::Binary:
      return fmt::format("{}:0x{:04x}: ", place.file, place.offset);
    case Place::Kind::Instruction:
      return fmt::format("{}: {}: instruction {}: ", place.file, place.object, place.instruction);
  }
  return {};
}

/// Finds lines of the files that messages name; each file is walked once, however many messages point into it.
class Lines {
 public:
  explicit Lines(const SourceLookup& source) : source_(source) {}

  std::string_view line(const std::string& file, std::uint32_t number) {
    if (!source_ || number == 0) return {};
    if (!known_ || file != file_) {
      known_ = true;
      file_ = file;
      text_ = source_(file);
      starts_.assign(1, 0);
    }
    while (starts_.size() < number) {
      const std::size_t end = text_.find('\n', starts_.back());
      if (end == std::string_view::npos) return {};
      starts_.push_back(end + 1);
    }
    const std::size_t start = starts_[number - 1];
    std::string_view result = text_.substr(start, text_.find('\n', start) - start);
    if (!result.empty() && result.back() == '\r') result.remove_suffix(1);
    return result;
  }

 private:
  const SourceLookup& source_;
  bool known_ = false;
  std::string file_;
  std::string_view text_;
  std::vector<std::size_t> starts_;  ///< of lines 1, 2 ... as far as they were needed
};

/// The source line (a window of it when it is long) and the carets under it.
std::string excerpt(const Place& place, Lines& lines) {
  if (place.kind != Place::Kind::Text) return {};
  const std::string_view line = lines.line(place.file, place.line);
  if (line.empty() || place.column > line.size() + 1) return {};
  constexpr std::size_t kWindow = 160;
  // Without a column the whole statement is meant.
  const std::size_t start = std::min(line.find_first_not_of(" \t"), line.size() - 1);
  const std::size_t at = place.column == 0 ? start : place.column - 1;
  const std::size_t length = place.column == 0 ? line.find_last_not_of(" \t") + 1 - start : place.length;
  const std::size_t from = at > kWindow / 2 && line.size() > kWindow ? at - kWindow / 2 : 0;
  const std::string_view shown = line.substr(from, kWindow);
  std::string text = "  ", caret = "  ";
  for (const char c : shown) text += static_cast<unsigned char>(c) < 0x20 && c != '\t' ? '?' : c;
  for (std::size_t i = from; i < at; ++i) caret += line[i] == '\t' ? '\t' : ' ';
  caret += '^';
  const std::size_t room = from + shown.size() > at + 1 ? from + shown.size() - at - 1 : 0;
  if (length > 1) caret.append(std::min<std::size_t>(length - 1, room), '~');
  return text + '\n' + caret + '\n';
}

std::string render_with(const Diagnostic& d, Lines& lines, bool color) {
  const std::string_view bold = color ? "\x1b[1m" : "", reset = color ? "\x1b[0m" : "";
  std::string_view hue;
  if (color)
    hue = d.severity == Severity::Error ? "\x1b[1;31m" : d.severity == Severity::Warning ? "\x1b[1;35m" : "\x1b[1;36m";
  std::string out = fmt::format("{}{}{}{}{}:{} {}{}{}", bold, place_prefix(d.place), reset, hue,
                                severity_name(d.severity), reset, bold, d.message, reset);
  if (!d.id.empty()) out += fmt::format(" [{}]", d.id);
  out += '\n';
  out += excerpt(d.place, lines);
  for (const Note& n : d.notes) {
    out += fmt::format("{}{}{}note:{} {}\n", bold, place_prefix(n.place.kind == Place::Kind::None ? d.place : n.place),
                       reset, reset, n.message);
    out += excerpt(n.place, lines);
  }
  return out;
}

}  // namespace

Diagnostic error(std::string id, std::string message, Place place) {
  return make(Severity::Error, std::move(id), std::move(message), std::move(place));
}
Diagnostic warning(std::string id, std::string message, Place place) {
  return make(Severity::Warning, std::move(id), std::move(message), std::move(place));
}
Diagnostic remark(std::string id, std::string message, Place place) {
  return make(Severity::Note, std::move(id), std::move(message), std::move(place));
}
Diagnostic limit_error(std::string id, std::string message, Place place) {
  Diagnostic d = make(Severity::Error, std::move(id), std::move(message), std::move(place));
  d.is_limit = true;
  return d;
}

void Diagnostics::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::Error) ++errors_;
  if (diagnostic.severity == Severity::Warning) ++warnings_;
  limit_ = limit_ || diagnostic.is_limit;
  if (list_.size() >= cap_) {
    ++suppressed_;
    return;
  }
  list_.push_back(std::move(diagnostic));
}

void Diagnostics::append(const Diagnostics& other) {
  for (const Diagnostic& d : other.list_) add(d);
  suppressed_ += other.suppressed_;
  errors_ += other.errors_ -
             static_cast<std::size_t>(std::count_if(other.list_.begin(), other.list_.end(),
                                                    [](const Diagnostic& d) { return d.severity == Severity::Error; }));
  limit_ = limit_ || other.limit_;
}

Diagnostic internal_error(std::string id, std::string message, Place place) {
  return make(Severity::Error, std::move(id), std::move(message), std::move(place));
}

bool is_internal_error(const Diagnostic& diagnostic) { return diagnostic.id.ends_with("-internal"); }

ExitCode Diagnostics::exit_code() const {
  if (std::any_of(list_.begin(), list_.end(), is_internal_error)) return ExitCode::Internal;
  if (limit_) return ExitCode::Limit;
  return errors_ != 0 ? ExitCode::WrongInput : ExitCode::Done;
}

std::string render(const Diagnostic& d, const SourceLookup& source, bool color) {
  Lines lines(source);
  return render_with(d, lines, color);
}

std::string render(const Diagnostics& diagnostics, const SourceLookup& source, bool color) {
  Lines lines(source);
  std::string out;
  for (const Diagnostic& d : diagnostics.all()) out += render_with(d, lines, color);
  if (diagnostics.suppressed() != 0)
    out += fmt::format("note: {} more messages are not shown\n", diagnostics.suppressed());
  return out;
}

std::string json_quote(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      ++i;
      switch (c) {
        case '"':
          out += "\\\"";
          break;
        case '\\':
          out += "\\\\";
          break;
        case '\n':
          out += "\\n";
          break;
        case '\r':
          out += "\\r";
          break;
        case '\t':
          out += "\\t";
          break;
        default:
          if (c < 0x20 || c == 0x7f)
            out += fmt::format("\\u{:04x}", c);
          else
            out += static_cast<char>(c);
      }
      continue;
    }
    const std::size_t n = c >= 0xf0 && c <= 0xf4 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
    bool good = n != 0 && c <= 0xf4 && i + n <= text.size();
    for (std::size_t k = 1; good && k < n; ++k) good = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
    if (good && n >= 3) {
      const auto second = static_cast<unsigned char>(text[i + 1]);
      good = !(c == 0xe0 && second < 0xa0) && !(c == 0xed && second > 0x9f) && !(c == 0xf0 && second < 0x90) &&
             !(c == 0xf4 && second > 0x8f);
    }
    if (good)
      out.append(text.substr(i, n));
    else
      out += "\xef\xbf\xbd";
    i += good ? n : 1;
  }
  return out + '"';
}

std::string render_json(const Diagnostic& d) {
  const auto place_members = [](const Place& p) {
    std::string out;
    if (p.kind == Place::Kind::None) return out;
    out += ",\"file\":" + json_quote(p.file);
    if (p.kind == Place::Kind::Text) {
      out += fmt::format(",\"line\":{},\"column\":{}", p.line, p.column);
      if (p.length != 0) out += fmt::format(",\"length\":{}", p.length);
    }
    if (p.kind == Place::Kind::Binary) out += fmt::format(",\"offset\":{}", p.offset);
    if (p.kind == Place::Kind::Instruction) out += fmt::format(",\"instruction\":{}", p.instruction);
    if (!p.object.empty()) out += ",\"object\":" + json_quote(p.object);
    return out;
  };
  std::string out = fmt::format("{{\"severity\":\"{}\",\"id\":{},\"message\":{}", severity_name(d.severity),
                                json_quote(d.id), json_quote(d.message));
  out += place_members(d.place);
  if (!d.notes.empty()) {
    out += ",\"notes\":[";
    for (std::size_t i = 0; i < d.notes.size(); ++i)
      out += fmt::format("{}{{\"message\":{}{}}}", i == 0 ? "" : ",", json_quote(d.notes[i].message),
                         place_members(d.notes[i].place));
    out += ']';
  }
  return out + '}';
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.empty() || word.size() > 64) return {};
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > 64) continue;
    std::vector<std::size_t> row(candidate.size() + 1), before(candidate.size() + 1), older(candidate.size() + 1);
    for (std::size_t j = 0; j <= candidate.size(); ++j) before[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const bool same = lower(word[i - 1]) == lower(candidate[j - 1]);
        row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (same ? 0 : 1)});
        if (i > 1 && j > 1 && lower(word[i - 1]) == lower(candidate[j - 2]) &&
            lower(word[i - 2]) == lower(candidate[j - 1]))
          row[j] = std::min(row[j], older[j - 2] + 1);
      }
      older = before;
      before = row;
    }
    // A word of which no letter is left is another word: 'q' is not near 'p'.
    if (before.back() < best_distance && before.back() < std::max(word.size(), candidate.size())) {
      best_distance = before.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace heddle::base
