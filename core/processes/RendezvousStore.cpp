// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/processes/RendezvousStore.h"

#include <thread>

#include "core/base/Translation.h"

namespace headlight {
namespace {

using Kind = StoreRequest::Kind;
constexpr std::chrono::milliseconds kShortestWait{2}, kLongestWait{50};

std::string textFrom(const RendezvousStore::Bytes& bytes) {
  return std::string(bytes.begin(), bytes.end());
}
RendezvousStore::Bytes bytesFrom(const std::string& text) {
  return {text.begin(), text.end()};
}

class LaunchersStore : public StoreAccess {
 public:
  explicit LaunchersStore(c10::intrusive_ptr<c10d::Store> store) : m_store(std::move(store)) {}

  StoreReply ask(const StoreRequest& request, Clock::time_point) override {
    if (m_closed) throw Failure({ErrorCode::Io, tr("the store of the run is closed"), ""});
    if (request.kind == Kind::Set) {
      m_store->set(request.key, bytesFrom(request.value));
      return {true, ""};
    }
    if (request.kind != Kind::Get)
      throw Failure({ErrorCode::Internal, tr("a launcher's store supports only text values"), ""});
    if (!m_store->check({request.key})) return {};
    return {true, textFrom(m_store->get(request.key))};
  }
  void close() override { m_closed = true; }

 private:
  c10::intrusive_ptr<c10d::Store> m_store;
  std::atomic<bool> m_closed = false;
};

}  // namespace

StoreReply RendezvousStore::ask(const StoreRequest& request) {
  return m_access->ask(request, StoreAccess::Clock::now() + timeout_);
}

void RendezvousStore::set(const std::string& key, const Bytes& value) {
  ask({Kind::Set, key, textFrom(value), ""});
}

RendezvousStore::Bytes RendezvousStore::compareSet(const std::string& key, const Bytes& expected,
                                                   const Bytes& value) {
  return bytesFrom(ask({Kind::CompareSet, key, textFrom(value), textFrom(expected)}).value);
}

RendezvousStore::Bytes RendezvousStore::get(const std::string& key) {
  wait({key});
  return bytesFrom(ask({Kind::Get, key, "", ""}).value);
}

std::int64_t RendezvousStore::add(const std::string& key, std::int64_t value) {
  const StoreReply sum = ask({Kind::Add, key, std::to_string(value), ""});
  if (!sum.found) throw Failure({ErrorCode::Internal, tr("is not a number in the store"), key});
  return std::stoll(sum.value);
}

bool RendezvousStore::deleteKey(const std::string& key) {
  return ask({Kind::Remove, key, "", ""}).found;
}

bool RendezvousStore::check(const std::vector<std::string>& keys) {
  for (const std::string& key : keys)
    if (!ask({Kind::Get, key, "", ""}).found) return false;
  return true;
}

std::int64_t RendezvousStore::getNumKeys() {
  return std::stoll(ask({Kind::Count, "", "", ""}).value);
}

/// Asks again and again: no request of one process waits for another, so none holds up the next.
void RendezvousStore::wait(const std::vector<std::string>& keys, const Milliseconds& timeout) {
  const auto until = StoreAccess::Clock::now() + timeout;
  for (auto pause = kShortestWait; !check(keys); pause = std::min(2 * pause, kLongestWait)) {
    if (timeout != kNoTimeout && StoreAccess::Clock::now() > until)
      throw Failure(
          {ErrorCode::Io, tr("no process wrote it in time"), keys.empty() ? "" : keys.front()});
    std::this_thread::sleep_for(pause);
  }
}

c10::intrusive_ptr<c10d::Store> RendezvousStore::clone() {
  return c10::make_intrusive<RendezvousStore>(m_access, timeout_);
}

std::shared_ptr<StoreAccess> accessTo(const c10::intrusive_ptr<c10d::Store>& store) {
  return std::make_shared<LaunchersStore>(store);
}

}  // namespace headlight
