// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whoever else connects to a port of this machine: with garbage, half of something, nothing at all,
// many at once.

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace headlight {

inline sockaddr_in loopbackAt(int port) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(static_cast<std::uint16_t>(port));
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return place;
}

/// A connection; -1: nobody listens there.
inline int connectionTo(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in place = loopbackAt(port);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0)
    return socket;
  ::close(socket);
  return -1;
}

/// A socket that listens there and is never looked after; -1: it cannot.
inline int deafListener(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in place = loopbackAt(port);
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0 &&
      ::listen(socket, 64) == 0)
    return socket;
  ::close(socket);
  return -1;
}

/// What strangers say, and then nothing more.
inline std::vector<std::string> strangersWords(int random, unsigned seed) {
  using namespace std::string_literals;
  std::vector<std::string> all{""s,
                               "GET / HTTP/1.1\r\nHost: here\r\n\r\n"s,
                               "\0"s,
                               "\0\0\0\0"s,
                               "\0\0\0\1"s,
                               "\xff\xff\xff\xff"s,
                               "\0\0\x0f\xff half"s,
                               "\0\0\0\x16headlight-rendezvous-1"s,
                               "\0\0\0\x1a\0\0\0\x16headlight-rendezvous-1"s};
  std::mt19937 draws(seed);
  for (int i = 0; i < random; ++i) {
    std::string bytes(draws() % 300, '\0');
    for (char& byte : bytes)
      byte = static_cast<char>(draws());
    all.push_back(bytes);
  }
  return all;
}

/// Connect again and again for as long as this lives. The first stay.
class Strangers {
 public:
  explicit Strangers(int port) : m_thread([this, port] { come(port); }) {}
  Strangers(const Strangers&) = delete;
  Strangers& operator=(const Strangers&) = delete;
  ~Strangers() {
    m_stop = true;
    m_thread.join();
    for (const int socket : m_sockets)
      ::close(socket);
  }
  /// That found somebody who listens.
  int count() const { return m_count; }

 private:
  void come(int port) {
    constexpr std::size_t kMostAtOnce = 200, kStaying = 120;
    const auto words = strangersWords(50, 11);
    for (std::size_t next = 0; !m_stop; ++next) {
      if (const int socket = connectionTo(port); socket >= 0) {
        const std::string& said = words[next % words.size()];
        static_cast<void>(::send(socket, said.data(), said.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
        m_sockets.push_back(socket);
        ++m_count;
      }
      if (m_sockets.size() > kMostAtOnce) {
        ::close(m_sockets[kStaying]);
        m_sockets.erase(m_sockets.begin() + kStaying);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(m_count < 300 ? 1 : 10));
    }
  }

  std::vector<int> m_sockets;
  std::atomic<int> m_count = 0;
  std::atomic<bool> m_stop = false;
  std::thread m_thread;
};

}  // namespace headlight
