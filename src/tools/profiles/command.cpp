// SPDX-License-Identifier: MIT
#include "tools/profiles/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include <nlohmann/json.hpp>

#include "base/environment/environment.hpp"
#include "base/file.hpp"
#include "tools/command_line/console.hpp"
#include "tools/profiles/judgment.hpp"
#include "tools/profiles/tables.hpp"
#include "tools/services/driver.hpp"

namespace heddle::tools {
namespace {

/// What this program knows of itself.
void read_own_tables(ProfileTable& table, base::Diagnostics& problems) {
  for (const ProfileText& each : kProfileTexts) read_profiles(each.text, each.name, table, problems);
}

bool is_file(const std::string& name) { return name.find('/') != std::string::npos || name.ends_with(".txt"); }

/// The profiles that were asked for, in the order of the tables.
std::vector<const ProfilePart*> choose(const ProfileTable& table, const std::string& name, std::size_t own_parts) {
  std::vector<const ProfilePart*> chosen;
  for (std::size_t i = 0; i < table.parts.size(); ++i) {
    const ProfilePart& part = table.parts[i];
    const bool wanted = name == "all" || (is_file(name) ? i >= own_parts : part.name.text == name);
    if (part.is_profile && wanted) chosen.push_back(&part);
  }
  return chosen;
}

base::ExitCode refuse_name(const ProfileTable& table, const std::string& name) {
  std::vector<std::string_view> names;
  for (const ProfilePart& part : table.parts)
    if (part.is_profile) names.emplace_back(part.name.text);
  const std::vector<std::string_view> all = names;
  base::Diagnostic d = base::error("profile-unknown", fmt::format("there is no profile '{}'", name),
                                   base::Place::command_line("--profile"));
  // A part of a name (roadmap, zink) stands for all that have it.
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  std::erase_if(names, [&](std::string_view each) { return std::ranges::search(each, name, same).empty(); });
  if (const std::string_view near = base::nearest(name, all); names.empty() && !near.empty())
    d.note(fmt::format("did you mean '{}'?", near));
  else if (!names.empty())
    d.note(fmt::format("names with '{}' in them: {}", name, fmt::join(names, " ")));
  d.note("heddle vulkan --profile lists all; a name with a slash or with .txt at its end is a file");
  print_diagnostics({std::move(d)});
  return base::ExitCode::Usage;
}

std::string miss_text(const Miss& miss) {
  std::string text = miss.kind + " " + miss.name;
  if (!miss.asked.empty()) text += " " + miss.asked;
  if (!miss.has.empty()) text += fmt::format(" (there is {})", miss.has);
  return text;
}

void print_text(const ProfilePart& profile, const Judgment& judgment, bool whole) {
  const std::string verdict =
      judgment.misses.empty() ? "holds" : fmt::format("misses {} of {}", judgment.misses.size(), judgment.asked);
  print(fmt::format("{:<34} {:<17} {}\n", profile.name.text, verdict, profile.about));
  if (!whole) return;
  for (const Miss& miss : judgment.misses) print("  " + miss_text(miss) + "\n");
}

void print_json(const ProfilePart& profile, const Judgment& judgment) {
  nlohmann::ordered_json line{{"profile", profile.name.text},
                              {"about", profile.about},
                              {"holds", judgment.misses.empty()},
                              {"asks", judgment.asked},
                              {"misses", nlohmann::ordered_json::array()}};
  for (const Miss& miss : judgment.misses) {
    nlohmann::ordered_json one{{"kind", miss.kind}, {"name", miss.name}};
    if (!miss.asked.empty()) one["asked"] = miss.asked;
    if (!miss.has.empty()) one["has"] = miss.has;
    line["misses"].push_back(std::move(one));
  }
  print(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

}  // namespace

base::ExitCode run_profile_command(const std::string& name, OutputFormat format) {
  ProfileTable table;
  base::Diagnostics problems;
  read_own_tables(table, problems);
  const std::size_t own_parts = table.parts.size();
  std::string text;
  if (is_file(name)) {
    auto read = base::read_text(name);
    if (!read.ok()) return print_diagnostics(read.diagnostics()), base::ExitCode::File;
    text = std::move(*read);
    read_profiles(text, name, table, problems);
  }
  check_uses(table, problems);
  const auto chosen = choose(table, name, own_parts);
  if (problems.empty() && chosen.empty()) {
    if (!is_file(name)) return refuse_name(table, name);
    problems.add(base::error("profile-line", "the file has no profile: no line begins with 'profile'",
                             base::Place::in_file(name)));
  }
  const auto device = DriverDevice::open(driver_manifest());
  if (!device.ok()) return print_diagnostics(device.diagnostics()), base::ExitCode::File;
  std::vector<Judgment> judgments;
  if (problems.empty())
    for (const ProfilePart* profile : chosen) judgments.push_back(judge_profile(table, *profile, **device, problems));
  if (!problems.empty()) return print_diagnostics(problems, name, text), problems.exit_code();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (format == OutputFormat::Json)
      print_json(*chosen[i], judgments[i]);
    else
      print_text(*chosen[i], judgments[i], name != "all");
  }
  const bool missed = std::ranges::any_of(judgments, [](const Judgment& each) { return !each.misses.empty(); });
  return missed && name != "all" ? base::ExitCode{base::kFindingsExitCode} : base::ExitCode::Done;
}

}  // namespace heddle::tools
