// SPDX-License-Identifier: GPL-3.0-or-later

// Norms of tokens, sinks, value norms and output rank beside plain loops over a ViT in double
// precision; a planted outlier is found.

#include "core/workbench/interventions/OutlierTokens.h"

#include <algorithm>
#include <cmath>

#include "tests/models/Pairings.h"
#include "tests/workbench/interventions/InterventionSupport.h"

namespace headlight {
namespace {

double naiveNorm(const at::Tensor& vector) {
  double sum = 0;
  for (std::int64_t i = 0; i < vector.size(0); ++i)
    sum += std::pow(vector[i].item<double>(), 2);
  return std::sqrt(sum);
}

/// The lower of the two in the middle, as at::median.
double naiveMedian(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) / 2];
}

/// By the eigenvalues of XᵀX.
double naiveRank(const at::Tensor& outputs) {
  const at::Tensor squares = at::linalg_eigvalsh(outputs.t().matmul(outputs), "L").clamp_min(0);
  const at::Tensor sizes = squares.sqrt() / squares.sqrt().sum();
  double entropy = 0;
  for (std::int64_t i = 0; i < sizes.size(0); ++i)
    if (const double share = sizes[i].item<double>(); share > 1e-12)
      entropy -= share * std::log(share);
  return std::exp(entropy);
}

TEST(OutlierTokens, AreTheNaiveNumbers) {
  const at::NoGradGuard noGrad;
  const InterventionModel model;
  const NaiveVit vit = model.naive();
  const at::Tensor image = explanationTensor(model.image);
  const NaiveParts parts = naiveParts(vit, image);
  const auto pass = vit.pass(image);
  const auto report = valueOrThrow(findOutliers(*model.session, model.image, model.masks, 1.05));
  ASSERT_EQ(report.layers.size(), 3u);
  for (int l = 0; l < 3; ++l) {
    const OutlierLayer& layer = report.layers[l];
    ASSERT_EQ(layer.norms.size(), 10u);
    std::vector<double> patches;
    for (int t = 0; t < 10; ++t) {
      const double norm = naiveNorm(pass.leaving[l][t]);
      EXPECT_NEAR(layer.norms[t], norm, 1e-4 * norm);
      if (t > 0) patches.push_back(norm);
    }
    EXPECT_NEAR(layer.median, naiveMedian(patches), 1e-3);
    std::vector<int> longer;
    for (int p = 0; p < 9; ++p)
      if (patches[p] > 1.05 * naiveMedian(patches)) longer.push_back(p);
    EXPECT_EQ(layer.outliers, longer);
    for (int h = 0; h < 3; ++h) {
      std::vector<double> received(10, 0.0);
      for (int q = 1; q < 10; ++q)
        for (int k = 0; k < 10; ++k)
          received[k] += pass.maps[l][h][q][k].item<double>() / 9;
      const auto most = std::max_element(received.begin(), received.end());
      EXPECT_NEAR(layer.sink[h], *most, 1e-5);
      EXPECT_EQ(layer.sinkToken[h], most - received.begin());
      EXPECT_NEAR(layer.outputRank[h], naiveRank(parts.at({"heads", l}).slice(1, 8 * h, 8 * h + 8)),
                  1e-3);
      EXPECT_GT(layer.valueNorm[h], 0);
      EXPECT_GT(layer.sinkValue[h], 0);
    }
  }
}

TEST(OutlierTokens, APlantedOneIsFound) {
  const InterventionModel model;
  withModel(*model.session, [](Model& own) {
    const at::NoGradGuard noGrad;
    for (const auto& [name, tensor] : own.trainable())
      if (name == "pos_embed") at::Tensor(tensor)[0][6].mul_(0).add_(1000);
  });
  const auto report = valueOrThrow(findOutliers(*model.session, model.image, model.masks));
  for (const OutlierLayer& layer : report.layers)
    EXPECT_EQ(layer.outliers, std::vector<int>{5});
  EXPECT_EQ(report.most(), 1u);
  EXPECT_FALSE(outlierImage(report, "a model").empty());
  EXPECT_TRUE(outlierCsv(report).starts_with("layer,head,sink,"));
}

TEST(OutlierTokens, EveryBackboneAndMechanismHasThem) {
  for (const auto& [name, config] : costlyPairings()) {
    const auto session = explanationSession(config);
    const auto report =
        findOutliers(*session, explanationImage(config), explanationMasks(*session));
    ASSERT_TRUE(report) << name << ": " << report.error().text();
    for (const OutlierLayer& layer : report->layers)
      for (const double sink : layer.sink) {
        EXPECT_GE(sink, 0) << name;
        EXPECT_LE(sink, 1 + 1e-6) << name;
      }
    EXPECT_FALSE(outlierImage(*report, {}).empty()) << name;
  }
}

TEST(OutlierTokens, RefuseAFactorThatMeansNothing) {
  const InterventionModel model;
  EXPECT_FALSE(findOutliers(*model.session, model.image, model.masks, 1));
}

}  // namespace
}  // namespace headlight
