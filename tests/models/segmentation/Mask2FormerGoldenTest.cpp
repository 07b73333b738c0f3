// SPDX-License-Identifier: GPL-3.0-or-later

// The decoders with weights of transformers' Mask2Former give what that gives
// (tests/golden/make_mask2former_golden.py).

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include <map>

#include "core/checkpoint/Checkpoint.h"
#include "core/models/segmentation/MaskedDecoder.h"
#include "tests/models/segmentation/SegmenterSupport.h"

namespace headlight {
namespace {

std::map<std::string, at::Tensor> mask2formerTensors(const std::string& name) {
  const Checkpoint file =
      valueOrThrow(readSafetensors(std::string(HEADLIGHT_GOLDEN_DIR "/") + name));
  return {file.tensors.begin(), file.tensors.end()};
}

using GoldenWeights = std::map<std::string, at::Tensor>;

/// PyTorch's attention has the three projections in one.
at::Tensor packedProjection(const GoldenWeights& weights, const std::string& name) {
  const auto dot = name.rfind('.');
  const std::string layer = name.substr(0, name.rfind('.', dot - 1)),
                    projection = name.substr(layer.size() + 1, 1), kind = name.substr(dot + 1);
  const at::Tensor all = weights.at("transformer_module.decoder." + layer + ".in_proj_" + kind);
  return all.chunk(3)[std::string("qkv").find(projection)];
}

/// The tensor that transformers has for one of MaskedDecoder's.
at::Tensor decoderTensor(const GoldenWeights& weights, const std::string& name) {
  if (name.starts_with("queries_") || name == "level_embed")
    return weights.at("transformer_module." + name + ".weight");
  if (name.starts_with("class_predictor.")) return weights.at(name);
  if (name.starts_with("mask_embedder."))
    return weights.at("transformer_module.decoder.mask_predictor." + name.substr(0, 15) + ".0" +
                      name.substr(15));
  if (name.find("cross_attn.") != std::string::npos && name.find("out_proj") == std::string::npos)
    return packedProjection(weights, name);
  return weights.at("transformer_module.decoder." + name);
}

template <typename Part, typename Find>
void giveWeights(Part& part, Find find) {
  const at::NoGradGuard noGrad;
  for (const auto& item : part.named_parameters()) {
    const at::Tensor given = find(item.key());
    ASSERT_EQ(given.sizes(), item.value().sizes()) << item.key();
    item.value().copy_(given);
  }
}

struct GoldenDecoders {
  PixelDecoder pixels{{.in = 12, .width = 32, .heads = 8, .groups = 32, .layers = 2, .hidden = 40}};
  MaskedDecoder masks{
      {.width = 32, .heads = 8, .queries = 7, .layers = 4, .hidden = 48, .classes = 5}};
};

void expectTransformersNumbers(at::ScalarType type, double tolerance) {
  const GoldenWeights weights = mask2formerTensors("mask2former_micro.safetensors"),
                      io = mask2formerTensors("mask2former_micro.io.safetensors");
  GoldenDecoders ours;
  giveWeights(ours.pixels,
              [&](const std::string& name) { return weights.at("pixel_decoder." + name); });
  giveWeights(ours.masks, [&](const std::string& name) { return decoderTensor(weights, name); });
  ours.pixels.to(type);
  ours.masks.to(type);
  const at::NoGradGuard noGrad;
  std::vector<at::Tensor> maps;
  for (int i = 0; i < 4; ++i)
    maps.push_back(io.at("map." + std::to_string(i)).to(type));
  const PixelMaps pixels = ours.pixels.forward(maps);
  for (std::size_t l = 0; l < 3; ++l)
    expectNear(pixels.levels[l], io.at("level." + std::to_string(l)), tolerance, "level");
  expectNear(pixels.features, io.at("features"), tolerance, "features");
  SegmentScores expected;
  for (int i = 0; i < 5; ++i) {
    expected.classes.push_back(io.at("classes." + std::to_string(i)));
    expected.masks.push_back(io.at("masks." + std::to_string(i)));
  }
  expectNear(ours.masks.forward(pixels), expected, tolerance);
}

TEST(Mask2FormerGolden, TransformersGivesTheSameInDoublePrecision) {
  expectTransformersNumbers(at::kDouble, 1e-6);  // the file has float32
}

TEST(Mask2FormerGolden, TransformersGivesTheSameInSinglePrecision) {
  expectTransformersNumbers(at::kFloat, 1e-4);
}

}  // namespace
}  // namespace headlight
