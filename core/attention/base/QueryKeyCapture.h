// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Queries and keys as attention compares them, for whoever wants to look at them: behind norms,
// pooling and rotary positions, before scale, masks and biases.

#include <ATen/core/Tensor.h>

namespace headlight {

/// B' images or windows.
struct QueryKeyCapture {
  at::Tensor queries;  ///< [B', H, Tq, d]; undefined: nothing was compared
  at::Tensor keys;     ///< [B', H, Tk, d]
};

/// While one lives, attention that runs on this thread leaves what it compared last in it; others
/// are not touched. Of nested captures the inner one counts.
class QueryKeyHook {
 public:
  QueryKeyHook() : m_outer(s_watch) { s_watch = this; }
  ~QueryKeyHook() { s_watch = m_outer; }
  QueryKeyHook(const QueryKeyHook&) = delete;
  QueryKeyHook& operator=(const QueryKeyHook&) = delete;

  /// What was compared since the last take().
  QueryKeyCapture take() {
    QueryKeyCapture taken = m_last;
    m_last = {};
    return taken;
  }

  static bool wanted() { return s_watch != nullptr; }
  /// Only where one is wanted.
  static void notify(const at::Tensor& queries, const at::Tensor& keys) {
    s_watch->m_last = {queries.detach(), keys.detach()};
  }

 private:
  QueryKeyHook* m_outer;
  QueryKeyCapture m_last;
  inline static thread_local QueryKeyHook* s_watch = nullptr;
};

}  // namespace headlight
