// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A call on its way from one thread to another through Qt's queue of events. Qt is compiled without
// the thread sanitizer, which therefore cannot see that the queue orders the two threads: here it
// is told. In other builds this is the call and nothing else.

#include <utility>

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace headlight {

template <typename Call>
class PostedCall {
 public:
  explicit PostedCall(Call call) : m_call(std::move(call)) { sent(); }
  PostedCall(PostedCall&& other) noexcept : m_call(std::move(other.m_call)) { sent(); }
  ~PostedCall() { arrived(); }

  void operator()() {
    arrived();
    m_call();
  }

 private:
#ifdef __SANITIZE_THREAD__
  void sent() {
    __tsan_release(this);
  }
  void arrived() {
    __tsan_acquire(this);
  }
#else
  void sent() {}
  void arrived() {}
#endif

  Call m_call;
};

}  // namespace headlight
