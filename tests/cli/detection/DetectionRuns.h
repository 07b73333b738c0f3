// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A training of a detector of a second or two, on synthetic images with boxes.

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include "tests/cli/Workspace.h"

namespace headlight::testing {

using nlohmann::json;

class DetectionCliTest : public CliTest {
 protected:
  /// LCNet-ViT of 64 pixels: 2 layers on grids of 4 x 4 and 2 x 2 with 4 and 8 heads.
  static json detectorTraining() {
    return {
        {"name", "boxes"},
        {"seed", 5},
        {"device", "cpu"},
        {"threads", 1},
        {"model", {{"backbone", "lcnet_vit"}, {"layout", {{"size", "xs"}}}, {"image_size", 64}}},
        {"data", {{"dataset", "texture-scenes"}, {"train_samples", 32}, {"validation_samples", 8}}},
        {"training",
         {{"epochs", 8},
          {"batch_size", 8},
          {"learning_rate", 0.01},
          {"warmup_epochs", 0.5},
          {"checkpoint_steps", 3}}},
        {"telemetry", {{"metrics_steps", 1}, {"als_steps", 8}, {"probe_images", 2}}}};
  }

  /// Trains `config` into a folder of the test; what it says, as JSON.
  Outcome trained(const json& config, const std::string& folder) const {
    return run({"train", write("detector.json", config), "--run", folder, "--json"});
  }

  static std::vector<json> events(const Outcome& outcome, const std::string& kind) {
    std::vector<json> found;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
      json event = json::parse(line);
      if (event["event"] == kind) found.push_back(std::move(event));
    }
    return found;
  }
};

/// The same weights in another file, but that every class begins with a score of one half: so short
/// a training finds nothing.
inline void writeSure(const fs::path& weights, const fs::path& file) {
  std::string bytes = readBytes(weights);
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  json head = json::parse(bytes.substr(8, size));
  bytes.erase(0, 8 + size);
  head["__metadata__"].erase("checksums");
  for (const auto& [name, tensor] : head.items()) {
    if (!name.ends_with(".predict.bias")) continue;
    constexpr std::size_t kClasses = 9;  // before the sides
    const auto begin = tensor["data_offsets"][0].get<std::ptrdiff_t>();
    std::fill_n(bytes.begin() + begin, kClasses * sizeof(float), '\0');
  }
  std::string text = head.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  size = text.size();
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&size), sizeof size);
  out << text << bytes;
}

/// With one finished training for all tests of the suite.
class DetectorCliTest : public DetectionCliTest {
 protected:
  void SetUp() override {
    DetectionCliTest::SetUp();
    if (!s_trained) {
      s_trained = trained(detectorTraining(), "run");
      expectOk(*s_trained);
      s_run = fs::temp_directory_path() / ("headlight-detector-" + m_folder.filename().string());
      fs::copy(path("run"), s_run, fs::copy_options::recursive);
    }
    m_weights = s_run / "last.safetensors";
  }
  static void TearDownTestSuite() {
    std::error_code ignored;
    if (!s_run.empty()) fs::remove_all(s_run, ignored);
    s_trained.reset();
    s_run.clear();
  }

  /// Weights that find boxes.
  std::string sureWeights() const {
    writeSure(m_weights, path("sure.safetensors"));
    return path("sure.safetensors");
  }

  std::string m_weights;  ///< the last ones of the training

  static inline std::optional<Outcome> s_trained;
  static inline fs::path s_run;
};

}  // namespace headlight::testing
