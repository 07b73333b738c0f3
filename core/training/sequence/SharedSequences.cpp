// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/sequence/SharedSequences.h"

#include <ATen/Functions.h>

#include <utility>
#include <vector>

#include "core/base/Translation.h"
#include "core/training/sequence/SequenceEvaluation.h"

namespace headlight {
namespace {

Error stoppedReading() {
  return {ErrorCode::Canceled, tr("stopped while reading"), ""};
}

/// Which rows, and what of the whole they count; without their bytes.
SequenceRows shareOf(std::int64_t size, const Processes& processes) {
  const std::int64_t count = processes.count(), rank = processes.rank();
  const bool few = size < count;
  const std::int64_t begin = few ? 0 : size * rank / count,
                     end = few ? size : size * (rank + 1) / count;
  SequenceRows share;
  share.part.whole = size;
  for (std::int64_t row = begin; row < end; ++row)
    share.part.rows.push_back(row);
  share.weight = few ? 1 / static_cast<double>(count)
                     : static_cast<double>(end - begin) / static_cast<double>(size);
  return share;
}

/// Nothing where all have read and none is to stop; the own error comes first.
Result<void> agreeOnReading(Processes& processes, const Result<at::Tensor>& here, bool isToStop) {
  at::Tensor news = at::zeros({2}, at::kInt);
  int* reported = news.data_ptr<int>();
  reported[0] = isToStop;
  reported[1] = !here;
  processes.sum(news);
  if (!here) return here.error();
  if (reported[1] > 0)
    return Error{ErrorCode::Io, tr("another process could not read its sequences"), ""};
  if (reported[0] > 0) return stoppedReading();
  return {};
}

}  // namespace

Result<SequenceRows> readSequences(std::int64_t size,
                                   const std::function<Result<ByteSequence>(std::int64_t)>& read,
                                   Processes* processes, const std::stop_token& stop) {
  SequenceRows rows = processes ? shareOf(size, *processes) : SequenceRows();
  const std::int64_t first = processes ? rows.part.rows.front() : 0;
  const std::int64_t count = processes ? static_cast<std::int64_t>(rows.part.rows.size()) : size;
  // Of several, each reads to the end: the others wait for it where they agree.
  const auto isToStop = [&] { return !processes && stop.stop_requested(); };
  const auto bytes = [&]() -> Result<at::Tensor> {
    std::vector<ByteSequence> sequences;
    for (std::int64_t row = first; row < first + count && !isToStop(); ++row) {
      auto sequence = read(row);
      if (!sequence) return sequence.error();
      sequences.push_back(std::move(*sequence));
    }
    if (isToStop()) return stoppedReading();
    return byteTensor(sequences);
  }();
  if (isToStop()) return stoppedReading();
  if (processes)
    if (const auto agreed = agreeOnReading(*processes, bytes, stop.stop_requested()); !agreed)
      return agreed.error();
  if (!bytes) return bytes.error();
  rows.bytes = *bytes;
  return rows;
}

}  // namespace headlight
