// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/runs/RunList.h"

#include <algorithm>
#include <cmath>

#include "core/base/Text.h"
#include "core/config/ModelText.h"
#include "core/config/RunId.h"
#include "core/workbench/loading/WeightsName.h"

namespace headlight {
namespace {

std::string numberCell(double value) {
  return std::isfinite(value) ? numberText(value) : std::string();
}

/// Empty where the scores are of another name.
std::string scoreCell(const RunMetrics& metrics, const char* name, double score) {
  return metrics.scoreName == name ? numberCell(score) : "";
}

std::string countCell(std::int64_t count) {
  return count > 0 ? std::to_string(count) : std::string();
}

Json comparable(const Experiment& experiment) {
  Json json = experimentToJson(experiment);
  json.erase("name");
  return json;
}

}  // namespace

std::string configSummary(const ListedRun& run) {
  if (!run.experiment) return "";
  const ModelConfig& model = run.experiment->model;
  std::string text = model.name == "custom" ? model.backbone : model.name;
  text.append(", ").append(model.mechanism).append(", ").append(blocksText(model));
  if (const std::string masks = masksTitle(run.experiment->masks); masks != "none")
    text.append(", masks ").append(masks);
  text += ", " + std::to_string(run.experiment->training.epochs) + " epochs";
  const std::string start = makeWeightsName(run.experiment->training.weights);
  return start.empty() ? text : text + ", from " + start;
}

std::string masksCell(const ListedRun& run) {
  return run.experiment ? masksTitle(run.experiment->masks) : "";
}

std::string runsCsv(const std::vector<ListedRun>& runs) {
  std::string text =
      "run,state,epoch,epochs,step,steps,loss,validation_loss,top1,best_top1,als,name,folder,"
      "masks,config,ap,best_ap,miou,best_miou\n";
  for (const ListedRun& run : runs) {
    const RunMetrics& now = run.standing.numbers;
    for (const std::string& cell :
         {csvQuoted(run.label), followedStateName(run.standing.state), countCell(now.epoch),
          countCell(now.epochs), countCell(now.step), countCell(now.steps), numberCell(now.loss),
          numberCell(now.validationLoss), scoreCell(now, kAccuracyName, now.score),
          scoreCell(now, kAccuracyName, now.bestScore), numberCell(now.locality),
          csvQuoted(run.standing.name), csvQuoted(run.folder.string())})
      text.append(cell).append(",");
    text.append(csvQuoted(masksCell(run))).append(",");
    text.append(csvQuoted(configSummary(run))).append(",");
    text.append(scoreCell(now, kPrecisionName, now.score)).append(",");
    text.append(scoreCell(now, kPrecisionName, now.bestScore)).append(",");
    text.append(scoreCell(now, kMeanOverlapName, now.score)).append(",");
    text.append(scoreCell(now, kMeanOverlapName, now.bestScore)).append("\n");
  }
  return text;
}

std::vector<SettingDifference> settingDifferences(
    const std::vector<std::shared_ptr<const Experiment>>& experiments) {
  std::vector<SettingDifference> rows;
  if (experiments.empty() || !experiments.front()) return rows;
  const Json first = comparable(*experiments.front());
  for (std::size_t i = 1; i < experiments.size(); ++i) {
    if (!experiments[i]) continue;
    for (const ConfigDifference& one : configDifferences(first, comparable(*experiments[i]))) {
      auto row = std::find_if(rows.begin(), rows.end(), [&](const SettingDifference& known) {
        return known.path == one.path;
      });
      if (row == rows.end()) {
        rows.push_back({one.path, std::vector<std::string>(experiments.size(), one.first)});
        row = rows.end() - 1;
      }
      row->values[i] = one.second;
    }
  }
  return rows;
}

}  // namespace headlight
