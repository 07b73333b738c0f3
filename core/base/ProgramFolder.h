// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where the program that runs lies, and what was installed with it. An installation can be moved:
// its files are found relative to its programs.

#include <filesystem>

namespace headlight {

/// The folder of the executable, links resolved; empty where the system does not say.
std::filesystem::path programFolder();

/// headlight-cli beside `program`, or where a build folder has it for the window and for tests;
/// empty where there is none.
std::filesystem::path commandLineProgram(const std::filesystem::path& program = programFolder());

/// "../share/headlight" beside `program`, as CMake installs both; empty if it is not there, as in a
/// build folder.
std::filesystem::path installedData(const std::filesystem::path& program = programFolder());

/// `path`, or the installed file of this name if only that is there: "models/presets/demo.json"
/// names the installed preset where nobody has a file of this name.
std::filesystem::path hereOrInstalled(const std::filesystem::path& path,
                                      const std::filesystem::path& data = installedData());

}  // namespace headlight
