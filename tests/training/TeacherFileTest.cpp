// SPDX-License-Identifier: GPL-3.0-or-later

// Distillation from a file of logits or features: the loss, rows by the sample's name, what is
// refused, and runs that have one.

#include "core/workbench/training/TeacherFile.h"

#include <gtest/gtest.h>

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/training/step/Loss.h"
#include "core/training/step/StepRunner.h"
#include "core/workbench/session/Datasets.h"
#include "tests/training/SharedSteps.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

TEST(TeacherFile, KeysAreFnv) {
  // Test vectors of the algorithm's authors (Fowler, Noll, Vo).
  EXPECT_EQ(teacherKey(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(teacherKey("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(teacherKey("foobar"), 0x85944171f73967e8ULL);
}

TEST(TeacherFile, FeaturesLearnTheirDirection) {
  const at::Tensor student = at::randn({3, 4}, at::kDouble),
                   wanted = at::randn({3, 4}, at::kDouble);
  double expected = 0;
  for (int b = 0; b < 3; ++b) {
    double dot = 0, own = 0, other = 0;
    for (int i = 0; i < 4; ++i) {
      const double s = student[b][i].item<double>(), t = wanted[b][i].item<double>();
      dot += s * t;
      own += s * s;
      other += t * t;
    }
    expected += (1 - dot / std::sqrt(own * other)) / 3;
  }
  EXPECT_NEAR(featureDistillation(student, wanted).item<double>(), expected, 1e-12);
}

TEST(TeacherFile, MixedImagesLearnFromBothRows) {
  const ModelConfig config = tinyExperiment().model;
  const auto model = makeModel(config, 3);
  model->to(at::kDouble);
  model->eval();
  TrainingConfig training;
  training.distillation = "soft";
  Mix mix;
  mix.share = 0.7;
  const Batch batch = sharedBatch(config, 4, 0);
  MixedBatch mixed = mixedBatch(batch.images, batch.labels, mix);
  const at::Tensor rows = at::randn({4, config.classes}, at::kDouble);
  mixed.addWanted(rows);
  const StepLosses losses = stepLosses(*model, mixed, training, nullptr);
  const at::Tensor logits = model->forward(mixed.images);
  double expected = 0;  // KL of the i-th image to its own row and to its partner's, the 3 − i-th
  for (int i = 0; i < 4; ++i)
    for (const auto& [row, share] : std::vector<std::pair<int, double>>{{i, 0.7}, {3 - i, 0.3}}) {
      const at::Tensor own = logits[i] / 3, wanted = rows[row] / 3;  // τ = 3
      double ownSum = 0, wantedSum = 0;
      for (int c = 0; c < config.classes; ++c) {
        ownSum += std::exp(own[c].item<double>());
        wantedSum += std::exp(wanted[c].item<double>());
      }
      for (int c = 0; c < config.classes; ++c) {
        const double p = std::exp(wanted[c].item<double>()) / wantedSum,
                     q = std::exp(own[c].item<double>()) / ownSum;
        expected += share * 9 * p * std::log(p / q) / 4;
      }
    }
  EXPECT_NEAR(losses.distillation.item<double>(), expected, 1e-9);
  const double labels = mixedCrossEntropy(logits, mixed, training.labelSmoothing).item<double>();
  EXPECT_NEAR(losses.total.item<double>(), 0.5 * labels + 0.5 * expected, 1e-9);
  const MixedBatch part = mixed.part(1, 2);
  EXPECT_TRUE(at::equal(part.wanted, rows.narrow(0, 1, 2)));
  EXPECT_TRUE(at::equal(part.wantedPartners, rows.flip(0).narrow(0, 1, 2)));
}

/// What a file has: rows for the training images of a run.
struct TeacherContent {
  std::vector<std::string> names, classes;
  at::Tensor logits, features;
};

TeacherContent contentFor(const Experiment& experiment, std::int64_t width) {
  const auto train = valueOrThrow(openDataset(
      makeDatasetSpec(experiment.data, experiment.model.imageSize, experiment.seed), Split::Train));
  TeacherContent content;
  content.classes = train->classNames();
  for (std::int64_t i = 0; i < train->size(); ++i)
    content.names.push_back(teacherName(*train, i, experiment.data.path));
  seedTorch(4);
  const auto classes = static_cast<std::int64_t>(content.classes.size());
  content.logits = at::randn({train->size(), classes});
  content.features = at::randn({train->size(), width});
  return content;
}

std::string writeTeacher(const std::filesystem::path& path, const TeacherContent& content) {
  std::vector<std::int64_t> keys;
  for (const std::string& name : content.names)
    keys.push_back(static_cast<std::int64_t>(teacherKey(name)));
  std::map<std::string, std::string> metadata{{"format", "headlight teacher"}};
  if (!content.classes.empty()) metadata["class_names"] = Json(content.classes).dump();
  valueOrThrow(writeSafetensors(path,
                                {{"logits", content.logits},
                                 {"features", content.features},
                                 {"keys", at::tensor(keys, at::kLong)}},
                                metadata));
  return path.string();
}

Experiment fileDistilled(const std::string& kind) {
  Experiment experiment = tinyExperiment();
  experiment.training.distillation = kind;
  return experiment;
}

TEST(TeacherFile, GivesEverySampleItsRowInTheDatasClasses) {
  const TemporaryFolder temporary;
  Experiment experiment = fileDistilled("soft");
  const TeacherContent content = contentFor(experiment, 16);
  TeacherContent shuffled = content;  // rows and classes backwards
  std::reverse(shuffled.names.begin(), shuffled.names.end());
  std::reverse(shuffled.classes.begin(), shuffled.classes.end());
  shuffled.logits = content.logits.flip({0, 1});
  experiment.data.teacherLogits = writeTeacher(temporary.path() / "t.safetensors", shuffled);
  const auto train = valueOrThrow(openDataset(
      makeDatasetSpec(experiment.data, experiment.model.imageSize, experiment.seed), Split::Train));
  const auto opened = openTeacherFile(experiment, *train);
  EXPECT_TRUE(at::equal(
      opened.rows->of({5, 0, 5}),
      content.logits.index_select(0, at::tensor(std::vector<std::int64_t>{5, 0, 5}, at::kLong))));
  EXPECT_FALSE(opened.fingerprint.empty());
}

TEST(TeacherFile, ARunResumesToTheSameWeightsAndWithNoOtherFile) {
  const TemporaryFolder temporary;
  for (const char* kind : {"soft", "hard", "features"}) {
    Experiment experiment = fileDistilled(kind);
    experiment.training.mixupAlpha = 0.8;
    const TeacherContent content = contentFor(experiment, experiment.model.width);
    const auto file = temporary.path() / (std::string(kind) + ".safetensors");
    experiment.data.teacherLogits = writeTeacher(file, content);
    const auto whole = temporary.path() / kind;
    const auto stopped = temporary.path() / (std::string(kind) + " stopped");
    runToEnd(*begin(experiment, whole));
    ASSERT_TRUE(runUntil(*begin(experiment, stopped), 4));
    TeacherContent other = content;
    other.logits = content.logits + 1;
    other.features = content.features + 1;
    writeTeacher(file, other);
    const auto refused = TrainingSession::resume(stopped);
    ASSERT_FALSE(refused.ok()) << kind;
    EXPECT_NE(refused.error().message.find("data.teacher_logits"), std::string::npos)
        << refused.error().text();
    writeTeacher(file, content);
    runToEnd(*resume(stopped));
    expectSame(lastTensors(whole), lastTensors(stopped));
  }
}

TEST(TeacherFile, RefusesWhatDoesNotFit) {
  const TemporaryFolder temporary;
  const Experiment plain = fileDistilled("soft");
  const TeacherContent good = contentFor(plain, 16);
  const auto refusal = [&](const std::function<void(TeacherContent&, Experiment&)>& spoil) {
    TeacherContent content = good;
    Experiment experiment = plain;
    experiment.data.teacherLogits = (temporary.path() / "t.safetensors").string();
    spoil(content, experiment);
    writeTeacher(temporary.path() / "t.safetensors", content);
    const auto refused = TrainingSession::begin(experiment, temporary.path() / "run");
    EXPECT_FALSE(refused.ok());
    EXPECT_FALSE(std::filesystem::exists(temporary.path() / "run"));
    return refused.ok() ? std::string() : refused.error().where + ": " + refused.error().message;
  };
  const auto expectWords = [](const std::string& text, const char* where, const char* words) {
    EXPECT_TRUE(text.starts_with(where)) << text;
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  const char* option = "data.teacher_logits";
  expectWords(refusal([](auto& content, auto&) {
                content.names.pop_back();
                content.logits = content.logits.narrow(0, 0, 39).clone();
                content.features = content.features.narrow(0, 0, 39).clone();
              }),
              option, "none for 1 training image");
  expectWords(refusal([](auto& content, auto&) { content.names[3] = content.names[4]; }), option,
              "two rows for one image");
  expectWords(refusal([](auto& content, auto&) {
                content.logits = content.logits.clone();  // the others keep theirs
                content.logits[2][3] = NAN;
              }),
              option, "1 numbers that are not finite");
  expectWords(refusal([](auto& content, auto&) {
                content.classes.pop_back();
                content.logits = content.logits.narrow(1, 0, 8).clone();
              }),
              option, "8 classes, but the data has 9");
  expectWords(refusal([](auto& content, auto&) { content.classes[0] = "zebra"; }), option,
              "choose a teacher for the same classes");
  expectWords(refusal([](auto&, auto& experiment) { experiment.training.distillation = "none"; }),
              "training.distillation", "data.teacher_logits is given");
  expectWords(refusal([](auto&, auto& experiment) { experiment.training.teacher = "deit_tiny"; }),
              option, "takes the place of a teacher");
  expectWords(refusal([](auto& content, auto& experiment) {
                experiment.training.distillation = "features";
                content.features = at::randn({40, 7});
              }),
              option, "features of width 7");
  expectWords(refusal([](auto&, auto& experiment) {
                experiment.training.distillation = "features";
                experiment.data.teacherLogits.clear();
              }),
              option, "is missing");
}

}  // namespace
}  // namespace headlight
