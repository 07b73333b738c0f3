#include "core/workbench/RunList.h"

#include <algorithm>
#include <cmath>

#include "core/base/Text.h"
#include "core/config/RunId.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::string labelOf(const fs::path& run, const fs::path& named) {
  const fs::path inside = run.lexically_relative(named);
  if (!inside.empty() && inside != "." && *inside.begin() != "..") return inside.string();
  const fs::path whole = run.lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

std::string numberCell(double value) {
  return std::isfinite(value) ? numberText(value) : std::string();
}

std::string countCell(std::int64_t count) {
  return count > 0 ? std::to_string(count) : std::string();
}

std::string quotedCell(const std::string& text) {
  std::string quoted = "\"";
  for (const char letter : text)
    quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  quoted += '"';
  return quoted;
}

/// Steps as epochs, straight between validations.
class EpochClock {
 public:
  explicit EpochClock(const std::vector<EpochPoint>& epochs) : m_epochs(epochs) {}

  double at(double step) const {
    double stepBefore = 0, epochBefore = 0, each = 0;
    for (const EpochPoint& point : m_epochs) {
      const auto end = static_cast<double>(point.step), number = static_cast<double>(point.epoch);
      if (number > epochBefore && end > stepBefore)
        each = (end - stepBefore) / (number - epochBefore);
      if (step <= end || &point == &m_epochs.back())
        return each > 0 ? epochBefore + (step - stepBefore) / each : number;
      stepBefore = end;
      epochBefore = number;
    }
    return 0;
  }

 private:
  const std::vector<EpochPoint>& m_epochs;
};

double meanOf(const std::vector<std::vector<float>>& rows) {
  double sum = 0;
  std::int64_t count = 0;
  for (const auto& row : rows)
    for (const float value : row)
      if (std::isfinite(value)) sum += value, ++count;
  return count > 0 ? sum / static_cast<double>(count) : std::nan("");
}

void add(RunCurve& curve, std::int64_t step, double value) {
  if (!std::isfinite(value)) return;
  curve.keys.push_back(static_cast<double>(step));
  curve.values.push_back(value);
}

RunCurve overSteps(const RunHistory& history, RunQuantity quantity) {
  RunCurve curve;
  if (quantity == RunQuantity::TrainLoss)
    for (const StepPoint& point : history.steps)
      add(curve, point.step, point.loss);
  if (quantity == RunQuantity::ValidationLoss || quantity == RunQuantity::Top1)
    for (const EpochPoint& point : history.epochPoints)
      add(curve, point.step,
          quantity == RunQuantity::Top1 ? 100 * point.top1 : point.validationLoss);
  if (quantity == RunQuantity::Locality)
    for (const HeadPoint& point : history.heads)
      add(curve, point.step, meanOf(point.locality));
  return curve;
}

Json comparable(const Experiment& experiment) {
  Json json = experimentToJson(experiment);
  json.erase("name");
  return json;
}

}  // namespace

std::vector<ListedRun> listRuns(const std::vector<fs::path>& paths,
                                const ProgressCallback& progress, const std::stop_token& stop) {
  std::vector<ListedRun> runs;
  for (const fs::path& path : paths)
    for (const fs::path& folder : runsIn(path))
      runs.push_back({labelOf(folder, path), folder, {}, nullptr});
  RemainingTime remaining;
  const auto total = static_cast<std::int64_t>(runs.size());
  for (std::int64_t i = 0; i < total; ++i) {
    if (stop.stop_requested()) {
      runs.resize(static_cast<std::size_t>(i));
      break;
    }
    ListedRun& run = runs[static_cast<std::size_t>(i)];
    RunGrowth growth = RunFollower(run.folder).look(stop);
    run.standing = std::move(growth.standing);
    run.experiment = std::move(growth.experiment);
    if (progress)
      progress({"reading runs", i + 1, total, remaining.secondsRemaining(i + 1, total)});
  }
  return runs;
}

std::string runsCsv(const std::vector<ListedRun>& runs) {
  std::string text =
      "run,state,epoch,epochs,step,steps,loss,validation_loss,top1,best_top1,als,name,folder\n";
  for (const ListedRun& run : runs) {
    const RunNumbers& now = run.standing.numbers;
    for (const std::string& cell :
         {quotedCell(run.label), followedStateName(run.standing.state), countCell(now.epoch),
          countCell(now.epochs), countCell(now.step), countCell(now.steps), numberCell(now.loss),
          numberCell(now.validationLoss), numberCell(now.top1), numberCell(now.bestTop1),
          numberCell(now.locality), quotedCell(run.standing.name)})
      text.append(cell).append(",");
    text.append(quotedCell(run.folder.string())).append("\n");
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

const std::vector<std::string>& runQuantityNames() {
  static const std::vector<std::string> names = {"training loss", "validation loss", "top-1, %",
                                                 "ALS, mean over heads"};
  return names;
}

RunCurve curveOf(const RunHistory& history, RunQuantity quantity, RunAxis axis) {
  RunCurve curve = overSteps(history, quantity);
  if (axis == RunAxis::Step) return curve;
  if (history.epochPoints.empty()) return {};
  const EpochClock clock(history.epochPoints);
  for (double& key : curve.keys)
    key = clock.at(key);
  return curve;
}

}  // namespace headlight
