#include "tests/layers/Includes.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

namespace headlight::testing {
namespace {

namespace fs = std::filesystem;

/// The folders of core in the order of who may include whom: each only those before it.
const std::vector<std::string> kCoreOrder{"base",     "masks",      "config",   "attention",
                                          "models",   "checkpoint", "imaging",  "data",
                                          "analysis", "training",   "workbench"};
/// What programs and the window may see of core.
const std::set<std::string> kDoors{"base", "masks", "config", "workbench"};

std::string part(const std::string& path, int index) {
  std::istringstream stream(path);
  std::string word;
  for (int i = 0; i <= index; ++i)
    if (!std::getline(stream, word, '/')) return "";
  return word;
}

std::ptrdiff_t rankOf(const std::string& folder) {
  return std::find(kCoreOrder.begin(), kCoreOrder.end(), folder) - kCoreOrder.begin();
}

std::optional<std::string> violationInCore(const std::string& file, const std::string& included) {
  const std::string from = part(file, 1), to = part(included, 1);
  const auto known = static_cast<std::ptrdiff_t>(kCoreOrder.size());
  if (rankOf(from) == known) return "core/" + from + " has no place in the order of core";
  if (rankOf(to) == known) return "core/" + to + " is no folder of core";
  if (rankOf(to) > rankOf(from)) return "core/" + from + " may not know core/" + to;
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

std::optional<std::string> violation(const std::string& file, const Include& include) {
  const std::string layer = part(file, 0), target = part(include.name, 0);
  if (isTorchHeader(include.name) && layer != "core") return "LibTorch is private to core";
  if (isQtHeader(include.name) && (layer == "core" || file.starts_with("app/cli/")))
    return "no Qt here";
  if (!include.quoted) return std::nullopt;
  if (isGenerated(include.name)) return std::nullopt;
  if (target != "core" && target != "ui" && target != "app")
    return "includes in quotes are rooted at the repository";
  if (layer == "core") {
    if (target != "core") return "core knows nothing outside core";
    return violationInCore(file, include.name);
  }
  if (target == "core") {
    if (kDoors.contains(part(include.name, 1))) return std::nullopt;
    return layer + " stands at core's doors: workbench, config, masks, base";
  }
  if (layer == "ui" && target == "ui") return std::nullopt;
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

}  // namespace headlight::testing
