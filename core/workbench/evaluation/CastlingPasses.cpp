// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/CastlingPasses.h"

#include <cmath>
#include <cstdio>
#include <limits>

#include "core/models/backbones/Castling.h"

namespace headlight {
namespace {

/// Nonzeros of the auxiliary masks over batches of any size. Every mechanism with such a branch has
/// as many keys as queries, those of the layer's grid.
class NonzeroCount {
 public:
  explicit NonzeroCount(const Model& model)
      : m_sums(model.layers(), std::numeric_limits<double>::quiet_NaN()) {}

  /// After a forward pass of this many images.
  void add(const Model& model, std::int64_t images) {
    const auto readings = model.readings();
    for (std::size_t l = 0; l < readings.size(); ++l)
      for (const auto& [name, value] : readings[l])
        if (name == "nonzeros")
          m_sums[l] = (std::isnan(m_sums[l]) ? 0 : m_sums[l]) + value * static_cast<double>(images);
    m_images += images;
  }

  std::vector<CastlingReport::Layer> layers(const Model& model) const {
    std::vector<CastlingReport::Layer> result;
    for (int l = 0; l < model.layers(); ++l) {
      const double fraction = m_sums[l] / static_cast<double>(m_images),
                   tokens = model.grid(l).tokens();
      result.push_back({fraction, fraction * model.heads(l) * tokens * tokens});
    }
    return result;
  }

 private:
  std::vector<double> m_sums;  ///< fraction times images; NaN: no branch was seen
  std::int64_t m_images = 0;
};

std::string verdictOf(const CastlingReport& report) {
  int branches = 0, left = 0;
  std::size_t fullest = 0;
  for (std::size_t l = 0; l < report.layers.size(); ++l) {
    const double nonzeros = report.layers[l].nonzeros;
    branches += !std::isnan(nonzeros);
    left += nonzeros > 0;
    if (nonzeros > 0 && !(report.layers[fullest].nonzeros >= nonzeros)) fullest = l;
  }
  const std::string images = std::to_string(report.with.images) + " images";
  if (report.free)
    return "free: the auxiliary branch had no nonzero in any layer on these " + images +
           "; without it every output is the same";
  char most[120];
  std::snprintf(most, sizeof most, "most in layer %zu, %.3g %% or %.6g an image", fullest,
                100 * report.layers[fullest].nonzeros, report.layers[fullest].perImage);
  return "not free: nonzeros of the auxiliary branch remain in " + std::to_string(left) + " of " +
         std::to_string(branches) + " layers on these " + images + " (" + most + ")";
}

/// Progress that says which of the two passes it is.
ProgressCallback labelled(const ProgressCallback& progress, const std::string& label) {
  if (!progress) return {};
  return [progress, label](Progress step) {
    step.stage += label;
    progress(step);
  };
}

}  // namespace

CastlingReport castlingReport(OpenedEvaluation& opened, const ProgressCallback& progress,
                              std::stop_token stop) {
  Model& model = *opened.loaded.model;
  valueOrThrow(canCastle(model.config()));
  if (castlingLayers(model) == 0)
    throw Failure({ErrorCode::InvalidConfig,
                   "no layer of this model has an auxiliary branch that inference could drop",
                   "model.mechanism"});
  CastlingReport report;
  report.classMatch = opened.classes.text;
  NonzeroCount count(model);
  setCastled(model, false);
  opened.options.afterBatch = [&](std::int64_t images) { count.add(model, images); };
  report.with = valueOrThrow(opened.measure(labelled(progress, " with the branch"), stop));
  setCastled(model, true);
  opened.options.afterBatch = {};
  report.castled = valueOrThrow(opened.measure(labelled(progress, " castled"), stop));
  report.layers = count.layers(model);
  std::vector<double> nonzeros;
  for (const auto& layer : report.layers)
    nonzeros.push_back(layer.nonzeros);
  report.free = castlingIsFree(nonzeros);
  report.verdict = verdictOf(report);
  return report;
}

}  // namespace headlight
