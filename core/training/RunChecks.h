#pragma once
// Whether what lies in a run's folder belongs together, before a run goes on from it.

#include <string>

#include "core/config/Parameter.h"
#include "core/training/RunFolder.h"

namespace headlight {

/// Compares a run's config.json with the config that its checkpoint carries, both as JSON with the
/// run's id where they have one. What changes nothing that is learned may differ (name, device,
/// threads, where the data lies) and is named in what is returned; empty where nothing differs.
/// Throws Failure: InvalidFile for files of two runs, InvalidConfig for a config that was changed,
/// with every value that was and the way out.
std::string checkSameRun(const RunFolder& folder, const Json& config, const Json& checkpoint);

/// Throws Failure(InvalidFile) where best.safetensors is of another run than `run`.
void requireOwnBest(const RunFolder& folder, const std::string& run);

}  // namespace headlight
