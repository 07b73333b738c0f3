// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/processes/Sockets.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <utility>

namespace headlight {
namespace {

constexpr int kSecondsToProbe = 10;  ///< after the last sign of life

Transfer transferOf(ssize_t count) {
  if (count > 0) return Transfer::Done;
  const bool later = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  return count < 0 && later ? Transfer::Later : Transfer::Ended;
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    const Socket before(std::exchange(m_descriptor, other.release()));
  }
  return *this;
}

Socket::~Socket() {
  if (isOpen()) ::close(m_descriptor);
}

int Socket::release() {
  return std::exchange(m_descriptor, -1);
}

Transfer receiveInto(const Socket& socket, std::string& bytes) {
  std::array<char, 1 << 16> buffer;
  const ssize_t count = ::recv(socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  const Transfer transfer = transferOf(count);
  if (transfer == Transfer::Done) bytes.append(buffer.data(), static_cast<std::size_t>(count));
  return transfer;
}

Transfer sendFrom(const Socket& socket, const std::string& bytes, std::size_t& from) {
  if (from >= bytes.size()) return Transfer::Done;
  const ssize_t count =
      ::send(socket.get(), bytes.data() + from, bytes.size() - from, MSG_DONTWAIT | MSG_NOSIGNAL);
  const Transfer transfer = transferOf(count);
  if (transfer == Transfer::Done) from += static_cast<std::size_t>(count);
  return transfer;
}

void tuneConnection(const Socket& socket, std::chrono::seconds limit) {
  const auto set = [&](int level, int option, int value) {
    ::setsockopt(socket.get(), level, option, &value, sizeof value);
  };
  const std::int64_t milliseconds = std::chrono::milliseconds(limit).count();
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, kSecondsToProbe);
  set(IPPROTO_TCP, TCP_KEEPINTVL, kSecondsToProbe);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT,
      static_cast<int>(std::min<std::int64_t>(milliseconds, std::numeric_limits<int>::max())));
}

bool isReady(const Socket& socket, short events, std::chrono::milliseconds within) {
  pollfd wanted{socket.get(), events, 0};
  return ::poll(&wanted, 1, static_cast<int>(std::max<std::int64_t>(within.count(), 0))) > 0;
}

}  // namespace headlight
