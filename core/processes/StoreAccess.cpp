// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/processes/StoreAccess.h"

#include "core/processes/RendezvousServer.h"

namespace headlight {
namespace {

class KeptStore : public StoreAccess {
 public:
  KeptStore(const Launch& launch, std::chrono::seconds limit) : m_server(launch, m_table, limit) {}
  StoreReply ask(const StoreRequest& request, Clock::time_point) override {
    if (m_closed) throw Failure({ErrorCode::Io, "the store of the run is closed", ""});
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

}  // namespace headlight
