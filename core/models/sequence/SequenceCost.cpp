// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/models/sequence/SequenceCost.h"

#include <algorithm>

#include "core/attention/linear/CausalFeatures.h"

namespace headlight {
namespace {

constexpr std::int64_t kSymbols = 257, kBytes = 256;

/// Pairs of positions that a position bias's matrix joins; 0: there is none.
std::int64_t biasedPairs(const SequenceModelConfig& model, std::int64_t length) {
  if (!model.hasPositionBiases()) return 0;
  const std::int64_t whole = length * length;
  if (model.mechanism == "aft_full" || !model.factorized) return whole;
  return std::min(whole, length * 2 * model.window);
}

void countSoftmax(CostCounter& counter, const SequenceModelConfig& model, std::int64_t length) {
  counter.linear("qkv", model.width, 3 * model.width, true, length);
  counter.macs("logits and values", 2 * length * length * model.width);
}

/// All that is computed: sums over earlier chunks, and pairs within each (CausalFeatures.h).
void countFeatures(CostCounter& counter, const SequenceModelConfig& model, std::int64_t length) {
  const std::int64_t features = causalFeatureCount({.mechanism = model.mechanism,
                                                    .width = model.width,
                                                    .heads = model.heads,
                                                    .features = model.features}),
                     chunk = causalChunk(length), whole = (length + chunk - 1) / chunk * chunk;
  counter.linear("qkv", model.width, 3 * model.width, true, length);
  if (model.mechanism == "performer")
    counter.macs("random features", 2 * length * features * model.width);
  counter.macs("keys times values, queries", 2 * whole * features * model.width);
  counter.macs("pairs within chunks", whole * chunk * (model.heads * features + model.width));
}

/// Every pair of positions counts, masked or not. Logits by position are the same for every
/// sequence and count as none.
void countSynthesizer(CostCounter& counter, const SequenceModelConfig& model, std::int64_t length) {
  const bool dense = model.synthesis == "dense", random = model.synthesis == "random";
  const std::int64_t pairs = length * length * model.width;
  if (dense) counter.linear("hidden", model.width, model.width, true, length);
  counter.linear("value", model.width, model.width, true, length);
  counter.weights("logits",
                  dense    ? length * (model.width + model.heads)
                  : random ? model.heads * length * length
                           : 2 * model.heads * length * model.rank,
                  dense ? pairs : 0);
  counter.macs("values", pairs);
}

void countAft(CostCounter& counter, const SequenceModelConfig& model, std::int64_t length) {
  if (model.hasPositionBiases())
    counter.parameters("positions", model.factorized ? 2 * length * model.rank : length * length);
  if (model.isConv())
    counter.parameters("positions",
                       std::int64_t{model.heads} * (model.window + (model.reparametrize ? 2 : 0)));
  if (model.query) counter.linear("q", model.width, model.width, true, length);
  counter.linear("k", model.width, model.isConv() ? model.heads : model.width, true, length);
  counter.linear("v", model.width, model.width, true, length);
  if (model.isConv())
    counter.macs("conv", (std::int64_t{model.width} + model.heads) * length *
                             std::min<std::int64_t>(model.window, length));
  if (const std::int64_t pairs = biasedPairs(model, length); pairs > 0)
    counter.macs("sums", 2 * pairs * model.width);
}

void countBlock(CostCounter& counter, const SequenceModelConfig& model, std::int64_t length,
                const std::string& block) {
  counter.enter(block);
  counter.parameters("norm1", 2 * model.width);
  counter.enter(block + "attn.");
  if (model.isSoftmax())
    countSoftmax(counter, model, length);
  else if (model.isLinear())
    countFeatures(counter, model, length);
  else if (model.isSynthesizer())
    countSynthesizer(counter, model, length);
  else
    countAft(counter, model, length);
  counter.linear("proj", model.width, model.width, true, length);
  counter.enter(block);
  counter.parameters("norm2", 2 * model.width);
  counter.linear("mlp.fc1", model.width, model.hiddenWidth(), true, length);
  counter.linear("mlp.fc2", model.hiddenWidth(), model.width, true, length);
}

}  // namespace

ModelCost sequenceCost(const SequenceExperiment& experiment) {
  const SequenceModelConfig& model = experiment.model;
  const std::int64_t length = experiment.length(), width = model.width;
  CostCounter counter;
  counter.parameters("embed", kSymbols * width);
  counter.parameters("pos_embed", length * width);
  for (int l = 0; l < model.depth; ++l)
    countBlock(counter, model, length, "blocks." + std::to_string(l) + ".");
  counter.enter("");
  counter.parameters("norm", 2 * width);
  counter.linear("head", width, kBytes, true, length);
  return counter.cost();
}

}  // namespace headlight
