// SPDX-License-Identifier: GPL-3.0-or-later

// Folders of other libraries, made by those libraries with what their models gave: the same logits
// within 1e-4, the same maps within 1e-5.

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/attention/base/AttentionHook.h"
#include "core/models/Registry.h"
#include "core/models/backbones/FinalNorm.h"
#include "core/workbench/loading/LoadedModel.h"
#include "tests/TemporaryFolder.h"
#include "tests/models/Golden.h"

namespace headlight {
namespace {

using Tensors = std::map<std::string, at::Tensor>;

const std::string kFolder = HEADLIGHT_GOLDEN_DIR "/transformers/";

Tensors expectedOf(const std::string& name) {
  return goldenTensors("transformers/" + name + "/expected.io.safetensors");
}

double difference(const at::Tensor& ours, const at::Tensor& theirs) {
  if (ours.sizes() != theirs.sizes()) return 1e9;
  return (ours - theirs).abs().max().item<double>();
}

/// What a model makes of images: its outputs by the names of the expected files.
Tensors outputsOf(Model& model, const at::Tensor& images) {
  const at::NoGradGuard noGrad;
  CollectingHook hook;
  at::Tensor tokens = model.embed(images);
  for (int layer = 0; layer < model.layers(); ++layer)
    tokens = model.block(layer, tokens, &hook);
  Tensors outputs{{"raw", tokens},
                  {"features", finalNormed(model, tokens).tokens},
                  {"pooled", model.pooledFeatures(tokens)},
                  {"logits", model.classify(tokens)}};
  outputs["image_embeds"] = outputs["logits"];
  for (const auto& [layer, map] : hook.maps)
    outputs["attention." + std::to_string(layer)] = map;
  return outputs;
}

ModelSource sourceOf(const std::string& name) {
  ModelSource source;
  source.model = kFolder + name;
  return source;
}

/// A map [1, H, N, N] as the library has it, a window of 4 × 4 after the other: [W, H, 16, 16].
at::Tensor windowsOf(const at::Tensor& map, int layer) {
  constexpr std::int64_t kSide = 4;
  const auto rows = static_cast<std::int64_t>(std::lround(std::sqrt(map.size(2))));
  const std::int64_t shift = layer % 2 == 1 && rows > kSide ? kSide / 2 : 0;
  const at::Tensor places = at::arange(rows * rows)
                                .view({rows, rows})
                                .roll({-shift, -shift}, {0, 1})
                                .view({rows / kSide, kSide, rows / kSide, kSide})
                                .permute({0, 2, 1, 3})
                                .reshape({-1, kSide * kSide});
  std::vector<at::Tensor> windows;
  for (std::int64_t w = 0; w < places.size(0); ++w)
    windows.push_back(map.index_select(2, places[w]).index_select(3, places[w]));
  return at::cat(windows);
}

struct Folder {
  const char* name;
  std::vector<const char*> compared = {"features", "logits"};  ///< besides every map
  bool windows = false;  ///< the library's maps are of windows
};

std::ostream& operator<<(std::ostream& out, const Folder& folder) {
  return out << folder.name;
}

class TransformersFolder : public ::testing::TestWithParam<Folder> {};

TEST_P(TransformersFolder, GivesTheSame) {
  const Folder& folder = GetParam();
  const Tensors expected = expectedOf(folder.name);
  const LoadedModel loaded = loadModel(sourceOf(folder.name));
  EXPECT_TRUE(loaded.info.report.missing.empty()) << loaded.info.report.summary();
  EXPECT_TRUE(loaded.info.report.unexpected.empty()) << loaded.info.report.summary();
  const Tensors ours = outputsOf(*loaded.model, expected.at("input"));
  for (const char* output : folder.compared)
    EXPECT_LT(difference(ours.at(output), expected.at(output)), 1e-4) << output;
  for (int layer = 0; layer < loaded.model->layers(); ++layer) {
    const std::string name = "attention." + std::to_string(layer);
    const at::Tensor map = ours.at(name);
    EXPECT_LT(difference(folder.windows ? windowsOf(map, layer) : map, expected.at(name)), 1e-5)
        << name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Vectors, TransformersFolder,
    ::testing::Values(Folder{"vit_classify"}, Folder{"vit_nobias_relu"}, Folder{"vit_v5_names"},
                      Folder{"deit_classify"}, Folder{"deit_distilled"}, Folder{"ijepa_classify"},
                      Folder{"dinov2_classify"}, Folder{"dinov2_registers", {"features"}},
                      Folder{"dinov3", {"features"}}, Folder{"dinov3_gated", {"features"}},
                      Folder{"beit_classify", {"logits"}}, Folder{"beit_shared_cls"},
                      Folder{"clip_classify", {"logits"}},
                      Folder{"clip_full", {"pooled", "image_embeds"}}, Folder{"siglip_classify"},
                      Folder{"siglip_vision", {"features", "pooled"}},
                      Folder{"siglip2_naflex", {"features", "pooled"}},
                      Folder{"open_clip", {"image_embeds"}},
                      Folder{"swin_classify", {"logits"}, /*windows=*/true},
                      Folder{"swinv2_classify", {"logits"}, /*windows=*/true},
                      Folder{"swin_features", {"pooled"}, /*windows=*/true}),
    [](const auto& info) { return std::string(info.param.name); });

/// A file alone does not say its heads: a config does.
TEST(TorchvisionFile, WithALayerBeforeItsHead) {
  const TemporaryFolder folder;
  const auto config = folder.path() / "vit.json";
  std::ofstream(config) << R"({"model": {"image_size": 32, "patch_size": 8, "width": 32, "depth": 2,
                                         "heads": 4, "mlp_ratio": 2, "classes": 7,
                                         "layout": {"pre_logits": 24}}})";
  ModelSource source;
  source.model = config.string();
  source.weights = kFolder + "torchvision_vit_prelogits/vit_micro.pth";
  const LoadedModel loaded = loadModel(source);
  EXPECT_TRUE(loaded.info.report.complete()) << loaded.info.report.summary();
  const Tensors expected = expectedOf("torchvision_vit_prelogits");
  const Tensors ours = outputsOf(*loaded.model, expected.at("input"));
  for (const char* output : {"features", "logits"})
    EXPECT_LT(difference(ours.at(output), expected.at(output)), 1e-4) << output;
  for (const char* map : {"attention.0", "attention.1"})
    EXPECT_LT(difference(ours.at(map), expected.at(map)), 1e-5) << map;
}

/// YOLOS has its 6 detection tokens behind the patches, here they stand before them.
at::Tensor detectionFirst(const at::Tensor& theirs, std::int64_t dimension) {
  const std::int64_t tokens = theirs.size(dimension), found = 6;
  return theirs.index_select(dimension, at::cat({at::arange(1), at::arange(tokens - found, tokens),
                                                 at::arange(1, tokens - found)}));
}

TEST(TransformersTokens, DetectionTokensComeFirst) {
  const Tensors expected = expectedOf("yolos_detect");
  const LoadedModel loaded = loadModel(sourceOf("yolos_detect"));
  const Tensors ours = outputsOf(*loaded.model, expected.at("input"));
  EXPECT_LT(difference(ours.at("features"), detectionFirst(expected.at("features"), 1)), 1e-4);
  for (const char* map : {"attention.0", "attention.1"})
    EXPECT_LT(difference(ours.at(map), detectionFirst(detectionFirst(expected.at(map), 2), 3)),
              1e-5);
}

/// The classes and boxes of its detection tokens, with and without positions added in every block.
TEST(TransformersObjects, AreThoseOfYolos) {
  for (const char* name : {"yolos_detect", "yolos_detect_plain"}) {
    const at::NoGradGuard noGrad;
    const Tensors expected = expectedOf(name);
    const LoadedModel loaded = loadModel(sourceOf(name));
    EXPECT_TRUE(loaded.info.report.missing.empty()) << loaded.info.report.summary();
    EXPECT_TRUE(loaded.info.report.unexpected.empty()) << loaded.info.report.summary();
    at::Tensor tokens = loaded.model->embed(expected.at("input"));
    for (int layer = 0; layer < loaded.model->layers(); ++layer)
      tokens = loaded.model->block(layer, tokens, nullptr);
    const ObjectScores found = loaded.model->findObjects(tokens);
    EXPECT_LT(difference(found.logits, expected.at("logits")), 1e-4) << name;
    EXPECT_LT(difference(found.boxes, expected.at("pred_boxes")), 1e-4) << name;
    EXPECT_EQ(loaded.info.objectNames.size(), 7u);
    EXPECT_EQ(loaded.info.objectNames.front(), "tench");
    EXPECT_TRUE(loaded.info.classNames.empty());
    EXPECT_EQ(loaded.info.experiment.model.classes, 0);
    EXPECT_EQ(modelCost(loaded.info.experiment.model).parameters, loaded.info.parameters);
  }
}

/// At another size each library resizes its position embeddings in its own way.
TEST(TransformersSizes, PositionsAreResizedAsThere) {
  for (const char* name : {"vit_classify", "dinov2_classify", "dinov2_registers", "dinov3",
                           "siglip2_naflex", "yolos_detect"}) {
    const Tensors expected = expectedOf(name);
    const at::Tensor images = expected.at("other.input");
    ModelSource source = sourceOf(name);
    source.imageHeight = static_cast<int>(images.size(2));
    source.imageWidth = static_cast<int>(images.size(3));
    const LoadedModel loaded = loadModel(source);
    const at::Tensor theirs = expected.at("other.features");
    EXPECT_LT(difference(outputsOf(*loaded.model, images).at("features"),
                         loaded.info.objectNames.empty() ? theirs : detectionFirst(theirs, 1)),
              1e-4)
        << name << ": " << loaded.info.report.summary();
  }
}

}  // namespace
}  // namespace headlight
