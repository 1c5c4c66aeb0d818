// SPDX-License-Identifier: MIT
// heddle batch: requests in lines, answers in lines.

#include "tools/batch/batch.hpp"

#include <malloc.h>

#include <memory>

#include "tools/command_line/flags.hpp"
#include "tools/commands.hpp"
#include "tools/services/lines.hpp"

namespace heddle::tools {
namespace {

struct BatchOptions {
  Common common;
  std::string input = "-", output = "-";
};

base::ExitCode run_batch(const BatchOptions& options) {
#ifdef M_MMAP_THRESHOLD  // the memory of a large request serves the next one
  ::mallopt(M_MMAP_THRESHOLD, 1 << 28);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 29);
#endif
  Batch batch(options.common.limits);
  const LineService service{"batch", &Batch::may_define,
                            [&batch](std::string_view line, std::uint64_t number, std::string& answer) {
                              return batch.answer(line, number, answer);
                            }};
  return answer_lines(options.input, options.output, options.common.limits, service);
}

/// What --help says below the options.
std::string operations_text() {
  std::string text = "Operations ('heddle explain OPERATION' shows one; sample4 is gather4):\n ";
  std::size_t column = 1;
  for (const std::string_view name : batch_operations()) {
    if (column + 1 + name.size() > 100) text += "\n ", column = 1;
    text += ' ';
    text += name;
    column += 1 + name.size();
  }
  return text +
         "\n\nExamples:\n"
         "  heddle batch requests.jsonl -o answers.jsonl\n"
         "  echo '{\"op\":\"decode_texel\",\"format\":\"rgba8\",\"bytes\":\"ff800000\"}' | heddle batch\n"
         "  {\"define\": {\"surface\": \"brick\", \"file\": \"brick.png\"}}\n"
         "  {\"op\": \"sample\", \"surface\": \"brick\", \"sampler\": \"linear,repeat\", \"uv\": [[0.1, 0.2], [0.3, "
         "0.4]]}\n"
         "docs/batch.md describes the requests.";
}

}  // namespace

void add_batch(Commands& commands) {
  const auto o = std::make_shared<BatchOptions>();
  Command c = commands.add("batch", "any operation of the texture unit: one JSON request and one result a line");
  c.example("heddle batch requests.jsonl -o answers.jsonl",
            "an answer for each line; docs/batch.md has every operation");
  c.option("requests", o->input, "JSON lines, - for standard input").shows_default();
  c.option("-o,--output", o->output, "- for standard output").value_name("FILE").shows_default();
  c.footer(operations_text());
  common_options(c, o->common);
  surface_limits(c, o->common);
  c.runs([o] { return run_batch(*o); });
}

}  // namespace heddle::tools
