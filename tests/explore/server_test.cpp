// SPDX-License-Identifier: MIT
// The server answers its own page alone: no other host, origin, token, method or path. And what it is asked for.

#include "explore/pages/server.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "explore/pages/report.hpp"
#include "explore/pages/service.hpp"
#include "support.hpp"

namespace heddle::explore {
namespace {

const std::string kToken = "0123456789abcdef0123456789abcdef";

std::optional<std::string> asked(const std::string& head) {
  const auto request = parse_request(head);
  return request ? name_of(*request, kToken, 4711) : std::nullopt;
}

TEST(Server, ItsOwnPageIsAnswered) {
  const std::string own = "Host: 127.0.0.1:4711\r\n";
  EXPECT_EQ(asked("GET /" + kToken + "/ HTTP/1.1\r\n" + own), "");
  EXPECT_EQ(asked("GET /" + kToken + "/trace/0/12 HTTP/1.1\r\n" + own), "trace/0/12");
  const std::string changes = "whatif/3/" + std::string(2000, 'a');  // many of them
  EXPECT_EQ(asked("GET /" + kToken + "/" + changes + " HTTP/1.1\r\n" + own), changes);
  EXPECT_EQ(asked("GET /" + kToken + "/trace/" + std::string(2000, '1') + " HTTP/1.1\r\n" + own), std::nullopt);
  EXPECT_EQ(asked("GET /" + kToken +
                  "/index HTTP/1.1\r\nhost:127.0.0.1:4711\r\nOrigin: http://127.0.0.1:4711\r\n"
                  "Sec-Fetch-Site: same-origin\r\n"),
            "index");
}

TEST(Server, OthersAreRefused) {
  const std::string own = "Host: 127.0.0.1:4711\r\n", path = "GET /" + kToken + "/index HTTP/1.1\r\n";
  for (const std::string& head : {
           "GET /" + std::string(32, '0') + "/index HTTP/1.1\r\n" + own,  // another token
           "GET /index HTTP/1.1\r\n" + own,                               // none
           "GET /" + kToken + " HTTP/1.1\r\n" + own,
           "GET /" + kToken + "x/index HTTP/1.1\r\n" + own,
           "POST /" + kToken + "/index HTTP/1.1\r\n" + own,  // another method
           "HEAD /" + kToken + "/index HTTP/1.1\r\n" + own,
           path,                             // no host
           path + "Host: evil.example\r\n",  // another one: a name that was made to mean 127.0.0.1
           path + "Host: evil.example:4711\r\n",
           path + "Host: 127.0.0.1\r\n",
           path + "Host: 127.0.0.1:80\r\n",
           path + "Host: 127.0.0.1:4711\r\nHost: 127.0.0.1:4711\r\n",
           path + own + "Origin: http://evil.example\r\n",
           path + own + "Origin: null\r\n",
           path + own + "Sec-Fetch-Site: cross-site\r\n",
           path + own + "Content-Length: 5\r\n",
           path + own + "Transfer-Encoding: chunked\r\n",
           "GET /" + kToken + "/../../etc/passwd HTTP/1.1\r\n" + own,  // paths
           "GET /" + kToken + "/%2e%2e/etc/passwd HTTP/1.1\r\n" + own,
           "GET /" + kToken + "/index?x=1 HTTP/1.1\r\n" + own,
           "GET /" + kToken + "/a\\b HTTP/1.1\r\n" + own,
           "GET /" + kToken + "/" + std::string(300, 'a') + " HTTP/1.1\r\n" + own,
           "GET http://127.0.0.1:4711/" + kToken + "/index HTTP/1.1\r\n" + own,
           "GET /" + kToken + "/index HTTP/2\r\n" + own,
           "GET /" + kToken + "/index\r\n" + own,
           path + own + " folded\r\n",
           path + own + "no colon\r\n",
           std::string("\r\n"),
           std::string(),
       })
    EXPECT_EQ(asked(head), std::nullopt) << head;
}

/// One answer of a server that runs.
std::string exchange(std::uint16_t port, const std::string& bytes) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    (void)!::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ::shutdown(socket, SHUT_WR);
    char buffer[4096];
    for (ssize_t got = 0; (got = ::recv(socket, buffer, sizeof buffer, 0)) > 0;)
      answer.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(socket);
  return answer;
}

class Running {
 public:
  Running() {
    auto made = Server::listen(0);
    EXPECT_TRUE(made.ok());
    server = std::move(*made);
    thread_ = std::thread([this] {
      server->run("the page", [](const std::string& name) {
        return name == "index" ? std::optional(std::vector<std::uint8_t>{1, 2, 3}) : std::nullopt;
      });
    });
  }
  ~Running() {
    server->stop();
    thread_.join();
  }
  [[nodiscard]] std::string get(const std::string& name) const {
    return exchange(server->port(), "GET " + server->prefix() + name +
                                        " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server->port()) + "\r\n\r\n");
  }
  std::unique_ptr<Server> server;

 private:
  std::thread thread_;
};

TEST(Server, ServesThePageAndItsDocuments) {
  const Running running;
  EXPECT_TRUE(running.get("").ends_with("\r\n\r\nthe page"));
  EXPECT_TRUE(running.get("index").ends_with("\r\n\r\n\x01\x02\x03"));
  EXPECT_TRUE(running.get("nothing").starts_with("HTTP/1.1 404"));
  EXPECT_NE(running.get("").find("Cache-Control: no-store"), std::string::npos);
}

TEST(Server, EachHasATokenOfItsOwn) {
  const auto a = Server::listen(0), b = Server::listen(0);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ((*a)->prefix().size(), 34u);
  EXPECT_NE((*a)->prefix(), (*b)->prefix());
}

// explore-port
TEST(Server, APortThatIsTakenIsSaid) {
  const auto first = Server::listen(0);
  ASSERT_TRUE(first.ok());
  const auto second = Server::listen((*first)->port());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.diagnostics()[0].id, "explore-port");
}

/// Bytes that are nearly a request.
std::string malformed(std::mt19937& random, const std::string& good) {
  std::string text = good;
  for (unsigned n = 1 + random() % 4; n != 0 && !text.empty(); --n) {
    const std::size_t at = random() % text.size();
    switch (random() % 4) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, 1 + random() % 8);
        break;
      case 2:
        text.insert(at, std::string(random() % 40, static_cast<char>(random())));
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

// What is no request of the page is never answered with a document, and the server goes on.
TEST(Server, TenThousandMalformedRequestsGiveErrors) {
  std::mt19937 random(11);
  const std::string good =
      "GET /" + kToken + "/index HTTP/1.1\r\nHost: 127.0.0.1:4711\r\nOrigin: http://127.0.0.1:4711\r\n";
  for (int n = 0; n < 10'000; ++n) {
    const std::string text = malformed(random, good);
    const auto name = asked(text);
    if (!name) continue;  // what is left of some is still a request of the page
    EXPECT_NE(text.find("GET /" + kToken + "/"), std::string::npos);
    EXPECT_EQ(name->find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789/"), std::string::npos);
  }
  const Running running;
  const std::string whole = "GET " + running.server->prefix() + "index HTTP/1.1\r\nHost: evil.example\r\n\r\n";
  for (int n = 0; n < 10'000; ++n) {
    const std::string answer = exchange(running.server->port(), malformed(random, whole));
    EXPECT_FALSE(answer.starts_with("HTTP/1.1 200")) << n;
  }
  EXPECT_TRUE(running.get("index").starts_with("HTTP/1.1 200"));
}

TEST(Server, AHeadWithoutEndIsCutOff) {
  const Running running;
  EXPECT_EQ(exchange(running.server->port(), std::string(100'000, 'a')), "");
  EXPECT_TRUE(running.get("index").starts_with("HTTP/1.1 200"));
}

}  // namespace
}  // namespace heddle::explore
