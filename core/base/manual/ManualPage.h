// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Manual pages for man(1): roff with the macros of man(7), in UTF-8.

#include <string>

#include "core/base/manual/ProgramManual.h"

namespace headlight {

/// The page of `command` alone: name, synopsis, arguments, options by group, its commands, the
/// footer of --help, and `above`, the page of the command that it belongs to (empty for a program).
/// `version`: "0.3.0". It has no date: the same program gives the same bytes.
std::string manualPage(const CommandManual& command, const std::string& version,
                       const std::string& above = {});

/// Text as roff prints it: every - a minus, nothing an escape, a request or a quote that curls.
std::string roffText(const std::string& text);

}  // namespace headlight
