// SPDX-License-Identifier: GPL-3.0-or-later

// Folders that hold models or runs and are none themselves: a home of the hub, caches, any folder.

#include "core/workbench/loading/ModelsInFolder.h"

#include "core/workbench/loading/ModelInfo.h"
#include "core/workbench/runs/RunsInFolder.h"
#include "core/workbench/session/InferenceSession.h"
#include "tests/workbench/HubFixture.h"

namespace headlight::hub {
namespace {

ModelSource modelNamed(const fs::path& path) {
  ModelSource source;
  source.model = path.string();
  source.device = "cpu";
  return source;
}

class ModelsInFolderTest : public HubTest {};

TEST_F(ModelsInFolderTest, TheOnlyModelOfAHomeOpens) {
  for (const fs::path& folder : {path(""), hub()}) {
    EXPECT_TRUE(holdsHubEntries(folder)) << folder;
    EXPECT_EQ(resolveModelFolder(modelNamed(folder)).model, entry().string()) << folder;
    const auto session = InferenceSession::open(modelNamed(folder));
    ASSERT_TRUE(session) << session.error().text();
    EXPECT_EQ((*session)->info().weightsName, "timm/" + kMicro + " (hub)");
  }
}

TEST_F(ModelsInFolderTest, SeveralAreNamed) {
  makeEntry(hub() / "models--timm--another.micro");
  const auto session = InferenceSession::open(modelNamed(hub()));
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, ErrorCode::InvalidArgument);
  EXPECT_NE(session.error().message.find("models--timm--another.micro"), std::string::npos)
      << session.error().text();
  EXPECT_EQ(findModelsIn(hub(), 9).size(), 2u);
  EXPECT_EQ(findModelsIn(hub(), 1).size(), 1u);
}

TEST_F(ModelsInFolderTest, ModelsThatCannotBeOpenedDoNotCount) {
  fs::create_directories(hub() / "models--google--bert" / "snapshots");
  EXPECT_EQ(resolveModelFolder(modelNamed(hub())).model, entry().string());
  EXPECT_EQ(findModelsIn(hub(), 9).size(), 2u);
}

TEST_F(ModelsInFolderTest, AFileInAFolderIsNamedByItself) {
  fs::create_directories(path("mine"));
  fs::copy_file(fs::path(HEADLIGHT_GOLDEN_DIR) / "vit_micro.safetensors",
                path("mine") / "own.safetensors");
  const ModelSource resolved = resolveModelFolder(modelNamed(path("mine")));
  EXPECT_EQ(resolved.model, "");
  EXPECT_EQ(resolved.weights, path("mine") / "own.safetensors");
}

TEST_F(ModelsInFolderTest, OtherSourcesStayAsTheyAre) {
  fs::create_directories(path("empty"));
  EXPECT_FALSE(holdsHubEntries(path("empty")));
  for (const fs::path& other :
       {entry(), snapshot(), path("empty"), path("missing"), snapshot() / "model.safetensors"})
    EXPECT_EQ(resolveModelFolder(modelNamed(other)).model, other.string());
  EXPECT_EQ(resolveModelFolder(modelNamed("vit_tiny_patch16_224")).model, "vit_tiny_patch16_224");
}

TEST_F(ModelsInFolderTest, RunsAreCounted) {
  EXPECT_EQ(countRunsIn(hub()), 0u);
  for (const char* run : {"runs/a", "runs/sweep/b"}) {
    writeText(path(run) / "config.json", "{}");
    writeText(path(run) / "metrics.csv", "");
  }
  EXPECT_EQ(countRunsIn(path("runs")), 2u);
  EXPECT_EQ(countRunsIn(path("missing")), 0u);
}

}  // namespace
}  // namespace headlight::hub
