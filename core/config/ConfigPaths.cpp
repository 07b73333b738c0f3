// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/ConfigPaths.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

void findBeside(Json& json, const char* section, const char* key, const fs::path& folder) {
  if (!json.is_object() || !json.contains(section)) return;
  Json& values = json[section];
  if (!values.is_object() || !values.contains(key) || !values[key].is_string()) return;
  const fs::path path = values[key].get<std::string>();
  std::error_code code;
  const fs::path beside = fs::absolute(folder / path, code).lexically_normal();
  if (path.empty() || path.is_absolute() || !fs::exists(beside, code)) return;
  values[key] = beside.string();
}

}  // namespace

void findPathsBeside(Json& json, const fs::path& folder) {
  findBeside(json, "data", "path", folder);
  findBeside(json, "data", "teacher_logits", folder);
  for (const char* key : {"weights", "teacher", "teacher_weights"})
    findBeside(json, "training", key, folder);
}

}  // namespace headlight
