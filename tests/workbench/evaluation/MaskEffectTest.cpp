// SPDX-License-Identifier: GPL-3.0-or-later

// What masks do on a dataset, against evaluate() and counted by hand.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/models/Registry.h"
#include "core/workbench/evaluation/Evaluate.h"
#include "core/workbench/evaluation/MaskEffect.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/session/ModelAccess.h"
#include "tests/TemporaryFolder.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

class MaskEffects : public ::testing::Test {
 protected:
  void SetUp() override {
    Experiment experiment;
    experiment.model = shrunk(findPublishedModel("deit_tiny")->config);
    experiment.model.classes = 9;  // of texture-shape
    experiment.device = "cpu";
    experiment.threads = 1;
    experiment.training.batchSize = 8;
    m_sample.data.validationSamples = 27;
    m_sample.data.loaderThreads = 0;
    m_sample.samples = 20;
    m_session = valueOrThrow(InferenceSession::create(experiment));
    withModel(*m_session, [](Model& model) {
      at::manual_seed(4);
      for (const auto& [name, tensor] : model.trainable())
        if (tensor.dim() > 1) at::Tensor(tensor).normal_(0, 0.3);
    });
    m_none = MaskScheme(makeMaskShape(experiment.model));
    m_masked = *makeMaskPreset("sch2", m_none.shape());
  }

  std::unique_ptr<InferenceSession> m_session;
  ImageSample m_sample;
  MaskScheme m_none, m_masked;
};

TEST_F(MaskEffects, EachSchemeHasWhatEvaluateMeasures) {
  const auto results = evaluateSchemes(*m_session, m_sample, {m_none, m_masked});
  ASSERT_TRUE(results) << results.error().text();
  const TemporaryFolder folder;
  const auto weights = folder.path() / "model.safetensors";
  ASSERT_TRUE(m_session->save(weights, m_none));
  const std::vector<MaskScheme> schemes{m_none, m_masked};
  for (std::size_t s = 0; s < schemes.size(); ++s) {
    EvaluationRequest request;
    request.source.weights = weights;
    request.source.device = "cpu";
    request.source.threads = 1;
    request.data = m_sample.data;
    request.masks = schemes[s];
    request.samples = m_sample.samples;
    const auto whole = evaluate(request, {}, {});
    ASSERT_TRUE(whole) << whole.error().text();
    const SchemeResult& result = (*results)[s];
    EXPECT_EQ(static_cast<std::int64_t>(result.images.size()), whole->images);
    EXPECT_NEAR(result.loss, whole->loss, 1e-5);
    EXPECT_DOUBLE_EQ(result.top1, whole->top1);
    EXPECT_DOUBLE_EQ(result.top5, whole->top5);
  }
  EXPECT_GT(std::abs((*results)[0].loss - (*results)[1].loss), 1e-3);
}

TEST_F(MaskEffects, EveryImageHasItsVerdict) {
  const auto results = valueOrThrow(evaluateSchemes(*m_session, m_sample, {m_none}));
  double loss = 0;
  for (std::size_t i = 0; i < results[0].images.size(); ++i) {
    const ImageVerdict& verdict = results[0].images[i];
    EXPECT_EQ(verdict.index, static_cast<std::int64_t>(i));
    EXPECT_FALSE(verdict.name.empty());
    EXPECT_GE(verdict.probability, verdict.ofLabel);
    EXPECT_NEAR(verdict.loss, -std::log(double{verdict.ofLabel}), 1e-4);
    EXPECT_TRUE(verdict.amongFive || !verdict.right());
    loss += verdict.loss;
  }
  EXPECT_NEAR(results[0].loss, loss / 20, 1e-12);
  EXPECT_EQ(results[0].classNames.size(), 9u);
}

TEST_F(MaskEffects, TheSessionStaysFreeAndStops) {
  const auto calm = valueOrThrow(evaluateSchemes(*m_session, m_sample, {m_none}));
  const auto busy = evaluateSchemes(*m_session, m_sample, {m_none}, [&](const Progress&) {
    EXPECT_TRUE(m_session->softAlphas(m_masked));  // would wait for ever
    withModel(*m_session, [](Model& model) { at::Tensor(model.trainable()[0].second).zero_(); });
  });
  ASSERT_TRUE(busy) << busy.error().text();
  EXPECT_EQ((*busy)[0].loss, calm[0].loss);
  std::stop_source source;
  const auto stopped = evaluateSchemes(
      *m_session, m_sample, {m_none, m_masked}, [&](const Progress&) { source.request_stop(); },
      source.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::Canceled);
  EXPECT_FALSE(evaluateSchemes(*m_session, m_sample, {MaskScheme(1, 1)}));
}

ImageVerdict verdict(std::int64_t index, int label, int predicted, double loss) {
  ImageVerdict made;
  made.index = index;
  made.label = label;
  made.predicted = predicted;
  made.loss = loss;
  return made;
}

TEST(MaskEffect, ChangesAreCountedAndTheLargestComeFirst) {
  SchemeResult before, after;
  before.images = {verdict(0, 1, 1, 0.1), verdict(1, 2, 0, 2.0), verdict(2, 3, 3, 0.2),
                   verdict(3, 0, 4, 1.0), verdict(4, 5, 5, 0.3)};
  after.images = {verdict(0, 1, 2, 1.6), verdict(1, 2, 2, 0.1), verdict(2, 3, 3, 0.9),
                  verdict(3, 0, 5, 1.2), verdict(4, 5, 5, 0.2)};
  before.loss = 0.72, after.loss = 0.8, before.top1 = 0.6, after.top1 = 0.6;
  const auto effect = maskEffect(before, after);
  ASSERT_TRUE(effect);
  EXPECT_EQ(effect->images, 5);
  EXPECT_EQ(effect->changed, 3);
  EXPECT_EQ(effect->mended, 1);
  EXPECT_EQ(effect->broken, 1);
  EXPECT_NEAR(effect->lossRise, 0.08, 1e-12);
  const auto indices = [](const std::vector<ImageChange>& changes) {
    std::vector<std::int64_t> found;
    for (const ImageChange& change : changes)
      found.push_back(change.before.index);
    return found;
  };
  EXPECT_EQ(indices(effect->changes), (std::vector<std::int64_t>{1, 0, 3}));
  EXPECT_EQ(indices(effect->worst), (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_EQ(indices(maskEffect(before, after, 1)->worst), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(maskEffect(before, after, 0)->changed, 3);
  after.images.pop_back();
  EXPECT_FALSE(maskEffect(before, after));
}

}  // namespace
}  // namespace headlight
