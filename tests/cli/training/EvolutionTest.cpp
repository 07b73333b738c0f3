// SPDX-License-Identifier: GPL-3.0-or-later

// The recorded evolution of a run from the command line: its list, tables, images and films, and
// what it says of what is no recording.

#include <algorithm>
#include <fstream>

#include "core/imaging/codecs/Image.h"
#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class EvolutionCliTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    json config = tinyTraining();
    config["data"]["train_samples"] = 72;
    config["data"]["validation_samples"] = 18;
    config["training"]["epochs"] = 2;
    config["telemetry"]["als_steps"] = 2;
    expectOk(run({"train", write("config.json", config), "--run", "run"}));
  }
  json asJson(Arguments arguments) const {
    arguments.insert(arguments.begin(), {"evolution", "run", "--json"});
    const Outcome outcome = run(arguments);
    expectOk(outcome);
    return outcome.json();
  }
};

TEST_F(EvolutionCliTest, ListsPointsAsTheLogHasThem) {
  const json result = asJson({});
  std::vector<json> logged;
  std::ifstream log(path("run/metrics.jsonl"));
  for (std::string line; std::getline(log, line);)
    if (json::parse(line)["type"] == "heads") logged.push_back(json::parse(line));
  ASSERT_GE(logged.size(), 5u);
  ASSERT_EQ(result["points"].size(), logged.size());
  for (std::size_t i = 0; i < logged.size(); ++i) {
    EXPECT_EQ(result["points"][i]["step"], logged[i]["step"]);
    EXPECT_EQ(result["points"][i]["als"], logged[i]["als"]);
    EXPECT_EQ(result["points"][i]["alpha"], logged[i]["alpha"]);
    EXPECT_EQ(result["points"][i]["top"].size(), result["pictures"].size());
  }
  const Outcome listed = run({"evolution", "run"});
  expectOk(listed);
  EXPECT_NE(listed.out.find("image 0"), std::string::npos);
  EXPECT_NE(listed.out.find("step  epoch"), std::string::npos);

  expectOk(run({"evolution", "run", "--csv", "heads.csv"}));
  std::ifstream table(path("heads.csv"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(table, line);)
    lines.push_back(line);
  EXPECT_EQ(lines.front(), "step,epoch,layer,head,als,alpha");
  EXPECT_EQ(lines.size(), 1 + logged.size() * 4);  // 2 layers of 2 heads
  EXPECT_TRUE(lines[1].starts_with("0,0,0,0,"));
}

TEST_F(EvolutionCliTest, ValuesAreWhatAttendShowsOfTheLastWeights) {
  const json result = asJson({"--values", "--most", "1", "--query", "1,2", "--layer", "1"});
  ASSERT_EQ(result["maps"]["maps"].size(), 2u);
  const json& map = result["maps"]["maps"][1];
  EXPECT_EQ(map["layer"], 1);
  EXPECT_EQ(map["head"], 1);
  EXPECT_EQ(map["step"], result["points"].back()["step"]);
  ASSERT_EQ(map["values"].size(), 16u);
  double sum = 0;
  for (const json& value : map["values"])
    sum += value.get<double>();
  EXPECT_GT(sum, 0.5);  // the rest goes to the class token
  EXPECT_LT(sum, 1.05);
  EXPECT_EQ(asJson({"--values", "--steps", "0,5"})["maps"]["maps"].size(), 4u);
  EXPECT_EQ(asJson({"--values", "--show", "rollout"})["maps"]["maps"][0]["layer"], nullptr);
}

TEST_F(EvolutionCliTest, OldNameOfImageFlagDoesTheSame) {
  for (const std::string flag : {"--picture", "--image"})
    expectOk(run({"evolution", "run", "--strip", flag.substr(2) + ".png", flag, "1"}));
  expectOk(run({"evolution", "run", "--strip", "first.png"}));
  EXPECT_EQ(readBytes(path("picture.png")), readBytes(path("image.png")));
  EXPECT_NE(readBytes(path("first.png")), readBytes(path("image.png")));
  EXPECT_EQ(run({"evolution", "--help"}).out.find("--picture"), std::string::npos);
}

TEST_F(EvolutionCliTest, DrawsStripsAndFilms) {
  expectOk(run({"evolution", "run", "--strip", "strip.png", "--head", "0", "--image", "1"}));
  const auto strip = readImage(path("strip.png"));
  ASSERT_TRUE(strip) << strip.error().text();
  EXPECT_GT(strip->width, 8 * 112);   // eight steps
  EXPECT_GT(strip->height, 2 * 112);  // of head 0 in two layers
  expectOk(run({"evolution", "run", "--strip", "rollout.png", "--show", "rollout", "--steps", "0,4",
                "--style", "overlay", "--own-scale"}));
  ASSERT_TRUE(readImage(path("rollout.png")));

  expectOk(run({"evolution", "run", "--film", "film.gif", "--layer", "0"}));
  const std::string film = readBytes(path("film.gif"));
  EXPECT_TRUE(film.starts_with("GIF89a"));
  EXPECT_EQ(film.back(), '\x3b');
  expectOk(run({"evolution", "run", "--film", "frames"}));
  const std::size_t points = asJson({})["points"].size();
  std::size_t frames = 0;
  for (const auto& entry : fs::directory_iterator(path("frames")))
    frames += readImage(entry.path()) ? 1u : 0u;
  EXPECT_EQ(frames, points);
  const auto moving = run({"evolution", "run", "--film", "film.avi"});
  expectOk(moving);
  EXPECT_NE(moving.out.find(std::to_string(points) + " frames, Motion JPEG in AVI"),
            std::string::npos)
      << moving.out;
  EXPECT_TRUE(readBytes(path("film.avi")).starts_with("RIFF"));
}

TEST_F(EvolutionCliTest, SaysWhatItCannotShow) {
  expectError(run({"evolution"}), 2, {"RUN"});
  expectError(run({"evolution", "run", "--film", "film.mkv"}), 2, {"--film", ".avi", "folder"});
  fs::create_directories(path("frames"));
  write("frames/mine.txt", std::string("kept"));
  expectError(run({"evolution", "run", "--film", "frames"}), 2, {"frames", "not empty"});
  EXPECT_EQ(readBytes(path("frames/mine.txt")), "kept");
  expectError(run({"evolution", "run", "--values"}), 2, {"--json"});
  expectError(run({"evolution", "run", "--strip", "s.png", "--layer", "7"}), 2,
              {"--layer", "0 to 1"});
  expectError(run({"evolution", "run", "--strip", "s.png", "--head", "7"}), 2, {"--head"});
  expectError(run({"evolution", "run", "--strip", "s.png", "--image", "99"}), 2, {"--image"});
  expectError(run({"evolution", "run", "--strip", "s.png", "--query", "9,9"}), 2, {"--query"});
  expectError(run({"evolution", "run", "--strip", "s.png", "--show", "nothing"}), 2,
              {"--show", "attention"});
  EXPECT_FALSE(fs::exists(path("s.png")));
  fs::create_directories(path("empty"));
  EXPECT_NE(run({"evolution", "empty"}).exitCode, 0);
  EXPECT_NE(run({"evolution", "missing"}).exitCode, 0);
  const std::string whole = readBytes(path("run/evolution.bin"));
  write("run/evolution.bin", whole.substr(0, whole.size() - 5));
  const std::size_t before = asJson({})["points"].size();
  EXPECT_GE(before, 4u);
  write("run/evolution.bin", std::string("GIF89a and more"));
  EXPECT_NE(run({"evolution", "run"}).exitCode, 0);
  fs::remove(path("run/evolution.bin"));
  EXPECT_NE(run({"evolution", "run"}).err.find("telemetry.evolution_mb"), std::string::npos);
}

}  // namespace
}  // namespace headlight::testing
