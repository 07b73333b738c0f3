// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One check of a self-test, and running many of them.

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/workbench/selftest/SelfTest.h"

namespace headlight {

struct SelfTestCheck {
  std::string name;                               ///< of its rows, or what they begin with
  std::function<std::vector<SelfTestRow>()> run;  ///< may throw
};

using SelfTestChecks = std::vector<SelfTestCheck>;

/// A row that passes where `measured` is a number and at most `bound`.
SelfTestRow boundedRow(const std::string& name, const std::string& what, const std::string& unit,
                       double measured, double bound);
/// A row without a bound; it passes where `measured` is more than 0.
SelfTestRow reportedRow(const std::string& name, const std::string& what, const std::string& unit,
                        double measured);
SelfTestRow skippedRow(const std::string& name, const std::string& what, const std::string& why);
/// A check that was not possible here.
SelfTestCheck skippedCheck(const std::string& name, const std::string& what,
                           const std::string& why);

/// Their rows in order; what throws is a row that failed. Throws Failure(Canceled).
std::vector<SelfTestRow> runChecks(const SelfTestChecks& checks, const SelfTestSink& sink,
                                   const std::stop_token& stop, const ProgressCallback& progress);

}  // namespace headlight
