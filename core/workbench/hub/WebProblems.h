// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What libcurl's codes mean for a person. Internal; only where libcurl is.

#include <curl/curl.h>

#include "core/workbench/hub/WebClient.h"

namespace headlight {

/// What went wrong and what to do, `where` the address without what signs it.
Error webError(CURLcode code, const WebQuestion& question);
/// Whether it may go well when it is asked again. `answered`: this client has had an answer before.
bool passes(CURLcode code, bool answered);

}  // namespace headlight
