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

/// Why `file` (its path in the repository) may not include this; nothing if it may.
std::optional<std::string> violation(const std::string& file, const Include& include);

bool isTorchHeader(const std::string& name);
bool isQtHeader(const std::string& name);

/// Every C++ file below `root`'s core/, ui/ and app/, by its path in the repository.
std::map<std::string, std::vector<Include>> sourceTree(const std::filesystem::path& root);

/// The files of `tree` that `file` includes, directly or through others, itself among them.
std::set<std::string> reachableFrom(const std::string& file,
                                    const std::map<std::string, std::vector<Include>>& tree);

}  // namespace headlight::testing
