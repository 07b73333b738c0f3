// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Plain sockets that nobody waits for longer than they want to.

#include <chrono>
#include <cstddef>
#include <string>

namespace headlight {

/// A descriptor; closed when it goes.
class Socket {
 public:
  explicit Socket(int descriptor = -1) : m_descriptor(descriptor) {}
  Socket(Socket&& other) noexcept : m_descriptor(other.release()) {}
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  int get() const { return m_descriptor; }
  bool isOpen() const { return m_descriptor >= 0; }
  int release();

 private:
  int m_descriptor;
};

enum class Transfer { Done, Later, Ended };

/// Appends what came to `bytes`, 64 KiB at most. Later: nothing is there now.
Transfer receiveInto(const Socket& socket, std::string& bytes);
/// Sends of `bytes` what goes now, from `from` on, and moves that.
Transfer sendFrom(const Socket& socket, const std::string& bytes, std::size_t& from);

/// For short messages to another machine: sent at once, and a machine that is gone ends the
/// connection after `limit`.
void tuneConnection(const Socket& socket, std::chrono::seconds limit);

/// Whether it can be read (`events` POLLIN) or written (POLLOUT) within that time.
bool isReady(const Socket& socket, short events, std::chrono::milliseconds within);

}  // namespace headlight
