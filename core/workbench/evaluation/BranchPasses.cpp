// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/BranchPasses.h"

#include <cmath>
#include <cstdio>
#include <limits>

#include "core/base/Translation.h"
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

  std::vector<BranchReport::Layer> layers(const Model& model) const {
    std::vector<BranchReport::Layer> result;
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

std::string verdictOf(const BranchReport& report) {
  int branches = 0, left = 0;
  std::size_t fullest = 0;
  for (std::size_t l = 0; l < report.layers.size(); ++l) {
    const double nonzeros = report.layers[l].nonzeros;
    branches += !std::isnan(nonzeros);
    left += nonzeros > 0;
    if (nonzeros > 0 && !(report.layers[fullest].nonzeros >= nonzeros)) fullest = l;
  }
  const auto images = static_cast<long long>(report.with.images);
  char text[512];
  if (report.free)
    std::snprintf(
        text, sizeof text,
        tr("free: the auxiliary branch has no nonzeros in any layer on these %lld images; "
           "all outputs are the same without it"),
        images);
  else
    std::snprintf(
        text, sizeof text,
        tr("not free: nonzeros of the auxiliary branch remain in %d of %d layers on these "
           "%lld images (most in layer %zu, %.3g %% or %.6g per image)"),
        left, branches, images, fullest, 100 * report.layers[fullest].nonzeros,
        report.layers[fullest].perImage);
  return text;
}

/// Progress that says which of the two passes it is.
ProgressCallback labeled(const ProgressCallback& progress, const std::string& label) {
  if (!progress) return {};
  return [progress, label](Progress step) {
    step.stage += label;
    progress(step);
  };
}

}  // namespace

BranchReport branchReport(OpenedEvaluation& opened, const ProgressCallback& progress,
                          std::stop_token stop) {
  Model& model = *opened.loaded.model;
  valueOrThrow(canDropBranch(model.config()));
  if (branchLayers(model) == 0)
    throw Failure({ErrorCode::InvalidConfig,
                   tr("no layer of this model has an auxiliary branch to drop"),
                   "model.mechanism"});
  BranchReport report;
  report.classMatch = opened.classes.text;
  NonzeroCount count(model);
  setBranchDropped(model, false);
  opened.options.afterBatch = [&](std::int64_t images) { count.add(model, images); };
  report.with = valueOrThrow(opened.measure(labeled(progress, " with the branch"), stop));
  setBranchDropped(model, true);
  opened.options.afterBatch = {};
  report.withoutBranch =
      valueOrThrow(opened.measure(labeled(progress, " without the branch"), stop));
  report.layers = count.layers(model);
  std::vector<double> nonzeros;
  for (const auto& layer : report.layers)
    nonzeros.push_back(layer.nonzeros);
  report.free = droppingIsFree(nonzeros);
  report.verdict = verdictOf(report);
  return report;
}

}  // namespace headlight
