#include <cmath>

#include <ATen/ATen.h>

#include "core/workbench/LoadedModel.h"

namespace headlight {
namespace {

/// Sizes of a named tensor; empty if the file has none of that name.
class Shapes {
 public:
  explicit Shapes(const Checkpoint& checkpoint) {
    for (const auto& [name, tensor] : checkpoint.tensors)
      m_shapes[name] = tensor.sizes().vec();
  }
  bool has(const std::string& name) const { return m_shapes.count(name) > 0; }
  /// 0 where there is no such tensor or dimension.
  std::int64_t size(const std::string& name, std::size_t dimension) const {
    const auto found = m_shapes.find(name);
    return found == m_shapes.end() || dimension >= found->second.size() ? 0
                                                                        : found->second[dimension];
  }

 private:
  std::map<std::string, std::vector<std::int64_t>> m_shapes;
};

int bounded(std::int64_t value) {
  return static_cast<int>(std::min<std::int64_t>(value, 1 << 30));
}

/// timm's own keyword arguments, where the file carries them.
std::optional<int> headsFromMetadata(const Checkpoint& checkpoint) {
  const auto found = checkpoint.metadata.find("config");
  if (found == checkpoint.metadata.end() || found->second.size() > (1u << 20)) return {};
  const Json json = Json::parse(found->second, nullptr, false);
  if (!json.is_object() || !json.contains("num_heads") || !json["num_heads"].is_number_integer())
    return {};
  const auto heads = json["num_heads"].get<std::int64_t>();
  return heads >= 1 && heads <= 256 ? std::optional(static_cast<int>(heads)) : std::nullopt;
}

void inferGrid(const Shapes& shapes, ModelConfig& config, std::vector<std::string>& notes) {
  const int prefix = (config.classToken ? 1 : 0) + (config.distilled ? 1 : 0);
  const std::int64_t patches = shapes.size("pos_embed", 1) - prefix;
  const auto side =
      static_cast<std::int64_t>(std::llround(std::sqrt(std::max(0.0, double(patches)))));
  if (side < 1 || side * side != patches || side * config.patchSize > 4096)
    throw Failure({ErrorCode::InvalidFile,
                   "has " + std::to_string(patches) +
                       " position embeddings, not a square grid; give a config with image_size "
                       "and image_width",
                   "pos_embed"});
  config.imageSize = static_cast<int>(side) * config.patchSize;
  notes.push_back("image size " + std::to_string(config.imageSize) +
                  " read off the position embedding");
}

void inferHeads(const Checkpoint& checkpoint, ModelConfig& config,
                std::vector<std::string>& notes) {
  if (const auto heads = headsFromMetadata(checkpoint)) {
    config.heads = *heads;
    return;
  }
  constexpr int kUsualHeadWidth = 64;
  const int usual = config.width % kUsualHeadWidth == 0 ? config.width / kUsualHeadWidth : 0;
  config.heads = usual > 0 ? usual : 3;
  notes.push_back("the file does not say how many heads there are: assumed " +
                  std::to_string(config.heads) + "; give a config or a model's name to be certain");
}

}  // namespace

ModelConfig inferModel(const Checkpoint& checkpoint, std::vector<std::string>& notes) {
  const Shapes shapes(checkpoint);
  for (const char* name : {"patch_embed.proj.weight", "pos_embed", "blocks.0.attn.qkv.weight",
                           "blocks.0.mlp.fc1.weight", "head.weight"})
    if (!shapes.has(name))
      throw Failure({ErrorCode::UnsupportedFile,
                     std::string("has no tensor \"") + name +
                         "\": it is not a ViT or DeiT in timm's names; choose the model it belongs "
                         "to by name or config",
                     "checkpoint"});
  ModelConfig config;
  config.name = "from checkpoint";
  config.width = bounded(shapes.size("patch_embed.proj.weight", 0));
  config.patchSize = bounded(shapes.size("patch_embed.proj.weight", 2));
  config.classes = bounded(shapes.size("head.weight", 0));
  config.classToken = shapes.has("cls_token");
  config.distilled = shapes.has("dist_token");
  config.qkvBias = shapes.has("blocks.0.attn.qkv.bias");
  if (config.width < 1 || config.patchSize < 1 || config.classes < 1)
    throw Failure({ErrorCode::InvalidFile, "has tensors of no size", "checkpoint"});
  config.depth = 0;
  while (config.depth < 256 &&
         shapes.has("blocks." + std::to_string(config.depth) + ".attn.qkv.weight"))
    ++config.depth;
  config.mlpRatio = static_cast<double>(shapes.size("blocks.0.mlp.fc1.weight", 0)) / config.width;
  if (shapes.has("blocks.0.ls1.gamma")) config.layerScale = 1e-5;
  inferGrid(shapes, config, notes);
  inferHeads(checkpoint, config, notes);
  notes.push_back("mean and deviation assumed to be ImageNet's");
  valueOrThrow(checkModel(config, "model (read off the checkpoint)"));
  return config;
}

}  // namespace headlight
