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

/// Of each layer ("core", "core/training", "ui") its folders, each of which may include those
/// before it: cmake/folders.txt.
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

/// Which folders of a layer know which others of it.
std::map<std::string, std::set<std::string>> graphOf(
    const std::string& layer, const std::map<std::string, std::vector<Include>>& tree);

}  // namespace headlight::testing
