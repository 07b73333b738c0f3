// SPDX-License-Identifier: GPL-3.0-or-later

// Learning from a teacher: the losses, what the teacher is given, and runs that have one.

#include <gtest/gtest.h>

#include <ATen/Functions.h>

#include <cmath>

#include "core/training/run/TrainingCheckpoint.h"
#include "core/training/step/Loss.h"
#include "core/training/step/StepRunner.h"
#include "core/workbench/session/Images.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

using Rows = std::vector<std::vector<double>>;

at::Tensor teacherTensor(const Rows& rows) {
  const auto height = static_cast<std::int64_t>(rows.size());
  const auto width = static_cast<std::int64_t>(rows[0].size());
  at::Tensor tensor = at::empty({height, width}, at::kDouble);
  for (std::int64_t i = 0; i < height; ++i)
    for (std::int64_t j = 0; j < width; ++j)
      tensor[i][j] = rows[i][j];
  return tensor;
}

/// softmax(row / τ).
std::vector<double> softened(const std::vector<double>& row, double temperature) {
  std::vector<double> result;
  double sum = 0;
  for (const double value : row)
    sum += std::exp(value / temperature);
  for (const double value : row)
    result.push_back(std::exp(value / temperature) / sum);
  return result;
}

const Rows kStudent{{1.0, 2.0, -0.5}, {0.3, 0.1, 0.9}};
const Rows kTeacher{{0.2, 3.0, 0.4}, {2.0, -1.0, 1.5}};

TEST(Distillation, SoftIsTheDivergenceOfSoftenedProbabilities) {
  for (const double temperature : {1.0, 3.0, 0.5}) {
    double expected = 0;  // λ τ² KL(ψ(Zs/τ), ψ(Zt/τ)) of DeiT Eq. 2, without λ
    for (std::size_t i = 0; i < kStudent.size(); ++i) {
      const auto own = softened(kStudent[i], temperature);
      const auto wanted = softened(kTeacher[i], temperature);
      for (std::size_t c = 0; c < own.size(); ++c)
        expected += wanted[c] * std::log(wanted[c] / own[c]) / static_cast<double>(kStudent.size());
    }
    expected *= temperature * temperature;
    EXPECT_NEAR(softDistillation(teacherTensor(kStudent), teacherTensor(kTeacher), temperature)
                    .item<double>(),
                expected, 1e-12);
  }
  EXPECT_NEAR(softDistillation(teacherTensor(kTeacher), teacherTensor(kTeacher), 3).item<double>(),
              0, 1e-15);
}

TEST(Distillation, HardIsCrossEntropyWithTheTeachersDecisions) {
  // The teacher decides for classes 1 and 0.
  const double expected =
      -(std::log(softened(kStudent[0], 1)[1]) + std::log(softened(kStudent[1], 1)[0])) / 2;
  EXPECT_NEAR(hardDistillation(teacherTensor(kStudent), teacherTensor(kTeacher)).item<double>(),
              expected, 1e-12);
}

ModelConfig smallModel(bool distilled, int image = 16) {
  ModelConfig config = tinyExperiment().model;
  config.distilled = distilled;
  config.imageSize = image;
  config.dropPath = 0;
  return config;
}

Preprocessing gray(int size) {
  Preprocessing preprocessing;
  preprocessing.height = preprocessing.width = size;
  preprocessing.mean = {0.5f, 0.5f, 0.5f};
  preprocessing.deviation = {0.25f, 0.25f, 0.25f};
  return preprocessing;
}

Preprocessing own(int size) {
  Preprocessing preprocessing;
  preprocessing.height = preprocessing.width = size;
  return preprocessing;
}

TEST(Teacher, SeesTheImageInItsOwnNormalizationAndSize) {
  const Teacher teacher(makeModel(smallModel(false, 24), 1), gray(24), own(16));
  EXPECT_TRUE(teacher.resizes());
  const std::array<double, 3> pixel{0.2, 0.6, 0.9};  // in [0, 1]
  at::Tensor images = at::empty({2, 3, 16, 16});
  for (int c = 0; c < 3; ++c)
    images.select(1, c).fill_((pixel[c] - own(16).mean[c]) / own(16).deviation[c]);
  const at::Tensor given = teacher.adapted(images);
  ASSERT_EQ(given.sizes(), (at::IntArrayRef{2, 3, 24, 24}));
  for (int c = 0; c < 3; ++c) {
    const at::Tensor expected = at::full({2, 24, 24}, (pixel[c] - 0.5) / 0.25);
    EXPECT_TRUE(at::allclose(given.select(1, c), expected, 0, 1e-5)) << c;
  }
  const Teacher same(makeModel(smallModel(false), 1), own(16), own(16));
  EXPECT_TRUE(at::equal(same.adapted(images), images));
}

TEST(Teacher, NeitherLearnsNorDrawsAndAnswersInTheStudentsClasses) {
  ModelConfig config = smallModel(true);
  config.dropPath = 0.9;
  const auto model = makeModel(config, 1);
  model->train();
  seedTorch(3);
  const at::Tensor images = at::randn({3, 3, 16, 16});
  Teacher plain(model, own(16), own(16));
  seedTorch(4);
  const at::Tensor expectedDraw = at::rand({4});
  seedTorch(4);
  const at::Tensor logits = plain.logits(images);
  EXPECT_TRUE(at::equal(at::rand({4}), expectedDraw));
  EXPECT_FALSE(logits.requires_grad());
  EXPECT_TRUE(at::equal(plain.logits(images), logits));
  const std::vector<std::int64_t> order{8, 0, 1, 2, 3, 4, 5, 6, 7};
  Teacher reordered(model, own(16), own(16), order);
  const at::Tensor permuted = reordered.logits(images);
  for (std::int64_t c = 0; c < 9; ++c)
    EXPECT_TRUE(at::equal(permuted.select(1, c), logits.select(1, order[c])));
}

/// The gradient's size of one parameter after one backward pass.
double gradientOf(Model& model, const std::string& name) {
  for (const auto& [key, tensor] : model.trainable())
    if (key == name) return tensor.grad().defined() ? tensor.grad().abs().sum().item<double>() : 0;
  ADD_FAILURE() << name;
  return 0;
}

TEST(StepLosses, TheClassHeadLearnsLabelsAndTheDistillationHeadTheTeacher) {
  seedTorch(5);
  const at::Tensor images = at::randn({4, 3, 16, 16});
  const at::Tensor labels = at::tensor({0, 3, 5, 8}, at::kLong);
  Teacher teacher(makeModel(smallModel(false), 2), own(16), own(16));
  for (const char* kind : {"soft", "hard"})
    for (const double alpha : {0.0, 1.0}) {
      TrainingConfig config;
      config.distillation = kind;
      config.distillationAlpha = alpha;
      const auto model = makeModel(smallModel(true), 3);
      const StepLosses losses = stepLosses(*model, mixedBatch(images, labels), config, &teacher);
      losses.total.backward();
      EXPECT_EQ(gradientOf(*model, "head.weight") > 0, alpha == 0) << kind;
      EXPECT_EQ(gradientOf(*model, "head_dist.weight") > 0, alpha == 1) << kind;
    }
}

TEST(StepLosses, AddUpAsEquationsTwoAndThreeSay) {
  seedTorch(6);
  const at::Tensor images = at::randn({4, 3, 16, 16});
  const at::Tensor labels = at::tensor({1, 1, 2, 7}, at::kLong);
  Teacher teacher(makeModel(smallModel(false), 2), own(16), own(16));
  const at::Tensor wanted = teacher.logits(images);
  for (const bool distilled : {false, true}) {
    const auto model = makeModel(smallModel(distilled), 3);
    const ClassLogitsPair both = model->forwardBoth(images);
    const at::Tensor learner = distilled ? both.distilled : both.logits;
    TrainingConfig config;
    config.labelSmoothing = 0.1;
    config.distillation = "soft";
    config.distillationAlpha = 0.3;
    config.distillationTemperature = 2;
    const double labelLoss = smoothedCrossEntropy(both.logits, labels, 0.1).item<double>();
    const StepLosses soft = stepLosses(*model, mixedBatch(images, labels), config, &teacher);
    EXPECT_NEAR(soft.total.item<double>(),
                0.7 * labelLoss + 0.3 * softDistillation(learner, wanted, 2).item<double>(), 1e-5);
    config.distillation = "hard";
    config.distillationAlpha = 0.5;
    const StepLosses hard = stepLosses(*model, mixedBatch(images, labels), config, &teacher);
    EXPECT_NEAR(hard.total.item<double>(),
                0.5 * labelLoss + 0.5 * hardDistillation(learner, wanted).item<double>(), 1e-5);
    EXPECT_FALSE(hard.auxiliary.defined());
  }
}

/// A run whose best weights are the teacher's; its images are larger than the student's.
std::filesystem::path trainedTeacher(const TemporaryFolder& folder, int image = 24) {
  Experiment experiment = tinyExperiment();
  experiment.model.imageSize = image;
  return runToEnd(*begin(experiment, folder / ("teacher " + std::to_string(image)))).best;
}

Experiment distilledExperiment(const std::filesystem::path& teacher, const std::string& kind) {
  Experiment experiment = tinyExperiment();
  experiment.model.distilled = true;
  experiment.training.distillation = kind;
  experiment.training.teacher = teacher.string();
  return experiment;
}

TEST(DistilledRun, LowersTheDistillationLoss) {
  TemporaryFolder folder;
  Experiment experiment = distilledExperiment(trainedTeacher(folder), "soft");
  experiment.training.epochs = 12;
  experiment.training.learningRate = 3e-3;
  experiment.model.dropPath = 0;
  const auto session = begin(experiment, folder / "run");
  std::vector<std::string> warnings = session->takeUpdate().warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("16 × 16 to 24 × 24"), std::string::npos) << warnings[0];
  runToEnd(*session);
  std::vector<double> losses;
  for (const std::string& line : linesOf(folder / "run/metrics.jsonl")) {
    const Json json = Json::parse(line);
    if (json["type"] != "step") continue;
    ASSERT_TRUE(json.contains("distillation_loss")) << line;
    losses.push_back(json["distillation_loss"].get<double>());
  }
  ASSERT_EQ(losses.size(), 60u);
  double first = 0, last = 0;
  for (int i = 0; i < 5; ++i) {
    first += losses[i];
    last += losses[losses.size() - 1 - i];
  }
  EXPECT_LT(last, 0.8 * first);
}

TEST(DistilledRun, ResumesToTheSameWeights) {
  TemporaryFolder folder;
  const auto teacher = trainedTeacher(folder);
  for (const char* kind : {"soft", "hard"}) {
    const Experiment experiment = distilledExperiment(teacher, kind);
    const auto whole = folder / (std::string(kind) + " whole");
    const auto stopped = folder / (std::string(kind) + " stopped");
    runToEnd(*begin(experiment, whole));
    ASSERT_TRUE(runUntil(*begin(experiment, stopped), 4));
    runToEnd(*resume(stopped));
    expectSame(lastTensors(whole), lastTensors(stopped));
  }
}

TEST(DistilledRun, DoesNotGoOnWithAnotherTeacher) {
  TemporaryFolder folder;
  const auto teacher = trainedTeacher(folder);
  const Experiment experiment = distilledExperiment(teacher, "soft");
  ASSERT_TRUE(runUntil(*begin(experiment, folder / "run"), 4));
  EXPECT_FALSE(valueOrThrow(readTrainingCheckpoint(opened(folder / "run"), "last.safetensors"))
                   .teacherFingerprint.empty());
  // The same kind of model in the same place, trained for longer.
  std::filesystem::rename(teacher, folder / "first.safetensors");
  std::filesystem::copy_file(teacher.parent_path() / "last.safetensors", teacher);
  const auto refused = TrainingSession::resume(folder / "run");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidFile);
  for (const char* words : {"training.teacher", "restore them", "start a new run"})
    EXPECT_NE(refused.error().text().find(words), std::string::npos) << refused.error().text();
  std::filesystem::rename(folder / "first.safetensors", teacher);
  runToEnd(*resume(folder / "run"));

  // A run without a teacher has nothing to compare.
  ASSERT_TRUE(runUntil(*begin(tinyExperiment(), folder / "plain"), 4));
  EXPECT_TRUE(valueOrThrow(readTrainingCheckpoint(opened(folder / "plain"), "last.safetensors"))
                  .teacherFingerprint.empty());
}

/// The error of beginning such a run.
Error refusal(const Experiment& experiment) {
  TemporaryFolder folder;
  const auto session = TrainingSession::begin(experiment, folder / "run");
  EXPECT_FALSE(session);
  EXPECT_FALSE(std::filesystem::exists(folder / "run"));
  return session ? Error() : session.error();
}

TEST(DistilledRun, RefusesTeachersByTheirJsonPath) {
  TemporaryFolder folder;
  Experiment experiment = distilledExperiment("", "hard");
  Error error = refusal(experiment);
  EXPECT_EQ(error.code, ErrorCode::InvalidConfig);
  EXPECT_EQ(error.where, "training.teacher");

  experiment.training.teacher = "deit_tiny_patch16_224";  // of ImageNet's classes
  error = refusal(experiment);
  EXPECT_EQ(error.where, "training.teacher");
  EXPECT_NE(error.message.find("1000 classes, but the data has 9"), std::string::npos)
      << error.text();

  experiment.training.teacher = (folder / "nowhere.safetensors").string();
  error = refusal(experiment);
  EXPECT_EQ(error.where, "training.teacher");
  EXPECT_NE(error.message.find("nowhere.safetensors"), std::string::npos) << error.text();

  std::ofstream(folder / "broken.safetensors") << "not a checkpoint";
  experiment.training.teacher = "deit_tiny_patch16_224";
  experiment.training.teacherWeights = (folder / "broken.safetensors").string();
  error = refusal(experiment);
  EXPECT_EQ(error.where, "training.teacher_weights");

  Json json = experimentToJson(experiment);
  json["training"]["distillation"] = "medium";
  const auto read = experimentFromJson(json, {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().where, "training.distillation");
}

}  // namespace
}  // namespace headlight
