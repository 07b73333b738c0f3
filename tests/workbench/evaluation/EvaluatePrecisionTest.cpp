// SPDX-License-Identifier: GPL-3.0-or-later

// Evaluation in 16 bits: its numbers against logits that are asked for here one by one, and where
// it is refused. That the processor has no such products makes it slow, not wrong.

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include <cmath>
#include <functional>
#include <optional>

#include "core/base/Processor.h"
#include "core/base/TorchCompat.h"
#include "core/models/Registry.h"
#include "core/models/layers/Precision.h"
#include "core/workbench/bench/Bench.h"
#include "core/workbench/evaluation/MaskEffect.h"
#include "core/workbench/evaluation/OpenedEvaluation.h"
#include "tests/TemporaryFolder.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

class EvaluatePrecision : public ::testing::Test {
 protected:
  void SetUp() override {
    Experiment experiment;
    experiment.model = shrunk(findPublishedModel("deit_tiny")->config);
    experiment.model.classes = 9;  // of texture-shape
    experiment.device = "cpu";
    experiment.threads = 1;
    experiment.training.batchSize = 8;
    m_session = valueOrThrow(InferenceSession::create(experiment));
    m_request.source.weights = m_folder.path() / "model.safetensors";
    m_request.source.device = "cpu";
    m_request.source.threads = 1;
    m_request.data.validationSamples = 18;
    m_request.data.loaderThreads = 0;
    const MaskScheme none(makeMaskShape(experiment.model));
    ASSERT_TRUE(m_session->save(m_request.source.weights, none));
  }

  /// As evaluate() would, on a device that has these products.
  EvaluationResult resultIn(Precision precision) {
    OpenedEvaluation opened = openEvaluation(m_request);
    opened.options.precision = precision;
    return valueOrThrow(opened.measure({}, {}));
  }

  /// Mean −log softmax of the own class, in double precision from the logits of one batch.
  double lossByHand(Precision precision) {
    const OpenedEvaluation opened = openEvaluation(m_request);
    const auto loader = opened.loader();
    loader->startEpoch(0);
    double sum = 0;
    std::int64_t images = 0;
    while (auto batch = valueOrThrow(loader->next({}))) {
      const at::NoGradGuard noGrad;
      at::Tensor logits;
      {
        const AutocastScope autocast(precision, at::kCPU);
        logits = opened.loaded.model->forward(batch->images);
      }
      for (std::int64_t i = 0; i < logits.size(0); ++i, ++images) {
        double total = 0;
        for (std::int64_t c = 0; c < logits.size(1); ++c)
          total += std::exp(logits[i][c].item<double>());
        sum += std::log(total) - logits[i][batch->labels[i].item<std::int64_t>()].item<double>();
      }
    }
    return sum / static_cast<double>(images);
  }

  TemporaryFolder m_folder;
  std::unique_ptr<InferenceSession> m_session;
  EvaluationRequest m_request;
};

TEST_F(EvaluatePrecision, LossIsThatOfTheRoundedLogits) {
  const EvaluationResult exact = resultIn(Precision::Float32),
                         rounded = resultIn(Precision::BFloat16);
  EXPECT_EQ(rounded.images, 18);
  EXPECT_NEAR(exact.loss, lossByHand(Precision::Float32), 1e-5);
  EXPECT_NEAR(rounded.loss, lossByHand(Precision::BFloat16), 1e-5);
  EXPECT_NE(rounded.loss, exact.loss);
  EXPECT_NEAR(rounded.loss, exact.loss, 0.05);
}

/// What a door says of a precision on the CPU; empty where it has it.
std::string refusalBy(const std::function<std::optional<Error>(const std::string&)>& door,
                      const std::string& precision) {
  const auto error = door(precision);
  if (!error) return "";
  EXPECT_EQ(error->code, ErrorCode::InvalidConfig);
  EXPECT_EQ(error->where, "--precision");
  return error->message;
}

template <typename T>
std::optional<Error> errorIn(const Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error());
}

TEST_F(EvaluatePrecision, EveryDoorRefusesWhatTheDeviceLacks) {
  const MaskScheme none(makeMaskShape(m_session->info().experiment.model));
  const std::vector<std::function<std::optional<Error>(const std::string&)>> doors{
      [&](const std::string& precision) {
        m_request.precision = precision;
        return errorIn(evaluate(m_request, {}, {}));
      },
      [&](const std::string& precision) {
        return errorIn(evaluateSchemes(*m_session, {m_request.data}, {none}, {}, {}, precision));
      },
      [](const std::string& precision) {
        BenchOptions options;
        options.device = "cpu";
        options.repeats = options.threads = 1;
        options.models = {"vit_micro"};
        options.precisions = {precision};
        return errorIn(benchModels(options, [](const BenchRow&) {}, {}));
      }};
  const bool has = kLibraryHasFastBfloat16 && hasBfloat16Products();
  for (const auto& door : doors) {
    EXPECT_EQ(refusalBy(door, "float32"), "");
    EXPECT_NE(refusalBy(door, "float16").find("only on CUDA devices"), std::string::npos);
    EXPECT_NE(refusalBy(door, "half").find("bfloat16"), std::string::npos);
    EXPECT_EQ(refusalBy(door, "bfloat16").empty(), has);
  }
}

}  // namespace
}  // namespace headlight
