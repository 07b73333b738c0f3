// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/processes/StoreAccess.h"

#include <algorithm>
#include <thread>

#include "core/base/Translation.h"
#include "core/processes/RendezvousServer.h"

namespace headlight {
namespace {

constexpr std::chrono::milliseconds kShortestPoll{2}, kLongestPoll{20};

class KeptStore : public StoreAccess {
 public:
  KeptStore(const Launch& launch, std::chrono::seconds limit) : m_server(launch, m_table, limit) {}
  StoreReply ask(const StoreRequest& request, Clock::time_point) override {
    if (m_closed) throw Failure({ErrorCode::Io, tr("the store of the run is closed"), ""});
    return m_table.answer(request);
  }
  void close() override { m_closed = true; }

 private:
  StoreTable m_table;
  RendezvousServer m_server;
  std::atomic<bool> m_closed = false;
};

}  // namespace

std::shared_ptr<StoreAccess> keepStore(const Launch& launch, std::chrono::seconds limit) {
  return std::make_shared<KeptStore>(launch, limit);
}

std::string waitForText(StoreAccess& store, const std::string& key,
                        StoreAccess::Clock::time_point until, const std::function<void()>& goOn) {
  for (auto pause = kShortestPoll;; pause = std::min(2 * pause, kLongestPoll)) {
    // Asked first: a process may write the text and end between the two questions.
    const auto goesOn = guarded("", goOn);
    if (!goesOn && goesOn.error().code == ErrorCode::Canceled) throw Failure(goesOn.error());
    const StoreReply reply = store.ask({StoreRequest::Kind::Get, key, "", ""}, until);
    if (reply.found) return reply.value;
    if (!goesOn) throw Failure(goesOn.error());
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace headlight
