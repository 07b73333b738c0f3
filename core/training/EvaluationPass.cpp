// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/EvaluationPass.h"

#include "core/base/Translation.h"

namespace headlight {

bool countsHere(const Batch& batch, const SharedBatches& batches) {
  if (batch.sharedCount > 1 && !batches.processes()->isFirst()) return false;
  return batch.images.size(0) > 0;
}

std::int64_t placeInDataset(const Batch& batch, std::int64_t row, const SharedBatches& batches) {
  const std::int64_t place = batch.rows.empty() ? row : batch.rows[static_cast<std::size_t>(row)];
  return batch.number * batches.loader().batchSize() + place;
}

void requireReadImages(std::int64_t images) {
  if (images > 0) return;
  throw Failure({ErrorCode::InvalidFile, tr("no image of the validation split can be read"), ""});
}

}  // namespace headlight
