// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// When something was done, as files keep it and as people read it.

#include <string>

namespace headlight {

/// Now, by the second: "2026-11-02T14:03:22Z".
std::string utcNow();
/// Whether a text has that form and is a moment that there is.
bool isUtc(const std::string& text);
/// "2 November 2026, 14:03" where the person is; a text of another form stays as it is.
std::string dateText(const std::string& utc);

}  // namespace headlight
