// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/LoadReport.h"

#include "core/base/Text.h"
#include "core/checkpoint/Refusal.h"
#include "core/checkpoint/RelativeResize.h"

namespace headlight {
namespace {

constexpr std::size_t kMaxNames = 5;

/// "2 missing: a, b"; of many names the first few.
template <typename Items, typename Describe>
void addPart(std::string& line, const Items& items, const char* what, Describe describe) {
  if (items.empty()) return;
  line += ", " + std::to_string(items.size()) + " " + what + ": ";
  std::vector<std::string> described;
  for (const auto& item : items)
    described.push_back(describe(item));
  line += joined(described, kMaxNames);
}

/// Parameters and buffers that a mask scheme fills, and a count that nothing reads.
bool startsFilled(const std::string& name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  return last == "soft_mask_logit" || last == "random_mask" || last == "num_batches_tracked";
}

bool isOfBody(const std::string& name) {
  return !name.starts_with("head") && !isPositionEmbedding(name) && !isRelativeTable(name) &&
         !startsFilled(name);
}

}  // namespace

LoadReport::Share LoadReport::bodyShare() const {
  Share share;
  const auto count = [&](const std::string& name, bool filled) {
    if (!isOfBody(name)) return;
    ++share.all;
    share.filled += filled ? 1 : 0;
  };
  for (const std::string& name : matched)
    count(name, true);
  for (const Resized& item : resized)
    count(item.name, true);
  for (const Taken& item : taken)
    count(item.name, true);
  for (const std::string& name : missing)
    count(name, false);
  for (const Mismatch& mismatch : mismatched)
    count(mismatch.name, false);
  return share;
}

std::vector<std::string> LoadReport::unfilled() const {
  std::vector<std::string> names;
  for (const auto& mismatch : mismatched)
    names.push_back(mismatch.name);
  for (const auto& name : missing)
    if (!startsFilled(name)) names.push_back(name);
  return names;
}

std::string LoadReport::summary() const {
  std::string line = std::to_string(matched.size()) + " matched";
  if (!resized.empty()) {
    std::string list;
    for (const Resized& item : resized)
      addTo(list, item.name + " " + item.change + (item.how == "bicubic" ? "" : ", " + item.how),
            "; ");
    line += ", " + std::to_string(resized.size()) + " resized (" + list + ")";
  }
  addPart(line, taken, "taken from a part",
          [](const Taken& item) { return item.name + " from " + item.from; });
  const auto itself = [](const std::string& name) { return name; };
  addPart(line, missing, "missing", itself);
  addPart(line, unexpected, "unexpected", itself);
  addPart(line, mismatched, "of another shape", [](const Mismatch& mismatch) {
    if (mismatch.file == mismatch.model) return mismatch.name + " (another kind of number)";
    return mismatch.name + " (" + shapeText(mismatch.file) + " in the file, " +
           shapeText(mismatch.model) + " in the model)";
  });
  return line;
}

}  // namespace headlight
