// SPDX-License-Identifier: MIT
// heddle/result.hpp: diagnostics as text and JSON, results, what is beyond the limit of messages.
#include "heddle/result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/program.hpp"

namespace heddle {
namespace {

using testing::HasSubstr;

Diagnostic problem() {
  Diagnostic d;
  d.id = "GA-4";
  d.message = "the order is wrong";
  d.place.file = "k.visaasm";
  d.place.line = 2;
  d.place.column = 3;
  d.place.length = 4;
  d.notes.push_back({"look there", {}});
  return d;
}

TEST(LibraryResult, AResultHasAValueOrItsReasons) {
  const Result<int> good(7);
  ASSERT_TRUE(good.ok());
  EXPECT_TRUE(static_cast<bool>(good));
  EXPECT_EQ(*good, 7);
  EXPECT_TRUE(good.diagnostics().empty());
  const Result<int> bad(problem());
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.diagnostics().at(0).id, "GA-4");
}

TEST(LibraryResult, TextShowsTheLineWhereTheSourceIsKnown) {
  const std::string source = "first\n  word\nlast\n";
  EXPECT_EQ(to_text(problem()), "k.visaasm:2:3: error: the order is wrong [GA-4]\nk.visaasm:2:3: note: look there\n");
  const std::string shown = to_text(problem(), source);
  EXPECT_THAT(shown, HasSubstr("  word\n"));
  EXPECT_THAT(shown, HasSubstr("^~~~"));
  EXPECT_THAT(to_text(problem(), {}, true), HasSubstr("\x1b["));
  Diagnostics list{problem(), problem()};
  EXPECT_EQ(to_text(list).find("^~~~"), std::string::npos);
  list.sources.push_back({"k.visaasm", std::make_shared<const std::string>(source)});
  EXPECT_EQ(to_text(list), shown + shown);
  list.sources.front().file = "other";
  EXPECT_EQ(to_text(list).find("^~~~"), std::string::npos);
}

TEST(LibraryResult, JsonHasTheMembersThatApply) {
  EXPECT_EQ(to_json(problem()),
            R"({"severity":"error","id":"GA-4","message":"the order is wrong","file":"k.visaasm","line":2,"column":3,)"
            R"("length":4,"notes":[{"message":"look there"}]})");
  Diagnostic d;
  d.severity = Severity::Note;
  d.place.offset = 17;
  d.place.file = "a.isa";
  EXPECT_THAT(to_json(d), HasSubstr(R"("offset":17)"));
  EXPECT_EQ(to_json(d).find("line"), std::string::npos);
}

TEST(LibraryResult, ErrorsCountBeyondTheLimitOfMessages) {
  std::string text = ".version 4.1\n.kernel \"k\"\n.function \"f\"\nf:\n";
  for (int i = 0; i < 10; ++i) text += "    smaple4.R (M1, 16) 0x0:uw S0 T6\n";
  ProgramOptions options;
  options.limits.diagnostics = 4;
  const auto program = Program::parse(text, "k.visaasm", options);
  ASSERT_FALSE(program.ok());
  const Diagnostics& found = program.diagnostics();
  EXPECT_EQ(found.size(), 4u);
  EXPECT_EQ(found.suppressed, 6u);
  EXPECT_EQ(found.suppressed_errors, 6u);
  EXPECT_THAT(to_text(found), HasSubstr("6 more messages are not shown"));
  EXPECT_THAT(to_text(found), HasSubstr("smaple4"));  // the source comes with them
  Diagnostics rest;
  EXPECT_FALSE(has_errors(rest));
  rest.suppressed_errors = 1;
  EXPECT_TRUE(has_errors(rest));
}

TEST(LibraryResult, LimitsAreTold) {
  Diagnostics list{problem()};
  EXPECT_TRUE(has_errors(list));
  EXPECT_FALSE(reached_limit(list));
  list.front().is_limit = true;
  EXPECT_TRUE(reached_limit(list));
  list.front() = problem();
  list.suppressed_limit = true;
  EXPECT_TRUE(reached_limit(list));
}

}  // namespace
}  // namespace heddle
