// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Telling whether a dataset is still the one that it was, without reading it again.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headlight {

/// For files: sixteen digits of their names below `root` and their sizes, a dash, sixteen of when
/// they were last written. Asks the system about each, and reads none.
std::string fileStamp(const std::filesystem::path& root,
                      const std::vector<std::filesystem::path>& files);

/// For data in memory: the CRC-32 of its bytes, going on from `stamp`, where there is more of it.
std::string memoryStamp(const void* bytes, std::size_t size, const std::string& stamp = "");

/// What it means that a dataset of the stamp `then` has `now`: a sentence for the person; empty
/// where nothing changed, or one of them is unknown. `what` names it ("training").
std::string stampNote(const std::string& then, const std::string& now, const std::string& what);

}  // namespace headlight
