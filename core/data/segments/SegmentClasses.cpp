// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/segments/SegmentClasses.h"

#include <algorithm>
#include <set>

#include "core/base/Result.h"
#include "core/base/Translation.h"
#include "core/imaging/ClassImage.h"

namespace headlight {
namespace {

constexpr int kLabelNumbers = 65'536;  // of 16 bits

[[noreturn]] void refuseClasses(const std::string& message) {
  throw Failure({ErrorCode::InvalidFile, message, ""});
}

void requireNumber(const SegmentClasses& classes, const SegmentTableRow& row) {
  if (row.number < 0 || row.number >= kLabelNumbers)
    refuseClasses(tr("has the number ") + std::to_string(row.number) +
                  tr("; label images hold 0 to 65535"));
  if (static_cast<std::size_t>(row.number) < classes.numbers.size() &&
      classes.numbers[static_cast<std::size_t>(row.number)] != kNoSegmentClass)
    refuseClasses(tr("lists the number ") + std::to_string(row.number) + tr(" twice; remove one"));
}

void addNumber(SegmentClasses& classes, int number, int label) {
  const auto place = static_cast<std::size_t>(number);
  if (place >= classes.numbers.size()) classes.numbers.resize(place + 1, kNoSegmentClass);
  classes.numbers[place] = static_cast<std::int16_t>(label);
}

void addColor(SegmentClasses& classes, const SegmentTableRow& row, int label) {
  if (!row.color) return;
  const auto [known, isNew] = classes.labelColors.emplace(*row.color, label);
  if (!isNew && known->second != label)
    refuseClasses(tr("gives two classes the color of ") + row.name + tr("; change one of them"));
}

void requireCount(std::size_t count) {
  if (count == 0) refuseClasses(tr("lists no classes"));
  if (count > std::size_t{kMaxPixelClasses})
    refuseClasses(tr("lists ") + std::to_string(count) + tr(" classes; at most ") +
                  std::to_string(kMaxPixelClasses) + tr(" can be told apart here"));
}

}  // namespace

int SegmentClasses::ofNumber(int number) const {
  const auto place = static_cast<std::size_t>(number);
  return number >= 0 && place < numbers.size() ? numbers[place] : kNoSegmentClass;
}

int SegmentClasses::ofColor(const ClassColor& color) const {
  const auto found = labelColors.find(color);
  return found == labelColors.end() ? kNoSegmentClass : found->second;
}

SegmentClasses segmentClasses(std::vector<SegmentTableRow> rows) {
  std::stable_sort(
      rows.begin(), rows.end(),
      [](const SegmentTableRow& a, const SegmentTableRow& b) { return a.number < b.number; });
  requireCount(static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const SegmentTableRow& row) { return !row.ignored; })));
  const auto wheel = classWheel(static_cast<int>(rows.size()));
  std::set<std::string> names;
  SegmentClasses classes;
  for (const SegmentTableRow& row : rows) {
    requireNumber(classes, row);
    const std::size_t next = classes.names.size();
    const int label = row.ignored ? int{kIgnoredClass} : static_cast<int>(next);
    addNumber(classes, row.number, label);
    addColor(classes, row, label);
    if (row.ignored) continue;
    if (!names.insert(row.name).second)
      refuseClasses(tr("lists the class ") + row.name + tr(" twice; rename one"));
    classes.names.push_back(row.name);
    classes.colors.push_back(row.color.value_or(wheel[next]));
  }
  if (classes.ofNumber(kIgnoredClass) == kNoSegmentClass)
    addNumber(classes, kIgnoredClass, kIgnoredClass);
  return classes;
}

}  // namespace headlight
