// SPDX-License-Identifier: GPL-3.0-or-later

// Sweep.h: what a sweep is written down as: CSV for programs and Markdown for people.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>

#include "core/base/Text.h"
#include "core/training/logs/LineLog.h"
#include "core/workbench/sweeps/SweepDesign.h"
#include "core/workbench/sweeps/SweepTexts.h"

namespace headlight {
namespace {

/// The shortest text that reads back as the same number; empty for NaN.
/// Nothing where there is no number.
std::string cellText(double value) {
  return std::isnan(value) ? "" : numberText(value);
}

/// As RFC 4180 has it: quoted where it must be.
std::string cell(const std::string& text) {
  return text.find_first_of(",\"\n") == std::string::npos ? text : csvQuoted(text);
}

/// A bar would end a Markdown cell.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text)
    result += letter == '|' ? std::string("\\|") : std::string(1, letter);
  return result;
}

/// What is said of a row: a column of the tables. Of sweep.csv more than one may be.
struct SweepColumn {
  std::string names;  ///< of sweep.csv, separated by commas
  std::string title;  ///< of sweep.md; empty: not there
  std::function<std::string(const SweepRow&)> cells, text;
};

std::string statisticCells(const SweepStatistic& statistic) {
  return cellText(statistic.mean) + "," + cellText(statistic.deviation);
}

SweepColumn nameColumn(const std::string& name, std::string SweepRow::*member) {
  return {name, "", [member](const SweepRow& row) { return cell(row.*member); }, {}};
}

SweepColumn statisticColumn(const std::string& name, const std::string& title,
                            SweepStatistic SweepRow::*member,
                            std::string (*text)(const SweepStatistic&)) {
  return {name + "_mean," + name + "_deviation", title,
          [member](const SweepRow& row) { return statisticCells(row.*member); },
          [member, text](const SweepRow& row) { return text(row.*member); }};
}

SweepColumn countColumn(const std::string& name, const std::string& title,
                        std::int64_t SweepRow::*member, const char* format) {
  return {name, title, [member](const SweepRow& row) { return std::to_string(row.*member); },
          [member, format](const SweepRow& row) {
            return format ? millions(row.*member, format) : std::to_string(row.*member);
          }};
}

/// In training, as in AFT's Tables 2 and 4.
SweepColumn rateColumn() {
  return {"steps_per_second", "Iterations/s",
          [](const SweepRow& row) {
            const double rate = std::round(row.stepsPerSecond * 1000) / 1000;
            return row.stepsPerSecond > 0 ? cellText(rate) : "";
          },
          [](const SweepRow& row) { return speedText(row.stepsPerSecond); }};
}

SweepColumn memoryColumn() {
  return {
      "peak_bytes", "Memory (GB)",
      [](const SweepRow& row) { return row.peakBytes > 0 ? std::to_string(row.peakBytes) : ""; },
      [](const SweepRow& row) { return memoryText(row.peakBytes); }};
}

SweepColumn speedColumn(const std::string& name, const std::string& title) {
  const auto cells = [](const SweepRow& row) {
    const double places = row.perSecond < 10 ? 1000 : 10;
    return row.perSecond > 0 ? cellText(std::round(row.perSecond * places) / places) : "";
  };
  return {name, title, cells, [](const SweepRow& row) { return speedText(row.perSecond); }};
}

SweepColumn variantColumn() {
  return {"variant", "Variant", [](const SweepRow& row) { return cell(row.name); },
          [](const SweepRow& row) { return escaped(row.name); }};
}

std::vector<SweepColumn> imageColumns(const SweepPlan& plan) {
  const std::string name = plan.scoreName() + " (%)", key = plan.scoreKey();
  return {variantColumn(),
          nameColumn("backbone", &SweepRow::backbone),
          nameColumn("mechanism", &SweepRow::mechanism),
          nameColumn("masks", &SweepRow::masks),
          countColumn("runs", "Runs", &SweepRow::runs, nullptr),
          statisticColumn("best_" + key, "Best " + name, &SweepRow::best, percentText),
          statisticColumn("last_" + key, "Last " + name, &SweepRow::last, percentText),
          countColumn("parameters", "Parameters (M)", &SweepRow::parameters, "%.3f"),
          countColumn("macs", "MACs (M)", &SweepRow::macs, "%.1f"),
          speedColumn("images_per_second", "Images/s")};
}

std::vector<SweepColumn> sequenceColumns(const std::string& unit) {
  const std::string ofBits = " (" + unit + ")";
  return {variantColumn(),
          nameColumn("mechanism", &SweepRow::mechanism),
          countColumn("depth", "L", &SweepRow::depth, nullptr),
          countColumn("width", "d", &SweepRow::width, nullptr),
          countColumn("heads", "h", &SweepRow::heads, nullptr),
          countColumn("length", "T", &SweepRow::length, nullptr),
          countColumn("runs", "Runs", &SweepRow::runs, nullptr),
          statisticColumn("best_bits", "Best validation" + ofBits, &SweepRow::best, bitsText),
          statisticColumn("last_bits", "Last validation" + ofBits, &SweepRow::last, bitsText),
          statisticColumn("train_bits", "Training" + ofBits, &SweepRow::training, bitsText),
          countColumn("parameters", "Parameters (M)", &SweepRow::parameters, "%.3f"),
          rateColumn(),
          memoryColumn(),
          speedColumn("sequences_per_second", "Sequences/s")};
}

std::vector<SweepColumn> columnsOf(const SweepPlan& plan) {
  return plan.ofSequences() ? sequenceColumns(resultUnit(plan)) : imageColumns(plan);
}

std::string chanceText(const SweepPlan& plan, const std::vector<SweepRow>& rows) {
  const SweepReference reference = sweepReference(plan, rows);
  return reference.isChance ? formatted("; guessing gives %.4g %%", 100 * reference.value) : "";
}

std::string footnoteOf(const SweepPlan& plan, const std::vector<SweepRow>& rows) {
  const std::string seeds = sweepSeedsText(rows);
  if (plan.ofSequences())
    return "Bits per byte: on the validation split, for the best and the last validation of each "
           "run; for training, the mean over the steps before the last validation. All: " +
           seeds +
           ". L: blocks, d: features, h: heads, T: bytes per sequence. "
           "Iterations/s: optimizer steps in training. Memory: peak of a training (the process on "
           "a CPU, tensors on a GPU). Compare both only if the runs were trained on the same "
           "otherwise idle machine. Sequences/s: inference in batches, every variant measured in "
           "turn on the same machine.";
  return (plan.task() == Task::Classify ? "Top-1" : plan.scoreName()) +
         std::string(" on the validation split, of the best and the last epoch of each run: ") +
         seeds + chanceText(plan, rows) +
         ". Parameters: of the model with its masks. MACs: of one image; a "
         "head with a hard, strict or random mask counts only the keys inside the mask if its "
         "mechanism has a linear kernel (softmax attention has one, whichever kernel is chosen), "
         "else all keys. Images/s: inference in batches, every variant measured in turn on the "
         "same machine.";
}

}  // namespace

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string speedText(double perSecond) {
  return perSecond > 0 ? formatted(perSecond < 10 ? "%.2f" : "%.0f", perSecond) : "–";
}

std::string memoryText(std::int64_t bytes) {
  return bytes > 0 ? formatted("%.2f", static_cast<double>(bytes) / 1e9) : "–";
}

std::string millions(std::int64_t count, const char* format) {
  return formatted(format, static_cast<double>(count) / 1e6);
}

std::string resultUnit(const SweepPlan& plan) {
  return plan.variants.front().sequence->unit();
}

SweepStatistic computeStatistic(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  SweepStatistic statistic{0, std::numeric_limits<double>::quiet_NaN()};
  for (const double value : values)
    statistic.mean += value / count;
  if (values.size() < 2) return statistic;
  double squares = 0;
  for (const double value : values)
    squares += (value - statistic.mean) * (value - statistic.mean);
  statistic.deviation = std::sqrt(squares / (count - 1));
  return statistic;
}

std::string percentText(const SweepStatistic& statistic) {
  std::string text = formatted("%.2f", 100 * statistic.mean);
  if (!std::isnan(statistic.deviation))
    text += " ± " + formatted("%.2f", 100 * statistic.deviation);
  return text;
}

std::string bitsText(const SweepStatistic& statistic) {
  std::string text = formatted("%.4f", statistic.mean);
  if (!std::isnan(statistic.deviation)) text += " ± " + formatted("%.4f", statistic.deviation);
  return text;
}

std::string sweepCsv(const SweepPlan& plan, const std::vector<SweepRow>& rows) {
  const auto columns = columnsOf(plan);
  const auto line = [&](const auto& cellsOfColumn) {
    std::string text;
    for (const SweepColumn& column : columns)
      text.append(text.empty() ? "" : ",").append(cellsOfColumn(column));
    return text + "\n";
  };
  std::string text = line([](const SweepColumn& column) { return column.names; });
  for (const SweepRow& row : rows)
    text += line([&](const SweepColumn& column) { return column.cells(row); });
  return text;
}

std::string sweepMarkdown(const SweepPlan& plan, const std::vector<SweepRow>& rows) {
  const std::string about = plan.about.empty() ? "" : "\n\n" + plan.about;
  std::vector<SweepColumn> columns = columnsOf(plan);
  std::erase_if(columns, [](const SweepColumn& column) { return column.title.empty(); });
  std::string text = "# " + plan.name + about + "\n\n|", rule = "|";
  for (const SweepColumn& column : columns) {
    text.append(" ").append(column.title).append(" |");
    rule += rule == "|" ? "---|" : "---:|";
  }
  text += "\n" + rule + "\n";
  for (const SweepRow& row : rows) {
    text += "|";
    for (const SweepColumn& column : columns)
      text.append(" ").append(column.text(row)).append(" |");
    text += "\n";
  }
  return text + "\n" + footnoteOf(plan, rows) + "\n";
}

}  // namespace headlight
