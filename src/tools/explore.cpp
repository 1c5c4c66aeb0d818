// SPDX-License-Identifier: MIT
// heddle explore: what became of each pixel of a run, as a page for the browser.
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/file.hpp"
#include "explore/pages/report.hpp"
#include "explore/pages/server.hpp"
#include "explore/pages/service.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/command_line/numbers.hpp"
#include "tools/command_line/progress.hpp"
#include "tools/commands.hpp"
#include "tools/run/explore_input.hpp"

namespace heddle::tools {
namespace {

struct ExploreFlags {
  std::shared_ptr<RunOptions> run = std::make_shared<RunOptions>();
  std::string output, port;
  bool serve = false, open = false;
  std::uint64_t size = 20'000'000;
  std::vector<std::string> traced;  ///< X,Y or X,Y,WxH
};

base::ExitCode usage(const std::string& message) {
  std::fputs(("heddle explore: " + message + "\n").c_str(), stderr);
  return base::ExitCode::Usage;
}

base::ExitCode fail(const std::vector<base::Diagnostic>& list) {
  print_diagnostics(list);
  return exit_code(list);
}

/// "412,88" or "400,80,16x16".
std::optional<explore::Rectangle> rectangle(const std::string& text) {
  explore::Rectangle r{0, 0, 1, 1};
  char end = 0;
  const int found = std::sscanf(text.c_str(), "%u,%u,%ux%u%c", &r.x, &r.y, &r.width, &r.height, &end);
  const bool good = (found == 2 || found == 4) && r.width != 0 && r.height != 0;
  return good && !text.empty() && text.find_first_not_of("0123456789,x") == std::string::npos ? std::optional(r)
                                                                                              : std::nullopt;
}

explore::Server* running = nullptr;
void stop_serving(int) { running->stop(); }

/// The browser that the desktop has chosen.
void open_browser(const std::string& address) {
  std::string program = "xdg-open", word = address;
  char* arguments[] = {program.data(), word.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0)
    std::fputs("heddle explore: xdg-open cannot be run: open the address yourself\n", stderr);
}

/// Until Ctrl-C, or the terminal goes away.
base::ExitCode serve(const ExploreFlags& flags, explore::Exploration& exploration,
                     const explore::ExploreOptions& options, Progress& progress) {
  const auto port = flags.port.empty() ? std::optional<std::uint16_t>(0) : parse_number<std::uint16_t>(flags.port);
  if (!port) return usage("--port takes a number up to 65535");
  auto server = explore::Server::listen(*port);
  if (!server.ok()) return fail(server.diagnostics());
  explore::Service service(exploration);
  if (const auto done = service.prepare(options); !done.ok()) return fail(done.diagnostics());
  progress.finish();
  const auto page = explore::make_served_page(flags.run->input + " - Heddle", (*server)->prefix());
  if (!page.ok()) return fail(page.diagnostics());
  running = &**server;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, stop_serving);
  print((*server)->address() + "\n");
  if (!flush_output()) return base::ExitCode::File;
  if (flags.open) open_browser((*server)->address());
  (*server)->run(*page, [&](const std::string& name) { return service.get(name); });
  return base::ExitCode::Done;
}

base::ExitCode run_explore(const ExploreFlags& flags) {
  if (!explore::has_page()) return fail(explore::make_served_page("", "").diagnostics());
  if (flags.output.empty() == !flags.serve) return usage("-o FILE.html or --serve is needed, one of both");
  explore::ExploreOptions options;
  for (const std::string& text : flags.traced) {
    const auto r = rectangle(text);
    if (!r) return usage(fmt::format("--trace {}: X,Y or X,Y,WxH is expected", text));
    options.traced.push_back(*r);
  }
  if (!flags.serve)
    if (const auto good = base::check_writable(flags.output); !good.ok()) return fail(good.diagnostics());
  explore::Exploration exploration(std::filesystem::path(flags.run->input).filename().string());
  if (const auto code = load_commands(*flags.run, exploration); code != base::ExitCode::Done) return code;
  Progress progress("exploring", 10000);
  options.progress = [&](double part) { progress.at(static_cast<std::uint64_t>(part * 10000)); };
  if (flags.serve) return serve(flags, exploration, options, progress);
  std::size_t threads = 0;
  options.count_traced = [&](std::size_t more) { threads += more; };
  const auto code =
      write_report(exploration, options,
                   {flags.output, flags.run->input + " - Heddle", flags.size, flags.run->common.quiet}, progress);
  if (code == base::ExitCode::Done && threads == 0 && !options.traced.empty() && !flags.run->common.quiet)
    print_diagnostics(
        {base::warning("explore-trace", "no thread ran where --trace asks for")
             .note("it takes pixels that something is drawn to, or global ids of invocations: X,Y or X,Y,WxH")});
  return code;
}

}  // namespace

void add_explore(Commands& commands) {
  const auto o = std::make_shared<ExploreFlags>();
  Command c = commands.add("explore", "a page for the browser: pick a pixel, see its history, texels and instructions");
  c.example("heddle explore job.toml -o report.html", "one file that opens from disk and loads nothing");
  c.example("heddle explore job.toml --trace 400,80,16x16 -o report.html", "with whole traces of these pixels");
  c.option("input", o->run->input,
           "what heddle run takes: a job (.toml), vISA, SPIR-V, GLSL or HLSL with flags; or a folder of captured jobs")
      .required();
  c.option("-o,--output", o->output, "the report; - for standard output").value_name("FILE.html");
  c.flag("--serve", o->serve,
         "serve the page to this computer's browser instead: it can trace any pixel; ends by Ctrl-C");
  c.flag("--open", o->open, "open it in the browser (xdg-open)").belongs_to({"--serve"});
  c.option("--port", o->port, "of 127.0.0.1, default any that is free").value_name("NUMBER").belongs_to({"--serve"});
  c.repeated("--trace", o->traced,
             "pixels, or global ids of a dispatch, whose threads are traced whole; default a square in the middle")
      .value_name("X,Y[,WxH]");
  c.limit("--budget", o->size, "bytes of the report: traces come first, then histories, then levels of images")
      .not_beside({"--serve"});
  run_options(c, o->run, false);
  c.runs([o] { return run_explore(*o); });
}

}  // namespace heddle::tools
