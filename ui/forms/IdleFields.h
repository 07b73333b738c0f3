#pragma once
// Which settings of data do nothing for a kind of data set: nobody is asked for them.

#include <string>
#include <vector>

namespace headlight {

/// Of the data section of an Experiment or of a sequence experiment.
std::vector<std::string> idleDataFields(const std::string& dataset);

}  // namespace headlight
