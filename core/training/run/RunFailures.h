// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a training says when it cannot go on, and what can be resumed then.

#include <cstdint>
#include <string>

#include "core/base/Result.h"

namespace headlight {

/// Data that could not be read at `step`; `saved`: whether the run could be saved after it.
Failure dataFailure(Error error, std::int64_t step, const Result<void>& saved);

/// The last checkpoint of a run could not be written (`error`), and nothing will try again.
/// `occasion`: "the run finished". `savedStep`: of the newest checkpoint; negative: there is none.
Failure lastCheckpointFailure(const std::string& occasion, std::int64_t step,
                              std::int64_t savedStep, const Error& error);

/// A checkpoint within a run could not be written; another try follows in at most `nextIn` steps.
std::string checkpointWarning(std::int64_t step, std::int64_t savedStep, std::int64_t nextIn,
                              const Error& error);

}  // namespace headlight
