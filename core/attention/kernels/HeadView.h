#pragma once
// Where heads lie in memory. Internal to the kernels.

#include <cmath>
#include <cstdint>
#include <vector>

namespace headlight {

/// Where one head of one image lies inside qkv, and inside anything laid out as [B, T, D].
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
T scaleOf(const HeadView& view) {
  return static_cast<T>(1.0 / std::sqrt(static_cast<double>(view.headWidth)));
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
