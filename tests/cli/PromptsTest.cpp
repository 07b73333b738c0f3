// SPDX-License-Identifier: GPL-3.0-or-later

// Texts as classes, from the command line.

#include <set>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

class PromptsCliTest : public CliTest {
 protected:
  /// A CLIP of transformers, with the tokenizer that its 60 tokens are of.
  std::string clip(bool tokenizer = true) const {
    const fs::path folder = path("clip");
    fs::create_directories(folder);
    for (const char* file : {"config.json", "model.safetensors", "preprocessor_config.json"})
      fs::copy_file(kGolden / "transformers/clip_full" / file, folder / file);
    if (tokenizer)
      fs::copy_file(kGolden / "text/clip_micro/tokenizer.json", folder / "tokenizer.json");
    return folder.string();
  }
  const std::string m_image = (kGolden / "transformers/picture.png").string();
};

TEST_F(PromptsCliTest, PredictsThePrompts) {
  const std::string folder = clip();
  const auto result = run({"predict", "--model", folder, "--prompt", "cat nap", "--prompt",
                           "dog run", m_image, "--json"});  // an image behind them is no prompt
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const auto top = result.json()["results"][0]["top"];
  ASSERT_EQ(top.size(), 2u);
  EXPECT_NEAR(top[0]["probability"].get<double>() + top[1]["probability"].get<double>(), 1, 1e-6);
  EXPECT_EQ(result.json()["model"]["class_names"], "prompts");
  const auto said = run({"predict", m_image, "--model", folder, "--prompt", "cat nap"});
  EXPECT_NE(said.err.find("its classes are 1 prompt"), std::string::npos) << said.err;
}

TEST_F(PromptsCliTest, TakesAFileAndATemplate) {
  const std::string folder = clip();
  write("animals.txt", std::string("cat\n\n dog \n"));
  const auto result = run({"predict", m_image, "--model", folder, "--prompts", "animals.txt",
                           "--prompt", "run", "--prompt-template", "a photo of a {}", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  std::set<std::string> names;
  const auto top = result.json()["results"][0]["top"];
  for (const auto& score : top)
    names.insert(score["name"].get<std::string>());
  EXPECT_EQ(names,
            (std::set<std::string>{"a photo of a cat", "a photo of a dog", "a photo of a run"}));
}

TEST_F(PromptsCliTest, ExplainsAPrompt) {
  const std::string folder = clip();
  const auto result =
      run({"attend", m_image, "--model", folder, "--prompt", "cat nap", "--prompt", "dog run",
           "--show", "relevance", "--class", "dog run", "--output", "out", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_NE(result.out.find("dog run"), std::string::npos) << result.out;
}

/// Class folders are matched with the lines, not with the texts around them.
TEST_F(PromptsCliTest, EvaluatesWithTheLinesAsClassNames) {
  const std::string folder = clip();
  for (const char* name : {"cat", "dog"}) {
    fs::create_directories(path("data") / name);
    fs::copy_file(m_image, path("data") / name / "a.png");
  }
  const auto result = run({"evaluate", "--model", folder, "--prompt", "dog", "--prompt", "cat",
                           "--prompt-template", "a photo of a {}", "--data", "data", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_DOUBLE_EQ(result.json()["top1"].get<double>(), 0.5) << result.out;
}

TEST_F(PromptsCliTest, EvaluatesATemplateWithTheDatasOwnClasses) {
  const std::string folder = clip();
  for (const char* name : {"cat", "dog", "run"}) {
    fs::create_directories(path("data") / name);
    fs::copy_file(m_image, path("data") / name / "a.png");
  }
  const auto result = run({"evaluate", "--model", folder, "--prompt-template", "a photo of a {}",
                           "--data", "data", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.json()["images"], 3);
  EXPECT_NEAR(result.json()["top1"].get<double>(), 1.0 / 3, 1e-9) << result.out;
}

TEST_F(PromptsCliTest, SaysWhatIsMissing) {
  const std::string folder = clip(/*tokenizer=*/false);
  const auto bare = run({"predict", m_image, "--model", folder, "--prompt", "cat"});
  EXPECT_EQ(bare.exitCode, 2) << bare.err;
  EXPECT_NE(bare.err.find("tokenizer.json (or vocab.json and merges.txt)"), std::string::npos)
      << bare.err;
  const auto other = run(
      {"predict", m_image, "--model", kGolden / "transformers/vit_classify", "--prompt", "cat"});
  EXPECT_NE(other.err.find("has no text tower"), std::string::npos) << other.err;
  const auto alone = run({"predict", m_image, "--model", folder, "--prompt-template", "a {}"});
  EXPECT_NE(alone.err.find("needs prompts"), std::string::npos) << alone.err;
}

TEST_F(PromptsCliTest, InspectSaysThatThereIsATextTower) {
  const std::string folder = clip();
  const auto result = run({"inspect", folder});
  EXPECT_NE(result.out.find("text tower of CLIP with tokenizer.json: takes prompts"),
            std::string::npos)
      << result.out;
  EXPECT_EQ(run({"inspect", folder, "--json"}).json()["text_tower"]["takes_prompts"], true);
  EXPECT_TRUE(
      run({"inspect", kGolden / "vit_micro.safetensors", "--json"}).json()["text_tower"].is_null());
}

}  // namespace
}  // namespace headlight::testing
