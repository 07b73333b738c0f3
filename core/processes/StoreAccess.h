// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How a process reaches the store of its run: process 0 has it itself, the others have a connection
// to it. Thread-safe. No torch type.

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "core/processes/Launch.h"
#include "core/processes/Sockets.h"
#include "core/processes/StoreTable.h"

namespace headlight {

class StoreAccess {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~StoreAccess() = default;
  /// Throws Failure (Io): no reply until then, the store is gone, close() was called.
  virtual StoreReply ask(const StoreRequest& request, Clock::time_point until) = 0;
  /// Whoever waits for a text gives up.
  virtual void close() = 0;
};

/// Keeps the store and serves it to the others. Throws Failure as RendezvousServer does.
std::shared_ptr<StoreAccess> keepStore(const Launch& launch, std::chrono::seconds limit);

/// Connects to process 0 and is welcome there. `interrupted` says whether to give up, and is asked
/// now and then. `limit`: how long the other machine may be out of reach later on. Throws Failure
/// (Io): nobody is there until then, or somebody else; (InvalidConfig): it is another job's.
std::shared_ptr<StoreAccess> connectToStore(const Launch& launch, std::chrono::seconds limit,
                                            StoreAccess::Clock::time_point until,
                                            const std::function<bool()>& interrupted);

}  // namespace headlight
