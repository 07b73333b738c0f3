// SPDX-License-Identifier: GPL-3.0-or-later

// Published.h: the published sizes of AFT.

#include "core/models/published/Published.h"

namespace headlight {
namespace {

const char* const kTable7 = "AFT, Table 7";

/// DeiT with AFT-full in place of its attention; it keeps the class token (AFT §5.3, Fig. 3).
PublishedModel aftFull(const std::string& size, FlatSize shape, double parametersM) {
  const std::string name = "aft_full_" + size;
  PublishedModel model{
      name, flatConfig(name, shape, 16, 224), "AFT-full, " + size, parametersM, 0, kTable7};
  model.config.mechanism = "aft_full";
  return model;
}

/// DeiT with AFT-conv: no position embedding, no class token (AFT §5.3). Tables 7 and 8 name its
/// kernel, then its heads.
PublishedModel aftConv(const std::string& size, int width, int kernel, int heads, int image,
                       double parametersM) {
  const std::string name =
      "aft_conv_" + size + "_" + std::to_string(kernel) + "_" + std::to_string(heads);
  PublishedModel model{name,
                       flatConfig(name, {width, 12, heads}, 16, image),
                       "AFT-conv, " + size + ", " + std::to_string(heads) + " kernels of " +
                           std::to_string(kernel) + " x " + std::to_string(kernel),
                       parametersM,
                       0,
                       kTable7};
  model.config.mechanism = "aft_conv";
  model.config.attention["kernel"] = kernel;
  model.config.classToken = false;
  model.config.positions = "none";
  if (image == 384) {
    model.config.cropFraction = 1.0;
    model.source = "AFT, Table 8";
  }
  return model;
}

/// AFT's Table 7: the whole image as context, batch norms of queries and keys, the mean of the
/// patches in place of a class token (§5.3). Its sizes have learned positions.
PublishedModel lambdaNetwork(const std::string& size, FlatSize shape, double parametersM) {
  const std::string name = "lambda_" + size;
  PublishedModel model{
      name, flatConfig(name, shape, 16, 224), "Lambda Networks, " + size, parametersM, 0, kTable7};
  model.config.mechanism = "lambda";
  model.config.attention["context"] = 0;
  model.config.attention["norm"] = "queries_keys";
  model.config.classToken = false;
  model.config.qkvBias = false;
  return model;
}

PublishedModel aftMicro(PublishedModel model, const std::string& name) {
  model.name = model.config.name = name;
  model.description = "Very small, for tests and first steps";
  model.source.clear();
  model.config.width = 48;
  model.config.depth = 3;
  model.config.heads = 3;
  model.config.patchSize = 4;
  model.config.imageSize = 32;
  model.config.classes = 10;
  return model;
}

}  // namespace

std::vector<PublishedModel> aftModels() {
  return {
      aftFull("tiny", {192, 12, 3}, 6.3),
      aftFull("small", {384, 12, 6}, 22.6),
      aftConv("tiny", 192, 11, 32, 224, 5.4),
      aftConv("tiny", 192, 11, 192, 224, 5.9),
      aftConv("small", 384, 11, 16, 224, 20.3),
      aftConv("small", 384, 11, 384, 224, 22.5),
      aftConv("small", 384, 15, 384, 224, 23.0),
      aftConv("base", 768, 25, 32, 384, 79.7),
      lambdaNetwork("tiny", {192, 12, 3}, 4.8),
      lambdaNetwork("small", {384, 12, 6}, 17.7),
      aftMicro(aftFull("micro", {48, 3, 3}, 0), "aft_full_micro"),
      aftMicro(aftConv("micro", 48, 5, 3, 32, 0), "aft_conv_micro"),
  };
}

}  // namespace headlight
