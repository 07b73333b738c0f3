// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <iostream>

#include "tests/layers/Includes.h"

namespace headlight::testing {
namespace {

const std::filesystem::path kRoot = HEADLIGHT_SOURCE_DIR;
const FolderOrder kOrder = readFolderOrder(kRoot);

bool allowed(const std::string& file, const std::string& name, bool quoted = true) {
  return !violation(kOrder, file, {name, quoted}).has_value();
}

TEST(Layers, TheRulesTellRightFromWrong) {
  EXPECT_TRUE(allowed("core/config/A.cpp", "core/masks/B.h"));
  EXPECT_TRUE(allowed("core/config/A.cpp", "core/config/B.h"));
  EXPECT_FALSE(allowed("core/masks/A.cpp", "core/config/B.h"));
  EXPECT_FALSE(allowed("core/data/A.cpp", "core/training/B.h"));
  EXPECT_FALSE(allowed("core/new/A.cpp", "core/base/B.h"));
  EXPECT_FALSE(allowed("core/base/A.cpp", "ui/canvas/B.h"));
  EXPECT_FALSE(allowed("core/imaging/A.cpp", "QImage", false));
  EXPECT_FALSE(allowed("core/imaging/A.cpp", "QtCore/QString", false));
  EXPECT_TRUE(allowed("core/models/A.cpp", "torch/nn/module.h", false));

  EXPECT_TRUE(allowed("ui/canvas/A.cpp", "core/workbench/session/B.h"));
  EXPECT_TRUE(allowed("ui/canvas/A.cpp", "core/base/files/B.h"));
  EXPECT_TRUE(allowed("ui/canvas/A.cpp", "QWidget", false));
  EXPECT_FALSE(allowed("ui/canvas/A.cpp", "core/analysis/B.h"));
  EXPECT_FALSE(allowed("ui/canvas/A.cpp", "ATen/ATen.h", false));
  EXPECT_FALSE(allowed("ui/canvas/A.cpp", "core/base/TorchCompat.h"));
  EXPECT_FALSE(allowed("ui/canvas/A.cpp", "app/gui/B.h"));
  EXPECT_FALSE(allowed("ui/canvas/A.cpp", "Sibling.h"));

  EXPECT_TRUE(allowed("core/training/Trainer.cpp", "core/training/run/B.h"));
  EXPECT_TRUE(allowed("core/training/run/A.cpp", "core/training/step/B.h"));
  EXPECT_FALSE(allowed("core/training/step/A.cpp", "core/training/run/B.h"));
  EXPECT_FALSE(allowed("core/training/run/A.cpp", "core/training/B.h"));
  EXPECT_TRUE(allowed("core/workbench/sweeps/A.cpp", "core/workbench/loading/B.h"));
  EXPECT_FALSE(allowed("core/workbench/loading/A.cpp", "core/workbench/sweeps/B.h"));
  EXPECT_FALSE(allowed("core/workbench/loading/A.cpp", "core/workbench/B.h"));
  EXPECT_FALSE(allowed("core/attention/kernels/A.cpp", "core/attention/B.h"));
  EXPECT_TRUE(allowed("core/attention/A.cpp", "core/attention/kernels/B.h"));

  EXPECT_TRUE(allowed("ui/canvas/A.cpp", "ui/base/B.h"));
  EXPECT_TRUE(allowed("ui/canvas/A.cpp", "ui/canvas/B.h"));
  EXPECT_FALSE(allowed("ui/base/A.cpp", "ui/plots/B.h"));
  EXPECT_FALSE(allowed("ui/new/A.cpp", "ui/base/B.h"));
  EXPECT_FALSE(allowed("ui/canvas/A.cpp", "ui/B.h"));
  EXPECT_TRUE(allowed("ui/canvas/A.cpp", "core/models/Registry.h"));
  EXPECT_FALSE(allowed("ui/canvas/A.cpp", "core/workbench/hub/WebClient.h"));
  EXPECT_FALSE(allowed("app/cli/options/A.cpp", "core/workbench/hub/WebClient.h"));

  EXPECT_TRUE(allowed("app/cli/options/A.cpp", "core/workbench/hub/ModelFetch.h"));
  EXPECT_TRUE(allowed("app/cli/commands/A.cpp", "app/cli/options/B.h"));
  EXPECT_FALSE(allowed("app/cli/options/A.cpp", "app/cli/commands/B.h"));
  EXPECT_FALSE(allowed("app/cli/new/A.cpp", "app/cli/options/B.h"));
  EXPECT_FALSE(allowed("app/cli/A.cpp", "core/checkpoint/B.h"));
  EXPECT_FALSE(allowed("app/cli/A.cpp", "ui/document/B.h"));
  EXPECT_FALSE(allowed("app/cli/A.cpp", "QString", false));
  EXPECT_TRUE(allowed("app/gui/A.cpp", "ui/canvas/B.h"));
  EXPECT_FALSE(allowed("app/gui/A.cpp", "app/cli/B.h"));
}

TEST(Layers, IncludesAreFoundInAnySpelling) {
  const auto found = includesIn(
      "#include <vector>\n  # include \"core/base/Log.h\" // why\n"
      "// #include <torch/torch.h>\nint include;\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "vector");
  EXPECT_FALSE(found[0].quoted);
  EXPECT_EQ(found[1].name, "core/base/Log.h");
  EXPECT_TRUE(found[1].quoted);
}

TEST(Layers, EveryIncludeIsAllowed) {
  const auto tree = sourceTree(kRoot);
  std::size_t checked = 0;
  for (const auto& [file, includes] : tree)
    for (const auto& include : includes) {
      ++checked;
      const auto reason = violation(kOrder, file, include);
      EXPECT_FALSE(reason) << file << " includes " << include.name << ": " << *reason;
    }
  EXPECT_GT(tree.size(), 50u) << "the sources were not found";
  EXPECT_GT(checked, 200u);
}

TEST(Layers, EveryRoomHasAPlace) {
  ASSERT_EQ(kOrder.size(), 4u);
  for (const char* layer : {"core", "ui", "app/cli"})
    for (const std::string& room : kOrder.at(layer))
      EXPECT_TRUE(std::filesystem::is_directory(kRoot / layer / room)) << layer << "/" << room;
  for (const std::string& header : kOrder.at("closed"))
    EXPECT_TRUE(std::filesystem::exists(kRoot / ("core/" + header + ".h"))) << header;
  for (const auto& [folder, known] : graphOf(sourceTree(kRoot))) {
    EXPECT_NE(folder, "ui") << "a file lies in ui itself";
    EXPECT_NE(folder, "core/workbench") << "a file lies in the wing itself";
  }
}

TEST(Layers, ACircleIsFound) {
  EXPECT_TRUE(circleIn({{"a", {"b"}}, {"b", {"c"}}, {"c", {}}}).empty());
  EXPECT_EQ(circleIn({{"a", {"b"}}, {"b", {"a"}}, {"c", {}}}),
            (std::vector<std::string>{"a", "b"}));
}

TEST(Layers, NoFoldersIncludeEachOther) {
  const auto circle = circleIn(graphOf(sourceTree(kRoot)));
  EXPECT_TRUE(circle.empty()) << ::testing::PrintToString(circle);
}

TEST(Layers, NoFolderHasMoreThan48Files) {
  for (const auto& [folder, files] : crowdedFolders(kRoot, 48))
    ADD_FAILURE() << folder << " has " << files << " files; make a room of what belongs together";
  EXPECT_GT(crowdedFolders(kRoot, 3).size(), 50u) << "the sources were not found";
}

/// Not a check: the image of who knows whom, for people.
TEST(Layers, TheGraphIsListed) {
  const auto graph = graphOf(sourceTree(kRoot));
  for (const auto& [folder, known] : graph) {
    std::cout << folder << " knows";
    for (const std::string& other : known)
      std::cout << " " << other;
    std::cout << "\n";
  }
}

TEST(Layers, EveryQuotedIncludeExists) {
  for (const auto& [file, includes] : sourceTree(kRoot))
    for (const auto& include : includes) {
      if (!include.quoted || include.name.find('/') == std::string::npos) continue;
      EXPECT_TRUE(std::filesystem::exists(kRoot / include.name)) << file << ": " << include.name;
    }
}

TEST(Layers, NoTorchHeaderIsReachedFromOutsideCore) {
  const auto tree = sourceTree(kRoot);
  for (const auto& [file, includes] : tree) {
    if (file.starts_with("core/")) continue;
    for (const auto& reached : reachableFrom(file, tree))
      for (const auto& include : tree.at(reached))
        EXPECT_FALSE(isTorchHeader(include.name))
            << file << " reaches " << include.name << " through " << reached;
  }
}

}  // namespace
}  // namespace headlight::testing
