// SPDX-License-Identifier: MIT
// heddle/check.hpp: what is wrong with a program, and which platforms take it.
#include <heddle/check.hpp>
#include <iostream>

int main() {
  const std::string text = R"(.version 4.1
.kernel "k"
.decl a v_type=G type=bf num_elts=16 align=GRF
.decl b v_type=G type=f num_elts=16 align=GRF
.function "k_main"
k_main:
    mov (M1, 16) b(0,0)<1> 1.5:f
    mov (M1, 16) a(0,0)<1> b(0,0)<1;1,0>
    ret (M1_NM, 1)
)";
  const auto program = heddle::Program::parse(text, "k.visaasm");
  if (!program.ok()) return std::cerr << heddle::to_text(program.diagnostics(), text), 1;
  const auto report = heddle::check(*program);
  if (!report.ok()) return 1;
  std::cout << heddle::to_text(report->findings) << "it fits " << report->fits() << "\nit does not fit:\n";
  for (const heddle::Mismatch& mismatch : report->mismatches)
    std::cout << "  " << mismatch.platform << ": " << mismatch.reasons.at(0).message << "\n";
  return report->ok() && !report->platforms.empty() && !report->mismatches.empty() ? 0 : 1;
}
