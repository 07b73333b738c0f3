// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/linear/Performer.h"

#include <ATen/ATen.h>

namespace headlight {
namespace {

PerformerOptions performerOptions(const AttentionOptions& options) {
  return optionsAs<PerformerOptions>(Performer::optionTable(), options.options);
}

RandomFeatures::Options featureOptions(const AttentionOptions& options) {
  const PerformerOptions own = performerOptions(options);
  const std::int64_t width = options.width / options.heads;
  return {randomFeatureCount(own.features, width), width, own.featureSeed, options.layer,
          own.redraws};
}

}  // namespace

at::Tensor performerQueries(const at::Tensor& queries, const at::Tensor& vectors) {
  const at::Tensor exponents = featureExponents(queries, vectors);
  return (exponents - exponents.detach().amax(-1, /*keepdim=*/true)).exp();
}

at::Tensor performerKeys(const at::Tensor& keys, const at::Tensor& vectors) {
  const at::Tensor exponents = featureExponents(keys, vectors);
  return (exponents - exponents.detach().amax({-2, -1}, /*keepdim=*/true)).exp();
}

const ParameterTable& Performer::optionTable() {
  using O = PerformerOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .integer(&O::features, "features", 0, 16384,
                   "Random features m of each head; 0: d·ln d for heads d wide.")
          .integer(&O::redraws, "redraws", 0, 100000,
                   "How often the random features are drawn anew over a training, at even "
                   "distances; 0: the same features throughout.")
          .integer(&O::featureSeed, "feature_seed", 0, 2147483647,
                   "Seed of the random features; they depend on it, the layer and the number of "
                   "the draw alone.")
          .build();
  return table;
}

Performer::Performer(const AttentionOptions& options)
    : FeatureMapAttention(options),
      m_redrawn(performerOptions(options).redraws > 0),
      m_features(featureOptions(options)) {}

void Performer::count(CostCounter& counter, const AttentionOptions& options) {
  const std::int64_t features = featureOptions(options).count;
  countFeatures(counter, options, features);
  counter.macs("random features", 2 * options.grid.tokens() * features * options.width);
}

std::string Performer::mapMeaning() const {
  return "In place of the softmax matrix: its estimate by " + std::to_string(m_features.count()) +
         " positive orthogonal random features (FAVOR+); each row sums to 1.";
}

std::vector<std::pair<std::string, double>> Performer::readings() const {
  if (!m_redrawn) return {};
  return {{"draw", m_features.draw()}};
}

at::Tensor Performer::queryFeatures(const at::Tensor& queries) {
  return performerQueries(queries, m_features.vectors(queries));
}

at::Tensor Performer::keyFeatures(const at::Tensor& keys) {
  return performerKeys(keys, m_features.vectors(keys));
}

}  // namespace headlight
