#pragma once
// Published model names and what they mean. No torch type: the window lists it too.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/config/ModelConfig.h"

namespace headlight {

struct PublishedModel {
  std::string name;  ///< "deit_tiny_patch16_224"
  ModelConfig config;
  std::string description = {};
  double publishedParametersM = 0;  ///< millions; 0: none published
  double publishedMacsG = 0;        ///< 10⁹; 0: none published
  std::string source = {};          ///< of the published numbers
  std::string scheme = "none";      ///< the mask scheme that the paper pairs it with
};

const std::vector<PublishedModel>& publishedModels();
/// By name or short alias ("deit_tiny" for "deit_tiny_patch16_224").
const PublishedModel* findPublishedModel(const std::string& name);
/// ModelDefaults for core/config.
std::optional<ModelConfig> publishedDefaults(const std::string& name);

struct LayerCost {
  std::string name;  ///< "blocks.0.attn.qkv"
  std::int64_t parameters = 0;
  std::int64_t macs = 0;  ///< multiply-accumulates for one image
};
struct ModelCost {
  std::int64_t parameters = 0;
  std::int64_t macs = 0;
  std::vector<LayerCost> layers;
};
/// Counted from the config alone: nothing is allocated.
ModelCost modelCost(const ModelConfig& config);

}  // namespace headlight
