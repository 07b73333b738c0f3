// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A connection to the store that process 0 keeps, for every other process of the run. No torch
// type.

#include <chrono>
#include <functional>
#include <memory>

#include "core/processes/StoreAccess.h"

namespace headlight {

/// Connects to process 0 and is welcome there. `interrupted` says whether to give up, and is asked
/// now and then. `limit`: how long the other machine may be out of reach later on. Throws Failure
/// (Io): nobody is there until then, or somebody else; (InvalidConfig): it is another job's.
std::shared_ptr<StoreAccess> connectToStore(const Launch& launch, std::chrono::seconds limit,
                                            StoreAccess::Clock::time_point until,
                                            const std::function<bool()>& interrupted);

}  // namespace headlight
