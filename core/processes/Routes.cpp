// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/processes/Routes.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>

namespace headlight {
namespace {

std::string numericAddress(const sockaddr* address, socklen_t length) {
  std::array<char, NI_MAXHOST> text{};
  const int failed =
      ::getnameinfo(address, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  return failed ? "" : text.data();
}

/// For a datagram socket, which connecting binds without sending anything.
std::optional<Route> routeBy(const addrinfo& place) {
  const int socket = ::socket(place.ai_family, SOCK_DGRAM, 0);
  if (socket < 0) return std::nullopt;
  std::optional<Route> route;
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  if (::connect(socket, place.ai_addr, place.ai_addrlen) == 0 &&
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &length) == 0)
    route = Route{numericAddress(reinterpret_cast<sockaddr*>(&own), length),
                  numericAddress(place.ai_addr, place.ai_addrlen)};
  ::close(socket);
  return route;
}

/// The other end; 0: not a connection.
int peerPort(int descriptor) {
  sockaddr_storage peer{};
  socklen_t length = sizeof peer;
  if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &length) != 0) return 0;
  if (peer.ss_family == AF_INET) return ntohs(reinterpret_cast<sockaddr_in*>(&peer)->sin_port);
  if (peer.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6*>(&peer)->sin6_port);
  return 0;
}

}  // namespace

std::optional<Route> routeTo(const std::string& host, int port) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_DGRAM;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
    return std::nullopt;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> places(found, ::freeaddrinfo);
  for (const addrinfo* place = found; place; place = place->ai_next)
    if (auto route = routeBy(*place)) return route;
  return std::nullopt;
}

void limitSilence(int port, std::chrono::seconds limit) {
  const auto milliseconds = static_cast<unsigned>(std::min<std::int64_t>(
      std::chrono::milliseconds(limit).count(), std::numeric_limits<int>::max()));
  const timeval seconds{static_cast<time_t>(limit.count()), 0};
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end;
       !error && entry != end; entry.increment(error)) {
    const int descriptor = std::atoi(entry->path().filename().c_str());
    if (peerPort(descriptor) != port) continue;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
    ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &seconds, sizeof seconds);
  }
}

bool isLoopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

std::string reachableAddress(const Route& own, const std::vector<Route>& all) {
  if (!own.from.empty() && !isLoopback(own.from)) return own.from;
  for (const Route& route : all)
    if (!route.to.empty() && !isLoopback(route.to)) return route.to;
  return own.from;
}

std::string routeText(const Route& route) {
  return route.from + " " + route.to;
}

Route routeFromText(const std::string& text) {
  const auto space = text.find(' ');
  if (space == std::string::npos) return {};
  return {text.substr(0, space), text.substr(space + 1)};
}

}  // namespace headlight
