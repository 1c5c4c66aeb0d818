// SPDX-License-Identifier: MIT
// heddle/program.hpp: text is assembled, written as a container, read and printed again.
#include <heddle/program.hpp>
#include <iostream>

int main() {
  const auto program = heddle::Program::parse(R"(.version 4.1
.kernel "double"
.decl v v_type=G type=f num_elts=8 align=GRF
.input v offset=32 size=32
.function "double_main"
double_main:
    add (M1, 8) v(0,0)<1> v(0,0)<1;1,0> v(0,0)<1;1,0>
    ret (M1_NM, 1)
)",
                                              "double.visaasm");
  if (!program.ok()) return std::cerr << heddle::to_text(program.diagnostics()), 1;
  const auto bytes = program->write();
  if (!bytes.ok()) return std::cerr << heddle::to_text(bytes.diagnostics()), 1;
  const auto again = heddle::Program::read(*bytes, "double.isa");
  if (!again.ok()) return std::cerr << heddle::to_text(again.diagnostics()), 1;
  std::cout << again->print();
  return again->kernels() == std::vector<std::string>{"double"} && again->instructions() == program->instructions() ? 0
                                                                                                                    : 1;
}
