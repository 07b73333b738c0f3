// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/selftest/SelfTestTable.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/Translation.h"

namespace headlight {
namespace {

/// Four digits; empty for what is no number.
BenchCell roundedCell(double value, const std::string& unit) {
  if (!std::isfinite(value)) return {"", true};
  char text[64];
  std::snprintf(text, sizeof text, "%.4g", value);
  return {unit == "relative" || unit == "ratio" ? text : text + (" " + unit), true};
}

BenchCell secondsCell(double seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f", seconds);
  return {text, true};
}

/// "passed", "FAILED: no kernel image", "skipped: one device".
std::string resultText(const SelfTestRow& row) {
  const std::string result = row.skipped ? tr("skipped") : row.passed ? tr("passed") : tr("FAILED");
  return row.note.empty() ? result : result + ": " + row.note;
}

Json finiteOrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json rowJson(const SelfTestRow& row) {
  return {{"name", row.name},
          {"what", row.what},
          {"unit", row.unit},
          {"measured", finiteOrNull(row.measured)},
          {"bound", row.bound > 0 ? Json(row.bound) : Json()},
          {"passed", row.passed},
          {"skipped", row.skipped},
          {"note", row.note},
          {"seconds", row.seconds}};
}

}  // namespace

BenchTable selfTestTable(const SelfTestReport& report) {
  BenchTable table{
      {tr("Name"), tr("What"), tr("Measured"), tr("Bound"), tr("Seconds"), tr("Result")}, {}};
  for (const SelfTestRow& row : report.rows)
    table.rows.push_back({{row.name},
                          {row.what},
                          roundedCell(row.measured, row.unit),
                          row.bound > 0 ? roundedCell(row.bound, row.unit) : BenchCell{"", true},
                          secondsCell(row.seconds),
                          {resultText(row)}});
  return table;
}

std::string selfTestSummary(const SelfTestReport& report) {
  const auto count = [&](auto counts) {
    return static_cast<int>(std::count_if(report.rows.begin(), report.rows.end(), counts));
  };
  const int failed = count([](const SelfTestRow&row) { return !row.passed; }),
            skipped = count([](const SelfTestRow&row) { return row.skipped; }),
            passed = static_cast<int>(report.rows.size()) - failed - skipped;
  char text[160];
  std::snprintf(text, sizeof text, tr("%d passed, %d failed, %d skipped on "), passed, failed,
                skipped);
  return text + report.device;
}

Json selfTestJson(const SelfTestReport& report) {
  Json rows = Json::array();
  for (const SelfTestRow& row : report.rows)
    rows.push_back(rowJson(row));
  return {{"device", report.device},
          {"machine", report.machine},
          {"libraries", report.libraries},
          {"passed", report.passed()},
          {"rows", rows}};
}

std::string selfTestFile(const SelfTestReport& report) {
  return selfTestJson(report).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace headlight
