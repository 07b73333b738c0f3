// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A folder of its own for every test, and the small things that tests put into it.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/Program.h"

namespace headlight::testing {

namespace fs = std::filesystem;

inline const fs::path kGolden = HEADLIGHT_GOLDEN_DIR;

class CliTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  fs::path path(const std::string& name) const { return m_folder / name; }
  fs::path write(const std::string& name, const std::string& bytes) const;
  fs::path write(const std::string& name, const nlohmann::json& json) const;

  /// Runs in the test's folder.
  Outcome run(const Arguments& arguments) const;
  /// The same with home/ there as the user's data folder, so that nobody's own files are touched.
  Outcome runAtHome(const Arguments& arguments) const;
  ProgramOptions options() const {
    ProgramOptions result;
    result.folder = m_folder;
    return result;
  }

  /// A config for the golden vit_micro and, distilled, deit_distilled_micro.
  fs::path microConfig(bool distilled = false) const;
  /// A model and a training of a second or two on texture-shape: 16 pixels, 2 layers, 2 heads.
  nlohmann::json tinyTraining() const;
  /// FOLDER/train and FOLDER/val with a few images of texture-shape; returns the folder.
  fs::path smallImages() const;

  fs::path m_folder;
};

/// With images and the golden vit_micro.
class ImagesCliTest : public CliTest {
 protected:
  void SetUp() override;
  Outcome runWithModel(Arguments arguments) const;

  fs::path m_images;              ///< of smallImages()
  std::vector<fs::path> m_files;  ///< of its val, sorted
  Arguments m_model;
};

std::string readBytes(const fs::path& path);

/// The outcome is an error of this code, said in one line on standard error that has all of
/// `words`.
void expectError(const Outcome& outcome, int exitCode, const std::vector<std::string>& words);
void expectOk(const Outcome& outcome);

}  // namespace headlight::testing
