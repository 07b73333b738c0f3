// SPDX-License-Identifier: GPL-3.0-or-later

// The key `task` of an Experiment: which backbone it chooses, what contradicts it, what is written.

#include <gtest/gtest.h>

#include <set>

#include "core/config/Experiment.h"
#include "core/config/ExperimentTask.h"
#include "core/models/Registry.h"

namespace headlight {
namespace {

Result<Experiment> readTasked(const Json& json) {
  return experimentFromJson(json, modelCatalog());
}

Json writtenTask(const Json& json) {
  const Json written = experimentToJson(valueOrThrow(readTasked(json)));
  return written.contains("task") ? written["task"] : Json();
}

std::string chosenBackbone(const Json& json) {
  return valueOrThrow(readTasked(json)).model.backbone;
}

TEST(ExperimentTask, ChoosesABackboneWhereNoneIsNamed) {
  for (const auto& [task, backbone] :
       {std::pair{"classification", "vit"}, std::pair{"detection", "lcnet_vit"},
        std::pair{"segmentation", "vit_segmenter"}, std::pair{"mae", "mae"}}) {
    EXPECT_EQ(chosenBackbone({{"task", task}}), backbone);
    EXPECT_EQ(chosenBackbone({{"task", task}, {"model", {{"backbone", "vit"}}}}), backbone);
    EXPECT_EQ(chosenBackbone({{"task", task}, {"model", {{"backbone", backbone}}}}), backbone);
  }
  const Json esnet{{"task", "detection"}, {"model", {{"backbone", "esnet_vit"}}}};
  EXPECT_EQ(chosenBackbone(esnet), "esnet_vit");
  const Json base{{"task", "segmentation"}, {"model", {{"name", "vit_base_patch16_224"}}}};
  const Experiment segmenter = valueOrThrow(readTasked(base));
  EXPECT_EQ(segmenter.model.backbone, "vit_segmenter");
  EXPECT_EQ(segmenter.model.width, 768);
  EXPECT_EQ(taskOf(segmenter.model), Task::Segment);
}

TEST(ExperimentTask, IsWrittenUnlessItIsClassification) {
  EXPECT_EQ(writtenTask(Json::object()), Json());
  EXPECT_EQ(writtenTask({{"task", "classification"}}), Json());
  EXPECT_EQ(writtenTask({{"model", {{"backbone", "esnet_vit"}}}}), "detection");
  EXPECT_EQ(writtenTask({{"model", {{"backbone", "vit_segmenter"}}}}), "segmentation");
  EXPECT_EQ(writtenTask({{"task", "mae"}}), "mae");
  for (const std::string task : {"classification", "detection", "segmentation", "mae"}) {
    const Experiment once = valueOrThrow(readTasked({{"task", task}}));
    const Experiment again = valueOrThrow(readTasked(experimentToJson(once)));
    EXPECT_EQ(experimentToText(again), experimentToText(once)) << task;
  }
}

TEST(ExperimentTask, RefusesWhatTheBackboneContradicts) {
  const auto refused = [](const Json& json) {
    const auto read = readTasked(json);
    EXPECT_FALSE(read.ok()) << json.dump();
    return read ? Error() : read.error();
  };
  const Error swin = refused({{"task", "segmentation"}, {"model", {{"backbone", "swin"}}}});
  EXPECT_EQ(swin.where, "task");
  for (const char* words : {"segmentation", "swin", "classification", "vit_segmenter", "leave"})
    EXPECT_NE(swin.message.find(words), std::string::npos) << words << " in: " << swin.message;
  const Error named =
      refused({{"task", "mae"}, {"model", {{"name", "swin_tiny_patch4_window7_224"}}}});
  EXPECT_NE(named.message.find("swin"), std::string::npos);
  EXPECT_EQ(refused({{"task", "classification"}, {"model", {{"backbone", "mae"}}}}).where, "task");
  EXPECT_EQ(refused({{"task", "poetry"}}).where, "task");
  EXPECT_EQ(refused({{"task", 3}}).where, "task");
  EXPECT_NE(refused({{"task", "sequence"}}).message.find("sequence train"), std::string::npos);
}

TEST(ExperimentTask, IsAFlagAndGoesWithTheBackboneThatItWasOf) {
  Json json = Json::object();
  ASSERT_TRUE(overrideParameter(json, "task", "segmentation", modelCatalog()).ok());
  ASSERT_TRUE(overrideParameter(json, "model.layout.queries", "7", modelCatalog()).ok());
  const Experiment segmenter = valueOrThrow(readTasked(json));
  EXPECT_EQ(segmenter.model.layout["queries"], 7);
  Json written = experimentToJson(segmenter);
  ASSERT_TRUE(overrideParameter(written, "model.backbone", "vit", modelCatalog()).ok());
  EXPECT_FALSE(written.contains("task"));
  EXPECT_FALSE(overrideParameter(json, "task", "poetry", modelCatalog()).ok());
  // A task that says otherwise stays, to be refused.
  ASSERT_TRUE(overrideParameter(json, "model.backbone", "swin", modelCatalog()).ok());
  EXPECT_EQ(json["task"], "segmentation");
}

/// The registry has a task of each backbone from the same list.
TEST(ExperimentTask, EveryTaskHasABackboneInTheRegistry) {
  std::set<Task> seen;
  for (const Variant& backbone : modelCatalog().backbones) {
    EXPECT_EQ(backbone.task, backboneTask(backbone.name)) << backbone.name;
    seen.insert(backbone.task);
  }
  for (const Task task : {Task::Classify, Task::Detect, Task::Segment, Task::Rebuild}) {
    EXPECT_TRUE(seen.contains(task)) << taskName(task);
    ASSERT_TRUE(modelCatalog().backbone(backboneForTask(task))) << taskName(task);
    EXPECT_EQ(modelCatalog().backbone(backboneForTask(task))->task, task);
  }
}

}  // namespace
}  // namespace headlight
