// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/processes/StoreClient.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "core/base/Translation.h"
#include "core/processes/BoundedCall.h"
#include "core/processes/StoreProtocol.h"

namespace headlight {
namespace {

using Clock = StoreAccess::Clock;
using Interrupted = std::function<bool()>;

constexpr std::chrono::milliseconds kClientGlance{100}, kConnectAgain{100};
/// A reply takes a moment; only then it is asked whether to give up.
constexpr std::chrono::seconds kReplyIsDue{1};
constexpr std::chrono::seconds kConnecting{10};  ///< then another address has its turn

[[noreturn]] void breakOff(const std::string& why) {
  throw Failure({ErrorCode::Io, why, ""});
}

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
  int family = AF_UNSPEC;
};

std::vector<Address> addressesOf(const std::string& host, int port) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (const int failed = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found))
    breakOff(::gai_strerror(failed));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> places(found, ::freeaddrinfo);
  std::vector<Address> all;
  for (const addrinfo* place = found; place; place = place->ai_next) {
    Address address;
    std::memcpy(&address.bytes, place->ai_addr, place->ai_addrlen);
    address.size = place->ai_addrlen;
    address.family = place->ai_family;
    all.push_back(address);
  }
  return all;
}

/// Waits for what a socket can do. Throws where that takes too long, or `interrupted` says so.
void waitFor(const Socket& socket, short events, Clock::time_point until,
             const Interrupted& interrupted) {
  const auto due = Clock::now() + kReplyIsDue;
  while (!isReady(socket, events, kClientGlance)) {
    if (Clock::now() > until) breakOff("no answer in time");
    if (Clock::now() > due && interrupted()) breakOff("interrupted");
  }
}

std::string exchanged(const Socket& socket, std::string& in, const std::string& message,
                      Clock::time_point until, const Interrupted& interrupted) {
  const std::string out = framed(message);
  for (std::size_t sent = 0; sent < out.size();) {
    const Transfer transfer = sendFrom(socket, out, sent);
    if (transfer == Transfer::Ended) breakOff("the connection ended");
    if (transfer == Transfer::Later) waitFor(socket, POLLOUT, until, interrupted);
  }
  while (true) {
    if (auto reply = takeMessage(in, kLongestMessage)) return *std::move(reply);
    const Transfer transfer = receiveInto(socket, in);
    if (transfer == Transfer::Ended) breakOff("the connection ended");
    if (transfer == Transfer::Later) waitFor(socket, POLLIN, until, interrupted);
  }
}

Socket connectedTo(const Address& address, Clock::time_point until,
                   const Interrupted& interrupted) {
  Socket socket(::socket(address.family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.isOpen()) breakOff(std::strerror(errno));
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address.bytes), address.size) !=
      0) {
    if (errno != EINPROGRESS) breakOff(std::strerror(errno));
    waitFor(socket, POLLOUT, std::min(until, Clock::now() + kConnecting), interrupted);
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) breakOff(std::strerror(error));
  }
  return socket;
}

class StoreClient : public StoreAccess {
 public:
  StoreClient(Socket socket, std::string in, Interrupted interrupted)
      : m_socket(std::move(socket)), m_in(std::move(in)), m_interrupted(std::move(interrupted)) {}

  StoreReply ask(const StoreRequest& request, Clock::time_point until) override {
    const std::unique_lock lock(m_mutex, until);
    if (!lock) breakOff("no answer in time");
    if (!m_socket.isOpen() || m_closed) breakOff("the connection ended");
    try {
      return replyFrom(exchanged(m_socket, m_in, encoded(request), until,
                                 [this] { return m_closed || m_interrupted(); }));
    } catch (...) {
      m_socket = Socket();  // a reply that comes late would be taken for the next one's
      throw;
    }
  }
  void close() override { m_closed = true; }

 private:
  std::timed_mutex m_mutex;
  Socket m_socket;
  std::string m_in;
  Interrupted m_interrupted;
  std::atomic<bool> m_closed = false;
};

/// Tries again and again: process 0 may not have begun yet.
class Arrival {
 public:
  Arrival(const Launch& launch, Clock::time_point until, const Interrupted& interrupted)
      : m_launch(launch), m_until(until), m_interrupted(interrupted) {}

  std::shared_ptr<StoreAccess> arrive(std::chrono::seconds limit) {
    while (true) {
      if (auto arrived = tryOnce(limit)) return arrived;
      if (Clock::now() > m_until || m_interrupted()) failToArrive();
      std::this_thread::sleep_for(kConnectAgain);
    }
  }

 private:
  std::shared_ptr<StoreAccess> tryOnce(std::chrono::seconds limit) {
    const auto arrived = guarded("", [&] {
      std::shared_ptr<StoreAccess> access;
      for (const Address& address : addresses())
        if ((access = tryAt(address, limit))) break;
      return access;
    });
    if (arrived) return *arrived;
    if (arrived.error().code == ErrorCode::InvalidConfig) throw Failure(arrived.error());
    m_why = arrived.error().message;
    return nullptr;
  }

  std::vector<Address> addresses() {
    return BoundedCall<std::vector<Address>>(
               [host = m_launch.host, port = m_launch.port] { return addressesOf(host, port); })
        .get([this] {
          if (Clock::now() > m_until || m_interrupted())
            breakOff("the host name lookup did not finish in time");
        });
  }

  std::shared_ptr<StoreAccess> tryAt(const Address& address, std::chrono::seconds limit) {
    const auto arrived = guarded("", [&]() -> std::shared_ptr<StoreAccess> {
      Socket socket = connectedTo(address, m_until, m_interrupted);
      tuneConnection(socket, limit);
      std::string in;
      requireWelcome(guarded("", [&] {
        return exchanged(socket, in, makeGreeting(m_launch), m_until, m_interrupted);
      }));
      return std::make_shared<StoreClient>(std::move(socket), std::move(in), m_interrupted);
    });
    if (arrived) return *arrived;
    if (arrived.error().code == ErrorCode::InvalidConfig) throw Failure(arrived.error());
    m_why = arrived.error().message;
    return nullptr;
  }

  static void requireWelcome(const Result<std::string>& reply) {
    if (reply && *reply == kWelcome) return;
    if (reply && reply->starts_with(kRefusal))
      throw Failure({ErrorCode::InvalidConfig, reply->substr(std::strlen(kRefusal)), ""});
    breakOff("the port belongs to a program that " +
             std::string(reply ? "is not a Headlight process"
                               : "does not answer like a Headlight process"));
  }

  [[noreturn]] void failToArrive() const {
    throw Failure({ErrorCode::Io,
                   "process " + std::to_string(m_launch.rank) + " of " +
                       std::to_string(m_launch.count) + tr(" found no process 0 (") + m_why +
                       tr("); check MASTER_ADDR and MASTER_PORT"),
                   m_launch.host + ":" + std::to_string(m_launch.port)});
  }

  const Launch& m_launch;
  Clock::time_point m_until;
  const Interrupted& m_interrupted;
  std::string m_why = "no process listens";
};

}  // namespace

std::shared_ptr<StoreAccess> connectToStore(const Launch& launch, std::chrono::seconds limit,
                                            Clock::time_point until,
                                            const std::function<bool()>& interrupted) {
  return Arrival(launch, until, interrupted).arrive(limit);
}

}  // namespace headlight
