// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Beginning a run in several processes: they meet, see that they were asked for the same thing with
// the same program and the same data, and get the experiment from process 0. Internal to
// core/workbench but for Together itself, which has no torch type.

#include <memory>
#include <stop_token>

#include "core/config/Experiment.h"
#include "core/config/SequenceExperiment.h"
#include "core/processes/Launch.h"

namespace headlight {

class Processes;

/// How a run's processes were started, and what each was asked for.
struct DistributedContext {
  Launch launch;         ///< default: alone
  Json task;             ///< the same in all of them; compared
  std::stop_token stop;  ///< ends every wait for the others until the run has begun
};

/// Threads of this process where `threads` 0 leaves it open: processes of one machine share its
/// cores. 0: as many as cores.
int chooseThreads(int threads, const Launch& launch);

/// The device of this process, `device` of a config: those of one machine take its GPUs in turn.
std::string placedDevice(const std::string& device, const Launch& launch);
Experiment placedAt(Experiment experiment, const Launch& launch);

/// What all processes of a run must be asked for: `experiment` but for its device, threads and
/// where the data lies, which may differ from machine to machine.
Json sharedTask(const Experiment& experiment);
Json sharedTask(const SequenceExperiment& experiment);

/// Null where `together` is one process. Throws Failure: those of Processes, and InvalidConfig
/// where the tasks or the programs differ; which processes and in what is said. endStart() is the
/// caller's, where the run has begun.
std::shared_ptr<Processes> meet(const DistributedContext& together, double timeoutSeconds);

/// Process 0's experiment in all of them.
Experiment sharedExperiment(Processes& processes, const Experiment& experiment);
SequenceExperiment sharedExperiment(Processes& processes, const SequenceExperiment& experiment);

/// For a stamp of data (Dataset::stamp) what does not depend on when files were copied.
std::string contentOf(const std::string& stamp);
/// Throws Failure (InvalidFile) in all where `data`, a fingerprint, differs.
void requireSame(Processes& processes, const std::string& what, const std::string& data);

/// Why this process ends; nothing where it is alone.
void notifyOthers(Processes* processes, const std::string& why);

/// Runs `body`; if it throws, the other processes get the reason before they wait in vain.
template <typename Body>
auto runAndReportFailure(const std::shared_ptr<Processes>& processes, Body&& body) {
  try {
    return body();
  } catch (const std::exception& exception) {
    notifyOthers(processes.get(), failureMessage(exception));
    throw;
  }
}

/// For a process that cannot even begin: the others, which wait, get to know. False where nobody
/// could be told.
bool notifyWaitingPeers(const Launch& launch, const std::string& why, std::stop_token stop = {});
/// Whether another process speaks for this one: it came to where they meet, and one of a lower rank
/// is left.
bool peersNotified();

}  // namespace headlight
