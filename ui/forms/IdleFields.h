// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Settings that have no effect beside others, which forms hide.

#include <string>
#include <vector>

#include "core/config/Parameter.h"

namespace headlight {

/// In the data section of an Experiment or of a sequence experiment.
std::vector<std::string> idleDataFields(const std::string& dataset);

/// In an Experiment's training section: those of another optimizer or schedule, and for a model
/// that learns boxes or classes of pixels those that work on classes of images alone.
std::vector<std::string> idleTrainingFields(const Json& training, bool ofParts = false);

/// In a search's options (core/workbench/search/SearchOptions.h): those of another method.
std::vector<std::string> idleSearchFields(const std::string& method);

}  // namespace headlight
