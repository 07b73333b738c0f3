// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Growing sequences byte by byte, several side by side.

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/Random.h"
#include "core/models/sequence/SequenceModel.h"

namespace headlight {

/// Draws from softmax(logits / temperature) of 256 logits; temperature 0 takes the greatest, of
/// equals the first. One draw of `stream`, also then.
std::uint8_t sampleByte(const double* logits, double temperature, RandomStream& stream);

class SequenceSampler {
 public:
  /// `count` sequences at once; the model must be in evaluation mode on `device`.
  SequenceSampler(std::shared_ptr<SequenceModel> model, std::int64_t count, at::Device device);

  /// Forgets everything: the next byte is the first.
  void begin();
  /// Appends a byte to each sequence; `bytes` has one for each. At most T − 1 since begin().
  void append(const std::vector<std::uint8_t>& bytes);
  /// Logits of the next byte of a sequence, 256 of them.
  const double* logits(std::int64_t sequence) const;

 private:
  void feed(const at::Tensor& symbols);

  std::shared_ptr<SequenceModel> m_model;
  std::int64_t m_count;
  at::Device m_device;
  SequenceState m_state;
  at::Tensor m_logits;  ///< [B, 256] double, CPU
};

/// How many sequences may grow side by side so that their states take at most 512 MB or so; at
/// least 1, at most `wanted`.
std::int64_t sequencesAtOnce(const SequenceModelConfig& config, std::int64_t length,
                             std::int64_t wanted);

}  // namespace headlight
