// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/boxes/VocFolder.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/Result.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/data/boxes/RecordFields.h"
#include "core/data/boxes/VocLists.h"
#include "core/data/boxes/VocXml.h"
#include "core/data/files/FilePlace.h"
#include "core/data/files/NaturalOrder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kClassesToName = 5;

bool isVocFile(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

/// Throws where files of a split are missing.
void requireNone(const LeftOut& missing, std::size_t all, const std::string& what,
                 const fs::path& folder) {
  if (missing.count == 0) return;
  throw Failure({ErrorCode::NotFound,
                 what + tr(" of ") + std::to_string(missing.count) + tr(" of ") +
                     countText(static_cast<std::int64_t>(all), tr("image"), tr("images")) +
                     tr(" missing (the first: ") + missing.first +
                     tr("); add them, or remove their ids from the lists"),
                 folder.string()});
}

struct VocEntry {
  fs::path xml;
  VocImage image;
};

class VocFolder {
 public:
  explicit VocFolder(const fs::path& path)
      : m_annotations(path / "Annotations"),
        m_images(path / "JPEGImages"),
        m_lists(readVocLists(path)) {}

  BoxSource read(bool train) {
    // Also of the other split, whose classes are the same.
    const auto validated = entriesOf(m_lists.validation);
    const auto trained = entriesOf(m_lists.train);
    BoxSource source;
    source.classNames = classNames({&trained, &validated});
    source.shareOut = m_lists.shareOut;
    const bool first = train || m_lists.shareOut;
    fill(source, first ? m_lists.train : m_lists.validation, first ? trained : validated);
    return source;
  }

 private:
  using Entries = std::vector<VocEntry>;

  Entries entriesOf(const std::vector<std::string>& ids) const {
    LeftOut missing;
    for (const std::string& id : ids)
      if (!isVocFile(m_annotations / (id + ".xml"))) missing.add(id + ".xml");
    requireNone(missing, ids.size(), tr("annotations"), m_annotations);
    Entries entries;
    for (const std::string& id : ids)
      entries.push_back({m_annotations / (id + ".xml"), readVocXml(m_annotations / (id + ".xml"))});
    return entries;
  }

  static std::vector<std::string> classNames(const std::vector<const Entries*>& splits) {
    struct Natural {
      bool operator()(const std::string& a, const std::string& b) const {
        return naturalLess(a, b);
      }
    };
    std::set<std::string, Natural> names;
    for (const Entries* entries : splits)
      for (const VocEntry& entry : *entries)
        for (const VocObject& object : entry.image.objects)
          names.insert(object.name);
    return {names.begin(), names.end()};
  }

  void fill(BoxSource& source, const std::vector<std::string>& ids, const Entries& entries) {
    for (std::size_t i = 0; i < source.classNames.size(); ++i)
      m_labels[source.classNames[i]] = static_cast<int>(i);
    LeftOut missing;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const VocEntry& entry = entries[i];
      const fs::path file = imageOf(ids[i], entry.image.file);
      if (file.empty()) missing.add(ids[i] + ".jpg");
      source.annotations.push_back(entry.xml);
      source.images.push_back({file, entry.image.width, entry.image.height, boxesOf(entry)});
    }
    requireNone(missing, ids.size(), tr("files"), m_images);
    addNotes(source);
  }

  /// By its id; else by the name that the annotation gives. Empty: it is not there.
  fs::path imageOf(const std::string& id, const std::string& named) const {
    std::vector<std::string> names{id + ".jpg"};
    if (!named.empty() && !leadsOutside(named)) names.push_back(named);
    for (const char* ending : {".jpeg", ".png", ".JPG", ".bmp", ".webp"})
      names.push_back(id + ending);
    for (const std::string& name : names)
      if (isVocFile(m_images / name)) return m_images / name;
    return {};
  }

  LabeledBoxes boxesOf(const VocEntry& entry) {
    LabeledBoxes boxes;
    for (const VocObject& object : entry.image.objects) {
      const LabeledBox box{object.box, m_labels.at(object.name), object.box.area(),
                           object.difficult};
      if (std::find(boxes.begin(), boxes.end(), box) != boxes.end())
        m_doubles.add(entry.xml.filename().string());
      if (object.difficult) m_difficult.add(entry.xml.filename().string());
      boxes.push_back(box);
    }
    return boxes;
  }

  void addNotes(BoxSource& source) const {
    const std::string place = m_annotations.string() + ": ";
    if (m_difficult.count > 0)
      source.notes.push_back(
          place +
          countText(static_cast<std::int64_t>(m_difficult.count),
                    tr("object is marked as difficult; nothing is learned from it, and in "
                       "validation it counts as a crowd"),
                    tr("objects are marked as difficult; nothing is learned from them, and in "
                       "validation they count as crowds")));
    if (m_doubles.count > 0)
      source.notes.push_back(place +
                             countText(static_cast<std::int64_t>(m_doubles.count), tr("object is"),
                                       tr("objects are")) +
                             tr(" there twice (the first in ") + m_doubles.first + ")");
    if (const auto alike = alikeNames(source.classNames); !alike.empty())
      source.notes.push_back(place +
                             tr("classes that differ in case alone are different classes: ") +
                             joined(alike, kClassesToName));
  }

  static std::vector<std::string> alikeNames(const std::vector<std::string>& names) {
    std::map<std::string, std::string> known;
    std::vector<std::string> alike;
    for (const std::string& name : names)
      if (const auto [first, isNew] = known.emplace(lowered(name), name); !isNew)
        alike.push_back(first->second + tr(" and ") + name);
    return alike;
  }

  fs::path m_annotations, m_images;
  VocLists m_lists;
  std::map<std::string, int> m_labels;
  LeftOut m_difficult, m_doubles;
};

}  // namespace

BoxSource readVocBoxes(const fs::path& path, bool train) {
  return VocFolder(path).read(train);
}

bool looksLikeVoc(const fs::path& path) {
  const auto found = guarded(path.string(), [&] {
    std::error_code unknown;
    return fs::is_directory(path / "JPEGImages", unknown) &&
           !annotatedIds(path / "Annotations", 1000).empty();
  });
  return found.ok() && *found;
}

}  // namespace headlight
