// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/SharedBatches.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/base/Translation.h"
#include "core/data/BatchRows.h"
#include "core/training/SharedBoxes.h"
#include "core/training/SharedSegments.h"

namespace headlight {
namespace {

// What the processes tell each other of a batch: [stop, failed, rows, one number a row].
constexpr std::int64_t kStop = 0, kFailed = 1, kRows = 2;

at::Tensor rowsTensor(const std::vector<std::int64_t>& rows) {
  return at::tensor(rows, at::kLong);
}

/// Undefined where `values` is.
at::Tensor rowsOrNone(const at::Tensor& values, const at::Tensor& rows) {
  return values.defined() ? values.index_select(0, rows) : values;
}

/// `values` at their rows of the whole, zero elsewhere.
at::Tensor spread(const at::Tensor& values, const Batch& batch) {
  auto shape = values.sizes().vec();
  shape[0] = batch.whole;
  at::Tensor whole = at::zeros(shape, values.options());
  if (!batch.rows.empty()) whole.index_copy_(0, rowsTensor(batch.rows), values);
  return whole;
}

std::vector<std::int64_t> allRows(std::int64_t count) {
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < count; ++row)
    rows.push_back(row);
  return rows;
}

}  // namespace

void takePart(LoaderOptions& options, const Processes* processes) {
  if (!processes) return;
  options.part = processes->rank();
  options.parts = processes->count();
}

Batch ownShare(Batch whole, const Processes* processes) {
  if (!processes) return whole;
  whole.whole = whole.images.size(0);
  whole.rows = rowsOfPart(whole.whole, processes->rank(), processes->count());
  whole.images = whole.images.index_select(0, rowsTensor(whole.rows));
  whole.labels = whole.labels.index_select(0, rowsTensor(whole.rows));
  whole.segments = rowsOrNone(whole.segments, rowsTensor(whole.rows));
  whole.boxes = chosenRows(whole.boxes, whole.rows);
  whole.truth = chosenRows(whole.truth, whole.rows);
  return whole;
}

Result<std::optional<Batch>> SharedBatches::next(std::stop_token stop) {
  if (!m_processes) {
    auto batch = m_loader->next(stop);
    if (stop.stop_requested()) return Error{ErrorCode::Canceled, tr("loading was stopped"), ""};
    return batch;
  }
  while (true) {
    // Read to the end: the others wait for this process where they agree.
    auto batch = m_loader->next();
    if (batch && !batch->has_value()) return batch;
    auto agreed = agreedOn(std::move(batch), stop);
    if (!agreed || agreed->has_value()) return agreed;
  }
}

/// Nothing where none of the batch's images can be read.
Result<std::optional<Batch>> SharedBatches::agreedOn(Result<std::optional<Batch>> here,
                                                     std::stop_token stop) {
  at::Tensor news = at::zeros({kRows + m_loader->batchSize()}, at::kInt);
  int* reported = news.data_ptr<int>();
  reported[kStop] = stop.stop_requested();
  reported[kFailed] = !here;
  if (here)
    for (const std::int64_t row : (*here)->rows)
      reported[kRows + row] = 1;
  m_processes->sum(news);
  if (!here) return here;
  if (reported[kFailed] > 0)
    return Error{ErrorCode::Io, tr("another process could not read its images"), ""};
  if (reported[kStop] > 0) return Error{ErrorCode::Canceled, tr("loading was stopped"), ""};
  const at::Tensor present = news.slice(0, kRows, kRows + (*here)->whole).nonzero().flatten();
  if (present.size(0) == 0) return std::optional<Batch>();
  if (present.size(0) == (*here)->whole && (*here)->whole >= 2 * m_processes->count()) return here;
  return std::optional<Batch>(dealtAnew(**here, present));
}

/// Rare, so in the simplest way: every process gets all of the batch and keeps its rows. Of fewer
/// pairs than processes each computes all.
Batch SharedBatches::dealtAnew(const Batch& here, const at::Tensor& present) {
  at::Tensor images = spread(here.images, here), labels = spread(here.labels, here);
  m_processes->sum(images);
  m_processes->sum(labels);
  BoxRows boxes = sharedBoxes(here, *m_processes);
  const at::Tensor segments = sharedSegments(here, *m_processes);
  const std::vector<ClassImage> trueSegments = sharedTrueSegments(here, *m_processes);
  for (std::size_t row = 0; row < std::min(boxes.truth.size(), trueSegments.size()); ++row)
    boxes.truth[row].segments = trueSegments[row];
  Batch dealt;
  dealt.number = here.number;
  dealt.whole = present.size(0);
  const bool few = dealt.whole < 2 * m_processes->count();
  dealt.sharedCount = few ? m_processes->count() : 1;
  dealt.rows = few ? allRows(dealt.whole)
                   : rowsOfPart(dealt.whole, m_processes->rank(), m_processes->count());
  const at::Tensor kept = present.index_select(0, rowsTensor(dealt.rows));
  const auto* places = kept.data_ptr<std::int64_t>();
  const std::vector<std::int64_t> chosen(places, places + kept.size(0));
  dealt.boxes = chosenRows(boxes.boxes, chosen);
  dealt.truth = chosenRows(boxes.truth, chosen);
  dealt.images = images.index_select(0, kept);
  dealt.labels = labels.index_select(0, kept);
  dealt.segments = rowsOrNone(segments, kept);
  dealt.indices = here.indices;
  return dealt;
}

}  // namespace headlight
