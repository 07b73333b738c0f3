// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/selftest/SelfTestCheck.h"

#include <chrono>
#include <cstdint>
#include <limits>

#include "core/base/Translation.h"

namespace headlight {
namespace {

SelfTestRow thrownRow(const SelfTestCheck& check, const Error& error) {
  SelfTestRow row;
  row.name = check.name;
  row.what = tr("ended with an error");
  row.measured = std::numeric_limits<double>::quiet_NaN();
  row.passed = false;
  row.note = error.text();
  return row;
}

std::vector<SelfTestRow> rowsOrError(const SelfTestCheck& check) {
  const auto rows = guarded(check.name, [&] { return check.run(); });
  if (rows) return *rows;
  if (rows.error().code == ErrorCode::Canceled) throw Failure(rows.error());
  return {thrownRow(check, rows.error())};
}

std::vector<SelfTestRow> timedRows(const SelfTestCheck& check) {
  using Clock = std::chrono::steady_clock;
  const auto started = Clock::now();
  std::vector<SelfTestRow> rows = rowsOrError(check);
  const double seconds = std::chrono::duration<double>(Clock::now() - started).count();
  for (SelfTestRow& row : rows)
    row.seconds = seconds;
  return rows;
}

}  // namespace

SelfTestRow boundedRow(const std::string& name, const std::string& what, const std::string& unit,
                       double measured, double bound) {
  SelfTestRow row;
  row.name = name;
  row.what = what;
  row.unit = unit;
  row.measured = measured;
  row.bound = bound;
  row.passed = measured <= bound;  // false for what is no number
  return row;
}

SelfTestRow reportedRow(const std::string& name, const std::string& what, const std::string& unit,
                        double measured) {
  SelfTestRow row = boundedRow(name, what, unit, measured, 0);
  row.passed = measured > 0;
  return row;
}

SelfTestRow skippedRow(const std::string& name, const std::string& what, const std::string& why) {
  SelfTestRow row = boundedRow(name, what, "", std::numeric_limits<double>::quiet_NaN(), 0);
  row.passed = row.skipped = true;
  row.note = why;
  return row;
}

SelfTestCheck skippedCheck(const std::string& name, const std::string& what,
                           const std::string& why) {
  return {name, [=] { return std::vector<SelfTestRow>{skippedRow(name, what, why)}; }};
}

std::vector<SelfTestRow> runChecks(const SelfTestChecks& checks, const SelfTestSink& sink,
                                   const std::stop_token& stop, const ProgressCallback& progress) {
  const auto total = static_cast<std::int64_t>(checks.size());
  std::vector<SelfTestRow> all;
  RemainingTime remaining;
  std::int64_t done = 0;
  for (const SelfTestCheck& check : checks) {
    if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, "stopped", "selftest"});
    if (progress) progress({check.name, done, total, remaining.secondsRemaining(done, total)});
    for (const SelfTestRow& row : timedRows(check)) {
      all.push_back(row);
      if (sink) sink(row);
    }
    ++done;
  }
  if (progress) progress({tr("done"), done, total, 0});
  return all;
}

}  // namespace headlight
