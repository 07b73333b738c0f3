#include "core/checkpoint/LoadReport.h"

#include "core/checkpoint/Refusal.h"

namespace headlight {
namespace {

constexpr std::size_t kMaxNames = 5;

/// "2 missing: a, b"; of many names the first few.
template <typename Items, typename Describe>
void addPart(std::string& line, const Items& items, const char* what, Describe describe) {
  if (items.empty()) return;
  line += ", " + std::to_string(items.size()) + " " + what + ": ";
  for (std::size_t i = 0; i < items.size() && i < kMaxNames; ++i)
    line += (i == 0 ? "" : ", ") + describe(items[i]);
  if (items.size() > kMaxNames)
    line += " and " + std::to_string(items.size() - kMaxNames) + " more";
}

/// Parameters and buffers that a mask scheme fills, and a count that nothing reads.
bool startsFilled(const std::string& name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  return last == "soft_mask_logit" || last == "random_mask" || last == "num_batches_tracked";
}

}  // namespace

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
    line += ", " + std::to_string(resized.size()) + " resized (";
    for (std::size_t i = 0; i < resized.size(); ++i)
      line += (i == 0 ? "" : "; ") + resized[i].name + " " + resized[i].change +
              (resized[i].how == "bicubic" ? "" : ", " + resized[i].how);
    line += ")";
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
