#pragma once
// Which rows of a step's batch a forward pass sees: what is drawn for each image (drop path) is
// drawn for the whole batch and cut out, so that a batch computed in parts draws what it draws
// whole.

#include <cstdint>

namespace headlight {

struct BatchPart {
  std::int64_t first = 0;  ///< row of the whole batch where this part begins
  std::int64_t whole = 0;  ///< rows of the whole batch; 0: what a pass sees is all there is
};

/// Of this thread.
BatchPart batchPart();

/// While it lives, forward passes of this thread see `part`.
class BatchPartScope {
 public:
  explicit BatchPartScope(BatchPart part);
  BatchPartScope(const BatchPartScope&) = delete;
  BatchPartScope& operator=(const BatchPartScope&) = delete;
  ~BatchPartScope();

 private:
  BatchPart m_before;
};

}  // namespace headlight
