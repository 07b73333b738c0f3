// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A copy of the golden cache entry, as a real cache has it: links in `snapshots` to `blobs`.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/config/Parameter.h"
#include "tests/TemporaryFolder.h"

namespace headlight::hub {

namespace fs = std::filesystem;

inline const std::string kMicro = "vit_small_patch14_reg4_dinov2.micro";
inline const std::string kEntryName = "models--timm--" + kMicro;
inline const std::string kHash = "0123456789abcdef0123456789abcdef01234567";
inline const fs::path kGoldenHome = fs::path(HEADLIGHT_GOLDEN_DIR) / "hf_home";
inline const fs::path kGoldenSnapshot = kGoldenHome / "hub" / kEntryName / "snapshots" / kHash;

inline std::string textOf(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline fs::path writeText(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

class HubTest : public ::testing::Test {
 protected:
  void SetUp() override { makeEntry(entry()); }

  /// With blobs named by what stands for their hash, and links as the hub's own programs make them.
  static void makeEntry(const fs::path& entry) {
    const fs::path snapshot = entry / "snapshots" / kHash;
    fs::create_directories(entry / "blobs");
    fs::create_directories(snapshot);
    int number = 0;
    for (const char* file : {"config.json", "model.safetensors"}) {
      const std::string blob = std::string(63, 'a') + std::to_string(number++);
      fs::copy_file(kGoldenSnapshot / file, entry / "blobs" / blob);
      fs::create_symlink(fs::path("../../blobs") / blob, snapshot / file);
    }
    writeText(entry / "refs" / "main", kHash);
  }

  fs::path hub() const { return m_folder / "hub"; }
  fs::path entry() const { return hub() / kEntryName; }
  fs::path snapshot() const { return entry() / "snapshots" / kHash; }
  fs::path path(const std::string& name) const { return m_folder / name; }

  Json config() const { return Json::parse(textOf(kGoldenSnapshot / "config.json")); }
  /// A plain folder with this config.json and the golden weights.
  fs::path folderWith(const std::string& text, const std::string& name = "plain") const {
    writeText(path(name) / "config.json", text);
    fs::copy_file(kGoldenSnapshot / "model.safetensors", path(name) / "model.safetensors",
                  fs::copy_options::overwrite_existing);
    return path(name);
  }
  fs::path folderWith(const Json& json) const { return folderWith(json.dump()); }

  TemporaryFolder m_folder;
};

}  // namespace headlight::hub
