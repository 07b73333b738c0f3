// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which rows of a step's batch a forward pass sees: what is drawn for each image (drop path) is
// drawn for the whole batch and cut out, so that a batch computed in parts, or by several
// processes, draws what it draws whole.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace headlight {

struct MicroBatch {
  std::vector<std::int64_t> rows;  ///< of the whole batch, those that a pass sees
  std::int64_t whole = 0;          ///< rows of the whole batch; 0: what a pass sees is all there is
};

/// For this thread.
const MicroBatch& batchPart();

/// Those of `values` [whole, …] that belong to the rows that this pass sees.
at::Tensor rowsSeen(const at::Tensor& values);

/// While it lives, forward passes of this thread see `part`.
class BatchPartScope {
 public:
  explicit BatchPartScope(MicroBatch part);
  BatchPartScope(const BatchPartScope&) = delete;
  BatchPartScope& operator=(const BatchPartScope&) = delete;
  ~BatchPartScope();

 private:
  MicroBatch m_before;
};

}  // namespace headlight
