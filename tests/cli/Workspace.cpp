// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cli/Workspace.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace headlight::testing {

void CliTest::SetUp() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  m_folder = fs::temp_directory_path() /
             ("headlight-cli-" + std::to_string(::getpid()) + "-" + test->name());
  fs::create_directories(m_folder);
}

void CliTest::TearDown() {
  std::error_code ignored;
  fs::remove_all(m_folder, ignored);
}

fs::path CliTest::write(const std::string& name, const std::string& bytes) const {
  std::ofstream(path(name), std::ios::binary) << bytes;
  return path(name);
}

fs::path CliTest::write(const std::string& name, const nlohmann::json& json) const {
  return write(name, json.dump());
}

Outcome CliTest::run(const Arguments& arguments) const {
  return cli(arguments, options());
}

Outcome CliTest::runAtHome(const Arguments& arguments) const {
  ProgramOptions own = options();
  const std::string home = path("home").string();
  own.inChild = [home] { ::setenv("XDG_DATA_HOME", home.c_str(), 1); };
  return cli(arguments, own);
}

fs::path CliTest::microConfig(bool distilled) const {
  const nlohmann::json model = {
      {"name", "micro"}, {"image_size", 32}, {"patch_size", 4}, {"width", 48},
      {"depth", 3},      {"heads", 3},       {"classes", 10},   {"distilled", distilled}};
  return write(distilled ? "distilled.json" : "micro.json", nlohmann::json{{"model", model}});
}

nlohmann::json CliTest::tinyTraining() const {
  return {
      {"name", "tiny"},
      {"seed", 3},
      {"device", "cpu"},
      {"threads", 1},
      {"model",
       {{"name", "tiny"},
        {"image_size", 16},
        {"patch_size", 4},
        {"width", 16},
        {"depth", 2},
        {"heads", 2},
        {"classes", 9},
        {"drop_path", 0.1}}},
      {"masks", {{"scheme", "sch3"}}},
      {"data", {{"dataset", "texture-shape"}, {"train_samples", 72}, {"validation_samples", 18}}},
      {"training", {{"epochs", 6}, {"batch_size", 8}, {"checkpoint_steps", 5}, {"ema_decay", 0.9}}},
      {"telemetry", {{"metrics_steps", 1}, {"als_steps", 10}, {"probe_images", 2}}}};
}

fs::path CliTest::smallImages() const {
  const auto made = run({"make-dataset", "images", "--size", "40", "--train", "18", "--val", "9"});
  EXPECT_EQ(made.exitCode, 0) << made.err;
  return path("images");
}

void ImagesCliTest::SetUp() {
  CliTest::SetUp();
  m_images = smallImages();
  for (const auto& entry : fs::recursive_directory_iterator(m_images / "val"))
    if (entry.is_regular_file()) m_files.push_back(entry.path());
  std::sort(m_files.begin(), m_files.end());
  ASSERT_GE(m_files.size(), 9u);
  m_model = {"--model", microConfig(), "--weights", kGolden / "vit_micro.safetensors"};
}

Outcome ImagesCliTest::runWithModel(Arguments arguments) const {
  arguments.insert(arguments.end(), m_model.begin(), m_model.end());
  return run(arguments);
}

std::string readBytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void expectError(const Outcome& outcome, int exitCode, const std::vector<std::string>& words) {
  EXPECT_EQ(outcome.exitCode, exitCode) << outcome.out << outcome.err;
  const auto begin = outcome.err.find("error: ");
  ASSERT_NE(begin, std::string::npos) << "no error was said: " << outcome.err;
  const std::string line = outcome.err.substr(begin, outcome.err.find('\n', begin) - begin);
  for (const auto& word : words)
    EXPECT_NE(line.find(word), std::string::npos) << "no \"" << word << "\" in: " << line;
}

void expectOk(const Outcome& outcome) {
  EXPECT_EQ(outcome.exitCode, 0) << outcome.out << outcome.err << " signal " << outcome.signal
                                 << (outcome.timedOut ? ", too slow" : "");
}

}  // namespace headlight::testing
