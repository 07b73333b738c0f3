// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/search/SearchEstimate.h"

#include <algorithm>

#include "core/base/Progress.h"
#include "core/base/Translation.h"
#include "core/base/files/OpenFolder.h"
#include "core/models/Registry.h"
#include "core/workbench/search/SearchPlanJson.h"
#include "core/workbench/sweeps/RunCost.h"
#include "core/workbench/sweeps/SweepResults.h"

namespace headlight {
namespace {

class SearchEstimator {
 public:
  SearchEstimator(const SearchPlan& plan, std::filesystem::path output, const std::stop_token& stop)
      : m_plan(checkedSearchPlan(plan)),
        m_output(std::move(output)),
        m_cost(itemCost(m_plan.experiment, stop)),
        m_validation(validationImages(m_plan.experiment)) {}

  SearchEstimate estimate() const {
    const SearchOptions& options = m_plan.options;
    if (options.method == "mait") return {roundsLeft(), false};
    if (options.method == "greedy") return {importance() + passes(maskableHeads() + 1), true};
    if (options.method == "random") return {passes(options.schemes + 2), false};
    return {passes(2), false};  // soft, and hardened
  }

 private:
  std::int64_t maskableHeads() const {
    const MaskScheme scheme(makeMaskShape(m_plan.experiment.model));
    std::int64_t heads = 0;
    for (int layer = 0; layer < scheme.maskableLayers(); ++layer)
      heads += scheme.heads(layer);
    return heads;
  }

  /// So many evaluations of the images that are measured on.
  double passes(std::int64_t count) const { return static_cast<double>(count) * pass(); }
  double pass() const {
    const std::int64_t wanted = m_plan.options.images;
    const std::int64_t images = wanted > 0 ? std::min(wanted, m_validation) : m_validation;
    return static_cast<double>(images) * m_cost.validation;
  }

  /// Exact: a pass a head, on average from the middle of the model on.
  double importance() const {
    if (m_plan.options.firstOrder) return pass() / m_cost.validation * m_cost.training;
    return passes(maskableHeads()) / 2;
  }

  double roundsLeft() const {
    const SearchOptions& options = m_plan.options;
    double seconds = passes(2);  // ALS after the first two
    seconds += roundLeft("1-initial", options.initialEpochs);
    seconds += roundLeft("2-assigned", options.assignedEpochs);
    if (options.finalEpochs > 0) seconds += roundLeft("3-final", options.finalEpochs);
    return seconds;
  }

  double roundLeft(const std::string& name, std::int64_t epochs) const {
    const auto run = OpenFolder::open(m_output / name);
    if (run && isFinished(*run)) return 0;
    Experiment round = m_plan.experiment;
    if (epochs > 0) round.training.epochs = epochs;
    return secondsOfRun(round, m_cost) + static_cast<double>(m_validation) * m_cost.validation;
  }

  SearchPlan m_plan;
  std::filesystem::path m_output;
  ItemCost m_cost;
  std::int64_t m_validation;
};

}  // namespace

Result<SearchEstimate> estimateSearch(const SearchPlan& plan, const std::filesystem::path& output,
                                      const std::stop_token& stop) {
  return guarded("search", [&] { return SearchEstimator(plan, output, stop).estimate(); });
}

std::string searchTimeText(const SearchEstimate& estimate) {
  return (estimate.atMost ? tr("at most ") : tr("about ")) + formatDuration(estimate.seconds);
}

}  // namespace headlight
