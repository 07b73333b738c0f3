// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/sequence/SequenceEvaluation.h"

#include <ATen/ATen.h>
#include <ATen/core/Reduction.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>

#include "core/base/Translation.h"
#include "core/training/step/EvaluationMode.h"

namespace headlight {
namespace {

/// Gathers sequences of one length and adds up the bits of each batch.
class BitsCounter {
 public:
  BitsCounter(SequenceModel& model, const SequenceEvaluation& options)
      : m_model(model), m_options(options) {}

  void add(ByteSequence sequence) {
    if (!m_batch.empty() && m_batch.front().size() != sequence.size()) flush();
    m_batch.push_back(std::move(sequence));
    if (static_cast<std::int64_t>(m_batch.size()) >= m_options.batchSize) flush();
  }

  void flush() {
    if (m_batch.empty()) return;
    const at::NoGradGuard noGrad;
    const at::Tensor bytes = byteTensor(m_batch).to(m_options.device);
    const double bits = sequenceBits(m_model.forward(bytes), bytes).item<double>();
    m_bits += bits * static_cast<double>(bytes.numel());
    m_bytes += bytes.numel();
    m_batch.clear();
  }

  std::int64_t bytes() const { return m_bytes; }
  double bits() const { return m_bits; }

 private:
  SequenceModel& m_model;
  const SequenceEvaluation& m_options;
  std::vector<ByteSequence> m_batch;
  double m_bits = 0;
  std::int64_t m_bytes = 0;
};

/// What was counted.
struct BitsSum {
  double bits = 0;
  std::int64_t bytes = 0, sequences = 0, skipped = 0;

  void sumOver(Processes& processes) {
    at::Tensor sum = at::full({1}, bits, at::kDouble);
    at::Tensor counts = at::tensor({bytes, sequences, skipped}, at::kLong);
    processes.sum(sum);
    processes.sum(counts);
    bits = sum[0].item<double>();
    bytes = counts[0].item<std::int64_t>();
    sequences = counts[1].item<std::int64_t>();
    skipped = counts[2].item<std::int64_t>();
  }
};

Error stoppedEvaluating() {
  return {ErrorCode::Canceled, tr("stopped while evaluating"), ""};
}

}  // namespace

at::Tensor sequenceBits(const at::Tensor& logits, const at::Tensor& bytes) {
  const at::Tensor nats =
      at::cross_entropy_loss(logits.reshape({-1, kByteValues}), bytes.reshape({-1}).to(at::kLong),
                             {}, at::Reduction::None);
  return nats.mean(at::kDouble) * (1 / std::log(2.0));
}

at::Tensor byteTensor(const std::vector<ByteSequence>& sequences) {
  const auto count = static_cast<std::int64_t>(sequences.size());
  const auto length = static_cast<std::int64_t>(sequences.front().size());
  at::Tensor bytes = at::empty({count, length}, at::kByte);
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(bytes.data_ptr<std::uint8_t>() + i * length,
                sequences[static_cast<std::size_t>(i)].data(), static_cast<std::size_t>(length));
  return bytes;
}

Result<SequenceScore> evaluateSequences(SequenceModel& model, const SequenceSource& source,
                                        const SequenceEvaluation& options,
                                        const ProgressCallback& progress, std::stop_token stop) {
  return guarded("evaluation", [&]() -> Result<SequenceScore> {
    const auto started = std::chrono::steady_clock::now();
    const EvaluationMode mode(model);
    const std::int64_t total = source.size();
    const std::int64_t count = options.samples > 0 ? std::min(options.samples, total) : total;
    Processes* const processes = options.processes;
    const std::int64_t parts = processes ? processes->count() : 1;
    const std::int64_t part = processes ? processes->rank() : 0;
    // Each process measures so many in a row; then all agree on whether to go on.
    const std::int64_t each = std::min(options.batchSize, (count + parts - 1) / parts);
    BitsSum sum;
    BitsCounter counter(model, options);
    std::optional<Error> unreadable;
    RemainingTime remaining;
    remaining.start(0);
    for (std::int64_t first = 0; first < count; first += each * parts) {
      const std::int64_t begin = std::min(first + part * each, count);
      for (std::int64_t i = begin; i < std::min(begin + each, count); ++i) {
        if (!processes && stop.stop_requested()) return stoppedEvaluating();
        auto sequence = source.at(i * total / count);
        if (sequence) {
          counter.add(std::move(*sequence));
          ++sum.sequences;
        } else {
          unreadable = sequence.error();
          ++sum.skipped;
        }
        if (progress)
          progress({"evaluating", i + 1, count, remaining.secondsRemaining(i + 1, count)});
      }
      if (processes && processes->any(stop.stop_requested())) return stoppedEvaluating();
    }
    counter.flush();
    sum.bits = counter.bits();
    sum.bytes = counter.bytes();
    if (processes) sum.sumOver(*processes);
    if (sum.sequences == 0)
      return unreadable.value_or(
          Error{ErrorCode::Io, tr("another process could not read its sequences"), ""});
    SequenceScore score;
    score.sequences = sum.sequences;
    score.skipped = sum.skipped;
    score.bytes = sum.bytes;
    score.bits = sum.bits / static_cast<double>(sum.bytes);
    score.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return score;
  });
}

}  // namespace headlight
