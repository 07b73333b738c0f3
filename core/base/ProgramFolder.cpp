// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/ProgramFolder.h"

#include <system_error>

namespace headlight {

std::filesystem::path programFolder() {
  std::error_code unknown;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  return unknown ? std::filesystem::path() : program.parent_path();
}

std::filesystem::path commandLineProgram(const std::filesystem::path& program) {
  std::error_code missing;
  if (program.empty()) return {};
  for (const char* place : {"headlight-cli", "../cli/headlight-cli", "../../app/cli/headlight-cli"})
    if (std::filesystem::is_regular_file(program / place, missing)) return program / place;
  return {};
}

std::filesystem::path installedData(const std::filesystem::path& program) {
  std::error_code missing;
  if (program.empty()) return {};
  auto data = std::filesystem::canonical(program / HEADLIGHT_DATA_FOLDER, missing);
  return missing ? std::filesystem::path() : data;
}

std::filesystem::path hereOrInstalled(const std::filesystem::path& path,
                                      const std::filesystem::path& data) {
  std::error_code unknown;
  if (data.empty() || path.empty() || path.is_absolute() || *path.begin() != "models") return path;
  if (std::filesystem::exists(path, unknown) || unknown) return path;
  return std::filesystem::exists(data / path, unknown) ? data / path : path;
}

}  // namespace headlight
