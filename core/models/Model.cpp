#include "core/models/Model.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>

#include <functional>
#include <map>

#include "core/models/VisionTransformer.h"

namespace headlight {

std::vector<int> Model::headsPerLayer() const {
  std::vector<int> result;
  for (int l = 0; l < layers(); ++l)
    result.push_back(heads(l));
  return result;
}

at::Tensor Model::forward(const at::Tensor& images, AttentionTap* tap) {
  at::Tensor tokens = embed(images);
  for (int l = 0; l < layers(); ++l)
    tokens = block(l, tokens, tap);
  return classify(tokens);
}

ModelTensors Model::trainable() const {
  ModelTensors tensors;
  for (const auto& item : named_parameters(/*recurse=*/true))
    tensors.emplace_back(item.key(), item.value());
  return tensors;
}

ModelTensors Model::state() const {
  ModelTensors tensors = trainable();
  for (const auto& item : named_buffers(/*recurse=*/true))
    tensors.emplace_back(item.key(), item.value());
  return tensors;
}

bool Model::decays(const std::string& name, const at::Tensor& parameter) const {
  if (parameter.dim() <= 1) return false;  // biases, norms, LayerScale, soft_mask_logit
  return name != "pos_embed" && name != "cls_token" && name != "dist_token";
}

void seedTorch(std::uint64_t seed) {
  at::manual_seed(seed);
}

std::shared_ptr<Model> makeModel(const ModelConfig& config, std::uint64_t seed) {
  using Factory = std::function<std::shared_ptr<Model>(const ModelConfig&)>;
  static const std::map<std::string, Factory> backbones{
      {"vit", [](const ModelConfig& c) { return std::make_shared<VisionTransformer>(c); }},
  };
  valueOrThrow(checkModel(config));
  const auto found = backbones.find(config.backbone);
  if (found == backbones.end())
    throw Failure({ErrorCode::InvalidConfig,
                   "no backbone is called \"" + config.backbone + "\"; there is vit",
                   "model.backbone"});
  seedTorch(seed);
  return found->second(config);
}

}  // namespace headlight
