// SPDX-License-Identifier: GPL-3.0-or-later

// Where results go: an output replaces the file that it is pointed at, and nothing that is none;
// what cannot be written is an error, wherever the program was started from.

#include <sys/resource.h>
#include <sys/stat.h>

#include <sstream>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

class OutputFilesCliTest : public CliTest {
 protected:
  Outcome convertTo(const std::string& out) const {
    return run({"convert", kGolden / "vit_micro.safetensors", out});
  }
  /// The same bytes as a file and through standard output.
  void expectTheSameOnStandardOutput(Arguments arguments) const {
    arguments.push_back("file.safetensors");
    const auto named = run(arguments);
    expectOk(named);
    arguments.back() = "-";
    const auto piped = run(arguments);
    expectOk(piped);
    EXPECT_EQ(piped.out, readBytes(path("file.safetensors"))) << arguments[0];
    EXPECT_FALSE(fs::exists(path("-")));
    EXPECT_FALSE(piped.err.empty()) << "results stand on standard error";
  }
};

TEST_F(OutputFilesCliTest, OutputsReplaceOnlyFiles) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  expectError(convertTo("pipe"), 2, {"pipe", "a pipe", "give a file name"});
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  // By a link, so that a program that replaces what it is given spares the machine's own.
  fs::create_symlink("/dev/null", path("device"));
  expectError(convertTo("device"), 2, {"device", "a device"});
  EXPECT_TRUE(fs::is_character_file(path("device")));
  fs::create_symlink("loop", path("loop"));
  expectError(convertTo("loop"), 2, {"loop", "circular"});
}

TEST_F(OutputFilesCliTest, LinksAndPermissionsStay) {
  write("file", std::string("old"));
  ASSERT_EQ(::chmod(path("file").c_str(), 0600), 0);
  fs::create_symlink("file", path("link"));
  expectOk(convertTo("link"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_GT(fs::file_size(path("file")), 1000u);
  EXPECT_EQ(fs::status(path("file")).permissions(), fs::perms{0600});
}

TEST_F(OutputFilesCliTest, OneFileMayGoToStandardOutput) {
  const std::string weights = kGolden / "vit_micro.safetensors", model = microConfig();
  const std::string tensor = kGolden / "vit_micro.io.safetensors";
  expectTheSameOnStandardOutput({"convert", weights});
  for (const char* command : {"attend", "predict"})
    expectTheSameOnStandardOutput({command, "--tensor", tensor, "--model", model, "--weights",
                                   weights, "--threads", "1", "--output"});
  const fs::path image =
      fs::directory_iterator(fs::directory_iterator(smallImages() / "val")->path())->path();
  expectTheSameOnStandardOutput({"preprocess", image, "--model", model, "--output"});
  const auto json = run({"convert", weights, "-", "--json"});
  expectOk(json);
  EXPECT_EQ(json.errorJson()["output"], "-");
}

TEST_F(OutputFilesCliTest, AttendSaysWhereItsImagesAre) {
  const fs::path image =
      fs::directory_iterator(fs::directory_iterator(smallImages() / "val")->path())->path();
  Arguments arguments{"attend",      image,       "--model",
                      microConfig(), "--weights", kGolden / "vit_micro.safetensors"};
  const auto outcome = run(arguments);
  expectOk(outcome);
  const std::string folder = fs::canonical(path("attention"));
  EXPECT_NE(outcome.err.find("images go to " + folder), std::string::npos) << outcome.err;
  arguments.push_back("--json");
  EXPECT_EQ(run(arguments).json()["folder"], folder);
}

TEST_F(OutputFilesCliTest, AFileThatMayNotGrowIsAnError) {
  auto limited = options();
  limited.inChild = [] {
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  };
  const auto outcome =
      cli({"convert", kGolden / "vit_micro.safetensors", "out.safetensors"}, limited);
  expectError(outcome, 5, {"out.safetensors", "ulimit"});
  EXPECT_TRUE(fs::is_empty(m_folder)) << "nothing is left";
}

TEST_F(OutputFilesCliTest, WithoutStandardStreamsNothingLandsInFiles) {
  write("config.json", tinyTraining());
  const auto outcome = shell("\"$CLI\" train config.json --run run <&- >&- 2>&-", options());
  expectOk(outcome);
  for (const char* name : {"metrics.jsonl", "masks.jsonl"}) {
    std::istringstream lines(readBytes(path("run") / name));
    for (std::string line; std::getline(lines, line);)
      EXPECT_TRUE(nlohmann::json::accept(line)) << name << ": " << line;
  }
  EXPECT_EQ(readBytes(path("run/metrics.csv")).rfind("epoch,", 0), 0u);
}

}  // namespace
}  // namespace headlight::testing
