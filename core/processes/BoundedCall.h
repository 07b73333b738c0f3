// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A call that cannot be interrupted and may never return (a name that is looked up, a library that
// connects), in a thread of its own. Whoever waits for it may give up; it is then left behind, with
// all that it holds.

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <thread>

namespace headlight {

template <typename T>
class BoundedCall {
 public:
  /// `call` has what it needs by value.
  explicit BoundedCall(std::function<T()> call) {
    std::thread([promise = m_promise, call = std::move(call)]() mutable {
      try {
        promise->set_value(call());
      } catch (...) {
        promise->set_exception(std::current_exception());
      }
      call = {};
    }).detach();
  }
  /// What it returns or throws. `goOn` is called while it runs, and throws to give up.
  T get(const std::function<void()>& goOn) {
    constexpr std::chrono::milliseconds kBetween{100}, kFirst{5};
    auto future = m_promise->get_future();
    for (auto pause = kFirst; future.wait_for(pause) != std::future_status::ready; pause = kBetween)
      goOn();
    return future.get();
  }

 private:
  std::shared_ptr<std::promise<T>> m_promise = std::make_shared<std::promise<T>>();
};

}  // namespace headlight
