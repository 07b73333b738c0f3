#include "core/workbench/NamedWeights.h"

#include "core/base/Files.h"
#include "core/models/Registry.h"
#include "core/workbench/FileContent.h"
#include "core/workbench/HubFolder.h"

namespace headlight {

std::string weightsNamedBy(const std::string& model) {
  if (model.empty() || findPublishedModel(model) || !isThere(model)) return {};
  if (isHubConfig(model)) return std::filesystem::absolute(model).parent_path().string();
  if (looksLikeHubFolder(model)) return model;
  return contentOfFile(model) == FileContent::Checkpoint ? model : std::string();
}

}  // namespace headlight
