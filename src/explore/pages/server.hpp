// SPDX-License-Identifier: MIT
#pragma once
// A page served to the browser of this computer, and nobody else: it listens on the loopback address alone, and answers
// only requests whose path begins with a random token and whose Host and Origin are its own. Nothing of the disk can be
// asked for: there are documents by name, and no paths.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace heddle::explore {

/// What a request's name stands for: a deflated document, or nothing.
using Answer = std::function<std::optional<std::vector<std::uint8_t>>(const std::string& name)>;

class Server {
 public:
  /// Listens; `port` 0: any that is free. Id: explore-port.
  [[nodiscard]] static base::Result<std::unique_ptr<Server>> listen(std::uint16_t port);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// http://127.0.0.1:PORT/TOKEN/
  [[nodiscard]] std::string address() const;
  /// What documents are asked for below.
  [[nodiscard]] std::string prefix() const;
  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// Answers until stop() is called, from any thread or a signal handler.
  void run(const std::string& page, const Answer& answer);
  void stop();

 private:
  Server(int socket, std::uint16_t port, std::string token);
  int socket_;
  int wake_[2];  ///< a pipe: a byte ends run()
  std::uint16_t port_;
  std::string token_;
};

/// A request as far as it counts.
struct Request {
  std::string method, target, host, origin, site;
  bool has_body = false;
};
/// Reads the lines before the empty one; nothing where they are none of HTTP/1.0 or 1.1.
[[nodiscard]] std::optional<Request> parse_request(std::string_view head);
/// The name that the request asks for, "" for the page itself; nothing where it is to be refused.
[[nodiscard]] std::optional<std::string> name_of(const Request& request, std::string_view token, std::uint16_t port);

}  // namespace heddle::explore
