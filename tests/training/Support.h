// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the tests of training share: a run that takes a second, and ways to look at what it left.

#include <gtest/gtest.h>

#include <ATen/Functions.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/workbench/training/TrainingSession.h"
#include "tests/TemporaryFolder.h"

namespace headlight {

/// Ten steps (two epochs of five) with everything on that resuming could get wrong: EMA, drop path,
/// soft, hard and random masks, augmentation with color changes, loader threads, telemetry.
Experiment tinyExperiment();

/// The session, or a failed test.
std::unique_ptr<TrainingSession> begin(const Experiment& experiment,
                                       const std::filesystem::path& folder);
std::unique_ptr<TrainingSession> resume(const std::filesystem::path& folder);

/// Runs with `afterStep` called on the training thread after every step.
Result<TrainingOutcome> runWith(TrainingSession& session,
                                const std::function<void(std::int64_t step)>& afterStep,
                                std::stop_token stop = {});
/// Runs until `steps` steps of the run are done, then stops.
Result<TrainingOutcome> runUntil(TrainingSession& session, std::int64_t steps);
/// Runs to the end; the test fails if that fails.
TrainingOutcome runToEnd(TrainingSession& session);

/// Every tensor of a run's last checkpoint: weights, optimizer and average.
std::map<std::string, at::Tensor> lastTensors(const std::filesystem::path& folder);
/// The same names and, bit for bit, the same values.
void expectSame(const std::map<std::string, at::Tensor>& a,
                const std::map<std::string, at::Tensor>& b);

/// The folder, or a failed test.
OpenFolder opened(const std::filesystem::path& folder);

std::vector<std::string> linesOf(const std::filesystem::path& file);

/// Sets `mask` on one head of the scheme in force.
MaskEdit editOf(const MaskScheme& scheme, int layer, int head, const std::string& mask);

}  // namespace headlight
