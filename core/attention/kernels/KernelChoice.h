// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Asking for the plain forms: what the fused kernels are checked against.

namespace headlight {

/// While one lives, attention that is begun on this thread runs by LibTorch's own operations over
/// whole matrices: no kernel of ours and nothing in linear time. Other threads are not touched.
class PlainKernels {
 public:
  PlainKernels() { ++s_count; }
  ~PlainKernels() { --s_count; }
  PlainKernels(const PlainKernels&) = delete;
  PlainKernels& operator=(const PlainKernels&) = delete;

  static bool wanted() { return s_count > 0; }

 private:
  inline static thread_local int s_count = 0;
};

}  // namespace headlight
