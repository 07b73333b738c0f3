// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/sequence/SequenceSampler.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/attention/linear/CausalFeatures.h"

namespace headlight {
namespace {

/// Positions whose K and V would take as much as the sums of attention by features.
std::int64_t linearRemembered(const SequenceModelConfig& config) {
  const std::int64_t features = causalFeatureCount({.mechanism = config.mechanism,
                                                    .width = config.width,
                                                    .heads = config.heads,
                                                    .features = config.features});
  return features * (config.width + config.heads) / (2 * config.width) + 1;
}

}  // namespace

std::uint8_t sampleByte(const double* logits, double temperature, RandomStream& stream) {
  const double drawn = stream.uniform();
  const double* greatest = std::max_element(logits, logits + kByteValues);
  const auto best = static_cast<std::uint8_t>(greatest - logits);
  if (temperature <= 0) return best;
  std::array<double, kByteValues> weights{};
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    sum += weights[i] = std::exp((logits[i] - *greatest) / temperature);
  double below = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    below += weights[i];
    if (drawn * sum < below) return static_cast<std::uint8_t>(i);
  }
  return best;  // not a number among them, or rounding at the very end
}

SequenceSampler::SequenceSampler(std::shared_ptr<SequenceModel> model, std::int64_t count,
                                 at::Device device)
    : m_model(std::move(model)), m_count(count), m_device(device) {
  begin();
}

void SequenceSampler::begin() {
  m_state = {};
  feed(at::full({m_count}, kStartSymbol, at::kLong));
}

void SequenceSampler::append(const std::vector<std::uint8_t>& bytes) {
  const at::Tensor symbols = at::empty({m_count}, at::kLong);
  std::copy(bytes.begin(), bytes.begin() + m_count, symbols.data_ptr<std::int64_t>());
  feed(symbols);
}

const double* SequenceSampler::logits(std::int64_t sequence) const {
  return m_logits.data_ptr<double>() + sequence * kByteValues;
}

void SequenceSampler::feed(const at::Tensor& symbols) {
  const at::NoGradGuard noGrad;
  m_logits = m_model->step(symbols.to(m_device), m_state).to(at::kCPU, at::kDouble).contiguous();
}

std::int64_t sequencesAtOnce(const SequenceModelConfig& config, std::int64_t length,
                             std::int64_t wanted) {
  constexpr std::int64_t kMost = std::int64_t{512} << 20;
  const std::int64_t remembered = config.isSynthesizer() ? length
                                  : config.isLinear()    ? linearRemembered(config)
                                  : config.isSoftmax() || config.mechanism == "aft_full" ? length
                                  : config.mechanism == "aft_local" || config.isConv()
                                      ? std::min<std::int64_t>(config.window, length)
                                      : 0;
  // K and V of what is remembered, and the three sums.
  const std::int64_t each =
      (2 * remembered + 3) * config.width * config.depth * static_cast<std::int64_t>(sizeof(float));
  return std::clamp<std::int64_t>(kMost / each, 1, std::max<std::int64_t>(1, wanted));
}

}  // namespace headlight
