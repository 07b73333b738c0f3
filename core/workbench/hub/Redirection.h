// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where a server's answer sends us on to, and whether we go. Internal.

#include <set>
#include <string>

#include "core/workbench/hub/WebClient.h"

namespace headlight {

inline constexpr std::size_t kMostRedirections = 10;

bool isRedirection(const WebAnswer& answer);

/// Changes the question to the address that `answer` to it names. A token goes only to the same
/// scheme, host and port; once taken away it stays away. `seen`: the addresses asked before, to
/// which this one is added. Throws Failure(InvalidFile) for an address that is none of the web, for
/// one without encryption after one with it, for one that was asked before, and for too many.
void redirect(WebQuestion& question, const WebAnswer& answer, std::set<std::string>& seen);

/// An address without its query, which may be what signs it: for messages.
std::string unsignedAddress(const std::string& url);

/// InvalidFile: what an answer says is nothing that a hub says.
Error strangeAnswer(const std::string& url, const std::string& message);

}  // namespace headlight
