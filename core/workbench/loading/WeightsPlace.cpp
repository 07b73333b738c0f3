// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/WeightsPlace.h"

#include "core/base/files/Files.h"

namespace headlight {

std::filesystem::path WeightsPlace::path() const {
  if (take.empty()) return file;
  return file.string() + "[" + take + "]";
}

WeightsPlace parseWeightsPlace(const std::filesystem::path& path) {
  const std::string text = path.string();
  const auto open = text.rfind('[');
  const bool named = text.ends_with(']') && open != std::string::npos && open > 0 &&
                     text[open - 1] != '/' && open + 2 < text.size();
  if (!named || isThere(path)) return {path, {}};
  const std::string take = text.substr(open + 1, text.size() - open - 2);
  // A number is that of an image of maps, or of a frame.
  if (take.find_first_not_of("0123456789") == std::string::npos) return {path, {}};
  return {text.substr(0, open), take};
}

}  // namespace headlight
