// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/WatchTable.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "app/cli/terminal/Terminal.h"
#include "core/base/Progress.h"
#include "core/base/Translation.h"
#include "core/base/Utf8.h"

namespace headlight::cli {
namespace {

constexpr std::size_t kColumns = 11, kLongestLabel = 40;
using Row = std::array<std::string, kColumns>;

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count)
    text.remove_prefix(utf8Length(text));
  return count;
}

/// "-" where it is not known.
std::string numberCell(const char* format, double value) {
  if (!std::isfinite(value)) return "-";
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// "3/20", "3" of an unknown number.
std::string countCell(std::int64_t done, std::int64_t all) {
  return std::to_string(done) + (all > 0 ? "/" + std::to_string(all) : "");
}

std::string accuracyCell(const RunMetrics& numbers) {
  if (!std::isfinite(numbers.score)) return "-";
  const std::string name = numbers.scoreName == kAccuracyName ? "" : numbers.scoreName + " ";
  return name + numberCell("%.2f %%", 100 * numbers.score) +
         numberCell(" (%.2f)", 100 * numbers.bestScore);
}

std::string stateCell(const RunStatus& standing) {
  return followedStateName(standing.state) + (standing.certain ? "" : "?");
}

/// The end tells more than the beginning.
std::string labelCell(const std::string& label) {
  if (characters(label) <= kLongestLabel) return label;
  std::string_view rest = label;
  for (std::size_t left = characters(label); left >= kLongestLabel; --left)
    rest.remove_prefix(utf8Length(rest));
  return "…" + std::string(rest);
}

std::string ageCell(double seconds) {
  return seconds < 0 ? "-" : formatDuration(seconds) + tr(" ago");
}

Row headRow() {
  return {"run",  "state", "epoch",    "step", "loss",           "top-1 (best)",
          "rate", "ALS",   "images/s", "left", tr("newest line")};
}

Row rowOf(const WatchedRun& run) {
  const RunStatus& standing = run.standing;
  Row row;
  row.fill("-");
  row[0] = labelCell(run.label);
  row[1] = stateCell(standing);
  const RunMetrics& now = standing.numbers;
  if (now.epochs == 0) return row;
  row[2] = countCell(now.epoch, now.epochs);
  row[3] = countCell(now.step, now.steps);
  row[4] = numberCell("%.4f", now.loss);
  row[5] = accuracyCell(now);
  row[6] = numberCell("%.3g", now.learningRate);
  row[7] = numberCell("%.4f", now.locality);
  row[8] = numberCell(now.imagesPerSecond < 10 ? "%.1f" : "%.0f", now.imagesPerSecond);
  if (now.secondsRemaining >= 0) row[9] = formatDuration(now.secondsRemaining);
  row[10] = ageCell(standing.secondsSinceLine);
  return row;
}

std::string lineOf(const Row& row, const std::array<std::size_t, kColumns>& widths) {
  std::string line;
  for (std::size_t i = 0; i < kColumns; ++i)
    line += row[i] + std::string(i + 1 < kColumns ? widths[i] - characters(row[i]) + 2 : 0, ' ');
  return line;
}

Json knownCount(std::int64_t count) {
  return count > 0 ? Json(count) : Json();
}

Json secondsJson(double seconds) {
  return seconds >= 0 ? Json(seconds) : Json();
}

}  // namespace

std::vector<std::string> watchTable(const std::vector<WatchedRun>& runs) {
  std::vector<Row> rows{headRow()};
  for (const WatchedRun& run : runs)
    rows.push_back(rowOf(run));
  std::array<std::size_t, kColumns> widths{};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < kColumns; ++i)
      widths[i] = std::max(widths[i], characters(row[i]));
  std::vector<std::string> lines;
  for (const Row& row : rows)
    lines.push_back(lineOf(row, widths));
  return lines;
}

Json watchJson(const WatchedRun& run) {
  const RunStatus& standing = run.standing;
  const RunMetrics& now = standing.numbers;
  return {{"run", run.folder},
          {"name", standing.name},
          {"state", followedStateName(standing.state)},
          {"certain", standing.certain},
          {"problem", standing.problem ? Json(standing.problem->text()) : Json()},
          {"epoch", knownCount(now.epoch)},
          {"epochs", knownCount(now.epochs)},
          {"step", now.step},
          {"steps", knownCount(now.steps)},
          {"loss", numberOrNull(now.loss)},
          {"validation_loss", numberOrNull(now.validationLoss)},
          {scoreKey(now.scoreName), numberOrNull(now.score)},
          {"best_" + scoreKey(now.scoreName), numberOrNull(now.bestScore)},
          {"learning_rate", numberOrNull(now.learningRate)},
          {"als", numberOrNull(now.locality)},
          {"images_per_second", numberOrNull(now.imagesPerSecond)},
          {"seconds_remaining", secondsJson(now.secondsRemaining)},
          {"seconds_since_line", secondsJson(standing.secondsSinceLine)}};
}

}  // namespace headlight::cli
