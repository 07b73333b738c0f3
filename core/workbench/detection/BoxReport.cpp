// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/detection/BoxReport.h"

#include "core/base/Translation.h"

namespace headlight {

BoxReport measureBoxes(BoxTruth truth, BoxResults found) {
  BoxReport report;
  report.images = static_cast<std::int64_t>(truth.images.size());
  report.trueBoxes = static_cast<std::int64_t>(truth.boxes.size());
  report.foundBoxes = static_cast<std::int64_t>(found.boxes.size());
  report.categoryBoxes.resize(truth.categories.size());
  for (const TrueBox& box : truth.boxes)
    ++report.categoryBoxes[static_cast<std::size_t>(box.category)];
  report.precision = measurePrecision(std::move(truth.boxes), std::move(found.boxes),
                                      static_cast<int>(truth.categories.size()));
  report.categories = std::move(truth.categories);
  report.notes = std::move(truth.notes);
  report.notes.insert(report.notes.end(), found.notes.begin(), found.notes.end());
  return report;
}

Result<BoxTruth> openBoxTruth(const std::filesystem::path& path) {
  auto truth = readBoxTruth(path);
  if (truth && (truth->images.empty() || truth->categories.empty()))
    return Error{ErrorCode::InvalidFile,
                 truth->images.empty()
                     ? tr("lists no images; give annotations with images")
                     : tr("lists no categories; give annotations with categories"),
                 path.string()};
  return truth;
}

Result<BoxReport> evaluateBoxFiles(const std::filesystem::path& truth,
                                   const std::filesystem::path& results) {
  return guarded(truth.string(), [&] {
    BoxTruth boxes = valueOrThrow(openBoxTruth(truth));
    BoxResults found = valueOrThrow(readBoxResults(results, boxes));
    return measureBoxes(std::move(boxes), std::move(found));
  });
}

}  // namespace headlight
