// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writing an Experiment so that it can be taken elsewhere, to a cluster say, with what it needs.

#include <filesystem>
#include <vector>

#include "core/base/Result.h"
#include "core/config/Experiment.h"

namespace headlight {

/// The files of weights that the Experiment begins from and learns from: training.weights,
/// training.teacher_weights, and training.teacher where it is a file. Whole paths.
std::vector<std::filesystem::path> weightsNamedBy(const Experiment& experiment);

/// Writes the config. Data and weights that lie beside it or below are named from there; with
/// `copyWeights`, weights that lie elsewhere are copied beside it first (under another name where
/// theirs is taken by another file). Returns the Experiment as it was written. Errors: a file that
/// cannot be read or written; the config is then as before.
Result<Experiment> exportConfig(const Experiment& experiment, const std::filesystem::path& config,
                                bool copyWeights);

}  // namespace headlight
