// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/ConfigPaths.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/TemporaryFolder.h"

namespace headlight {
namespace {

TEST(ConfigPaths, AreLookedForBesideTheConfigFirst) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "images");
  std::ofstream(folder / "start.safetensors") << "weights";
  Json json = {{"data", {{"path", "images"}}},
               {"training",
                {{"weights", "./start.safetensors"},
                 {"teacher", "deit_tiny"},
                 {"teacher_weights", "/elsewhere/start.safetensors"}}}};
  findPathsBeside(json, folder.path());
  EXPECT_EQ(json["data"]["path"], (folder / "images").string());
  EXPECT_EQ(json["training"]["weights"], (folder / "start.safetensors").string());
  EXPECT_EQ(json["training"]["teacher"], "deit_tiny");
  EXPECT_EQ(json["training"]["teacher_weights"], "/elsewhere/start.safetensors");
}

TEST(ConfigPaths, OtherJsonPassesBy) {
  for (const char* text : {"7", "{}", R"({"data": 1, "training": []})", R"({"data": {"path": 3}})",
                           R"({"data": {"path": ""}})"}) {
    Json json = Json::parse(text);
    findPathsBeside(json, "/");
    EXPECT_EQ(json, Json::parse(text));
  }
}

}  // namespace
}  // namespace headlight
