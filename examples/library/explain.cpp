// SPDX-License-Identifier: MIT
// heddle/explain.hpp: the id of a diagnostic, an instruction and a raw message in words.
#include <heddle/explain.hpp>
#include <iostream>

int main() {
  for (const char* word : {"GA-4", "sample4", "0xC:0x02106E07"}) {
    const auto text = heddle::explain(word);
    if (!text.ok()) return std::cerr << heddle::to_text(text.diagnostics()), 1;
    std::cout << *text << "\n";
  }
  const auto unknown = heddle::explain("sampel4");
  std::cout << heddle::to_text(unknown.diagnostics());  // it names the nearest word
  return !unknown.ok() && heddle::explain_index().find("visa-sample4-channel") != std::string::npos ? 0 : 1;
}
