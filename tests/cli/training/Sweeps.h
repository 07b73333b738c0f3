// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A sweep of four runs of a second, and what its events say.

#include <sstream>

#include "tests/cli/Workspace.h"

namespace headlight::testing {

using nlohmann::json;

class SweepCliTest : public CliTest {
 protected:
  json sweep() const {
    auto base = tinyTraining();
    base["masks"] = {{"scheme", "none"}};
    base["training"]["epochs"] = 4;
    return {
        {"name", "tiny"},
        {"base", base},
        {"variants",
         {{{"name", "softmax"}}, {{"name", "sch3"}, {"overrides", {{"masks.scheme", "sch3"}}}}}},
        {"seeds", {1, 2}}};
  }
  fs::path file() const { return write("sweep.json", sweep()); }

  Outcome runTo(const std::string& folder) const {
    return run({"sweep", file(), "--output", folder, "--no-speed", "--json"});
  }

  static std::function<bool(const std::string&)> atEvent(const std::string& kind, int times) {
    return [kind, times, seen = 0](const std::string& line) mutable {
      const json event = json::parse(line, nullptr, false);
      seen += event.is_object() && event.value("event", "") == kind;
      return seen >= times;
    };
  }
};

inline int countOf(const Outcome& outcome, const std::string& kind) {
  int count = 0;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);)
    count += json::parse(line)["event"] == kind;
  return count;
}

}  // namespace headlight::testing
