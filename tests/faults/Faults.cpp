// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/faults/Faults.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>

#include "core/base/Random.h"

namespace headlight::testing {
namespace {

std::vector<Call> callsIn(const fs::path& journal) {
  std::vector<Call> calls;
  std::ifstream lines(journal);
  for (std::string line; std::getline(lines, line);) {
    const auto tab = line.find('\t');
    calls.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return calls;
}

void reportShim(const fs::path& folder, const fs::path& journal, const Fault& fault) {
  ::setenv("HEADLIGHT_FAULT_FOLDER", folder.c_str(), 1);
  ::setenv("HEADLIGHT_FAULT_JOURNAL", journal.c_str(), 1);
  ::setenv("HEADLIGHT_FAULT_AT", std::to_string(fault.at).c_str(), 1);
  ::setenv("HEADLIGHT_FAULT_ERRNO", std::to_string(fault.error).c_str(), 1);
  ::setenv("HEADLIGHT_FAULT_FOREVER", fault.forever ? "1" : "0", 1);
  ::setenv("HEADLIGHT_FAULT_KILL", fault.kill ? "1" : "0", 1);
  ::setenv("LD_PRELOAD", HEADLIGHT_FAULT_SHIM, 1);
}

}  // namespace

std::string describe(const Fault& fault) {
  const std::string call = "call " + std::to_string(fault.at);
  if (fault.kill) return "killed at " + call;
  return call + (fault.forever ? " and all after it: " : ": ") + std::strerror(fault.error);
}

void setVariables(const Variables& variables) {
  for (const auto& [name, value] : variables)
    ::setenv(name.c_str(), value.c_str(), 1);
}

WatchedRun runWithFault(const fs::path& folder, const Arguments& arguments, const Fault& fault,
                        const Variables& variables) {
  const fs::path watched = fs::canonical(folder);
  const fs::path journal = watched.string() + ".journal";
  ProgramOptions options;
  options.folder = watched;
  options.inChild = [&] {
    setVariables(variables);
    reportShim(watched, journal, fault);
  };
  WatchedRun run;
  run.outcome = cli(arguments, options);
  run.calls = callsIn(journal);
  return run;
}

std::string finalName(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.substr(0, std::min(name.find(".part"), name.find(".incomplete")));
}

bool isPartial(const fs::path& path) {
  return finalName(path) != path.filename();
}

SampleOfCalls sampleOfCalls(const std::vector<Call>& calls, std::uint64_t seed) {
  std::map<std::string, std::vector<long>> kinds;
  std::vector<std::string> names;  // in the order in which they first come
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const fs::path file = calls[i].path.parent_path() / finalName(calls[i].path);
    const std::string kind = calls[i].name + " " + file.string();
    if (!kinds.contains(kind)) names.push_back(kind);
    kinds[kind].push_back(static_cast<long>(i) + 1);
  }
  SampleOfCalls sample;
  sample.kinds = names.size();
  RandomStream random(streamKey({seed}));
  while (sample.order.size() < calls.size())
    for (const auto& name : names) {
      std::vector<long>& left = kinds[name];
      if (left.empty()) continue;
      const auto drawn = left.begin() + random.below(static_cast<std::int64_t>(left.size()));
      sample.order.push_back(*drawn);
      left.erase(drawn);
    }
  return sample;
}

long SampleOfCalls::at(std::size_t index, std::size_t count) const {
  return order[count < kinds ? index * kinds / count : index % order.size()];
}

}  // namespace headlight::testing
