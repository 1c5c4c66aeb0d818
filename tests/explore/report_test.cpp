// SPDX-License-Identifier: MIT
// A report is one file that loads nothing, and keeps to its size.

#include "explore/pages/report.hpp"

#include <random>

#include "base/base64.hpp"
#include "explore/documents/documents.hpp"
#include "support.hpp"

namespace heddle::explore {
namespace {

/// Bytes that do not deflate.
std::vector<std::uint8_t> noise(std::size_t bytes) {
  std::mt19937 random(3);
  std::vector<std::uint8_t> out(bytes);
  for (std::uint8_t& byte : out) byte = static_cast<std::uint8_t>(random());
  return out;
}

/// The document's bytes out of the file; nothing where it has none of that name.
std::optional<std::vector<std::uint8_t>> block_of(const std::string& html, const std::string& name) {
  const std::string begin = "<script type=\"application/x-heddle\" data-name=\"" + name + "\">";
  const std::size_t at = html.find(begin);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t from = at + begin.size(), end = html.find("</script>", from);
  return base::parse_base64(std::string_view(html).substr(from, end - from));
}

// explore-page
TEST(Report, ThereIsAPageOrTheReason) {
  const auto report = make_report({}, "x", 1'000'000);
  EXPECT_EQ(report.ok(), has_page());
  if (!report.ok()) EXPECT_EQ(report.diagnostics()[0].id, "explore-page");
}

TEST(Report, HasItsDocuments) {
  if (!has_page()) GTEST_SKIP() << "built without esbuild";
  Documents documents;
  add_text(documents, "index", Priority::Always, "{\"title\": \"x\"}");
  documents.push_back({"image/0/0/after/0/0", Priority::Picture, noise(1000)});
  const auto report = make_report(documents, "a <title> & more", 1'000'000);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->documents, 2u);
  EXPECT_EQ(report->left_out, 0u);
  EXPECT_NE(report->html.find("<title>a &lt;title> &amp; more</title>"), std::string::npos);
  const auto block = block_of(report->html, "image/0/0/after/0/0");
  ASSERT_TRUE(block.has_value());
  EXPECT_EQ(test::inflate(*block, 1000), noise(1000));
}

TEST(Report, LoadsNothing) {
  if (!has_page()) GTEST_SKIP() << "built without esbuild";
  const auto report = make_report({}, "x", 1'000'000);
  ASSERT_TRUE(report.ok());
  const std::string& html = report->html;
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(html.find("connect-src 'none'"), std::string::npos);
  EXPECT_EQ(html.find("'unsafe"), std::string::npos);
  for (const char* loads : {" src=", "<link", "@import", "url(", "http://", "https://"})
    EXPECT_EQ(html.find(loads), std::string::npos) << loads;
}

TEST(Report, KeepsToItsSizeByPriority) {
  if (!has_page()) GTEST_SKIP() << "built without esbuild";
  const std::size_t page = make_report({}, "x", 0)->html.size();
  Documents documents;
  documents.push_back({"rest", Priority::Rest, noise(30'000)});
  documents.push_back({"trace", Priority::Trace, noise(30'000)});
  documents.push_back({"picture", Priority::Picture, noise(30'000)});
  documents.push_back({"index", Priority::Always, noise(30'000)});
  const auto report = make_report(documents, "x", page + 130'000);
  ASSERT_TRUE(report.ok());
  EXPECT_LE(report->html.size(), page + 130'000);
  EXPECT_TRUE(block_of(report->html, "index").has_value());
  EXPECT_TRUE(block_of(report->html, "picture").has_value());
  EXPECT_TRUE(block_of(report->html, "trace").has_value());
  EXPECT_FALSE(block_of(report->html, "rest").has_value());
  EXPECT_EQ(report->left_out, 1u);
  EXPECT_TRUE(block_of(make_report(documents, "x", 0)->html, "index").has_value());
}

TEST(Documents, PlanesOfBytesAreTheWords) {
  const std::vector<std::uint32_t> words{0x03020100, 0x13121110};
  EXPECT_EQ(byte_planes(words), (std::vector<std::uint8_t>{0x00, 0x10, 0x01, 0x11, 0x02, 0x12, 0x03, 0x13}));
}

TEST(Documents, DeflatedBytesComeBack) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{100'000}})
    EXPECT_EQ(test::inflate(deflate(noise(size)), size), noise(size));
}

}  // namespace
}  // namespace heddle::explore
