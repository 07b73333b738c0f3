// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The port at which the processes of a run meet: process 0 serves its store there, in a thread of
// its own that nobody who connects can hold up. A process whose connection ends before it took
// leave is gone, which the store then says. No torch type.

#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/processes/Launch.h"
#include "core/processes/Sockets.h"
#include "core/processes/StoreTable.h"

namespace headlight {

class RendezvousServer {
 public:
  /// Listens at the launch's port. `limit`: how long the other machine of a connection may be out
  /// of reach. Throws Failure (Io): the port is in use, or the system refuses.
  RendezvousServer(const Launch& launch, StoreTable& table, std::chrono::seconds limit);
  ~RendezvousServer();
  RendezvousServer(const RendezvousServer&) = delete;
  RendezvousServer& operator=(const RendezvousServer&) = delete;

 private:
  struct Connection;
  using Connections = std::list<Connection>;

  void serve();
  void acceptWaiting();
  void dropOldestStranger();
  void dropSilentStrangers();
  bool goOn(Connection& connection);
  void answerWaiting(Connection& connection);
  std::string greet(Connection& connection, const std::string& greeting);
  void noteEnd(int rank);

  Launch m_launch;
  StoreTable& m_table;
  std::chrono::seconds m_limit;
  Socket m_listener, m_wake, m_waker;
  std::unique_ptr<Connections> m_connections;
  std::thread m_thread;
};

}  // namespace headlight
