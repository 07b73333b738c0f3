// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/faults/Saving.h"

#include <chrono>

namespace headlight::testing {
namespace {

using nlohmann::json;

/// Every run in a folder of the same name: what is written may say it.
constexpr const char* kAttempt = "attempt";

}  // namespace

Saving SavingTest::training() const {
  json config = tinyTraining();
  config["data"]["train_samples"] = 24;
  config["data"]["validation_samples"] = 9;
  config["training"]["epochs"] = 2;
  config["training"]["checkpoint_steps"] = 2;
  config["training"]["keep_every"] = 2;
  config["telemetry"]["als_steps"] = 3;
  config["edits"] = {
      {{"step", 2},
       {"label", "wider"},
       {"changes", {{{"layer", 0}, {"head", 1}, {"from", "soft:3@0.5"}, {"to", "hard:5"}}}}}};
  return {{"train", write("train.json", config), "--run", "out"},
          Arguments{"train", "--resume", "out"}};
}

Saving SavingTest::resuming() {
  const Saving whole = training();
  const long calls = static_cast<long>(runClean(whole).calls.size());
  const fs::path folder = begin(whole);
  const auto killed = runWithFault(folder, whole.arguments, {calls / 2, 0, false, true});
  EXPECT_EQ(killed.outcome.signal, SIGKILL);
  fs::rename(folder / "out", path("half"));
  return {*whole.resume, whole.resume, path("half")};
}

Saving SavingTest::sweeping() const {
  json base = tinyTraining();
  base["data"]["train_samples"] = 16;
  base["data"]["validation_samples"] = 9;
  base["training"]["epochs"] = 1;
  const json sweep = {
      {"name", "tiny"},
      {"base", base},
      {"variants",
       {{{"name", "sch3"}}, {{"name", "softmax"}, {"overrides", {{"masks.scheme", "none"}}}}}},
      {"seeds", {1}}};
  return {{"sweep", write("sweep.json", sweep), "--output", "out", "--no-speed"}};
}

Saving SavingTest::sequenceTraining() const {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += "the dog.";
  const json config = {{"name", "tiny"},
                       {"seed", 3},
                       {"device", "cpu"},
                       {"threads", 1},
                       {"data", {{"kind", "text"}, {"path", write("text", text).string()}}},
                       {"model", {{"width", 16}, {"depth", 1}, {"length", 24}, {"rank", 4}}},
                       {"training",
                        {{"steps", 6},
                         {"batch_size", 2},
                         {"warmup_steps", 2},
                         {"evaluate_steps", 3},
                         {"evaluate_samples", 2},
                         {"checkpoint_steps", 2}}}};
  return {{"sequence", "train", write("sequence.json", config), "--run", "out"},
          Arguments{"sequence", "train", "--run", "out", "--resume"}};
}

Saving SavingTest::converting() const {
  fs::create_directories(path("older"));
  fs::copy_file(kGolden / "torch_varied.safetensors", path("older/weights.safetensors"));
  return {{"convert", kGolden / "vit_micro_state_dict.pth", "out/weights.safetensors"},
          std::nullopt,
          path("older")};
}

Saving SavingTest::makingADataset() const {
  Saving saving{{"make-dataset", "out", "--size", "16", "--train", "9", "--val", "9"}};
  saving.intoEmpty = true;
  return saving;
}

Saving SavingTest::attending() const {
  fs::create_directories(path("empty"));
  return {{"attend", kGolden / "pillow/formats/rgb.png", "--model", microConfig(), "--weights",
           kGolden / "vit_micro.safetensors", "--output", "out/maps.safetensors", "--images",
           "out/images", "--layer", "1"},
          std::nullopt,
          path("empty")};
}

Saving SavingTest::predicting() const {
  fs::create_directories(path("empty"));
  return {{"predict", kGolden / "pillow/formats/rgb.png", "--model", microConfig(), "--weights",
           kGolden / "vit_micro.safetensors", "--output", "out/logits.safetensors"},
          std::nullopt,
          path("empty")};
}

Saving SavingTest::preprocessing() const {
  fs::create_directories(path("empty"));
  return {{"preprocess", kGolden / "pillow/formats/rgb.png", "--model", microConfig(), "--output",
           "out/input.safetensors"},
          std::nullopt,
          path("empty")};
}

/// So small that every file comes in one piece: its calls are always the same.
Saving SavingTest::fetching() {
  m_hub = std::make_unique<HubServer>(tinyVitContent(8000));
  Saving saving{{"fetch", "vit_tiny_patch16_224.augreg_in21k"}};
  saving.variables = {{"HF_ENDPOINT", m_hub->address()}, {"HF_HUB_CACHE", "out"}};
  for (const char* name : {"HF_TOKEN", "HF_HUB_OFFLINE", "http_proxy", "all_proxy"})
    saving.variables[name] = "";
  return saving;
}

Saving SavingTest::fetchingOverACopy() {
  Saving saving = fetching();
  const std::string other(40, 'a');
  const fs::path entry = path("copied/models--timm--vit_tiny_patch16_224.augreg_in21k");
  for (const std::string& commit : {other, std::string(kHubCommit)}) {
    fs::create_directories(entry / "snapshots" / commit);
    for (const std::string name : {"config.json", "model.safetensors"})
      write((entry / "snapshots" / commit / name).string(), m_hub->bytes(name));
  }
  fs::resize_file(entry / "snapshots" / kHubCommit / "model.safetensors", 5000);
  fs::create_directories(entry / "refs");
  write((entry / "refs/main").string(), other);
  saving.before = path("copied");
  return saving;
}

SavingTest::Clean SavingTest::runClean(const Saving& saving) {
  Clean clean;
  for (const bool again : {false, true}) {
    const fs::path folder = begin(saving);
    const auto started = std::chrono::steady_clock::now();
    const WatchedRun run = runWithFault(folder, saving.arguments, {}, saving.variables);
    expectOk(run.outcome);
    const Outputs outputs = outputsOf(folder / "out");
    if (again) {
      EXPECT_EQ(differenceOf(clean.outputs, outputs), "") << "two runs are not the same";
      EXPECT_EQ(clean.calls.size(), run.calls.size());
    }
    clean.calls = run.calls;
    clean.outputs = outputs;
    clean.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  }
  EXPECT_FALSE(clean.calls.empty());
  EXPECT_FALSE(clean.outputs.empty());
  return clean;
}

fs::path SavingTest::begin(const Saving& saving) const {
  const fs::path folder = path(kAttempt);
  fs::remove_all(folder);
  fs::create_directories(folder);
  if (!saving.before.empty()) fs::copy(saving.before, folder / "out", fs::copy_options::recursive);
  return folder;
}

Arguments SavingTest::next(const Saving& saving, const fs::path& folder) const {
  if (saving.intoEmpty) fs::remove_all(folder / "out");
  return saving.resume && fs::exists(folder / "out/config.json") ? *saving.resume
                                                                 : saving.arguments;
}

void SavingTest::expectWhole(const fs::path& folder) const {
  for (const auto& [name, bytes] : outputsOf(folder / "out"))
    EXPECT_EQ(damageOf(folder / "out" / name), "") << name << " is damaged";
}

}  // namespace headlight::testing
