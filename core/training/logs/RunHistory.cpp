// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/logs/RunHistory.h"

#include <string>
#include <utility>

#include "core/training/logs/EvenPoints.h"
#include "core/training/logs/LineLog.h"
#include "core/training/logs/LoggedPoints.h"

namespace headlight {
namespace {

constexpr std::size_t kMostSteps = 16384, kMostHeads = 512, kMostEpochs = 16384, kMostEdits = 4096;

}  // namespace

RunHistory readRunHistory(const OpenFolder& folder, const std::vector<int>& heads) {
  RunHistory history;
  EvenPoints steps(history.steps, kMostSteps);
  EvenPoints epochs(history.epochPoints, kMostEpochs);
  EvenPoints measured(history.heads, kMostHeads);
  forEachLoggedStep(folder, "metrics.jsonl", [&](const Json& line, std::int64_t step) {
    const std::string type = loggedType(line);
    if (type == "step") steps.add(loggedStep(line, step));
    if (type == kStartLine) history.start = loggedStart(line);
    if (type == "epoch") epochs.add(loggedEpoch(line, step));
    if (type != "heads") return;
    if (auto point = loggedHeads(line, step, heads)) measured.add(std::move(*point));
  });
  forEachLoggedStep(folder, "masks.jsonl", [&](const Json& line, std::int64_t step) {
    auto edit = maskEditFromJson(line, "masks.jsonl");
    if (edit && history.edits.size() < kMostEdits)
      history.edits.push_back({step, std::move(*edit)});
  });
  return history;
}

}  // namespace headlight
