// SPDX-License-Identifier: MIT
#include "explore/pages/server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

namespace heddle::explore {
namespace {

constexpr std::size_t kMaxHead = 16384;  ///< bytes of a request
constexpr unsigned kMaxClients = 16;     ///< connections at a time
constexpr int kPatience = 5;             ///< seconds that a client may be silent

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool same_word(std::string_view a, std::string_view b) {
  const auto low = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, low, low);
}

/// In the same time wherever they differ.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

/// 128 random bits as hexadecimal digits.
std::string random_token() {
  std::uint8_t bytes[16];
  for (std::size_t got = 0; got < sizeof bytes;) {
    const ssize_t more = getrandom(bytes + got, sizeof bytes - got, 0);
    if (more > 0) got += static_cast<std::size_t>(more);
  }
  std::string token;
  for (const std::uint8_t byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

bool send_all(int client, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void respond(int client, std::string_view status, std::string_view type, std::string_view body) {
  (void)(send_all(client,
                  fmt::format("HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
                              "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
                              "Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n",
                              status, type, body.size())) &&
         send_all(client, body));
}

/// The lines before the empty one; nothing where there are too many, or none for too long.
std::optional<std::string> read_head(int client) {
  std::string head;
  char buffer[4096];
  while (head.size() <= kMaxHead) {
    const ssize_t got = ::recv(client, buffer, sizeof buffer, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    head.append(buffer, static_cast<std::size_t>(got));
    if (const std::size_t end = head.find("\r\n\r\n"); end != std::string::npos) return head.substr(0, end + 2);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Request> parse_request(std::string_view head) {
  Request request;
  const std::size_t end = head.find("\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view first = head.substr(0, end);
  const std::size_t a = first.find(' '), b = first.rfind(' ');
  if (a == std::string_view::npos || b == a || (first.substr(b + 1) != "HTTP/1.1" && first.substr(b + 1) != "HTTP/1.0"))
    return std::nullopt;
  request.method = first.substr(0, a);
  request.target = first.substr(a + 1, b - a - 1);
  bool hosts = false;
  for (std::string_view rest = head.substr(end + 2); !rest.empty();) {
    const std::size_t stop = rest.find("\r\n");
    if (stop == std::string_view::npos) return std::nullopt;
    const std::string_view line = rest.substr(0, stop);
    rest.remove_prefix(stop + 2);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || line.front() == ' ' || line.front() == '\t')
      return std::nullopt;
    const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
    if (same_word(name, "Host")) {
      if (std::exchange(hosts, true)) return std::nullopt;
      request.host = value;
    }
    if (same_word(name, "Origin")) request.origin = value;
    if (same_word(name, "Sec-Fetch-Site")) request.site = value;
    if (same_word(name, "Transfer-Encoding") || (same_word(name, "Content-Length") && value != "0"))
      request.has_body = true;
  }
  return request;
}

std::optional<std::string> name_of(const Request& request, std::string_view token, std::uint16_t port) {
  if (request.method != "GET" || request.has_body) return std::nullopt;
  const std::string own = fmt::format("127.0.0.1:{}", port);
  if (request.host != own) return std::nullopt;  // a name that somebody's DNS made ours has another Host
  if (!request.origin.empty() && request.origin != "http://" + own) return std::nullopt;
  if (!request.site.empty() && request.site != "same-origin" && request.site != "none") return std::nullopt;
  const std::string_view target = request.target;
  if (target.size() < token.size() + 2 || target.front() != '/' || target[token.size() + 1] != '/' ||
      !same_secret(target.substr(1, token.size()), token))
    return std::nullopt;
  const std::string_view name = target.substr(token.size() + 2);
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789/";
  const std::size_t most = name.starts_with("whatif/") ? 3000 : 200;  // changes are spelled in it
  if (name.size() > most || name.find_first_not_of(kLetters) != std::string_view::npos) return std::nullopt;
  return std::string(name);
}

Server::Server(int socket, std::uint16_t port, std::string token)
    : socket_(socket), wake_{-1, -1}, port_(port), token_(std::move(token)) {
  if (::pipe(wake_) != 0) wake_[0] = wake_[1] = -1;
}

Server::~Server() {
  for (const int file : {socket_, wake_[0], wake_[1]})
    if (file >= 0) ::close(file);
}

base::Result<std::unique_ptr<Server>> Server::listen(std::uint16_t port) {
  const auto fail = [&] {
    return base::error("explore-port",
                       fmt::format("port {} of 127.0.0.1 cannot be listened on: {}", port, std::strerror(errno)));
  };
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return fail();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || ::listen(socket, 64) != 0 ||
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    const auto why = fail();
    ::close(socket);
    return why;
  }
  return std::unique_ptr<Server>(new Server(socket, ntohs(address.sin_port), random_token()));
}

std::string Server::address() const { return fmt::format("http://127.0.0.1:{}{}", port_, prefix()); }
std::string Server::prefix() const { return "/" + token_ + "/"; }

void Server::stop() {
  const char byte = 0;
  (void)!::write(wake_[1], &byte, 1);
}

void Server::run(const std::string& page, const Answer& answer) {
  std::atomic<unsigned> clients{0};
  const auto serve = [&](int client) {
    const timeval patience{kPatience, 0};
    ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const auto head = read_head(client);
    const auto request = head ? parse_request(*head) : std::nullopt;
    const auto name = request ? name_of(*request, token_, port_) : std::nullopt;
    if (head && !request) respond(client, "400 Bad Request", "text/plain", "");
    if (request && !name) respond(client, "403 Forbidden", "text/plain", "");
    if (name && name->empty()) {
      respond(client, "200 OK", "text/html; charset=utf-8", page);
    } else if (name) {
      const auto bytes = answer(*name);
      if (bytes)
        respond(client, "200 OK", "application/octet-stream",
                {reinterpret_cast<const char*>(bytes->data()), bytes->size()});
      else
        respond(client, "404 Not Found", "text/plain", "");
    }
    ::shutdown(client, SHUT_RDWR);
    ::close(client);
    --clients;
  };
  for (;;) {
    pollfd files[2] = {{socket_, POLLIN, 0}, {wake_[0], POLLIN, 0}};
    if (::poll(files, 2, -1) < 0 && errno != EINTR) break;
    if (files[1].revents != 0) break;
    if ((files[0].revents & POLLIN) == 0) continue;
    const int client = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    if (++clients > kMaxClients) {  // the browser asks again
      --clients;
      ::close(client);
      continue;
    }
    std::thread(serve, client).detach();
  }
  while (clients != 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace heddle::explore
