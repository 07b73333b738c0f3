// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/faults/Outputs.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/imaging/codecs/Image.h"
#include "core/workbench/loading/Inspect.h"
#include "tests/HubServer.h"
#include "tests/faults/Faults.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

const std::set<std::string> kClocked{"images_per_second", "seconds", "steps_per_second",
                                     "peak_bytes"};

/// Of a run's logs the last line may be half of one: nobody reads that, and resuming cuts it.
bool growsByLines(const fs::path& file) {
  return file.extension() == ".jsonl" || file.filename() == "metrics.csv" ||
         file.filename() == "summary.csv";
}

std::string withoutClock(const std::string& line) {
  json object = json::parse(line, nullptr, false);
  if (!object.is_object()) return line;
  for (const auto& key : kClocked)
    object.erase(key);
  return object.dump();
}

/// How many columns at the end of a table say how many seconds something took, and what else was
/// measured of the machine.
int clockedColumns(const std::string& head) {
  if (head.ends_with(",seconds")) return 1;
  return head.ends_with(",seconds,steps_per_second,peak_bytes") ? 3 : 0;
}

std::string withoutColumns(std::string row, int count) {
  for (; count > 0; --count)
    row.resize(row.rfind(','));
  return row;
}

std::string comparableBytes(const fs::path& file) {
  const std::string bytes = readBytes(file);
  const std::string head = bytes.substr(0, bytes.find('\n'));
  const int clocked = file.extension() == ".csv" ? clockedColumns(head) : 0;
  const bool table = clocked > 0;
  if (file.extension() != ".jsonl" && !table) return bytes;
  std::istringstream lines(bytes);
  std::string result;
  for (std::string line; std::getline(lines, line);)
    result += (table ? withoutColumns(line, clocked) : withoutClock(line)) + "\n";
  return result;
}

std::string damagedLine(const fs::path& file) {
  const std::string bytes = readBytes(file);
  std::istringstream lines(bytes);
  std::int64_t cells = -1;
  for (std::string line; std::getline(lines, line);) {
    if (lines.eof()) return growsByLines(file) ? "" : "does not end with a whole line";
    const auto commas = std::count(line.begin(), line.end(), ',');
    const bool isTable = file.extension() == ".csv";
    if (isTable && cells >= 0 && commas != cells) return "has a row of another length: " + line;
    if (!isTable && !json::parse(line, nullptr, false).is_object())
      return "has a line that is no JSON: " + line;
    cells = commas;
  }
  return "";
}

std::string damagedTensors(const fs::path& file) {
  const auto contents = inspectCheckpoint(file);
  return contents ? "" : contents.error().text();
}

/// Whether a blob of the hub's cache is what its name says.
std::string damagedBlob(const fs::path& file) {
  const std::string bytes = readBytes(file), name = file.filename().string();
  const std::string head = "blob " + std::to_string(bytes.size()) + std::string(1, '\0');
  const std::string hash =
      name.size() == 64 ? hashBy("sha256sum", bytes) : hashBy("sha1sum", head + bytes);
  return hash == name ? "" : "has the hash " + hash;
}

/// Whether a model of the hub's cache opens: what refs/main names.
std::string damagedRef(const fs::path& file) {
  const fs::path snapshot = file.parent_path().parent_path() / "snapshots" / readBytes(file);
  if (!fs::is_regular_file(snapshot / "config.json")) return "names a model without its config";
  return damagedTensors(snapshot / "model.safetensors");
}

}  // namespace

Outputs outputsOf(const fs::path& folder) {
  Outputs outputs;
  if (!fs::exists(folder)) return outputs;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool isLock = name == ".lock" || entry.path().extension() == ".lock";
    if (!entry.is_regular_file() || isLock || isPartial(entry.path())) continue;
    outputs[fs::relative(entry.path(), folder).string()] = comparableBytes(entry.path());
  }
  return outputs;
}

std::string differenceOf(const Outputs& expected, const Outputs& found) {
  std::string difference;
  for (const auto& [name, bytes] : expected) {
    const auto other = found.find(name);
    if (other == found.end())
      difference += name + " is missing; ";
    else if (other->second != bytes)
      difference += name + " differs; ";
  }
  for (const auto& [name, bytes] : found)
    if (!expected.contains(name)) difference += name + " is too much; ";
  return difference;
}

std::string damageOf(const fs::path& file) {
  if (file.parent_path().filename() == "blobs") return damagedBlob(file);
  if (file.parent_path().filename() == "refs") return damagedRef(file);
  // One that was cut in a cache is what is to be replaced; refs/main says which must be whole.
  if (file.parent_path().parent_path().filename() == "snapshots") return "";
  if (file.extension() == ".jsonl" || file.extension() == ".csv") return damagedLine(file);
  if (file.extension() == ".safetensors") return damagedTensors(file);
  if (file.extension() == ".png") return readImage(file).ok() ? "" : "is no image";
  if (file.extension() == ".json") return json::accept(readBytes(file)) ? "" : "is no JSON";
  return fs::file_size(file) == 0 ? "is empty" : "";
}

}  // namespace headlight::testing
