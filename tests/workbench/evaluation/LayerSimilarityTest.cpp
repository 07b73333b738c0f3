// SPDX-License-Identifier: GPL-3.0-or-later

// How alike layers look: of an image, and averaged over a dataset, beside loops in double over
// the maps that a look has.

#include "core/workbench/evaluation/LayerSimilarity.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/models/Registry.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/session/Datasets.h"
#include "core/workbench/session/ModelAccess.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

std::unique_ptr<InferenceSession> modelToCompare(const std::string& published) {
  Experiment experiment;
  experiment.model = shrunk(findPublishedModel(published)->config);
  experiment.model.classes = 9;  // of texture-shape
  experiment.device = "cpu";
  experiment.threads = 1;
  experiment.data.validationSamples = 18;
  experiment.data.loaderThreads = 0;
  auto session = valueOrThrow(InferenceSession::create(experiment));
  withModel(*session, [](Model& model) {  // maps that are not all alike
    at::manual_seed(4);
    for (const auto& [name, tensor] : model.trainable())
      if (tensor.dim() > 1) at::Tensor(tensor).normal_(0, 0.2);
  });
  return session;
}

std::vector<Image> imagesFor(const InferenceSession& session, std::int64_t samples) {
  const Experiment& experiment = session.info().experiment;
  DatasetSpec spec = makeDatasetSpec(experiment.data, experiment.model.imageSize, experiment.seed);
  spec.maxValidationSamples = samples;
  const auto dataset = valueOrThrow(openDataset(spec, Split::Validation));
  std::vector<Image> images;
  for (std::int64_t i = 0; i < dataset->size(); ++i)
    images.push_back(valueOrThrow(dataset->sample(i)).image);
  return images;
}

MaskScheme unmasked(const InferenceSession& session) {
  return MaskScheme(makeMaskShape(session.info().experiment.model));
}

/// Eq. 4 as it is written, in double: NaN across grids.
double naiveCosine(const LayerMaps& a, const LayerMaps& b, int head) {
  if (!(a.grid == b.grid)) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (int t = 0; t < a.tokens(); ++t) {
    double xy = 0, xx = 0, yy = 0;
    for (int k = 0; k < a.tokens(); ++k) {
      const double x = a.row(head, t)[k], y = b.row(head, t)[k];
      xy += x * y;
      xx += x * x;
      yy += y * y;
    }
    if (xx > 0 && yy > 0) sum += xy / (std::sqrt(xx) * std::sqrt(yy));
  }
  return sum / a.tokens();
}

/// [1 + heads][L × L] over images, as LayerSimilarity has it.
std::vector<std::vector<double>> naiveMeans(InferenceSession& session,
                                            const std::vector<Image>& images,
                                            const MaskScheme& masks) {
  const auto& heads = session.info().heads;
  const std::size_t layers = heads.size();
  const int most = *std::max_element(heads.begin(), heads.end());
  std::vector<std::vector<double>> means(static_cast<std::size_t>(most) + 1,
                                         std::vector<double>(layers * layers, 0.0));
  for (const Image& image : images) {
    const InferenceResult inference = valueOrThrow(session.infer(image, masks));
    for (std::size_t i = 0; i < layers; ++i)
      for (std::size_t j = 0; j < layers; ++j) {
        const LayerMaps &a = inference.maps.layers[i], &b = inference.maps.layers[j];
        const int common = std::min(a.heads, b.heads);
        for (int h = 0; h < most; ++h) {
          const double one = !(a.grid == b.grid) || h < common ? naiveCosine(a, b, h) : 0;
          means[h + 1][i * layers + j] += one / static_cast<double>(images.size());
          if (h < common)
            means[0][i * layers + j] += one / common / static_cast<double>(images.size());
        }
      }
  }
  return means;
}

void expectNear(const std::vector<std::vector<double>>& got,
                const std::vector<std::vector<double>>& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t h = 0; h < got.size(); ++h) {
    ASSERT_EQ(got[h].size(), expected[h].size());
    for (std::size_t i = 0; i < got[h].size(); ++i) {
      ASSERT_EQ(std::isnan(got[h][i]), std::isnan(expected[h][i])) << h << " " << i;
      if (std::isnan(got[h][i])) continue;
      EXPECT_NEAR(got[h][i], expected[h][i], tolerance) << h << " " << i;
    }
  }
}

TEST(LayerSimilarity, OverADataSetIsTheMeanOfItsImages) {
  const auto session = modelToCompare("deit_tiny");
  MaskScheme masks = unmasked(*session);
  masks.set(0, 1, {MaskKind::Hard, 3});
  const ImageSample sample{session->info().experiment.data, 11};  // more than a batch, unevenly
  const auto images = imagesFor(*session, 11);
  ASSERT_EQ(images.size(), 11u);
  std::int64_t reported = 0;
  const auto found = measureSimilarity(*session, sample, masks, [&](const Progress& step) {
    EXPECT_EQ(step.done, ++reported);
    EXPECT_EQ(step.total, 11);
  });
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(reported, 11);
  EXPECT_EQ(found->images, 11);
  EXPECT_EQ(found->layers, 3);
  EXPECT_EQ(found->heads(), 3);
  expectNear(found->values, naiveMeans(*session, images, masks), 1e-5);
  EXPECT_NEAR(found->of(-1)[0], 1, 1e-6);  // of a layer with itself
  // The same again is the same to the last bit.
  EXPECT_EQ(valueOrThrow(measureSimilarity(*session, sample, masks)).values, found->values);
}

TEST(LayerSimilarity, OfAnImageIsThatOfItsMaps) {
  const auto session = modelToCompare("deit_tiny");
  const auto images = imagesFor(*session, 9);
  const auto found = measureSimilarity(*session, images[2], unmasked(*session));
  ASSERT_TRUE(found) << found.error().text();
  expectNear(found->values, naiveMeans(*session, {images[2]}, unmasked(*session)), 1e-6);
  EXPECT_EQ(found->images, 1);
}

TEST(LayerSimilarity, StagesAreNotComparedAcrossGridsAndSignedMapsSayIt) {
  for (const char* name : {"swin_tiny", "vit_lsla", "castling_deit_tiny", "cait_xxs24_224"}) {
    if (!findPublishedModel(name)) continue;
    SCOPED_TRACE(name);
    const auto session = modelToCompare(name);
    const auto images = imagesFor(*session, 9);
    const auto found = measureSimilarity(*session, ImageSample{session->info().experiment.data, 9},
                                         unmasked(*session));
    ASSERT_TRUE(found) << found.error().text();
    expectNear(found->values, naiveMeans(*session, images, unmasked(*session)), 1e-4);
    EXPECT_EQ(found->isSigned, session->info().mapIsSigned);
  }
}

TEST(LayerSimilarity, ItStopsWhenAskedAndRefusesWhatDoesNotFit) {
  const auto session = modelToCompare("deit_tiny");
  const ImageSample sample{session->info().experiment.data, 18};
  std::stop_source source;
  const auto stopped = measureSimilarity(
      *session, sample, unmasked(*session), [&](const Progress&) { source.request_stop(); },
      source.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::Canceled);
  EXPECT_FALSE(measureSimilarity(*session, sample, MaskScheme(2, 2)));
  EXPECT_FALSE(measureSimilarity(*session, Image{}, unmasked(*session)));
  ImageSample nowhere = sample;
  nowhere.data.dataset = "cifar10";
  nowhere.data.path = "/no/such/folder";
  EXPECT_FALSE(measureSimilarity(*session, nowhere, unmasked(*session)));
}

TEST(LayerSimilarity, TheSessionIsFreeMeanwhile) {
  const auto session = modelToCompare("deit_tiny");
  const ImageSample sample{session->info().experiment.data, 9};
  const auto calm = valueOrThrow(measureSimilarity(*session, sample, unmasked(*session)));
  const auto images = imagesFor(*session, 9);
  MaskScheme other = unmasked(*session);
  other.set(0, 0, {MaskKind::Strict, 1});
  const auto busy = measureSimilarity(*session, sample, unmasked(*session), [&](const Progress&) {
    EXPECT_TRUE(session->infer(images[0], other));
  });
  ASSERT_TRUE(busy) << busy.error().text();
  EXPECT_EQ(busy->values, calm.values);
}

TEST(LayerSimilarity, LeavesAsATable) {
  LayerSimilarity similarity;
  similarity.layers = 2;
  similarity.values = {{1, 0.5, 0.5, 1}, {1, std::nan(""), std::nan(""), 1}};
  EXPECT_EQ(similarityCsv(similarity, -1),
            "head,layer,other,similarity\nmean,0,0,1\nmean,0,1,0.5\nmean,1,0,0.5\nmean,1,1,1\n");
  EXPECT_EQ(similarityCsv(similarity),
            similarityCsv(similarity, -1) + "0,0,0,1\n0,0,1,\n0,1,0,\n0,1,1,1\n");
}

}  // namespace
}  // namespace headlight
