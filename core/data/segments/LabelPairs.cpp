// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/segments/LabelPairs.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "core/base/Result.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/data/boxes/RecordFields.h"
#include "core/data/files/FolderEntries.h"
#include "core/data/files/PassedOver.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPairsLookedAt = 1000;  // entries of a folder
constexpr int kLookedInto = 3;                // folders of it

bool isLabelFile(const fs::path& name, const std::string& ending) {
  return lowered(name.extension().string()) == ".png" && name.stem().string().ends_with(ending);
}

/// Calls `take` with every file below, as a path from `root`.
class FileWalk {
 public:
  FileWalk(const fs::path& root, std::function<void(const fs::path& name)> take)
      : m_root(root), m_take(std::move(take)) {
    walk({}, 0);
  }

 private:
  void walk(const fs::path& below, int depth) {
    if (depth > kMaxFolderDepth || !m_visited.visit(m_root / below)) return;
    for (const FolderEntry& entry : folderEntries(m_root / below)) {
      if (entry.folder)
        walk(below / entry.name, depth + 1);
      else
        m_take(below / entry.name);
    }
  }

  fs::path m_root;
  std::function<void(const fs::path& name)> m_take;
  VisitedFolders m_visited;
};

/// "city/a_1" of "city/a_1_leftImg8bit.png".
std::string keyOf(const fs::path& name, const std::string& ending) {
  std::string key = (name.parent_path() / name.stem()).generic_string();
  key.resize(key.size() - ending.size());
  return key;
}

class Pairing {
 public:
  Pairing(const fs::path& images, const fs::path& labels, const LabelEndings& endings)
      : m_images(images), m_labels(labels), m_endings(endings) {}

  LabelPairs make() {
    const FileWalk labels(m_labels, [&](const fs::path& name) {
      if (isLabelFile(name, m_endings.label)) m_found.emplace(keyOf(name, m_endings.label), name);
    });
    const FileWalk images(m_images, [&](const fs::path& name) { takeImage(name); });
    requireComplete();
    addNotes();
    return std::move(m_pairs);
  }

 private:
  void takeImage(const fs::path& name) {
    if (!hasImageExtension(name) || !name.stem().string().ends_with(m_endings.image))
      return m_others.addFile(name.filename().string());
    const std::string key = keyOf(name, m_endings.image);
    if (!m_keys.insert(key).second)
      throw Failure({ErrorCode::InvalidFile,
                     tr("has the same name as another image, so both would have one label image; "
                        "rename one"),
                     (m_images / name).string()});
    const auto label = m_found.find(key);
    if (label == m_found.end()) return m_missing.add(key + m_endings.label + ".png");
    m_pairs.files.push_back({m_images / name, m_labels / label->second});
  }

  void requireComplete() const {
    if (m_keys.empty())
      throw Failure(
          {ErrorCode::NotFound,
           m_others.count() == 0 ? tr("has no images") : tr("has no images: ") + m_others.text(),
           m_images.string()});
    if (m_missing.count == 0) return;
    throw Failure({ErrorCode::NotFound,
                   tr("label images of ") + std::to_string(m_missing.count) + tr(" of ") +
                       countText(std::ssize(m_keys), tr("image"), tr("images")) +
                       tr(" missing (the first: ") + m_missing.first +
                       tr("); add them, or remove these images"),
                   m_labels.string()});
  }

  void addNotes() {
    if (m_others.count() > 0) m_pairs.notes.push_back(m_images.string() + ": " + m_others.text());
    const auto unused = std::count_if(m_found.begin(), m_found.end(), [&](const auto& label) {
      return !m_keys.contains(label.first);
    });
    if (unused > 0)
      m_pairs.notes.push_back(m_labels.string() + ": " +
                              countText(unused, tr("label image has no image and is not used"),
                                        tr("label images have no image and are not used")));
  }

  const fs::path &m_images, &m_labels;
  const LabelEndings& m_endings;
  std::map<std::string, fs::path> m_found;  ///< label images by their key
  std::set<std::string> m_keys;             ///< of images
  LeftOut m_missing;
  PassedOver m_others;
  LabelPairs m_pairs;
};

}  // namespace

LabelPairs pairLabels(const fs::path& images, const fs::path& labels, const LabelEndings& endings) {
  return Pairing(images, labels, endings).make();
}

bool holdsLabels(const fs::path& folder, const std::string& ending) {
  int left = kLookedInto;
  for (const FolderEntry& entry : folderEntries(folder, kPairsLookedAt)) {
    if (!entry.folder && isLabelFile(entry.name, ending)) return true;
    if (!entry.folder || left-- <= 0) continue;
    for (const FolderEntry& file : folderEntries(folder / entry.name, kPairsLookedAt))
      if (!file.folder && isLabelFile(file.name, ending)) return true;
  }
  return false;
}

}  // namespace headlight
