// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/boxes/BoxResults.h"

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/data/boxes/RecordFields.h"

namespace headlight {
namespace {

constexpr std::size_t kWritten = 1 << 20;  // bytes at a time

class ResultsReader {
 public:
  explicit ResultsReader(const BoxTruth& truth) : m_truth(truth) {}

  BoxResults read(std::string_view text, const std::string& where) {
    const std::vector<RecordList> lists{
        {"", {"image_id", "category_id", "bbox", "score"}, [&](const auto& r) { take(r); }}};
    readRecords(
        text, where, lists,
        tr("COCO's results are a list of objects with image_id, category_id, bbox and score"));
    if (m_unknown.count > 0)
      m_results.notes.push_back(
          countText(
              static_cast<std::int64_t>(m_unknown.count),
              tr("found box has a category that the annotations do not list, and is left out"),
              tr("found boxes have categories that the annotations do not list, and are left "
                 "out")) +
          tr(" (the first: ") + m_unknown.first + ")");
    return std::move(m_results);
  }

 private:
  void take(const JsonRecord& record) {
    FoundBox box;
    const std::int64_t image = requireWhole(record, 0, "image_id");
    const std::int64_t category = requireWhole(record, 1, "category_id");
    box.image = m_truth.imagePlace(image);
    box.category = m_truth.categoryPlace(category);
    box.box = requireBox(record, 2);
    box.score = requireNumber(record, 3, "score");
    if (box.image < 0)
      refuseRecord(record, tr("image_id is ") + std::to_string(image) +
                               tr(", which the annotations do not list; give the annotations that "
                                  "these results were made for"));
    if (box.category >= 0)
      m_results.boxes.push_back(box);
    else
      m_unknown.add(record.name() + tr(", category ") + std::to_string(category));
  }

  const BoxTruth& m_truth;
  BoxResults m_results;
  LeftOut m_unknown;
};

std::string lineOf(const FoundBox& found, const BoxTruth& truth) {
  const auto& [x, y, width, height] = found.box;
  return "{\"image_id\":" + std::to_string(truth.images[static_cast<std::size_t>(found.image)].id) +
         ",\"category_id\":" +
         std::to_string(truth.categories[static_cast<std::size_t>(found.category)].id) +
         ",\"bbox\":[" + numberText(x) + "," + numberText(y) + "," + numberText(width) + "," +
         numberText(height) + "],\"score\":" + numberText(found.score) + "}";
}

}  // namespace

Result<BoxResults> boxResultsFromText(std::string_view text, const std::string& where,
                                      const BoxTruth& truth) {
  return guarded(where, [&] { return ResultsReader(truth).read(text, where); });
}

Result<BoxResults> readBoxResults(const std::filesystem::path& path, const BoxTruth& truth) {
  const auto text = readFile(path, kMostTruthBytes);
  if (!text) return text.error();
  return boxResultsFromText(*text, path.string(), truth);
}

Result<void> writeBoxResults(const std::filesystem::path& path, const std::vector<FoundBox>& boxes,
                             const BoxTruth& truth) {
  return writeFileAtomically(path, [&](const AppendBytes& append) {
    std::string text = "[";
    for (const FoundBox& box : boxes) {
      text += lineOf(box, truth) + (&box == &boxes.back() ? "" : ",\n");
      if (text.size() < kWritten) continue;
      append(text.data(), text.size());
      text.clear();
    }
    text += "]\n";
    append(text.data(), text.size());
  });
}

}  // namespace headlight
