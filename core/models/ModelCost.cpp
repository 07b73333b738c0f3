#include "core/models/Registry.h"

namespace headlight {
namespace {

class Counter {
 public:
  /// A matrix [out, in] with or without bias, applied to `rows` tokens.
  void linear(const std::string& name, std::int64_t in, std::int64_t out, bool bias,
              std::int64_t rows) {
    add({name, in * out + (bias ? out : 0), in * out * rows});
  }
  void parameters(const std::string& name, std::int64_t count) { add({name, count, 0}); }
  void macs(const std::string& name, std::int64_t count) { add({name, 0, count}); }
  ModelCost cost;

 private:
  void add(LayerCost layer) {
    cost.parameters += layer.parameters;
    cost.macs += layer.macs;
    cost.layers.push_back(std::move(layer));
  }
};

}  // namespace

ModelCost modelCost(const ModelConfig& config) {
  const std::int64_t width = config.width, patches = config.grid().patches(),
                     tokens = config.grid().tokens(), hidden = config.width * config.mlpRatio;
  Counter count;
  count.parameters("tokens", config.grid().prefix * width);
  count.parameters("pos_embed", tokens * width);
  count.linear("patch_embed.proj", 3LL * config.patchSize * config.patchSize, width, true, patches);
  for (int l = 0; l < config.depth; ++l) {
    const std::string block = "blocks." + std::to_string(l) + ".";
    count.parameters(block + "norm1", 2 * width);
    count.linear(block + "attn.qkv", width, 3 * width, config.qkvBias, tokens);
    count.macs(block + "attn", 2 * tokens * tokens * width);  // QKᵀ and AV
    count.linear(block + "attn.proj", width, width, true, tokens);
    count.parameters(block + "norm2", 2 * width);
    count.linear(block + "mlp.fc1", width, hidden, true, tokens);
    count.linear(block + "mlp.fc2", hidden, width, true, tokens);
    if (config.layerScale > 0) count.parameters(block + "ls", 2 * width);
  }
  count.parameters("norm", 2 * width);
  count.linear("head", width, config.classes, true, 1);
  if (config.distilled) count.linear("head_dist", width, config.classes, true, 1);
  return count.cost;
}

}  // namespace headlight
