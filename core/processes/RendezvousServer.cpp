// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/processes/RendezvousServer.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/base/Translation.h"
#include "core/processes/StoreProtocol.h"

namespace headlight {
namespace {

using Clock = std::chrono::steady_clock;

/// Who connects says at once who it is; the rest are strangers.
constexpr std::chrono::seconds kPatienceWithStrangers{10};
constexpr int kMostStrangers = 64;  ///< and as many as the job has processes
constexpr std::chrono::milliseconds kServerTick{1000}, kPauseWithoutDescriptors{50};

Socket listenOn(int family, int port) {
  Socket socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1, no = 0;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_storage place{};
  socklen_t size = sizeof(sockaddr_in);
  if (family == AF_INET6) {
    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    auto* address = reinterpret_cast<sockaddr_in6*>(&place);
    *address = {};
    address->sin6_family = AF_INET6;
    address->sin6_port = htons(static_cast<std::uint16_t>(port));
    size = sizeof(sockaddr_in6);
  } else {
    auto* address = reinterpret_cast<sockaddr_in*>(&place);
    address->sin_family = AF_INET;
    address->sin_port = htons(static_cast<std::uint16_t>(port));
    address->sin_addr.s_addr = htonl(INADDR_ANY);
  }
  const bool listens = socket.isOpen() &&
                       ::bind(socket.get(), reinterpret_cast<sockaddr*>(&place), size) == 0 &&
                       ::listen(socket.get(), SOMAXCONN) == 0;
  return listens ? std::move(socket) : Socket();
}

/// On every address of the machine, of IPv4 and of IPv6 where there is that.
Socket listenAnywhere(const Launch& launch) {
  for (const int family : {AF_INET6, AF_INET}) {
    if (Socket socket = listenOn(family, launch.port); socket.isOpen()) return socket;
    if (errno == EADDRINUSE) break;
  }
  const int error = errno;
  throw Failure(
      {ErrorCode::Io,
       error == EADDRINUSE
           ? tr("the port is in use; set MASTER_PORT to a free one, the same for all processes")
           : "process " + std::to_string(launch.rank) + " of " + std::to_string(launch.count) +
                 tr(" cannot open the rendezvous (") + std::strerror(error) +
                 tr("); check MASTER_ADDR and MASTER_PORT"),
       launch.host + ":" + std::to_string(launch.port)});
}

}  // namespace

struct RendezvousServer::Connection {
  Socket socket;
  std::string in, out;
  std::size_t sent = 0;
  int rank = -1;      ///< -1: a stranger
  bool ends = false;  ///< once `out` is sent
  Clock::time_point since = Clock::now();
};

RendezvousServer::RendezvousServer(const Launch& launch, StoreTable& table,
                                   std::chrono::seconds limit)
    : m_launch(launch),
      m_table(table),
      m_limit(limit),
      m_listener(listenAnywhere(launch)),
      m_connections(std::make_unique<Connections>()) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Failure({ErrorCode::Io, std::strerror(errno), "pipe"});
  m_wake = Socket(ends[0]);
  m_waker = Socket(ends[1]);
  m_thread = std::thread([this] { serve(); });
}

RendezvousServer::~RendezvousServer() {
  m_waker = Socket();
  m_thread.join();
}

void RendezvousServer::serve() {
  while (true) {
    std::vector<pollfd> wanted{{m_wake.get(), POLLIN, 0}, {m_listener.get(), POLLIN, 0}};
    for (const Connection& connection : *m_connections)
      wanted.push_back({connection.socket.get(),
                        static_cast<short>(connection.out.empty() ? POLLIN : POLLOUT), 0});
    ::poll(wanted.data(), wanted.size(), static_cast<int>(kServerTick.count()));
    if (wanted[0].revents != 0) return;
    std::size_t at = 2;
    for (auto connection = m_connections->begin(); connection != m_connections->end();) {
      const short events = wanted[at++].revents;
      if (events == 0 || goOn(*connection)) {
        ++connection;
        continue;
      }
      const int rank = connection->rank;
      connection = m_connections->erase(connection);
      noteEnd(rank);
    }
    if (wanted[1].revents != 0) acceptWaiting();
    dropSilentStrangers();
  }
}

void RendezvousServer::acceptWaiting() {
  for (int taken = 0; taken < kMostStrangers; ++taken) {
    Socket socket(::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.isOpen()) {
      if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM) return;
      dropOldestStranger();
      std::this_thread::sleep_for(kPauseWithoutDescriptors);
      return;
    }
    tuneConnection(socket, m_limit);
    m_connections->emplace_back().socket = std::move(socket);
    if (std::count_if(m_connections->begin(), m_connections->end(), [](const Connection& each) {
          return each.rank < 0;
        }) > kMostStrangers + m_launch.count)
      dropOldestStranger();
  }
}

/// Not one that said something: its greeting may be waiting to be read.
void RendezvousServer::dropOldestStranger() {
  const auto isStranger = [](const Connection& each) { return each.rank < 0; };
  const auto isIdle = [&](const Connection& each) {
    return isStranger(each) && !isReady(each.socket, POLLIN, {});
  };
  auto found = std::find_if(m_connections->begin(), m_connections->end(), isIdle);
  if (found == m_connections->end())
    found = std::find_if(m_connections->begin(), m_connections->end(), isStranger);
  if (found != m_connections->end()) m_connections->erase(found);
}

void RendezvousServer::dropSilentStrangers() {
  const auto before = Clock::now() - kPatienceWithStrangers;
  m_connections->remove_if(
      [&](const Connection& each) { return each.rank < 0 && each.since < before; });
}

/// False where the connection has ended, or what came makes no sense.
bool RendezvousServer::goOn(Connection& connection) {
  const auto lives = guarded("", [&] {
    if (connection.out.empty()) {
      if (receiveInto(connection.socket, connection.in) == Transfer::Ended) return false;
      answerWaiting(connection);
    }
    while (!connection.out.empty()) {
      const Transfer sent = sendFrom(connection.socket, connection.out, connection.sent);
      if (sent != Transfer::Done) return sent == Transfer::Later;
      if (connection.sent < connection.out.size()) continue;
      if (connection.ends) return false;
      connection.out.clear();
      connection.sent = 0;
      answerWaiting(connection);
    }
    return true;
  });
  return lives && *lives;
}

/// One at a time: whoever does not read its reply is asked nothing more.
void RendezvousServer::answerWaiting(Connection& connection) {
  const bool isStranger = connection.rank < 0;
  const auto message = takeMessage(connection.in, isStranger ? kLongestGreeting : kLongestMessage);
  if (!message) return;
  connection.out = framed(isStranger ? greet(connection, *message)
                                     : encoded(m_table.answer(requestFrom(*message))));
}

std::string RendezvousServer::greet(Connection& connection, const std::string& greeting) {
  try {
    connection.rank = rankFromGreeting(greeting, m_launch);
    return kWelcome;
  } catch (const Failure& failure) {
    if (failure.error().code != ErrorCode::InvalidConfig) throw;
    connection.ends = true;
    return kRefusal + failure.error().message;
  }
}

void RendezvousServer::noteEnd(int rank) {
  if (rank < 0 || m_table.has(leaveKey(rank))) return;
  for (const Connection& other : *m_connections)
    if (other.rank == rank) return;
  m_table.set(goneKey(rank), "1");
  m_table.set(kSomebodyEndedKey, "1");
}

}  // namespace headlight
