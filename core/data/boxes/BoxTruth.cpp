// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/boxes/BoxTruth.h"

#include <algorithm>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/data/boxes/RecordFields.h"

namespace headlight {
namespace {

/// A box before the lists of images and categories are known, which may come after it.
struct ReadBox {
  TrueBox box;
  std::int64_t imageId, categoryId;
  std::size_t place;
};

std::string nameOf(const ReadBox& box) {
  return JsonRecord{"annotations", box.place, {}}.name();
}

template <typename Item>
void sortById(std::vector<Item>& items) {
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.id < b.id; });
}

/// Of an id in a list that is sorted by ids; -1: it is not there.
template <typename Item>
int placeOf(const std::vector<Item>& items, std::int64_t id) {
  const auto found =
      std::lower_bound(items.begin(), items.end(), id,
                       [](const Item& item, std::int64_t wanted) { return item.id < wanted; });
  return found == items.end() || found->id != id ? -1 : static_cast<int>(found - items.begin());
}

class TruthReader {
 public:
  BoxTruth read(std::string_view text, const std::string& where) {
    const std::vector<RecordList> lists{
        {"images", {"id", "file_name", "width", "height"}, [&](const auto& r) { takeImage(r); }},
        {"annotations",
         {"id", "image_id", "category_id", "bbox", "area", "iscrowd"},
         [&](const auto& r) { takeBox(r); }},
        categoryList()};
    readRecords(text, where, lists, wrongRoot());
    placeBoxes();
    addNotes();
    return std::move(m_truth);
  }

  std::vector<BoxCategory> readCategories(std::string_view text, const std::string& where) {
    readRecords(text, where, {categoryList()}, wrongRoot());
    sortById(m_truth.categories);
    return std::move(m_truth.categories);
  }

 private:
  static std::string wrongRoot() {
    return tr("COCO's annotations are an object with images, annotations and categories");
  }

  RecordList categoryList() {
    return {"categories", {"id", "name"}, [&](const auto& r) { takeCategory(r); }};
  }

  void takeImage(const JsonRecord& record) {
    const std::int64_t id = requireWhole(record, 0, "id");
    m_imageIds.add(id, record);
    m_truth.images.push_back(
        {id, record.values[1].text, pixelsOr0(record, 2), pixelsOr0(record, 3)});
  }

  void takeCategory(const JsonRecord& record) {
    const std::int64_t id = requireWhole(record, 0, "id");
    m_categoryIds.add(id, record);
    const std::string& name = record.values[1].text;
    m_truth.categories.push_back({id, name.empty() ? "category " + std::to_string(id) : name});
  }

  void takeBox(const JsonRecord& record) {
    TrueBox box;
    box.id = requireWhole(record, 0, "id");
    m_boxIds.add(box.id, record);
    box.box = requireBox(record, 3);
    box.area = areaOf(record, box.box);
    box.crowd = isCrowd(record);
    m_boxes.push_back({box, requireWhole(record, 1, "image_id"),
                       requireWhole(record, 2, "category_id"), record.place});
  }

  double areaOf(const JsonRecord& record, const PixelBox& box) {
    if (record.values[4].missing()) {
      m_withoutArea.add(record.name());
      return box.area();
    }
    const double area = requireNumber(record, 4, "area");
    if (area < 0) refuseRecord(record, tr("area is ") + numberText(area) + tr("; give 0 or more"));
    return area;
  }

  static bool isCrowd(const JsonRecord& record) {
    const RecordValue& value = record.values[5];
    if (value.missing()) return false;
    const bool fits =
        value.kind == RecordValue::Kind::Boolean || value.kind == RecordValue::Kind::Whole;
    if (!fits || value.whole < 0 || value.whole > 1)
      refuseRecord(record, tr("iscrowd is neither 0 nor 1"));
    return value.whole == 1;
  }

  void placeBoxes() {
    sortById(m_truth.images);
    sortById(m_truth.categories);
    for (ReadBox& read : m_boxes) {
      const int image = m_truth.imagePlace(read.imageId),
                category = m_truth.categoryPlace(read.categoryId);
      if (image < 0)
        m_withoutImage.add(nameOf(read) + tr(", image ") + std::to_string(read.imageId));
      else if (category < 0)
        m_withoutCategory.add(nameOf(read) + tr(", category ") + std::to_string(read.categoryId));
      else
        place(read, image, category);
    }
  }

  void place(ReadBox& read, int image, int category) {
    read.box.image = image;
    read.box.category = category;
    m_truth.boxes.push_back(read.box);
    if (read.box.id == 0) m_withoutId.add(nameOf(read));
    if (reachesBeyond(read.box.box, m_truth.images[static_cast<std::size_t>(image)]))
      m_outside.add(nameOf(read));
  }

  /// By more than a pixel: decimals are rounded.
  static bool reachesBeyond(const PixelBox& box, const BoxImage& image) {
    if (image.width == 0 || image.height == 0) return false;
    return box.x < -1 || box.y < -1 || box.x + box.width > image.width + 1 ||
           box.y + box.height > image.height + 1;
  }

  void addNotes() {
    note(m_withoutImage, tr("belongs to an image that is not listed and is left out"),
         tr("belong to images that are not listed and are left out"));
    note(m_withoutCategory, tr("has a category that is not listed and is left out"),
         tr("have categories that are not listed and are left out"));
    note(m_withoutArea, tr("has no area; that of its box is taken"),
         tr("have no area; that of their boxes is taken"));
    note(m_outside, tr("reaches beyond its image; it counts as it is"),
         tr("reach beyond their images; they count as they are"));
    note(m_withoutId, tr("has the id 0, so what matches it counts as wrong, as in pycocotools"),
         "");
  }

  void note(const LeftOut& which, const std::string& one, const std::string& many) {
    if (which.count == 0) return;
    m_truth.notes.push_back(
        countText(static_cast<std::int64_t>(which.count), tr("annotation "), tr("annotations ")) +
        (which.count == 1 ? one : many) + " (" + (which.count == 1 ? "" : tr("the first: ")) +
        which.first + ")");
  }

  BoxTruth m_truth;
  std::vector<ReadBox> m_boxes;
  RecordIds m_imageIds, m_categoryIds, m_boxIds;
  LeftOut m_withoutImage, m_withoutCategory, m_withoutArea, m_outside, m_withoutId;
};

}  // namespace

std::vector<std::string> BoxTruth::categoryNames() const {
  std::vector<std::string> names;
  for (const BoxCategory& category : categories)
    names.push_back(category.name);
  return names;
}

int BoxTruth::imagePlace(std::int64_t id) const {
  return placeOf(images, id);
}

int BoxTruth::categoryPlace(std::int64_t id) const {
  return placeOf(categories, id);
}

Result<BoxTruth> boxTruthFromText(std::string_view text, const std::string& where) {
  return guarded(where, [&] { return TruthReader().read(text, where); });
}

Result<BoxTruth> readBoxTruth(const std::filesystem::path& path) {
  const auto text = readFile(path, kMostTruthBytes);
  if (!text) return text.error();
  return boxTruthFromText(*text, path.string());
}

Result<std::vector<BoxCategory>> readBoxCategories(const std::filesystem::path& path) {
  const auto text = readFile(path, kMostTruthBytes);
  if (!text) return text.error();
  return guarded(path.string(), [&] { return TruthReader().readCategories(*text, path.string()); });
}

}  // namespace headlight
