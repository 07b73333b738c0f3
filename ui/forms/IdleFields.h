// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which settings do nothing beside others: nobody is asked for them.

#include <string>
#include <vector>

#include "core/config/Parameter.h"

namespace headlight {

/// Of the data section of an Experiment or of a sequence experiment.
std::vector<std::string> idleDataFields(const std::string& dataset);

/// Of an Experiment's training section: those of another optimiser or schedule.
std::vector<std::string> idleTrainingFields(const Json& training);

/// Of a search's options (core/workbench/search/SearchOptions.h): those of another method.
std::vector<std::string> idleSearchFields(const std::string& method);

}  // namespace headlight
