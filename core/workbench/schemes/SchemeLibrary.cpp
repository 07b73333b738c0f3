// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/schemes/SchemeLibrary.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/Translation.h"
#include "core/base/Utf8.h"
#include "core/base/files/OpenFolder.h"
#include "core/base/files/UserFolders.h"
#include "core/config/MasksJson.h"
#include "core/masks/RandomScheme.h"
#include "core/training/run/RunFolder.h"
#include "core/workbench/loading/Input.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {
namespace {

constexpr std::size_t kLongestName = 100;
constexpr std::uintmax_t kLargestScheme = 16u << 20;
constexpr const char* kEnding = ".json";

Error badName(const std::string& name, const std::string& why) {
  return {ErrorCode::InvalidArgument, tr("cannot name a scheme: ") + why, fitForLine(name)};
}

bool hasControls(std::string_view name) {
  while (!name.empty()) {
    const std::size_t length = utf8Length(name);
    const std::string_view character = name.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0 || isControl(character) || turnsText(character)) return true;
    name.remove_prefix(length);
  }
  return false;
}

Error notKept(const std::string& name, const std::filesystem::path& folder) {
  return {ErrorCode::NotFound,
          tr("no saved scheme of this name in ") + folder.string() +
              tr("; headlight-cli schemes list shows them"),
          fitForLine(name)};
}

Error taken(const std::string& name) {
  return {
      ErrorCode::InvalidArgument,
      tr("a scheme of this name already exists; remove it first, choose another name, or replace "
         "it"),
      name};
}

/// Whether a file of this name may be a scheme's, and its name then.
bool isSchemeFile(const std::string& file) {
  return file.ends_with(kEnding) &&
         checkSchemeName(file.substr(0, file.size() - std::strlen(kEnding))).ok();
}

}  // namespace

Result<void> checkSchemeName(const std::string& name) {
  if (name.empty()) return badName(name, tr("it is empty"));
  if (name.size() > kLongestName)
    return badName(name.substr(0, 20) + "...",
                   tr("it is longer than ") + std::to_string(kLongestName) + tr(" bytes"));
  if (hasControls(name)) return badName(name, tr("it has control characters, or is not UTF-8"));
  if (name.find_first_of("/\\:@*") != std::string::npos)
    return badName(name, tr("it contains / \\ : @ or *"));
  if (name.front() == '.' || name.front() == ' ' || name.front() == '-' || name.back() == ' ')
    return badName(name, tr("it begins with a dot or a dash, or begins or ends with a space"));
  if (name.ends_with(kEnding)) return badName(name, tr("leave out .json, which would name a file"));
  if (isMaskPreset(name)) return badName(name, tr("it is the name of a preset"));
  return {};
}

std::filesystem::path SchemeLibrary::defaultFolder() {
  const auto data = userDataFolder();
  return data.empty() ? data : data / "schemes";
}

Result<std::vector<std::string>> SchemeLibrary::names() const {
  std::vector<std::string> names;
  if (!isThere(m_folder)) return names;
  const auto folder = OpenFolder::open(m_folder);
  if (!folder) return folder.error();
  for (const std::string& file : folder->names())
    if (isSchemeFile(file)) names.push_back(file.substr(0, file.size() - std::strlen(kEnding)));
  std::sort(names.begin(), names.end());
  return names;
}

bool SchemeLibrary::has(const std::string& name) const {
  if (m_folder.empty() || !checkSchemeName(name) || !isThere(m_folder)) return false;
  const auto folder = OpenFolder::open(m_folder);
  return folder && folder->has(name + kEnding);
}

Result<MaskConfig> SchemeLibrary::read(const std::string& name) const {
  if (!has(name)) return notKept(name, m_folder);
  const auto folder = OpenFolder::open(m_folder);
  if (!folder) return folder.error();
  const auto text = folder->read(name + kEnding, kLargestScheme);
  if (!text) return text.error();
  return maskConfigFromText(*text, folder->pathOf(name + kEnding).string());
}

Result<MaskScheme> SchemeLibrary::load(const std::string& name, const MaskShape& shape) const {
  const auto masks = read(name);
  if (!masks) return masks.error();
  auto scheme = resolveMasks(*masks, shape);
  if (!scheme) return Error{scheme.error().code, scheme.error().text(), name};
  scheme->setName(name);
  return scheme;
}

Result<void> SchemeLibrary::save(const std::string& name, const MaskConfig& masks,
                                 Existing existing) const {
  if (auto fits = checkSchemeName(name); !fits) return fits;
  if (m_folder.empty())
    return Error{ErrorCode::InvalidArgument,
                 tr("no folder for saved schemes: HOME is not set; give one"), name};
  if (existing == Existing::Refuse && has(name)) return taken(name);
  const auto folder = OpenFolder::make(m_folder);
  if (!folder) return folder.error();
  MaskConfig kept = masks;
  if (!kept.cells.empty()) kept.scheme = name;
  const Json json = {{"masks", maskConfigToJson(kept)}};
  return folder->write(name + kEnding, json.dump(2) + "\n");
}

Result<void> SchemeLibrary::rename(const std::string& from, const std::string& to) const {
  if (auto fits = checkSchemeName(to); !fits) return fits;
  if (!has(from)) return notKept(from, m_folder);
  if (from == to) return {};
  if (has(to)) return taken(to);
  const auto folder = OpenFolder::open(m_folder);
  if (!folder) return folder.error();
  const std::string before = from + kEnding, after = to + kEnding;
  if (::renameat(folder->descriptor(), before.c_str(), folder->descriptor(), after.c_str()) != 0)
    return Error{ErrorCode::Io, std::string(tr("could not be renamed: ")) + std::strerror(errno),
                 folder->pathOf(before).string()};
  return {};
}

Result<void> SchemeLibrary::remove(const std::string& name) const {
  if (!has(name)) return notKept(name, m_folder);
  const auto folder = OpenFolder::open(m_folder);
  if (!folder) return folder.error();
  folder->remove(name + kEnding);
  if (!folder->has(name + kEnding)) return {};
  return Error{ErrorCode::Io, tr("could not be removed"), folder->pathOf(name + kEnding).string()};
}

Result<MaskScheme> masksNamed(const std::string& name, const MaskShape& shape,
                              const SchemeLibrary& shelf) {
  if (const auto like = randomLikeFromText(name)) {
    auto base = masksNamed(like->base, shape, shelf);
    return base ? randomScheme(*like, *base, name) : base;
  }
  if (!isMaskPreset(name) && shelf.has(name)) return shelf.load(name, shape);
  return masksFromNameOrFile(name, shape);
}

Result<MaskConfig> masksIn(const std::filesystem::path& fileOrRun) {
  return guarded(fileOrRun.string(), [&]() -> Result<MaskConfig> {
    std::error_code error;
    if (std::filesystem::is_directory(fileOrRun, error)) {
      const auto last = fileOrRun / kRunLast, config = fileOrRun / kRunConfig;
      if (!isThere(last) && !isThere(config))
        return Error{ErrorCode::NotFound, tr("contains no run: neither a checkpoint nor a config"),
                     fileOrRun.string()};
      return masksIn(isThere(last) ? last : config);
    }
    const Input input = identifyOrGuess(fileOrRun);
    if (!input.isJson()) return valueOrThrow(loadExperiment(input)).masks;
    if (input.text.empty() && input.problem) return *input.problem;
    auto masks = maskConfigFromText(input.text, fileOrRun.string());
    if (masks) return masks;
    const auto experiment = loadExperiment(input);  // a config that says nothing of masks
    return experiment ? Result<MaskConfig>(experiment->masks) : masks;
  });
}

}  // namespace headlight
