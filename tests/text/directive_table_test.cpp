// SPDX-License-Identifier: MIT
// The table of directives: its examples are what the parser takes. Rules: TXT-9, TXT-10, TXT-11, TXT-14, TXT-15.
#include "text/directive_table.hpp"

#include <gtest/gtest.h>

#include "text/text.hpp"

namespace heddle::text {
namespace {

TEST(Directives, ExamplesAreRead) {
  for (const Directive& d : directives()) {
    EXPECT_EQ(find_directive("." + std::string(d.word)), &d);
    EXPECT_TRUE(d.form.starts_with("." + std::string(d.word))) << d.word;
    if (d.word == "version" || d.word == "kernel") continue;  // stand first, below
    std::string kernel = ".version 4.1\n.kernel \"k\"\n";
    for (const char* name : {"scale", "V34", "V35", "V36", "V37"})
      kernel += std::string(".decl ") + name + " v_type=G type=ud num_elts=24 align=GRF\n";
    kernel += std::string(d.example) + "\nret (M1, 1)\n";
    base::Diagnostics diagnostics;
    EXPECT_TRUE(parse(kernel, "k", {}, diagnostics).has_value())
        << d.word << ": " << (diagnostics.all().empty() ? "" : diagnostics.all()[0].message);
  }
  EXPECT_EQ(find_directive("decls"), nullptr);
}

}  // namespace
}  // namespace heddle::text
