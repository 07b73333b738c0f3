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
  double mean() const { return m_bits / static_cast<double>(m_bytes); }

 private:
  SequenceModel& m_model;
  const SequenceEvaluation& m_options;
  std::vector<ByteSequence> m_batch;
  double m_bits = 0;
  std::int64_t m_bytes = 0;
};

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
    SequenceScore score;
    BitsCounter counter(model, options);
    std::optional<Error> unreadable;
    RemainingTime remaining;
    remaining.start(0);
    for (std::int64_t i = 0; i < count; ++i) {
      if (stop.stop_requested())
        return Error{ErrorCode::Canceled, tr("stopped while evaluating"), ""};
      auto sequence = source.at(i * total / count);
      if (sequence) {
        counter.add(std::move(*sequence));
        ++score.sequences;
      } else {
        unreadable = sequence.error();
        ++score.skipped;
      }
      if (progress)
        progress({"evaluating", i + 1, count, remaining.secondsRemaining(i + 1, count)});
    }
    if (score.sequences == 0) return *unreadable;
    counter.flush();
    score.bytes = counter.bytes();
    score.bits = counter.mean();
    score.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return score;
  });
}

}  // namespace headlight
