// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The rules of who may include whom, and the #include lines of a source tree.

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headlight::testing {

struct Include {
  std::string name;  ///< "core/base/Result.h", "vector"
  bool quoted = false;
};

std::vector<Include> includesIn(const std::string& source);

/// The rooms of each layer ("core", "ui", "app/cli"), each of which may include those before it;
/// under "closed" the headers of core/workbench that are not for programs: cmake/folders.txt.
using FolderOrder = std::map<std::string, std::vector<std::string>>;
FolderOrder readFolderOrder(const std::filesystem::path& root);

/// Why `file` (its path in the repository) may not include this; nothing if it may.
std::optional<std::string> violation(const FolderOrder& order, const std::string& file,
                                     const Include& include);

bool isTorchHeader(const std::string& name);
bool isQtHeader(const std::string& name);

/// Every C++ file below `root`'s core/, ui/ and app/, by its path in the repository.
std::map<std::string, std::vector<Include>> sourceTree(const std::filesystem::path& root);

/// The files of `tree` that `file` includes, directly or through others, itself among them.
std::set<std::string> reachableFrom(const std::string& file,
                                    const std::map<std::string, std::vector<Include>>& tree);

/// The folder of `file` within `layer`: "training/run"; empty where it lies in the layer itself.
std::string roomOf(const std::string& file, const std::string& layer);

/// Which folders know which others.
std::map<std::string, std::set<std::string>> graphOf(
    const std::map<std::string, std::vector<Include>>& tree);

/// The folders that include each other in a circle, or lie above one; none where there is no circle.
std::vector<std::string> circleIn(const std::map<std::string, std::set<std::string>>& graph);

/// The folders of sources and tests with more than `most` files, and how many they have. Golden
/// vectors, which are data, do not count.
std::map<std::string, std::size_t> crowdedFolders(const std::filesystem::path& root,
                                                  std::size_t most);

}  // namespace headlight::testing
