// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a self-test found, as a table for people and as JSON. No torch type here.

#include <string>

#include "core/workbench/bench/BenchTable.h"
#include "core/workbench/selftest/SelfTest.h"

namespace headlight {

/// A line a row: name, what, measured, bound, result, seconds.
BenchTable selfTestTable(const SelfTestReport& report);
/// "142 passed, 1 failed, 2 skipped on cuda:0".
std::string selfTestSummary(const SelfTestReport& report);
/// {device, machine, libraries, passed, rows: [{name, what, unit, measured, bound, passed, skipped,
/// note, seconds}]}. Null: no number, or no bound.
Json selfTestJson(const SelfTestReport& report);
/// The same as the text of a file.
std::string selfTestFile(const SelfTestReport& report);

}  // namespace headlight
