// SPDX-License-Identifier: GPL-3.0-or-later

// Watching runs from another process while they are trained, and what it says of what is no run.

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

using nlohmann::json;

class WatchCliTest : public CliTest {
 protected:
  /// No checkpoint but at the end of epochs, of which each is a step for 8 images.
  fs::path config(int epochs, int images = 72) const {
    json config = tinyTraining();
    config["data"]["train_samples"] = images;
    config["training"]["epochs"] = epochs;
    config["training"]["checkpoint_steps"] = 100000;
    return write("config.json", config);
  }
  void train(const std::string& folder, int epochs = 1) const {
    expectOk(run({"train", config(epochs), "--run", folder}));
  }
  json once(Arguments named) const {
    named.insert(named.begin(), "watch");
    named.insert(named.end(), {"--once", "--json"});
    const Outcome outcome = run(named);
    return outcome.json()["runs"];
  }
};

std::function<bool(const std::string&)> stepBeyond(const char* key, std::int64_t step) {
  return [key, step](const std::string& line) {
    const json event = json::parse(line, nullptr, false);
    return event.is_object() && event.contains(key) && event.value("step", -1) > step;
  };
}

std::vector<std::string> namesIn(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

TEST_F(WatchCliTest, FollowsARunUntilItHasEnded) {
  Program training(HEADLIGHT_CLI, {"train", config(150), "--run", "run", "--json"}, options());
  ASSERT_TRUE(training.waitForLine(stepBeyond("loss", 2)));
  Program watching(HEADLIGHT_CLI, {"watch", "run", "--every", "0.2", "--json"}, options());
  std::vector<json> inferences;
  const auto read = [&](const std::string& line) {
    inferences.push_back(json::parse(line)["runs"][0]);
    return inferences.back()["state"] != "training";
  };
  // Both go on together; nobody reads what the training says meanwhile.
  const Outcome trained = training.finish();
  expectOk(trained);
  EXPECT_TRUE(watching.waitForLine(read));
  const Outcome watched = watching.finish();
  expectOk(watched);
  ASSERT_GE(inferences.size(), 3u) << watched.out;
  const json& first = inferences.front();
  EXPECT_EQ(first["state"], "training");
  EXPECT_EQ(first["name"], "tiny");
  EXPECT_EQ(first["certain"], true);
  EXPECT_EQ(first["steps"], 1350);
  EXPECT_GT(first["step"], 0);
  EXPECT_GT(first["images_per_second"], 0);
  EXPECT_GE(first["seconds_remaining"], 0);
  for (std::size_t i = 1; i < inferences.size(); ++i)
    EXPECT_GE(inferences[i]["step"], inferences[i - 1]["step"]);
  EXPECT_LT(first["step"], inferences[inferences.size() - 2]["step"]) << "it was seen growing";
  const json& last = inferences.back();
  EXPECT_EQ(last["state"], "finished");
  EXPECT_EQ(last["step"], 1350);
  EXPECT_EQ(last["epoch"], 150);
  EXPECT_EQ(last["best_top1"], trained.json()["best_top1"]);
  EXPECT_TRUE(last["als"].is_number());
  EXPECT_TRUE(last["seconds_remaining"].is_null());
}

TEST_F(WatchCliTest, ATableOfSeveralAndOfASweep) {
  train("one");
  fs::create_directories(path("sweep/a"));
  fs::create_directories(path("sweep/b"));
  fs::copy(path("one"), path("sweep/a/seed-0"));
  fs::copy(path("one"), path("sweep/b/seed-0"));
  const auto before = namesIn(path("one"));
  const Outcome both = run({"watch", "one/", "sweep", "--once"});
  expectOk(both);
  for (const char* words : {"run ", "top-1 (best)", "one ", "sweep/a/seed-0", "sweep/b/seed-0",
                            "finished", "1/1", "9/9"})
    EXPECT_NE(both.out.find(words), std::string::npos) << words << "\n" << both.out;
  EXPECT_EQ(std::count(both.out.begin(), both.out.end(), '\n'), 4) << both.out;
  EXPECT_NE(run({"watch", "sweep", "--once"}).out.find("\na/seed-0 "), std::string::npos);
  EXPECT_EQ(namesIn(path("one")), before);
  // All have ended: it does not wait.
  expectOk(run({"watch", "one", "sweep", "--every", "3600"}));
}

TEST_F(WatchCliTest, NonRunsAreNamedAndOthersContinue) {
  train("one");
  fs::create_directories(path("empty"));
  write("file", std::string("x"));
  const Outcome outcome = run({"watch", "one", "empty", "nowhere", "file", "--once"});
  expectError(outcome, 3, {"empty", "config.json"});
  for (const char* words :
       {"finished", "no run", "nowhere: is not a folder", "file: is not a folder"})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
  fs::create_directories(path("odd"));
  write("odd/config.json", std::string("{\"model\": {\"depth\": \"many\"}}"));
  expectError(run({"watch", "odd"}), 2, {"odd/config.json", "depth"});
  std::ofstream(path("one/metrics.jsonl"), std::ios::app) << std::string(17u << 20, 'x');
  const Outcome damaged = run({"watch", "one", "--once"});
  expectError(damaged, 3, {"metrics.jsonl", "16 MB"});
  EXPECT_NE(damaged.out.find("finished"), std::string::npos) << damaged.out;
  if (::geteuid() != 0) {
    fs::permissions(path("empty"), fs::perms::none);
    expectError(run({"watch", "empty", "--once"}), 5, {"ermission"});
    fs::permissions(path("empty"), fs::perms::owner_all);
  }
}

TEST_F(WatchCliTest, SaysHowItEnded) {
  Program training(HEADLIGHT_CLI, {"train", config(50, 8000), "--run", "run", "--json"}, options());
  ASSERT_TRUE(training.waitForLine(stepBeyond("loss", 11)));
  EXPECT_EQ(once({"run"})[0]["state"], "training");
  training.send(SIGKILL);
  training.finish();
  EXPECT_EQ(once({"run"})[0]["state"], "cut off");
  Program resumed(HEADLIGHT_CLI, {"train", "--resume", "run", "--json"}, options());
  ASSERT_TRUE(resumed.waitForLine(stepBeyond("loss", 11)));
  resumed.send(SIGINT);
  EXPECT_EQ(resumed.finish().exitCode, 130);
  const json stopped = once({"run"})[0];
  EXPECT_EQ(stopped["state"], "stopped");
  EXPECT_TRUE(stopped["problem"].is_null());
}

TEST_F(WatchCliTest, CtrlCEndsItAtOnce) {
  train("run");
  const int held = ::open(path("run/.lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  fs::resize_file(path("run/metrics.jsonl"), 0);  // it has not begun
  ProgramOptions onTerminal = options();
  onTerminal.resultTerminal = true;
  Program watching(HEADLIGHT_CLI, {"watch", "run", "--every", "0.2"}, onTerminal);
  ASSERT_TRUE(watching.waitForLine([](const std::string& line) {
    return line.find("\033[2A") != std::string::npos;  // the head and a row are written over
  }));
  const auto asked = std::chrono::steady_clock::now();
  watching.send(SIGINT);
  const Outcome outcome = watching.finish();
  EXPECT_EQ(outcome.exitCode, 130) << outcome.err;
  EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(5));
  EXPECT_NE(outcome.out.find("not begun"), std::string::npos) << outcome.out;
  Program waiting(HEADLIGHT_CLI, {"watch", "run", "--every", "3600"}, options());
  ASSERT_TRUE(
      waiting.waitForLine([](const std::string& line) { return line.starts_with("run "); }));
  waiting.send(SIGTERM);
  EXPECT_EQ(waiting.finish().exitCode, 143);
  ::close(held);
}

TEST_F(WatchCliTest, ALineOnlyWhereSomethingHasChanged) {
  train("run");
  const int held = ::open(path("run/.lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  Program watching(HEADLIGHT_CLI, {"watch", "run", "--every", "0.1"}, options());
  ASSERT_TRUE(
      watching.waitForLine([](const std::string& line) { return line.starts_with("run "); }));
  ::usleep(800000);
  ::close(held);
  const Outcome outcome = watching.finish();
  expectOk(outcome);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 3) << outcome.out;
}

TEST_F(WatchCliTest, RefusesAWrongCommandLine) {
  expectError(run({"watch"}), 2, {"watch", "RUN"});
  expectError(run({"watch", "x", "--every", "0"}), 2, {"--every"});
}

}  // namespace
}  // namespace headlight::testing
