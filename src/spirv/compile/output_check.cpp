// SPDX-License-Identifier: MIT
#include "spirv/compile/output_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/internal_error.hpp"
#include "text/text.hpp"
#include "verify/verify.hpp"

namespace heddle::spirv::compiler {
namespace {

/// Findings that the message shows; one of each rule says enough.
constexpr std::size_t kShownFindings = 4;

std::string_view line_of(std::string_view text, std::uint32_t number) {
  for (; number > 1 && !text.empty(); --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find('\n'));
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

}  // namespace

bool check_output(std::string_view text, const std::string& file, isa::Platform platform,
                  base::Diagnostics& diagnostics) {
  base::Diagnostics found;
  text::ParseOptions options;
  options.platform = platform;
  const auto program = text::parse(text, "compiled.visaasm", options, found);
  if (program && !found.has_errors()) {
    verify::Options rules;
    rules.platform = platform;
    verify::check(*program, rules, found);
  }
  if (program && !found.has_errors()) return true;
  base::Diagnostic fault = base::internal_error("compile-internal", "", base::Place::in_file(file));
  std::vector<std::string_view> shown;
  for (const base::Diagnostic& d : found.all()) {
    if (d.severity != base::Severity::Error || std::ranges::find(shown, d.id) != shown.end()) continue;
    if (shown.empty())
      fault.message =
          fmt::format("the program that was made of the module breaks a rule of vISA: {} [{}]", d.message, d.id);
    else
      fault.note(fmt::format("and: {} [{}]", d.message, d.id));
    if (d.place.line != 0) fault.note(fmt::format("line {}: {}", d.place.line, line_of(text, d.place.line)));
    shown.push_back(d.id);
    if (shown.size() == kShownFindings) break;
  }
  if (shown.empty()) fault.message = "the program that was made of the module cannot be read";
  fault.note("this is a fault of the compiler, not of the module: please report it with the module");
  diagnostics.add(std::move(fault));
  return false;
}

}  // namespace heddle::spirv::compiler
