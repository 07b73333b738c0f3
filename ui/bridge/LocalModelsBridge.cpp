// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/LocalModelsBridge.h"

#include <chrono>
#include <utility>

namespace headlight {
namespace {

/// The window hears of what was found at least so often.
constexpr std::chrono::milliseconds kTurn(60);

}  // namespace

LocalModelsBridge::LocalModelsBridge(QObject* parent) : QObject(parent) {}

LocalModelsBridge::~LocalModelsBridge() {
  m_stop.request_stop();
}

void LocalModelsBridge::poll(const LocalPlaces& places) {
  m_stop.request_stop();
  m_stop = std::stop_source();
  m_looking = true;
  m_worker.post([this, places, search = ++m_search, stop = m_stop.get_token()](std::stop_token) {
    auto batch = std::make_shared<Batch>();
    auto handed = std::chrono::steady_clock::now();
    const auto take = [&](LocalModel model) {
      batch->push_back(std::move(model));
      const auto now = std::chrono::steady_clock::now();
      if (now - handed < kTurn) return;
      handed = now;
      callInThread(this, [this, search, full = std::exchange(batch, std::make_shared<Batch>())] {
        hand(search, full);
      });
    };
    const std::size_t leftOut = findLocalModels(places, take, stop);
    callInThread(this, [this, search, batch, leftOut] {
      hand(search, batch);
      end(search, leftOut);
    });
  });
}

void LocalModelsBridge::hand(int search, const std::shared_ptr<Batch>& batch) {
  if (search == m_search && !batch->empty()) Q_EMIT found(*batch);
}

void LocalModelsBridge::end(int search, std::size_t leftOut) {
  if (search != m_search) return;
  m_looking = false;
  Q_EMIT ended(leftOut);
}

}  // namespace headlight
