// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/figures/PageKey.h"

#include <map>
#include <string>

#include "core/workbench/figures/ObjectFigure.h"
#include "core/workbench/figures/PageLayout.h"

namespace headlight {
namespace {

void addClasses(const PageTile& tile, std::map<int, std::string>& names) {
  for (const FoundObject& object : tile.objects)
    names.emplace(object.index, object.name);
  if (!tile.segments) return;
  for (const SegmentClass& segment : tile.segments->classes)
    names.emplace(segment.index, segment.name);
}

double entryWidth(const KeyEntry& entry, double size) {
  return keyIndent(size) + widestText(entry.text, size) + size;
}

}  // namespace

std::vector<KeyEntry> pageKey(const PageContent& inference) {
  std::map<int, std::string> names;
  for (const PageRow& row : inference.rows)
    for (const auto& tile : row.tiles)
      addClasses(*tile, names);
  std::vector<KeyEntry> entries;
  for (const auto& [index, name] : names)
    entries.push_back({name, objectColor(index)});
  return entries;
}

std::vector<std::vector<PlacedKey>> keyInLines(const std::vector<KeyEntry>& entries, double width,
                                               double size, std::size_t most) {
  std::vector<std::vector<PlacedKey>> lines;
  double left = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double needed = entryWidth(entries[i], size);
    if (lines.empty() || left + needed > width) {
      if (lines.size() == most) {
        lines.back().back().entry = {"+ " + std::to_string(entries.size() - i + 1),
                                     {255, 255, 255}};
        return lines;
      }
      lines.emplace_back();
      left = 0;
    }
    lines.back().push_back({left, entries[i]});
    left += needed;
  }
  return lines;
}

}  // namespace headlight
