// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/segments/Ade20kFolder.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>

#include "core/base/Result.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/data/labels/TableText.h"
#include "core/data/segments/LabelPairs.h"
#include "core/data/segments/SegmentTable.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAdeClasses = 150;
constexpr std::uintmax_t kMostInfoBytes = std::uintmax_t{1} << 20;

using AdeNames = std::vector<std::string>;

bool isAdeFolder(const fs::path& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

/// Reads "Idx", "Ratio", "Train", "Val", "Stuff", "Name".
class ObjectInfo {
 public:
  ObjectInfo(std::string_view text, const std::string& where) : m_where(where) {
    TableRows rows(text, columnSeparator(text));
    std::vector<std::string> cells;
    if (rows.next(cells)) findColumns(cells);
    m_names.resize(kAdeClasses);
    while (rows.next(cells))
      take(cells);
    if (std::any_of(m_names.begin(), m_names.end(), [](const auto& name) { return name.empty(); }))
      refuse(tr("does not name all 150 classes"));
  }

  /// The first of each class's names where these differ, else all of each.
  AdeNames names() const {
    AdeNames first;
    for (const std::string& name : m_names)
      first.emplace_back(withoutBlanks(std::string_view(name).substr(0, name.find_first_of(",;"))));
    return std::set<std::string>(first.begin(), first.end()).size() == kAdeClasses ? first
                                                                                   : m_names;
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    throw Failure({ErrorCode::InvalidFile, message, m_where});
  }

  void findColumns(const std::vector<std::string>& heading) {
    for (std::size_t i = 0; i < heading.size(); ++i) {
      if (lowered(heading[i]) == "idx") m_indexColumn = i;
      if (lowered(heading[i]) == "name") m_nameColumn = i;
    }
    if (m_indexColumn == m_nameColumn)
      refuse(tr("has no columns Idx and Name, which list the classes of SceneParse150"));
  }

  void take(const std::vector<std::string>& cells) {
    if (cells.size() <= std::max(m_indexColumn, m_nameColumn)) return;
    const std::string &text = cells[m_indexColumn], &name = cells[m_nameColumn];
    std::size_t index = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (code != std::errc() || index < 1 || index > kAdeClasses)
      refuse("\"" + text + tr("\" is no class from 1 to 150"));
    if (!isUtf8Name(name)) refuse(tr("has a name that is not UTF-8"));
    m_names[index - 1] = name;
  }

  const std::string& m_where;
  AdeNames m_names;
  std::size_t m_indexColumn = 0, m_nameColumn = 0;
};

fs::path objectInfoOf(const fs::path& path) {
  for (const fs::path& folder : {path, path / ".."})
    for (const char* name : {"objectInfo150.txt", "objectInfo150.csv"}) {
      std::error_code unknown;
      if (fs::is_regular_file(folder / name, unknown)) return (folder / name).lexically_normal();
    }
  return {};
}

SegmentClasses ade20kClasses(const AdeNames& names) {
  std::vector<SegmentTableRow> rows{{0, "ignored", {}, true}};
  for (std::size_t i = 0; i < names.size(); ++i)
    rows.push_back({static_cast<int>(i) + 1, names[i]});
  return segmentClasses(std::move(rows));
}

void readAdeClasses(const fs::path& path, SegmentSource& source) {
  const fs::path info = objectInfoOf(path);
  if (info.empty()) {
    source.classes = ade20kClasses(ade20kNames());
    source.notes.push_back(
        path.string() +
        tr(": has no objectInfo150.txt, so classes have the names that this program knows"));
    return;
  }
  const std::string text = valueOrThrow(readFile(info, kMostInfoBytes));
  source.classes = ade20kClasses(ade20kNamesFromText(text, info.string()));
  source.tables = {info};
  source.notes.push_back(info.string() + tr(": names the classes"));
}

}  // namespace

AdeNames ade20kNamesFromText(std::string_view text, const std::string& where) {
  try {
    return ObjectInfo(text, where).names();
  } catch (const Failure& failure) {
    Error error = failure.error();
    if (error.where.empty()) error.where = where;
    throw Failure(error);
  }
}

SegmentSource readAde20k(const fs::path& path, bool train) {
  SegmentSource source;
  readAdeClasses(path, source);
  const char* split = train ? "training" : "validation";
  LabelPairs pairs = pairLabels(path / "images" / split, path / "annotations" / split);
  source.images = std::move(pairs.files);
  source.notes.insert(source.notes.end(), pairs.notes.begin(), pairs.notes.end());
  return source;
}

bool looksLikeAde20k(const fs::path& path) {
  const auto found = guarded(path.string(), [&] {
    return isAdeFolder(path / "images/training") && isAdeFolder(path / "annotations/training") &&
           segmentTableIn(path).empty() && holdsLabels(path / "annotations/training");
  });
  return found.ok() && *found;
}

}  // namespace headlight
