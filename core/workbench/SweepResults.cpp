#include "core/workbench/SweepResults.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "core/base/Files.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxTableBytes = 64u << 20, kMaxSpeedBytes = 1u << 20;

fs::path doneMark(const SweepRun& run) {
  return run.folder / "finished.json";
}

fs::path speedFile(const fs::path& output) {
  return output / kSweepSpeeds;
}

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

}  // namespace

bool isFinished(const SweepRun& run) {
  return fs::exists(doneMark(run));
}

void markFinished(const SweepRun& run, std::int64_t steps) {
  valueOrThrow(writeFileAtomically(doneMark(run), Json{{"steps", steps}}.dump() + "\n"));
}

RunResult resultOf(const SweepRun& run) {
  const fs::path path = run.folder / "metrics.csv";
  const auto refuse = [&](const std::string& message) {
    throw Failure({ErrorCode::InvalidFile, message, path.string()});
  };
  std::istringstream table(valueOrThrow(readFile(path, kMaxTableBytes)));
  std::string row;
  std::getline(table, row);
  const auto head = cellsOf(row);
  const auto column = std::find(head.begin(), head.end(), "top1") - head.begin();
  RunResult result;
  std::int64_t epochs = 0;
  for (; std::getline(table, row); ++epochs) {
    const auto top1 = numberIn(cellsOf(row), static_cast<std::size_t>(column));
    if (!top1) refuse("has a row in which no top1 is found: " + row);
    result.lastTop1 = *top1;
    result.bestTop1 = std::max(result.bestTop1, *top1);
  }
  if (epochs != run.experiment.training.epochs)
    refuse("has " + std::to_string(epochs) + " epochs, the run had " +
           std::to_string(run.experiment.training.epochs) +
           "; delete the run's folder to train it again");
  return result;
}

SpeedsByVariant readSpeeds(const fs::path& output) {
  const fs::path path = speedFile(output);
  if (!fs::exists(path)) return {};
  const Json json =
      Json::parse(valueOrThrow(readFile(path, kMaxSpeedBytes)), nullptr, /*exceptions=*/false);
  SpeedsByVariant speeds;
  bool valid = json.is_object();
  for (auto item = json.begin(); valid && item != json.end(); ++item) {
    valid = item->is_number() && *item > 0;
    if (valid) speeds[item.key()] = item->get<double>();
  }
  if (!valid)
    throw Failure({ErrorCode::InvalidFile,
                   "cannot be understood; delete it, and images per second are measured again",
                   path.string()});
  return speeds;
}

void writeSpeeds(const fs::path& output, const SpeedsByVariant& speeds) {
  valueOrThrow(writeFileAtomically(speedFile(output), Json(speeds).dump(2) + "\n"));
}

}  // namespace headlight
