// SPDX-License-Identifier: GPL-3.0-or-later

// The classifier of starting weights: its rows in the data's order, or none of them.

#include "core/workbench/loading/StartingHead.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/config/Experiment.h"
#include "core/models/Registry.h"
#include "core/training/run/ModelFile.h"

namespace headlight {
namespace {

using Names = std::vector<std::string>;

/// Row i of the head is filled with i; `names`: of its classes, none where it is empty.
Checkpoint checkpointOf(const Names& names, std::int64_t rows) {
  Checkpoint checkpoint;
  checkpoint.tensors = {
      {"norm.weight", at::ones({4})},
      {"head.weight", at::arange(rows).to(at::kFloat).view({rows, 1}).repeat({1, 4})},
      {"head.bias", at::arange(rows).to(at::kFloat)}};
  if (!names.empty()) {
    Experiment experiment;
    experiment.model.classes = static_cast<int>(rows);
    checkpoint.metadata = modelMetadata(
        experiment, valueOrThrow(resolveMasks(experiment.masks, makeMaskShape(experiment.model))),
        names);
  }
  return checkpoint;
}

std::vector<float> biasOf(const Checkpoint& checkpoint) {
  for (const auto& [name, tensor] : checkpoint.tensors)
    if (name == "head.bias")
      return {tensor.data_ptr<float>(), tensor.data_ptr<float>() + tensor.numel()};
  return {};
}

TEST(StartingHead, OfTheSameClassesStaysAsItIs) {
  Checkpoint checkpoint = checkpointOf({"a", "b", "c"}, 3);
  EXPECT_EQ(fitHead(checkpoint, "w", {"a", "b", "c"}), "");
  EXPECT_EQ(biasOf(checkpoint), (std::vector<float>{0, 1, 2}));
}

TEST(StartingHead, GetsTheDatasOrder) {
  Checkpoint checkpoint = checkpointOf({"a", "b", "c"}, 3);
  EXPECT_NE(fitHead(checkpoint, "w", {"c", "a", "b"}).find("order"), std::string::npos);
  EXPECT_EQ(biasOf(checkpoint), (std::vector<float>{2, 0, 1}));
  EXPECT_EQ(checkpoint.tensors[1].second[0][0].item<float>(), 2);
}

TEST(StartingHead, KeepsTheRowsOfClassesThatItKnows) {
  Checkpoint checkpoint = checkpointOf({"a", "b", "c"}, 3);
  const NamedTensors model{{"head.weight", at::full({4, 4}, -1.0F)},
                           {"head.bias", at::full({4}, -1.0F)}};
  const std::string said = keepClasses(checkpoint, "w", {"c", "x", "A", "y"}, model);
  EXPECT_NE(said.find("keeps 2 of its 4 classes"), std::string::npos) << said;
  EXPECT_EQ(biasOf(checkpoint), (std::vector<float>{2, -1, 0, -1}));
  EXPECT_EQ(checkpoint.tensors[1].second[0][3].item<float>(), 2);
  EXPECT_EQ(checkpoint.tensors[1].second[1][3].item<float>(), -1);
  EXPECT_EQ(model[1].second[0].item<float>(), -1) << "the model's own is not written";

  Checkpoint same = checkpointOf({"a", "b", "c"}, 3), others = same;
  EXPECT_EQ(keepClasses(same, "w", {"c", "a", "b"}, model), "");
  EXPECT_EQ(keepClasses(others, "w", {"x", "y", "z"}, model), "");
  EXPECT_EQ(biasOf(others), (std::vector<float>{0, 1, 2}));
}

TEST(StartingHead, OfOtherClassesIsLeftOut) {
  Checkpoint checkpoint = checkpointOf({"a", "b", "c"}, 3);
  const std::string said = fitHead(checkpoint, "w", {"a", "b", "x"});
  EXPECT_TRUE(said.starts_with("a new head is trained: ")) << said;
  EXPECT_NE(said.find("\"x\""), std::string::npos) << said;
  ASSERT_EQ(checkpoint.tensors.size(), 1u);
  EXPECT_EQ(checkpoint.tensors[0].first, "norm.weight");
}

TEST(StartingHead, WithoutNamesIsTakenByNumberAndSaid) {
  Checkpoint checkpoint = checkpointOf({}, 3);
  EXPECT_NE(fitHead(checkpoint, "w", {"a", "b", "x"}).find("by number"), std::string::npos);
  EXPECT_EQ(biasOf(checkpoint), (std::vector<float>{0, 1, 2}));
  Checkpoint thousand = checkpointOf({}, 1000);
  Names others;
  for (int i = 0; i < 1000; ++i)
    others.push_back("other " + std::to_string(i));
  EXPECT_TRUE(fitHead(thousand, "w", others).starts_with("a new head is trained"));
  EXPECT_TRUE(biasOf(thousand).empty());
}

}  // namespace
}  // namespace headlight
