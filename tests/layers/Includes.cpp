// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/layers/Includes.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

namespace headlight::testing {
namespace {

namespace fs = std::filesystem;

/// The wings of core that programs and the window may see; in the workbench, what is not closed.
const std::set<std::string> kDoors{"base", "masks", "config", "workbench"};
/// One header besides: what models there are, in plain types.
constexpr const char* kRegistry = "core/models/Registry.h";
/// The line of cmake/folders.txt that lists headers.
constexpr const char* kClosed = "closed";

/// "core/training/run/RunFolder.h" is in {"core", "training", "run"}.
std::vector<std::string> foldersOf(const std::string& path) {
  std::vector<std::string> folders;
  std::istringstream stream(path);
  for (std::string word; std::getline(stream, word, '/');)
    folders.push_back(word);
  if (!folders.empty()) folders.pop_back();
  return folders;
}

std::string part(const std::string& path, std::size_t index) {
  const auto folders = foldersOf(path);
  return index < folders.size() ? folders[index] : "";
}

bool contains(const std::vector<std::string>& list, const std::string& entry) {
  return std::find(list.begin(), list.end(), entry) != list.end();
}

/// Between two files of the same layer ("core", "ui", "app/cli").
std::optional<std::string> violationWithin(const FolderOrder& order, const std::string& layer,
                                           const std::string& file, const std::string& included) {
  const auto& rooms = order.at(layer);
  const std::string from = roomOf(file, layer), to = roomOf(included, layer);
  if (!contains(rooms, from)) return layer + "/" + from + " has no place in cmake/folders.txt";
  if (!contains(rooms, to)) return layer + "/" + to + " is no room of " + layer;
  if (std::find(rooms.begin(), rooms.end(), to) > std::find(rooms.begin(), rooms.end(), from))
    return layer + "/" + from + " may not know " + layer + "/" + to;
  return std::nullopt;
}

/// What a program or the window may see of core.
std::optional<std::string> violationAtTheDoors(const FolderOrder& order, const std::string& layer,
                                               const std::string& included) {
  if (included == kRegistry) return std::nullopt;
  if (!kDoors.contains(part(included, 1)))
    return layer + " stands at core's doors: workbench, config, masks, base";
  const std::string name = included.substr(5, included.rfind('.') - 5);
  if (contains(order.at(kClosed), name)) return included + " is closed to programs";
  return std::nullopt;
}

/// The files that may be named without a folder: Qt's own tools make them.
bool isGenerated(const std::string& name) {
  return name.ends_with(".moc") || name.starts_with("moc_") || name.starts_with("ui_");
}

}  // namespace

bool isTorchHeader(const std::string& name) {
  return std::regex_search(name, std::regex("^(torch|ATen|c10|caffe2)/")) ||
         name == "core/TorchPrecompiled.h" || name == "core/base/TorchCompat.h";
}

bool isQtHeader(const std::string& name) {
  return std::regex_search(name, std::regex("^(Qt|Q[A-Z]|qcustomplot|q[a-z]+\\.h)"));
}

std::vector<Include> includesIn(const std::string& source) {
  static const std::regex pattern(R"(^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"])");
  std::vector<Include> includes;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_search(line, match, pattern)) includes.push_back({match[2], match[1] == "\""});
  }
  return includes;
}

FolderOrder readFolderOrder(const fs::path& root) {
  FolderOrder order;
  std::ifstream stream(root / "cmake/folders.txt");
  for (std::string line; std::getline(stream, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with('#') || colon == std::string::npos) continue;
    std::istringstream words(line.substr(colon + 2));
    for (std::string word; words >> word;)
      order[line.substr(0, colon)].push_back(word);
  }
  return order;
}

std::optional<std::string> violation(const FolderOrder& order, const std::string& file,
                                     const Include& include) {
  const std::string layer = part(file, 0), target = part(include.name, 0);
  if (isTorchHeader(include.name) && layer != "core") return "LibTorch is private to core";
  if (isQtHeader(include.name) && (layer == "core" || file.starts_with("app/cli/")))
    return "no Qt here";
  if (!include.quoted) return std::nullopt;
  if (isGenerated(include.name)) return std::nullopt;
  if (target != "core" && target != "ui" && target != "app")
    return "includes in quotes are rooted at the repository";
  if (layer == "core" && target != "core") return "core knows nothing outside core";
  if (layer == target && layer != "app") return violationWithin(order, layer, file, include.name);
  if (target == "core") return violationAtTheDoors(order, layer, include.name);
  if (file.starts_with("app/cli/") && include.name.starts_with("app/cli/"))
    return roomOf(file, "app/cli").empty() ? std::nullopt
                                           : violationWithin(order, "app/cli", file, include.name);
  if (file.starts_with("app/gui/") && include.name.starts_with("app/gui/")) return std::nullopt;
  if (file.starts_with("app/gui/") && target == "ui") return std::nullopt;
  return part(file, 0) + "/" + part(file, 1) + " may not know " + target + "/" +
         part(include.name, 1);
}

std::map<std::string, std::vector<Include>> sourceTree(const fs::path& root) {
  static const std::set<std::string> endings{".h", ".hpp", ".cpp", ".cc", ".cu", ".cuh"};
  std::map<std::string, std::vector<Include>> tree;
  for (const char* top : {"core", "ui", "app"}) {
    if (!fs::exists(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      if (!entry.is_regular_file() || !endings.contains(entry.path().extension().string()))
        continue;
      std::ifstream stream(entry.path());
      std::ostringstream text;
      text << stream.rdbuf();
      tree[fs::relative(entry.path(), root).generic_string()] = includesIn(text.str());
    }
  }
  return tree;
}

std::set<std::string> reachableFrom(const std::string& file,
                                    const std::map<std::string, std::vector<Include>>& tree) {
  std::set<std::string> seen;
  std::vector<std::string> open{file};
  while (!open.empty()) {
    const std::string next = open.back();
    open.pop_back();
    const auto found = tree.find(next);
    if (found == tree.end() || !seen.insert(next).second) continue;
    for (const auto& include : found->second)
      if (include.quoted) open.push_back(include.name);
  }
  return seen;
}

std::string roomOf(const std::string& file, const std::string& layer) {
  const auto slash = file.rfind('/');
  return slash > layer.size() ? file.substr(layer.size() + 1, slash - layer.size() - 1) : "";
}

std::map<std::string, std::set<std::string>> graphOf(
    const std::map<std::string, std::vector<Include>>& tree) {
  std::map<std::string, std::set<std::string>> graph;
  for (const auto& [file, includes] : tree) {
    const std::string folder = std::filesystem::path(file).parent_path().generic_string();
    auto& known = graph[folder];
    for (const auto& include : includes) {
      const std::string other = std::filesystem::path(include.name).parent_path().generic_string();
      if (include.quoted && !other.empty() && other != folder) known.insert(other);
    }
  }
  return graph;
}

std::vector<std::string> circleIn(const std::map<std::string, std::set<std::string>>& graph) {
  std::map<std::string, std::set<std::string>> left = graph;
  for (bool removed = true; removed;) {
    removed = false;
    for (auto entry = left.begin(); entry != left.end();) {
      const bool free = std::none_of(entry->second.begin(), entry->second.end(),
                                     [&](const auto& other) { return left.contains(other); });
      removed |= free;
      entry = free ? left.erase(entry) : std::next(entry);
    }
  }
  std::vector<std::string> circle;
  for (const auto& [folder, known] : left)
    circle.push_back(folder);
  return circle;
}

std::map<std::string, std::size_t> crowdedFolders(const fs::path& root, std::size_t most) {
  std::map<std::string, std::size_t> counts;
  for (const char* top : {"core", "ui", "app", "tests"}) {
    if (!fs::exists(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const auto folder = fs::relative(entry.path(), root).parent_path().generic_string();
      if (entry.is_regular_file() && !folder.starts_with("tests/golden/")) ++counts[folder];
    }
  }
  std::erase_if(counts, [&](const auto& entry) { return entry.second <= most; });
  return counts;
}

}  // namespace headlight::testing
