// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labels/ListedFiles.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {
namespace {

constexpr std::size_t kTriedRows = 20;
constexpr std::array kEndings{".jpg", ".JPEG", ".jpeg", ".JPG", ".png",
                              ".PNG", ".webp", ".bmp",  ".tif", ".ppm"};

/// Where the image of a name lies; remembers the ending that fitted last.
class Finder {
 public:
  explicit Finder(const FilePlace& place) : m_place(place) {}

  /// Empty: nowhere.
  std::string find(const std::string& base, const std::string& name) {
    const std::string whole = nameIn(base, name);
    if (hasImageExtension(name)) return m_place.hasFile(whole) ? whole : "";
    for (std::size_t i = 0; i < kEndings.size(); ++i) {
      const std::size_t ending = (m_ending + i) % kEndings.size();
      if (!m_place.hasFile(whole + kEndings[ending])) continue;
      m_ending = ending;
      return whole + kEndings[ending];
    }
    return "";
  }

 private:
  const FilePlace& m_place;
  std::size_t m_ending = 0;
};

std::string bestBase(Finder& finder, const LabelList& rows, const std::vector<std::string>& bases) {
  std::string best;
  std::size_t most = 0;
  for (const std::string& base : bases) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < std::min(kTriedRows, rows.rows.size()); ++i)
      found += finder.find(base, rows.rows[i].name).empty() ? 0 : 1;
    if (found > most) {
      most = found;
      best = base;
    }
  }
  return best;
}

void requireInside(const FilePlace& place, const std::string& list, const LabelList& rows) {
  for (const LabelRow& row : rows.rows)
    if (leadsOutside(row.name))
      throw Failure({ErrorCode::InvalidFile,
                     tr("names a file outside of the folder, ") + row.name +
                         tr("; name the list itself as the dataset if it is yours"),
                     place.path(list).string()});
}

/// Keeps the first of rows that say the same; refuses those that do not.
class Labels {
 public:
  Labels(const FilePlace& place, ListedFiles& files) : m_place(place), m_files(files) {}

  void add(std::string name, const LabelRow& row) {
    const auto [known, isNew] = m_known.emplace(name, m_files.files.size());
    if (isNew) return m_files.files.push_back({std::move(name), row.label, row.split});
    const std::string& first = m_files.files[known->second].label;
    if (first != row.label)
      throw Failure({ErrorCode::InvalidFile,
                     "gives " + row.name + tr(" two classes, ") + first + " and " + row.label +
                         tr("; one class per image is read"),
                     m_place.path(m_files.list).string()});
  }

 private:
  const FilePlace& m_place;
  ListedFiles& m_files;
  std::unordered_map<std::string, std::size_t> m_known;
};

}  // namespace

std::string ListedFiles::note() const {
  std::string text = "labels are read from " + list;
  if (missing > 0)
    text += "; " + std::to_string(missing) + " of its " +
            countText(missing + static_cast<std::int64_t>(files.size()), "image", "images") +
            (missing == 1 ? " is" : " are") + " missing (" + firstMissing +
            (missing > 1 ? ", …)" : ")");
  return text;
}

ListedFiles findListed(const FilePlace& place, const std::string& list, const LabelList& rows,
                       const std::vector<std::string>& bases, bool outside) {
  if (!outside) requireInside(place, list, rows);
  Finder finder(place);
  const std::string base = bestBase(finder, rows, bases);
  ListedFiles found;
  found.list = list;
  Labels labels(place, found);
  for (const LabelRow& row : rows.rows) {
    std::string name = finder.find(base, row.name);
    if (!name.empty()) {
      labels.add(std::move(name), row);
      continue;
    }
    if (rows.mayBeginWithHeading && &row == &rows.rows.front()) continue;
    if (found.missing++ == 0) found.firstMissing = row.name;
  }
  return found;
}

}  // namespace headlight
