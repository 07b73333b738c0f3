// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether what lies in a run's folder belongs together, before a run goes on from it.

#include <optional>
#include <string>
#include <utility>

#include "core/config/Parameter.h"
#include "core/training/run/RunFolder.h"

namespace headlight {

/// A config with the id of its run.
Json withRun(Json config, const std::string& run);

/// config.json as it stands. One that was deleted is written again first, as `carried` says: the
/// config and id that the checkpoint carries. Throws Failure.
Json configOfRun(const RunFolder& folder, const std::optional<Json>& carried);

/// What was read of it. Throws Failure(InvalidConfig) that names the file.
template <typename Config>
Config readOfRun(const RunFolder& folder, Result<Config> read) {
  if (read) return std::move(read).value();
  throw Failure({ErrorCode::InvalidConfig, read.error().text(), folder.config().string()});
}

struct RunIdentity {
  std::string run;      ///< the id; empty of a run from before there were any
  std::string changes;  ///< what differs and may (name, device, threads, where the data lies), said
                        ///< in a sentence; empty where nothing does
};
/// Compares config.json with what the checkpoint carries, if there is one; both with their ids and
/// written out in full. Throws Failure: InvalidFile for files of two runs (best.safetensors among
/// them) or a checkpoint that is lost, InvalidConfig for a config that was changed in what is
/// learned, with every value that was and the way out.
RunIdentity requireOneRun(const RunFolder& folder, const Json& config,
                          const std::optional<Json>& carried);

}  // namespace headlight
