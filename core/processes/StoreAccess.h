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

/// Asks again and again until the text is there. Throws what `goOn` throws; but a text that is there
/// counts more than an end (Io): its writer may have ended since.
std::string waitForText(StoreAccess& store, const std::string& key,
                        StoreAccess::Clock::time_point until, const std::function<void()>& goOn);

}  // namespace headlight
