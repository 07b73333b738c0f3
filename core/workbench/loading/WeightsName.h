// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What weights are called. This is the only source of the names that the window, figures, exported
// files and the command line show. No torch type here.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace headlight {

struct ModelInfo;  ///< ModelInfo.h

/// By the path and the file's metadata; asks no disk. In this order:
/// "demo" for the demo's file;
/// "run vit_micro-2 · best · step 500" for a file of a run's folder, without the step where the
/// metadata do not say it;
/// "timm/vit_small_patch14_dinov2.lvd142m (hub)" for files of an entry of the hub's cache;
/// "demo + probe" for a taught model that the program keeps (keptTaughtName);
/// "vit-tiny/model.safetensors" where the file's name says nothing; else the file's name.
/// Empty for an empty path.
std::string makeWeightsName(const std::filesystem::path& weights,
                            const std::map<std::string, std::string>& metadata);
/// The same where the file's metadata are not known: a file named as a run's is taken for one.
std::string makeWeightsName(const std::filesystem::path& weights);
/// The same with the metadata that the file has. Reads the header of a safetensors file; blocks.
std::string readWeightsName(const std::filesystem::path& weights);

/// Where the window keeps taught models that nobody saved (KeptTaught.h), beside the session.
inline constexpr const char* kTaughtFolder = "taught";
/// "demo + probe" for "…/taught/demo + probe-0123456789abcdef.safetensors", after which the program
/// names such files; empty for other paths.
std::string keptTaughtName(const std::filesystem::path& weights);

/// "run vit_micro-2 · training · step 500". `which`: "best", "last", "training", "recorded"; a
/// negative step is left out.
std::string makeRunWeightsName(const std::string& run, const std::string& which,
                               std::int64_t step = -1);

/// The model and its weights, each once: "demo", "vit_tiny_patch16_224 · my.safetensors",
/// "vit_tiny_patch16_224 · random weights".
std::string makeModelTitle(const ModelInfo& info);
/// The same with weights that are called otherwise, such as those in training.
std::string makeModelTitle(const ModelInfo& info, const std::string& weights);

/// What the weights of a run were trained from.
struct TrainingOrigin {
  std::filesystem::path model;  ///< the starting weights; the run's config where they were random
  bool random = false;
  std::int64_t seed = 0;  ///< of the random ones
};
/// As the config in the run's folder says, whatever model the weights were loaded into. Nothing for
/// weights of no run, or where the config cannot be read. Reads that file; blocks.
std::optional<TrainingOrigin> readTrainingOrigin(const std::filesystem::path& weights);

}  // namespace headlight
