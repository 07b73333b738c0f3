// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/sweeps/SweepResults.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "core/base/Translation.h"
#include "core/config/ConfigText.h"

namespace headlight {
namespace {

constexpr const char *kDoneMark = "finished.json", *kDivergedMark = "diverged.json",
                     *kTable = "metrics.csv";
constexpr std::uintmax_t kMaxTableBytes = 64u << 20, kMaxSpeedBytes = 1u << 20,
                         kMaxMarkBytes = 1u << 16;

std::vector<std::string> cellsOf(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream stream(row);
  for (std::string cell; std::getline(stream, cell, ',');)
    cells.push_back(cell);
  return cells;
}

std::optional<double> numberIn(const std::vector<std::string>& cells, std::size_t column) {
  if (column >= cells.size()) return std::nullopt;
  const std::string& cell = cells[column];
  const char* end = cell.data() + cell.size();
  double value = 0;
  const auto read = std::from_chars(cell.data(), end, value);
  return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

/// For the run's table, which has so many rows: by column, then by row. Of `optional` names, which
/// come last, a column is empty where the table has none.
std::vector<std::vector<double>> tableColumns(const OpenFolder& run, std::vector<std::string> names,
                                              std::int64_t wantedRows,
                                              const std::vector<std::string>& optional = {}) {
  const auto refuse = [&](const std::string& message) {
    throw Failure({ErrorCode::InvalidFile, message, run.pathOf(kTable).string()});
  };
  std::istringstream table(valueOrThrow(run.read(kTable, kMaxTableBytes)));
  std::string row;
  std::getline(table, row);
  const auto head = cellsOf(row);
  const std::size_t needed = names.size();
  names.insert(names.end(), optional.begin(), optional.end());
  std::vector<std::vector<double>> columns(names.size());
  std::int64_t rows = 0;
  for (; std::getline(table, row); ++rows)
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto place = std::find(head.begin(), head.end(), names[i]) - head.begin();
      if (i >= needed && static_cast<std::size_t>(place) == head.size()) continue;
      const auto value = numberIn(cellsOf(row), static_cast<std::size_t>(place));
      if (!value) refuse(tr("has a row without ") + names[i] + ": " + row);
      columns[i].push_back(*value);
    }
  if (rows != wantedRows)
    refuse("has " + std::to_string(rows) + tr(" rows, the run had ") + std::to_string(wantedRows) +
           tr(" validations; delete the run's folder to train it again"));
  return columns;
}

/// Over those that are numbers; 0 if none is.
double medianOf(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

/// A number of a file, that may be any.
std::int64_t wholeBytes(double value) {
  constexpr double kMost = 1e18;
  return value > 0 && value < kMost ? static_cast<std::int64_t>(value) : 0;
}

}  // namespace

bool isFinished(const OpenFolder& run) {
  return run.has(kDoneMark);
}

void markFinished(const OpenFolder& run, std::int64_t steps) {
  valueOrThrow(run.write(kDoneMark, Json{{"steps", steps}}.dump() + "\n"));
}

std::optional<Error> divergenceIn(const OpenFolder& run) {
  if (!run.has(kDivergedMark)) return std::nullopt;
  const auto text = run.read(kDivergedMark, kMaxMarkBytes);
  const Json json = text ? jsonOrDiscarded(*text) : Json();
  const auto said = [&](const char* key, const std::string& otherwise) {
    const bool known = json.is_object() && json.contains(key) && json[key].is_string();
    const std::string text = known ? json[key].get<std::string>() : "";
    return text.empty() ? otherwise : text;
  };
  return Error{ErrorCode::Internal, said("message", tr("diverged in another process")),
               said("where", run.path().string())};
}

void markDiverged(const OpenFolder& run, const Error& error) {
  const Json json{{"message", error.message}, {"where", error.where}};
  valueOrThrow(
      run.write(kDivergedMark, json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"));
}

void clearDiverged(const OpenFolder& run) {
  if (run.has(kDivergedMark)) run.remove(kDivergedMark);
}

RunResult imageResult(const OpenFolder& run, std::int64_t epochs, const std::string& score) {
  RunResult result;
  const auto columns = tableColumns(run, {score}, epochs);
  for (const double value : columns[0]) {
    result.last = value;
    result.best = std::max(result.best, value);
  }
  return result;
}

RunResult sequenceResult(const OpenFolder& run, const SequenceTrainingConfig& training) {
  const std::int64_t every = training.evaluateSteps;
  const auto columns = tableColumns(run, {"validation_bits", "train_bits"},
                                    training.steps / every + (training.steps % every != 0),
                                    {"steps_per_second", "peak_bytes"});
  const std::vector<double>& bits = columns[0];
  RunResult result{*std::min_element(bits.begin(), bits.end()), bits.back(), columns[1].back()};
  result.stepsPerSecond = std::max(0.0, medianOf(columns[2]));
  for (const double bytes : columns[3])
    result.peakBytes = std::max(result.peakBytes, wholeBytes(bytes));
  return result;
}

SpeedsByVariant readSpeeds(const OpenFolder& output) {
  if (!output.has(kSweepSpeeds)) return {};
  const Json json = jsonOrDiscarded(valueOrThrow(output.read(kSweepSpeeds, kMaxSpeedBytes)));
  SpeedsByVariant speeds;
  bool valid = json.is_object();
  for (auto item = json.begin(); valid && item != json.end(); ++item) {
    valid = item->is_number() && *item > 0;
    if (valid) speeds[item.key()] = item->get<double>();
  }
  if (!valid)
    throw Failure({ErrorCode::InvalidFile,
                   tr("cannot be parsed; delete it to measure the images per second again"),
                   output.pathOf(kSweepSpeeds).string()});
  return speeds;
}

void writeSpeeds(const OpenFolder& output, const SpeedsByVariant& speeds) {
  valueOrThrow(output.write(kSweepSpeeds, Json(speeds).dump(2) + "\n"));
}

}  // namespace headlight
