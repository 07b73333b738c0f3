// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/run/RunFailures.h"

#include "core/base/Translation.h"

namespace headlight {

Failure dataFailure(Error error, std::int64_t step, const Result<void>& saved) {
  error.message += saved ? tr("; the run is saved at step ") + std::to_string(step) +
                               tr(": restore the data and resume it")
                         : tr("; and the run could not be saved: ") + saved.error().text();
  return Failure(error);
}

Failure lastCheckpointFailure(const std::string& occasion, std::int64_t step,
                              std::int64_t savedStep, const Error& error) {
  const std::string resume = savedStep < 0
                                 ? tr("no checkpoint of the run exists")
                                 : tr("resuming continues from step ") + std::to_string(savedStep);
  return Failure({error.code,
                  occasion + tr(" at step ") + std::to_string(step) +
                      tr(", but its last checkpoint could not be written: ") + error.message +
                      "; " + resume,
                  error.where});
}

std::string checkpointWarning(std::int64_t step, std::int64_t savedStep, std::int64_t nextIn,
                              const Error& error) {
  const std::string older = savedStep < 0
                                ? "there is no older checkpoint"
                                : "the one of step " + std::to_string(savedStep) + " is intact";
  return "the checkpoint of step " + std::to_string(step) + " was not written: " + error.text() +
         ". Training continues, " + older + ", and the next attempt is in at most " +
         std::to_string(nextIn) + " steps";
}

}  // namespace headlight
