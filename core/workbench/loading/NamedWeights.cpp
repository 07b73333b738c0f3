// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/NamedWeights.h"

#include "core/base/files/Files.h"
#include "core/models/Registry.h"
#include "core/workbench/hub/HubFolder.h"
#include "core/workbench/loading/FileContent.h"

namespace headlight {

std::string weightsOfNamedModel(const std::string& model) {
  if (model.empty() || findPublishedModel(model) || !isThere(model)) return {};
  if (isHubConfig(model)) return std::filesystem::absolute(model).parent_path().string();
  if (looksLikeHubFolder(model)) return model;
  return contentOfFile(model) == FileContent::Checkpoint ? model : std::string();
}

}  // namespace headlight
