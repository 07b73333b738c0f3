// SPDX-License-Identifier: GPL-3.0-or-later

// evaluate on data whose classes are not the model's: an error with the ways out, and each of them.

#include <algorithm>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

/// A model of ten classes without names, and images of nine.
class ClassMatchCliTest : public ImagesCliTest {
 protected:
  Outcome evaluate(Arguments more, const fs::path& data) const {
    Arguments arguments{"evaluate", "--data", data};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runWithModel(arguments);
  }
  /// The split's folders again, in their order, under names of their own.
  void renameClasses(const std::string& split) const {
    std::vector<fs::path> folders;
    for (const auto& folder : fs::directory_iterator(m_images / split))
      folders.push_back(folder.path());
    std::sort(folders.begin(), folders.end());
    fs::create_directories(path("others") / split);
    for (std::size_t i = 0; i < folders.size(); ++i)
      fs::rename(folders[i], path("others") / split / std::string(1, static_cast<char>('a' + i)));
  }
};

TEST_F(ClassMatchCliTest, NamelessClassesOfAnotherNumberAreNoGuess) {
  const Outcome refused = evaluate({}, m_images);
  expectError(refused, 2, {"no class names", "10", "9", "--match index", "--class-map"});
  EXPECT_EQ(refused.out.find("top-1"), std::string::npos);
  const Outcome chosen = evaluate({"--match", "index"}, m_images);
  expectOk(chosen);
  EXPECT_NE(chosen.out.find("classes by number, as requested"), std::string::npos) << chosen.out;
  const json reported = evaluate({"--match", "index", "--classes", "--json"}, m_images).json();
  EXPECT_NE(reported["class_match"].get<std::string>().find("as requested"), std::string::npos);
  expectError(evaluate({"--match", "number"}, m_images), 2, {"--match", "index"});
}

TEST_F(ClassMatchCliTest, NamesOfTheModelDecide) {
  const Arguments names{"--class-names",
                        write("names.txt", std::string("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n")).string()};
  expectError(evaluate(names, m_images), 2, {"no class of the data", "--match index", "new head"});
  const std::string map = write("map.csv", std::string("nowhere,a\n")).string();
  Arguments mapped = names;
  mapped.insert(mapped.end(), {"--class-map", map});
  expectError(evaluate(mapped, m_images), 2, {"map.csv", "matches no class of the data"});
}

TEST_F(ClassMatchCliTest, TrainingFromOtherClassesBeginsWithANewHead) {
  json config = tinyTraining();
  config["training"]["epochs"] = 1;
  expectOk(run({"train", write("config.json", config), "--run", "a"}));
  const auto on = [&](const fs::path& data, const char* name) {
    return run({"train", path("config.json"), "--weights", "a/last.safetensors", "--data.dataset",
                "image-folder", "--data.path", data, "--run", name});
  };
  const Outcome same = on(m_images, "same");
  expectOk(same);
  EXPECT_EQ(same.err.find("new head"), std::string::npos) << same.err;
  for (const char* split : {"train", "val"})
    renameClasses(split);
  const Outcome other = on(path("others"), "other");
  expectOk(other);
  EXPECT_NE(other.err.find("a new head is trained"), std::string::npos) << other.err;
}

}  // namespace
}  // namespace headlight::testing
