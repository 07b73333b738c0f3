#include <gtest/gtest.h>

#include "tests/layers/Includes.h"

namespace headlight::testing {
namespace {

const std::filesystem::path kRoot = HEADLIGHT_SOURCE_DIR;

bool allowed(const std::string& file, const std::string& name, bool quoted = true) {
  return !violation(file, {name, quoted}).has_value();
}

TEST(Layers, TheRulesTellRightFromWrong) {
  EXPECT_TRUE(allowed("core/config/A.cpp", "core/masks/B.h"));
  EXPECT_TRUE(allowed("core/config/A.cpp", "core/config/B.h"));
  EXPECT_FALSE(allowed("core/masks/A.cpp", "core/config/B.h"));
  EXPECT_FALSE(allowed("core/data/A.cpp", "core/training/B.h"));
  EXPECT_FALSE(allowed("core/new/A.cpp", "core/base/B.h"));
  EXPECT_FALSE(allowed("core/base/A.cpp", "ui/widgets/B.h"));
  EXPECT_FALSE(allowed("core/imaging/A.cpp", "QImage", false));
  EXPECT_FALSE(allowed("core/imaging/A.cpp", "QtCore/QString", false));
  EXPECT_TRUE(allowed("core/models/A.cpp", "torch/nn/module.h", false));

  EXPECT_TRUE(allowed("ui/widgets/A.cpp", "core/workbench/B.h"));
  EXPECT_TRUE(allowed("ui/widgets/A.cpp", "QWidget", false));
  EXPECT_FALSE(allowed("ui/widgets/A.cpp", "core/analysis/B.h"));
  EXPECT_FALSE(allowed("ui/widgets/A.cpp", "ATen/ATen.h", false));
  EXPECT_FALSE(allowed("ui/widgets/A.cpp", "core/base/TorchCompat.h"));
  EXPECT_FALSE(allowed("ui/widgets/A.cpp", "app/gui/B.h"));
  EXPECT_FALSE(allowed("ui/widgets/A.cpp", "Sibling.h"));

  EXPECT_TRUE(allowed("app/cli/A.cpp", "core/workbench/B.h"));
  EXPECT_FALSE(allowed("app/cli/A.cpp", "core/checkpoint/B.h"));
  EXPECT_FALSE(allowed("app/cli/A.cpp", "ui/models/B.h"));
  EXPECT_FALSE(allowed("app/cli/A.cpp", "QString", false));
  EXPECT_TRUE(allowed("app/gui/A.cpp", "ui/widgets/B.h"));
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
      const auto reason = violation(file, include);
      EXPECT_FALSE(reason) << file << " includes " << include.name << ": " << *reason;
    }
  EXPECT_GT(tree.size(), 50u) << "the sources were not found";
  EXPECT_GT(checked, 200u);
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
