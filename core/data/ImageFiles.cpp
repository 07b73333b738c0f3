// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/ImageFiles.h"

#include <cstdint>

#include "core/base/Result.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/data/files/FolderEntries.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamedFolders = 3;

class Collection {
 public:
  Collection(std::size_t most, const std::stop_token& stop) : m_left(most), m_stop(stop) {}

  void collect(const fs::path& folder, int depth) {
    if (depth > kMaxFolderDepth || !m_visited.visit(folder)) return;
    const auto entries = folderEntries(folder, m_left);
    m_left -= entries.size();
    for (const FolderEntry& entry : entries) {
      if (m_stop.stop_requested()) return;
      if (entry.folder)
        collectWithin(folder / entry.name, depth + 1);
      else if (hasImageExtension(entry.name))
        m_found.images.push_back(folder / entry.name);
      else
        m_found.passedOver.addFile(entry.name);
    }
  }

  ImageFiles take() {
    m_found.complete = m_left > 0;
    return std::move(m_found);
  }

 private:
  void collectWithin(const fs::path& folder, int depth) {
    const auto listed = guarded(folder.string(), [&] { collect(folder, depth); });
    if (!listed) m_found.unlisted.push_back(listed.error().text());
  }

  std::size_t m_left;
  const std::stop_token& m_stop;
  VisitedFolders m_visited;
  ImageFiles m_found;
};

}  // namespace

std::string ImageFiles::text() const {
  std::string text = passedOver.text();
  if (!unlisted.empty())
    addTo(text,
          countText(static_cast<std::int64_t>(unlisted.size()), "folder", "folders") +
              " cannot be listed (" + joined(unlisted, kNamedFolders) + ")",
          "; ");
  return text;
}

ImageFiles imageFilesIn(const fs::path& folder, std::size_t most, const std::stop_token& stop) {
  Collection collection(most, stop);
  if (!fs::exists(folder))
    throw Failure({ErrorCode::NotFound, tr("does not exist"), folder.string()});
  collection.collect(folder, 0);
  return collection.take();
}

}  // namespace headlight
