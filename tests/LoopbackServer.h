// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A small HTTP server of this machine that behaves as badly as a test wants it to. A thread a
// connection, and every connection ends with its answer.

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace headlight::testing {

struct ServerRequest {
  std::string method, path;
  std::map<std::string, std::string> headers;  ///< names in lower case

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

struct ServerReply {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::int64_t announced = -1;  ///< Content-Length that is said; -1: the body's
  std::int64_t cutAfter = -1;   ///< bytes of the body, then the connection ends; -1: all of them
  std::size_t chunk = 1 << 20;  ///< bytes at once
  int pauseMs = 0;              ///< after each of them
};

class LoopbackServer {
 public:
  using Answer = std::function<ServerReply(const ServerRequest&)>;

  explicit LoopbackServer(Answer answer) : m_answer(std::move(answer)) {
    m_socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* place = reinterpret_cast<sockaddr*>(&address);
    if (::bind(m_socket, place, size) != 0 || ::listen(m_socket, 16) != 0 ||
        ::getsockname(m_socket, place, &size) != 0)
      throw std::runtime_error("no server");
    m_port = ntohs(address.sin_port);
    m_thread = std::thread([this] { listen(); });
  }

  ~LoopbackServer() {
    m_ending = true;
    m_thread.join();
    for (auto& worker : m_workers)
      worker.join();
    ::close(m_socket);
  }
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  int port() const { return m_port; }
  std::string address() const { return "http://127.0.0.1:" + std::to_string(m_port); }

  std::vector<ServerRequest> requests() const {
    const std::lock_guard lock(m_mutex);
    return m_requests;
  }

 private:
  void listen() {
    while (!m_ending) {
      pollfd waiting{m_socket, POLLIN, 0};
      if (::poll(&waiting, 1, 20) <= 0) continue;
      const int connection = ::accept4(m_socket, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection >= 0) m_workers.emplace_back([this, connection] { serve(connection); });
    }
  }

  void serve(int connection) {
    const std::string head = readHead(connection);
    if (!head.empty()) {
      const ServerRequest request = parsed(head);
      {
        const std::lock_guard lock(m_mutex);
        m_requests.push_back(request);
      }
      write(connection, request, m_answer(request));
    }
    ::shutdown(connection, SHUT_WR);
    ::close(connection);
  }

  std::string readHead(int connection) const {
    std::string head;
    char bytes[4096];
    while (!m_ending && head.find("\r\n\r\n") == std::string::npos) {
      pollfd waiting{connection, POLLIN, 0};
      if (::poll(&waiting, 1, 20) <= 0) continue;
      const ssize_t got = ::read(connection, bytes, sizeof bytes);
      if (got <= 0) return "";
      head.append(bytes, static_cast<std::size_t>(got));
      if (head.front() == '\x16') return "";  // TLS, which it does not speak
    }
    return head;
  }

  static ServerRequest parsed(const std::string& head) {
    ServerRequest request;
    const auto space = head.find(' ');
    request.method = head.substr(0, space);
    request.path = head.substr(space + 1, head.find(' ', space + 1) - space - 1);
    for (auto at = head.find("\r\n") + 2; at < head.size();) {
      const auto end = head.find("\r\n", at);
      const auto colon = head.find(": ", at);
      if (end == std::string::npos || end == at || colon > end) break;
      std::string name = head.substr(at, colon - at);
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char letter) { return std::tolower(letter); });
      request.headers[name] = head.substr(colon + 2, end - colon - 2);
      at = end + 2;
    }
    return request;
  }

  void write(int connection, const ServerRequest& request, const ServerReply& reply) const {
    const std::string& body = reply.body;
    const auto said =
        reply.announced >= 0 ? reply.announced : static_cast<std::int64_t>(body.size());
    std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " X\r\nConnection: close\r\n";
    for (const auto& [name, value] : reply.headers)
      head += name + ": " + value + "\r\n";
    head += "Content-Length: " + std::to_string(said) + "\r\n\r\n";
    send(connection, head.data(), head.size());
    if (request.method == "HEAD") return;
    const auto whole = static_cast<std::int64_t>(body.size());
    const auto end =
        static_cast<std::size_t>(reply.cutAfter >= 0 ? std::min(reply.cutAfter, whole) : whole);
    for (std::size_t at = 0; at < end && !m_ending; at += reply.chunk) {
      if (!send(connection, body.data() + at, std::min(reply.chunk, end - at))) return;
      pause(reply.pauseMs);
    }
  }

  void pause(int milliseconds) const {
    for (int left = milliseconds; left > 0 && !m_ending; left -= 20)
      std::this_thread::sleep_for(std::chrono::milliseconds(std::min(left, 20)));
  }

  static bool send(int connection, const char* data, std::size_t size) {
    while (size > 0) {
      const ssize_t sent = ::send(connection, data, size, MSG_NOSIGNAL);
      if (sent <= 0) return false;
      data += sent;
      size -= static_cast<std::size_t>(sent);
    }
    return true;
  }

  Answer m_answer;
  int m_socket = -1, m_port = 0;
  std::atomic<bool> m_ending{false};
  mutable std::mutex m_mutex;
  std::vector<ServerRequest> m_requests;
  std::vector<std::thread> m_workers;  ///< of m_thread alone, until it ends
  std::thread m_thread;
};

}  // namespace headlight::testing
