// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where heads lie in memory. Internal to the kernels.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/attention/kernels/heads/HeadInputs.h"

namespace headlight {

/// One of q, k, v, an output or a gradient: row n of one head of one image is at of(..) + n · row.
template <typename T>
struct HeadRows {
  T* data = nullptr;
  std::int64_t image = 0, head = 0, row = 0;  ///< strides, in values

  T* of(std::int64_t imageIndex, std::int64_t headIndex) const {
    return data + imageIndex * image + headIndex * head;
  }
};

/// As the kernels read it: float, double, or the bits of a bfloat16.
template <typename Kept>
Kept* dataOf(const at::Tensor& tensor) {
  if constexpr (std::is_same_v<Kept, std::uint16_t>)
    return reinterpret_cast<Kept*>(tensor.data_ptr<at::BFloat16>());
  else
    return tensor.data_ptr<Kept>();
}

/// For a view [B, H, T, width] whose rows are whole. The stride of a single row means nothing, and
/// can be less than BLAS takes.
template <typename Kept>
HeadRows<Kept> rowsOfHeads(const at::Tensor& view) {
  return {dataOf<Kept>(view), view.stride(0), view.stride(1),
          std::max(view.stride(2), view.size(3))};
}

template <typename Kept>
struct HeadOperands {
  explicit HeadOperands(const HeadInputs& inputs)
      : q(rowsOfHeads<Kept>(inputs.part(0))),
        k(rowsOfHeads<Kept>(inputs.part(1))),
        v(rowsOfHeads<Kept>(inputs.part(2))) {}
  HeadRows<Kept> q, k, v;
};

/// For [B, T, H·width], heads side by side.
template <typename T>
HeadRows<T> rowsSideBySide(T* data, std::int64_t tokens, std::int64_t heads, std::int64_t width) {
  return {data, tokens * heads * width, width, heads * width};
}

/// Where one head of one image lies inside qkv as timm lays it out, and inside anything laid out as
/// [B, T, D]: what the linear-time kernels take.
struct HeadView {
  std::int64_t tokens, width, headWidth;

  template <typename T>
  T* part(T* qkv, std::int64_t image, std::int64_t head, int which) const {
    return qkv + image * tokens * 3 * width + which * width + head * headWidth;
  }
  template <typename T>
  T* rows(T* values, std::int64_t image, std::int64_t head) const {
    return values + image * tokens * width + head * headWidth;
  }
};

/// 1/√d.
template <typename T>
T scaleOf(std::int64_t headWidth) {
  return static_cast<T>(1.0 / std::sqrt(static_cast<double>(headWidth)));
}

/// The heads of a layer that one kernel runs, for every image of a batch.
struct HeadList {
  std::int64_t batch = 0;
  std::vector<std::int64_t> heads;

  std::int64_t count() const { return static_cast<std::int64_t>(heads.size()); }
  std::int64_t tasks() const { return batch * count(); }
  std::int64_t image(std::int64_t task) const { return task / count(); }
  std::int64_t head(std::int64_t task) const { return heads[task % count()]; }
};

}  // namespace headlight
