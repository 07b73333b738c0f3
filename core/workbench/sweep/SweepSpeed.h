#pragma once
// How fast the models of a sweep predict. Internal.

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"

namespace headlight {

struct SpeedSettings {
  std::string device = "auto";
  int threads = 0;
  std::int64_t batch = 32;
};

/// Images per second of each checkpoint (0 for an empty path): forward passes over random images,
/// the same for all models of one size of pictures, the models taking turns so that what else the
/// machine does falls on all of them; the median of the turns. Returns early, with zeros, when told
/// to stop. Throws Failure.
std::vector<double> inferenceSpeeds(const std::vector<std::filesystem::path>& checkpoints,
                                    const SpeedSettings& settings, const ProgressCallback& progress,
                                    std::stop_token stop);

}  // namespace headlight
