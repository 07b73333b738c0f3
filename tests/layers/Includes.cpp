#include "tests/layers/Includes.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

namespace headlight::testing {
namespace {

namespace fs = std::filesystem;

/// What programs and the window may see of core, and only what lies directly in it: what is behind
/// the doors of the workbench is closed.
const std::set<std::string> kDoors{"base", "masks", "config", "workbench"};
/// One header besides: what models there are, in plain types.
constexpr const char* kRegistry = "core/models/Registry.h";
/// Where a folder's own subfolders may include what lies beside them: the doors' types.
constexpr const char* kDoorsAbove = "core/workbench";

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

/// Within one layer ("core", "ui", "core/training"): why folder `from` may not include `to`.
std::optional<std::string> outOfOrder(const FolderOrder& order, const std::string& layer,
                                      const std::string& from, const std::string& to) {
  const auto& folders = order.at(layer);
  const auto rank = [&](const std::string& name) {
    return std::find(folders.begin(), folders.end(), name) - folders.begin();
  };
  const auto known = static_cast<std::ptrdiff_t>(folders.size());
  if (rank(from) == known) return layer + "/" + from + " has no place in cmake/folders.txt";
  if (rank(to) == known) return layer + "/" + to + " is no folder of " + layer;
  if (rank(to) > rank(from)) return layer + "/" + from + " may not know " + layer + "/" + to;
  return std::nullopt;
}

/// Between two files of the same layer.
std::optional<std::string> violationWithin(const FolderOrder& order, const std::string& file,
                                           const std::string& included) {
  const std::string layer = part(file, 0), from = part(file, 1), to = part(included, 1);
  if (const auto reason = outOfOrder(order, layer, from, to)) return reason;
  const std::string inner = layer + "/" + from;
  if (from != to || !order.contains(inner) || part(file, 2).empty()) return std::nullopt;
  if (!part(included, 2).empty()) return outOfOrder(order, inner, part(file, 2), part(included, 2));
  if (inner == kDoorsAbove) return std::nullopt;
  return inner + "/" + part(file, 2) + " may not know what lies above it";
}

/// Of a program or the window, what it may see of core.
std::optional<std::string> violationAtTheDoors(const std::string& layer,
                                               const std::string& included) {
  if (included == kRegistry) return std::nullopt;
  if (!kDoors.contains(part(included, 1)))
    return layer + " stands at core's doors: workbench, config, masks, base";
  if (!part(included, 2).empty()) return included + " is behind the doors";
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
  if (layer == target && layer != "app") return violationWithin(order, file, include.name);
  if (target == "core") return violationAtTheDoors(layer, include.name);
  if (layer == "app" && target == "app" && part(file, 1) == part(include.name, 1))
    return std::nullopt;
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

std::map<std::string, std::set<std::string>> graphOf(
    const std::string& layer, const std::map<std::string, std::vector<Include>>& tree) {
  std::map<std::string, std::set<std::string>> graph;
  for (const auto& [file, includes] : tree) {
    if (part(file, 0) != layer) continue;
    auto& known = graph[part(file, 1)];
    for (const auto& include : includes)
      if (include.quoted && part(include.name, 0) == layer &&
          part(include.name, 1) != part(file, 1))
        known.insert(part(include.name, 1));
  }
  return graph;
}

}  // namespace headlight::testing
