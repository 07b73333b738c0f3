#pragma once
// Queries and keys as attention compares them, for whoever wants to look at them: behind norms,
// pooling and rotary positions, before scale, masks and biases.

#include <ATen/core/Tensor.h>

namespace headlight {

/// B' images or windows.
struct ComparedTokens {
  at::Tensor queries;  ///< [B', H, Tq, d]; undefined: nothing was compared
  at::Tensor keys;     ///< [B', H, Tk, d]
};

/// While one lives, attention that runs on this thread leaves what it compared last in it; others
/// are not touched. Of one inside another the inner one is told.
class ComparedWatch {
 public:
  ComparedWatch() : m_outer(s_watch) { s_watch = this; }
  ~ComparedWatch() { s_watch = m_outer; }
  ComparedWatch(const ComparedWatch&) = delete;
  ComparedWatch& operator=(const ComparedWatch&) = delete;

  /// What was compared since the last take().
  ComparedTokens take() {
    const ComparedTokens taken = m_last;
    m_last = {};
    return taken;
  }

  static bool wanted() { return s_watch != nullptr; }
  /// Only where one is wanted.
  static void tell(const at::Tensor& queries, const at::Tensor& keys) {
    s_watch->m_last = {queries.detach(), keys.detach()};
  }

 private:
  ComparedWatch* m_outer;
  ComparedTokens m_last;
  inline static thread_local ComparedWatch* s_watch = nullptr;
};

}  // namespace headlight
