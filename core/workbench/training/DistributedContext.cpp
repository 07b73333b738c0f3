// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/training/DistributedContext.h"

#include <torch/version.h>

#include <algorithm>
#include <thread>

#include "core/base/Version.h"
#include "core/config/ConfigText.h"
#include "core/models/Registry.h"
#include "core/models/layers/Device.h"
#include "core/processes/Processes.h"

namespace headlight {
namespace {

constexpr std::chrono::seconds kShortly{20};

std::string nameOf(std::size_t rank) {
  return "process " + std::to_string(rank);
}

/// Where two tasks differ: "training.epochs".
std::string firstDifference(const Json& a, const Json& b) {
  const Json difference = Json::diff(a, b);
  if (difference.empty()) return "";
  std::string path = difference[0]["path"].get<std::string>();
  for (char& letter : path)
    if (letter == '/') letter = '.';
  return path.empty() ? "config" : path.substr(1);
}

std::string differenceFrom(const Json& first, const Json& other, std::size_t rank) {
  for (const char* program : {"headlight", "libtorch", "sums between GPUs by"})
    if (first[program] != other[program])
      return nameOf(rank) + " runs " + program + " " + other[program].get<std::string>() +
             ", process 0 " + first[program].get<std::string>() +
             "; install the same version on every machine";
  const std::string where = firstDifference(first["task"], other["task"]);
  if (where.empty()) return "";
  return nameOf(rank) + " has other settings than process 0 (" + where +
         "); give all processes the same config and flags";
}

/// What process 0 finds by `judge` ends all of them.
template <typename Judge>
void agreeOrThrow(Processes& processes, const std::string& mine, ErrorCode code, Judge judge) {
  const auto all = processes.gather(mine);
  std::string verdict;
  for (std::size_t rank = 1; rank < all.size() && verdict.empty(); ++rank)
    verdict = judge(all[0], all[rank], rank);
  verdict = processes.broadcast(verdict);
  if (!verdict.empty()) throw Failure({code, verdict, ""});
}

}  // namespace

int chooseThreads(int threads, const Launch& launch) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return threads > 0 || launch.alone() ? threads : std::max(1, cores / launch.localCount);
}

std::string placedDevice(const std::string& device, const Launch& launch) {
  const bool anyGpu = !launch.alone() && deviceFromConfig(device).is_cuda() &&
                      device.find(':') == std::string::npos;
  return anyGpu ? "cuda:" + std::to_string(launch.localRank) : device;
}

Experiment placedAt(Experiment experiment, const Launch& launch) {
  experiment.device = placedDevice(experiment.device, launch);
  return experiment;
}

Json sharedTask(const Experiment& experiment) {
  Json json = experimentToJson(experiment);
  json.erase("device");
  json.erase("threads");
  for (const char* free : {"path", "loader_threads"})
    json["data"].erase(free);
  return json;
}

Json sharedTask(const SequenceExperiment& experiment) {
  Json json = sequenceToJson(experiment);
  json.erase("device");
  json.erase("threads");
  json["data"].erase("path");
  return json;
}

std::shared_ptr<Processes> meet(const DistributedContext& together, double timeoutSeconds) {
  if (together.launch.alone()) return nullptr;
  const auto timeout = std::chrono::seconds(static_cast<std::int64_t>(timeoutSeconds));
  auto processes = std::make_shared<Processes>(together.launch, timeout, together.stop);
  const Json mine = {{"headlight", kVersion},
                     {"libtorch", TORCH_VERSION},
                     {"sums between GPUs by", sumsBy(at::kCUDA)},
                     {"task", together.task}};
  agreeOrThrow(*processes, mine.dump(), ErrorCode::InvalidConfig,
               [](const std::string& first, const std::string& other, std::size_t rank) {
                 return differenceFrom(valueOrThrow(parseConfigJson(first, nameOf(0))),
                                       valueOrThrow(parseConfigJson(other, nameOf(rank))), rank);
               });
  return processes;
}

Experiment sharedExperiment(Processes& processes, const Experiment& experiment) {
  const std::string text = processes.broadcast(experimentToJson(experiment).dump());
  if (processes.isFirst()) return experiment;
  return valueOrThrow(experimentFromText(text, "process 0", modelCatalog()));
}

SequenceExperiment sharedExperiment(Processes& processes, const SequenceExperiment& experiment) {
  const std::string text = processes.broadcast(sequenceToJson(experiment).dump());
  return processes.isFirst() ? experiment : valueOrThrow(sequenceFromText(text, "process 0"));
}

std::string contentOf(const std::string& stamp) {
  return stamp.substr(0, stamp.find('-'));
}

void requireSame(Processes& processes, const std::string& what, const std::string& data) {
  agreeOrThrow(processes, data, ErrorCode::InvalidFile,
               [&](const std::string& first, const std::string& other, std::size_t rank) {
                 return first == other ? std::string()
                                       : nameOf(rank) + " has other " + what +
                                             " than process 0; give every machine the same files";
               });
}

void notifyOthers(Processes* processes, const std::string& why) {
  if (processes) processes->fail(why);
}

bool peersNotified() {
  return othersSpeak();
}

bool notifyWaitingPeers(const Launch& launch, const std::string& why, std::stop_token stop) {
  return !launch.alone() && leaveWord(launch, why, kShortly, std::move(stop));
}

}  // namespace headlight
