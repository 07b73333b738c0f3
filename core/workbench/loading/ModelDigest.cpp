// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/ModelDigest.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/attention/Mechanisms.h"
#include "core/base/Crc32.h"
#include "core/base/Crc32c.h"
#include "core/config/RunId.h"

namespace headlight {
namespace {

constexpr double kUnlearned = 1e-6;  ///< of α: nearer to its start than that nothing was learned

/// Comes and goes with masks.
bool belongsToMasks(const std::string& name) {
  return name.ends_with(".soft_mask_logit") || name.ends_with(".random_mask");
}

Json tensorLine(const std::string& name, const at::Tensor& tensor) {
  const at::Tensor host = tensor.detach().to(at::kCPU).contiguous();
  const auto* bytes = static_cast<const char*>(host.data_ptr());
  const std::size_t size = host.nbytes();
  // Two checksums that fail independently.
  return {name, host.sizes().vec(), crc32Of(bytes, size), crc32cOf({bytes, size})};
}

/// a of α = sigmoid(a): from the saved value, else from the layer's tensor.
double logitOf(const Model& model, const LearnedAlpha& learned) {
  if (learned.logit) return *learned.logit;
  const std::string name = model.softLogitName(learned.layer);
  for (const auto& [tensorName, tensor] : model.state())
    if (tensorName == name) return tensor[learned.head].item<double>();
  return 0;
}

Json learnedLines(const Model& model) {
  std::vector<std::string> lines;
  for (const LearnedAlpha& learned : model.learnedAlphas()) {
    const double logit = logitOf(model, learned), alpha = 1 / (1 + std::exp(-logit));
    if (std::abs(alpha - learned.from.alpha) < kUnlearned) continue;  // as if it had not been soft
    HeadMask from = learned.from;
    from.window = HeadMask().window;  // which do not matter
    from.region = {};
    lines.push_back(Json{learned.layer, learned.head, toText(from), logit}.dump());
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// Options that are younger than kept results count where they are not at their default.
Json withoutDefaults(Json options, const Json& younger) {
  for (const auto& [name, byDefault] : younger.items())
    if (options.contains(name) && options[name] == byDefault) options.erase(name);
  return options;
}

Json attentionOptions(const ModelConfig& config) {
  const ParameterTable* table = findMechanism(config.mechanism).variant.options;
  Json options = table ? firstNamed(*table, config.attention) : config.attention;
  if (config.mechanism == "window")
    return withoutDefaults(options, {{"cosine", false}, {"pretrained_windows", Json::array()}});
  if (config.mechanism == "linear_angular")
    return withoutDefaults(options, Json::object({{"terms", 1}}));
  return options;
}

Json layoutOptions(const ModelConfig& config) {
  Json younger{{"pre_logits", 0},
               {"cosine", false},
               {"scores", "softmax"},
               {"mid_positions", false},
               {"position_filter", "antialiased"},
               {"object_classes", 0}};
  if (config.backbone == "swin") younger["post_norm"] = false;
  return withoutDefaults(config.layout, younger);
}

/// The same of those that every model has.
Json modelOptions(const ModelConfig& config) {
  Json options = writeParameters(modelParameters(), &config);
  if (config.transparency == "white") options.erase("transparency");
  options.erase("init");  // the weights are what they are now
  return options;
}

}  // namespace

std::string modelDigest(const Model& model) {
  const at::NoGradGuard noGrad;
  Json tensors = Json::array();
  for (const auto& [name, tensor] : model.state())
    if (!belongsToMasks(name)) tensors.push_back(tensorLine(name, tensor));
  return makeRunId(Json{{"model", modelOptions(model.config())},
                        {"attention", attentionOptions(model.config())},
                        {"layout", layoutOptions(model.config())},
                        {"progress", model.progress()},
                        {"learned", learnedLines(model)},
                        {"tensors", tensors}});
}

}  // namespace headlight
