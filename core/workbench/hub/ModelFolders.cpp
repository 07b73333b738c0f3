// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/hub/ModelFolders.h"

#include <algorithm>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/base/files/UserFolders.h"
#include "core/config/ConfigText.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 1u << 20;
constexpr std::size_t kMostModelFolders = 100;

fs::path wholePath(const fs::path& folder) {
  std::error_code unknown;
  const fs::path whole = fs::absolute(folder, unknown).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

}  // namespace

fs::path ModelFolders::defaultFile() {
  const fs::path folder = userDataFolder();
  return folder.empty() ? folder : folder / "model-folders.json";
}

std::vector<fs::path> ModelFolders::folders() const {
  std::vector<fs::path> folders;
  const auto text = readFile(m_file, kLargestFile);
  const auto json = text ? parseConfigJson(*text, m_file.string()) : Result<Json>(text.error());
  if (!json || !json->is_object() || !json->contains("folders")) return folders;
  for (const Json& folder : (*json)["folders"])
    if (folder.is_string() && folders.size() < kMostModelFolders)
      folders.emplace_back(folder.get<std::string>());
  return folders;
}

Result<void> ModelFolders::add(const fs::path& folder) const {
  std::error_code unknown;
  if (!fs::is_directory(folder, unknown))
    return Error{ErrorCode::NotFound, tr("is not a folder"), folder.string()};
  auto all = folders();
  const fs::path whole = wholePath(folder);
  if (std::find(all.begin(), all.end(), whole) != all.end()) return {};
  if (all.size() >= kMostModelFolders)
    return Error{ErrorCode::InvalidArgument,
                 tr("exceeds the limit of 100 folders; remove one of them"), folder.string()};
  all.push_back(whole);
  return write(all);
}

Result<void> ModelFolders::remove(const fs::path& folder) const {
  auto all = folders();
  return std::erase(all, wholePath(folder)) > 0 ? write(all) : Result<void>();
}

Result<void> ModelFolders::write(const std::vector<fs::path>& folders) const {
  Json list = Json::array();
  for (const fs::path& folder : folders)
    list.push_back(folder.string());
  std::error_code ignored;  // writing says what is wrong
  fs::create_directories(m_file.parent_path(), ignored);
  return writeFileAtomically(
      m_file, Json{{"folders", list}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace headlight
