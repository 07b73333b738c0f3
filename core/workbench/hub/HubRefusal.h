// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the hub's refusals mean for a person. Internal.

#include "core/workbench/hub/HubRequests.h"

namespace headlight {

/// Nothing for an answer that is none (200, 206). `what`: the file or the repository, for `where`.
std::optional<Error> hubRefusal(const WebAnswer& answer, const PublishedWeights& weights,
                                const FetchOptions& options, const std::string& what);
/// Whether the same question may be answered a little later: too many of them, a server in trouble.
bool refusesForNow(const WebAnswer& answer);

}  // namespace headlight
