// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A CLIP or SigLIP as transformers saves it, with a small tokenizer beside it.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/TemporaryFolder.h"

namespace headlight {

/// golden/transformers/clip_full or siglip_full with files of golden/text.
class PromptFolder {
 public:
  explicit PromptFolder(const std::string& model = "clip_full",
                        const std::vector<std::string>& tokenizer = {"tokenizer.json"}) {
    const std::filesystem::path golden = HEADLIGHT_GOLDEN_DIR;
    for (const char* file : {"config.json", "model.safetensors", "preprocessor_config.json"})
      std::filesystem::copy_file(golden / "transformers" / model / file, path() / file);
    const std::string micro = model.starts_with("siglip") ? "siglip_micro" : "clip_micro";
    for (const std::string& file : tokenizer)
      std::filesystem::copy_file(golden / "text" / micro / file, path() / file);
  }

  const std::filesystem::path& path() const { return m_folder.path(); }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(path() / file) << text;
  }

 private:
  TemporaryFolder m_folder;
};

}  // namespace headlight
