// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/RunFigures.h"

#include <algorithm>

#include "app/cli/terminal/Command.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/figures/RunFigure.h"
#include "core/workbench/runs/RunCheckpoints.h"

namespace headlight::cli {
namespace {

RunAxis axisNamed(const std::string& key) {
  const auto& axes = runAxes();
  const auto found = std::find_if(axes.begin(), axes.end(),
                                  [&](const RunAxisName& axis) { return axis.key == key; });
  return static_cast<RunAxis>(found - axes.begin());  // the command line knows no others
}

/// Throws Failure where it is neither known nor in the logs.
RunQuantity quantityIn(const std::vector<const RunHistory*>& histories, const std::string& key) {
  std::vector<std::string> names;
  for (const auto& list : {runQuantities(), quantitiesIn(histories)})
    for (const RunQuantity& known : list) {
      if (known.key == key) return known;
      if (std::find(names.begin(), names.end(), known.key) == names.end())
        names.push_back(known.key);
    }
  refuseUsage("--quantity", tr("no log has '") + key + tr("'; choose one of ") + joined(names));
}

}  // namespace

void writeRunFigure(const RunFigureOptions& options, FollowedRuns& followed,
                    const std::vector<ListedRun>& runs, Terminal& terminal,
                    const std::stop_token& stop) {
  std::vector<ListedRun> drawn(runs.begin(), runs.begin() + std::min(runs.size(), kMostCompared));
  std::vector<std::uint64_t> ids;
  for (const ListedRun& run : drawn)
    ids.push_back(run.id);
  followed.setCompared(ids);
  auto histories = followed.pollCompared(stop).histories;
  if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, "stopped", "runs"});
  std::vector<const RunHistory*> read;
  for (const ListedRun& run : drawn)
    read.push_back(histories[run.id].get());
  const RunQuantity quantity =
      quantityIn(read, options.quantity.empty() ? defaultQuantity(read) : options.quantity);
  const RunAxis axis = axisNamed(options.over);
  std::vector<NamedCurve> curves;
  std::string missing;
  bool any = false;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    curves.push_back(
        {drawn[i].label, read[i] ? makeRunCurve(*read[i], quantity.key, axis, options.smooth)
                                 : RunCurve{{}, {}, tr("its log cannot be read")}});
    if (read[i]) curves.back().marks = makeRunMarks(*read[i], axis);
    any = any || !curves.back().curve.keys.empty();
    missing = curves.back().curve.missing;
    if (!missing.empty()) terminal.warning(drawn[i].label + ": " + missing);
  }
  if (!any) throw Failure({ErrorCode::NotFound, tr("nothing to plot: ") + missing, options.path});
  if (runs.size() > drawn.size())
    terminal.warning(std::string(tr("the figure shows the first ")) + std::to_string(drawn.size()) +
                     " of " + std::to_string(runs.size()) + tr(" runs"));
  const RunQuantity shown{quantity.key, smoothedTitle(quantity, options.smooth)};
  valueOrThrow(writeRunCurves(options.path, curves, shown, axis));
}

std::vector<std::vector<std::string>> keptWeights(const std::vector<ListedRun>& runs) {
  std::vector<std::vector<std::string>> kept;
  for (const ListedRun& run : runs) {
    kept.emplace_back();
    for (const RunCheckpoint& checkpoint : checkpointsIn(run.folder))
      kept.back().push_back(checkpoint.path.string());
  }
  return kept;
}

}  // namespace headlight::cli
