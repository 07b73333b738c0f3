// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Earlier spellings of flags, which are still accepted.

#include <CLI/CLI.hpp>

#include <type_traits>

namespace headlight::cli {

/// Accepts `oldName` ("--castle") for the flag that sets `target`. --help does not list it.
template <typename Target>
void acceptOldFlag(CLI::App& command, const char* oldName, Target& target) {
  if constexpr (std::is_same_v<Target, bool>)
    command.add_flag(oldName, target)->group("");
  else
    command.add_option(oldName, target)->group("");
}

}  // namespace headlight::cli
