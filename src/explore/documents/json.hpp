// SPDX-License-Identifier: MIT
#pragma once
// JSON as it is written: members in the order of the calls.

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace heddle::explore {

class Json {
 public:
  Json& open(char bracket) {
    separate();
    text_ += bracket;
    comma_ = false;
    return *this;
  }
  Json& close(char bracket) {
    text_ += bracket;
    comma_ = true;
    return *this;
  }
  Json& key(std::string_view name) {
    separate();
    text_ += base::json_quote(name);
    text_ += ':';
    comma_ = false;
    return *this;
  }
  Json& value(std::string_view text) { return raw(base::json_quote(text)); }
  Json& value(const char* text) { return value(std::string_view(text)); }
  Json& value(std::same_as<bool> auto truth) { return raw(truth ? "true" : "false"); }
  Json& value(std::integral auto number)
    requires(!std::same_as<decltype(number), bool>)
  {
    return raw(fmt::to_string(number));
  }
  /// JSON that is text already.
  Json& raw(std::string_view json) {
    separate();
    text_ += json;
    comma_ = true;
    return *this;
  }
  template <typename T>
  Json& member(std::string_view name, const T& what) {
    return key(name).value(what);
  }
  template <typename Range>
  Json& numbers(const Range& list) {
    open('[');
    for (const auto& number : list) value(number);
    return close(']');
  }
  [[nodiscard]] std::string take() { return std::move(text_); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void separate() {
    if (comma_) text_ += ',';
    comma_ = false;
  }
  std::string text_;
  bool comma_ = false;
};

}  // namespace heddle::explore
