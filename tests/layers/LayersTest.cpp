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
  EXPECT_FALSE(allowed("core/base/A.cpp", "ui/maps/B.h"));
  EXPECT_FALSE(allowed("core/imaging/A.cpp", "QImage", false));
  EXPECT_FALSE(allowed("core/imaging/A.cpp", "QtCore/QString", false));
  EXPECT_TRUE(allowed("core/models/A.cpp", "torch/nn/module.h", false));

  EXPECT_TRUE(allowed("ui/maps/A.cpp", "core/workbench/B.h"));
  EXPECT_TRUE(allowed("ui/maps/A.cpp", "QWidget", false));
  EXPECT_FALSE(allowed("ui/maps/A.cpp", "core/analysis/B.h"));
  EXPECT_FALSE(allowed("ui/maps/A.cpp", "ATen/ATen.h", false));
  EXPECT_FALSE(allowed("ui/maps/A.cpp", "core/base/TorchCompat.h"));
  EXPECT_FALSE(allowed("ui/maps/A.cpp", "app/gui/B.h"));
  EXPECT_FALSE(allowed("ui/maps/A.cpp", "Sibling.h"));

  EXPECT_TRUE(allowed("core/training/Trainer.cpp", "core/training/run/B.h"));
  EXPECT_TRUE(allowed("core/training/run/A.cpp", "core/training/step/B.h"));
  EXPECT_FALSE(allowed("core/training/step/A.cpp", "core/training/run/B.h"));
  EXPECT_FALSE(allowed("core/training/run/A.cpp", "core/training/B.h"));
  EXPECT_TRUE(allowed("core/workbench/opening/A.cpp", "core/workbench/B.h"));
  EXPECT_FALSE(allowed("core/workbench/opening/A.cpp", "core/workbench/sweep/B.h"));
  EXPECT_TRUE(allowed("core/attention/kernels/A.cpp", "core/attention/B.h"));

  EXPECT_TRUE(allowed("ui/maps/A.cpp", "ui/base/B.h"));
  EXPECT_TRUE(allowed("ui/maps/A.cpp", "ui/maps/B.h"));
  EXPECT_FALSE(allowed("ui/base/A.cpp", "ui/plots/B.h"));
  EXPECT_FALSE(allowed("ui/new/A.cpp", "ui/base/B.h"));
  EXPECT_FALSE(allowed("ui/maps/A.cpp", "ui/B.h"));
  EXPECT_TRUE(allowed("ui/maps/A.cpp", "core/models/Registry.h"));
  EXPECT_FALSE(allowed("ui/maps/A.cpp", "core/workbench/opening/B.h"));
  EXPECT_FALSE(allowed("app/cli/A.cpp", "core/workbench/measure/B.h"));

  EXPECT_TRUE(allowed("app/cli/A.cpp", "core/workbench/B.h"));
  EXPECT_FALSE(allowed("app/cli/A.cpp", "core/checkpoint/B.h"));
  EXPECT_FALSE(allowed("app/cli/A.cpp", "ui/document/B.h"));
  EXPECT_FALSE(allowed("app/cli/A.cpp", "QString", false));
  EXPECT_TRUE(allowed("app/gui/A.cpp", "ui/maps/B.h"));
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

TEST(Layers, EveryFolderHasAPlace) {
  ASSERT_EQ(kOrder.size(), 4u);
  for (const auto& [layer, folders] : kOrder) {
    ASSERT_GT(folders.size(), 2u) << layer;
    for (const std::string& folder : folders)
      EXPECT_TRUE(std::filesystem::is_directory(kRoot / layer / folder)) << layer << "/" << folder;
  }
  EXPECT_FALSE(graphOf("ui", sourceTree(kRoot)).contains("")) << "a file lies in ui itself";
}

/// Not a check: the picture of who knows whom, for people.
TEST(Layers, TheGraphIsListed) {
  for (const char* layer : {"core", "ui"}) {
    const auto graph = graphOf(layer, sourceTree(kRoot));
    for (const std::string& folder : kOrder.at(layer)) {
      std::cout << layer << "/" << folder << " knows";
      for (const std::string& known : kOrder.at(layer))
        if (graph.contains(folder) && graph.at(folder).contains(known)) std::cout << " " << known;
      std::cout << "\n";
    }
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
