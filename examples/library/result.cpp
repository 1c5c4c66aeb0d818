// SPDX-License-Identifier: MIT
// heddle/result.hpp: what goes wrong comes back as diagnostics, for people or as JSON.
#include <heddle/image.hpp>
#include <heddle/program.hpp>
#include <heddle/result.hpp>
#include <iostream>

int main() {
  const std::string text = ".version 4.1\n.kernel \"k\"\n.function \"f\"\nf:\n    smaple4.R (M1, 16) 0x0:uw S0 T6\n";
  const auto program = heddle::Program::parse(text, "k.visaasm");
  if (program.ok()) return 1;  // there is no such instruction
  std::cout << heddle::to_text(program.diagnostics(), text);
  for (const heddle::Diagnostic& d : program.diagnostics()) std::cout << heddle::to_json(d) << "\n";

  heddle::Limits small;
  small.surface_bytes = 1000;
  const auto image = heddle::Image::create({.width = 64, .height = 64}, small);
  return !image.ok() && image.diagnostics()[0].is_limit ? 0 : 1;
}
