// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The one description of everything that can be done to a model: what the window edits, the command
// line runs, a run folder records and a checkpoint carries.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/config/Catalog.h"
#include "core/config/ModelConfig.h"
#include "core/config/TrainingConfig.h"
#include "core/masks/MaskEdit.h"
#include "core/masks/MaskScheme.h"

namespace headlight {

/// The `masks` section: a preset, or `custom` with every cell written out.
struct MaskConfig {
  std::string scheme = "none";  ///< a preset's name, or a name of its own where cells are given
  int window = 3;               ///< of a preset
  double alpha = 0.5;           ///< of a preset
  std::vector<std::vector<HeadMask>> cells;  ///< [layer][head]; empty: the preset
};
const ParameterTable& maskParameters();

/// An edit that takes effect before optimizer step `step` (0-based, counted over the whole run).
struct ScheduledEdit {
  std::int64_t step = 0;
  MaskEdit edit;
};

struct Experiment {
  static constexpr int kSchema = 3;  ///< Migration.h has what older ones meant
  static constexpr std::size_t kMaxEdits = 100'000;
  // Defined in the .cpp, as ModelConfig's.
  Experiment();
  Experiment(const Experiment& other);
  Experiment(Experiment&& other) noexcept;
  Experiment& operator=(const Experiment& other);
  Experiment& operator=(Experiment&& other) noexcept;
  ~Experiment();

  std::string name = "experiment";
  std::int64_t seed = 0;
  std::string device = "auto";  ///< auto (CUDA if there is one) | cpu | cuda | cuda:N
  int threads = 0;              ///< 0: as many as cores
  ModelConfig model;
  MaskConfig masks;
  DataConfig data;
  TrainingConfig training;
  TelemetryConfig telemetry;
  std::vector<ScheduledEdit> edits;  ///< ordered by step
};
const ParameterTable& runParameters();  ///< name, seed, device, threads

/// A section as the window's forms and the command line's help show it.
struct Section {
  std::string key;    ///< "model"; "" for the top level
  std::string title;  ///< "Model"
  const ParameterTable* table;
};
const std::vector<Section>& experimentSections();

/// Reads and checks the whole of it. Errors name the JSON path ("training.epochs"). A published
/// `model.name` gives the values that `model` leaves out, `task` the backbone (ExperimentTask.h).
Result<Experiment> experimentFromJson(const Json& json, const ModelCatalog& catalog);
/// Parses text (at most 16 MB, depth at most 64), then reads it. `name` is for messages; relative
/// paths are looked for in `folder` first, if there is one (ConfigPaths.h).
Result<Experiment> experimentFromText(std::string_view text, const std::string& name,
                                      const ModelCatalog& catalog,
                                      const std::filesystem::path& folder = {});
/// Relative paths are looked for beside the file first.
Result<Experiment> readExperiment(const std::filesystem::path& path, const ModelCatalog& catalog);

/// Every parameter written out, and the task unless it is classification. Reading it back gives the
/// same Experiment.
Json experimentToJson(const Experiment& experiment);
std::string experimentToText(const Experiment& experiment);

/// Sets "training.epochs" from a flag's text; the JSON is checked when it is read.
/// "model.attention.window" and "model.layout.stem" are options of the mechanism and the backbone
/// that `json` and `catalog` say there are: names are to be set before them. Another mechanism
/// or backbone than before takes the options of the former one away.
Result<void> overrideParameter(Json& json, const std::string& path, const std::string& text,
                               const ModelCatalog& catalog = {});
/// The same from a value as JSON: text is read as a flag's, anything else is checked with the
/// whole.
Result<void> setParameter(Json& json, const std::string& path, const Json& value,
                          const ModelCatalog& catalog = {});

Json maskEditToJson(const MaskEdit& edit);
Result<MaskEdit> maskEditFromJson(const Json& json, const std::string& path);

/// The scheme that `masks` describes for a model of that shape. Errors: cells of layers or heads
/// that the model does not have or that cannot be masked.
Result<MaskScheme> resolveMasks(const MaskConfig& masks, const MaskShape& shape);
/// The `masks` section for a scheme: the preset's name alone where the cells are exactly its.
MaskConfig describeMasks(const MaskScheme& scheme);
/// schemeTitle of what `masks` describes: "sch2", "sch2* (5×5)".
std::string masksTitle(const MaskConfig& masks);

/// A scheme from a preset's name ("sch2", "sch2:5" for window 5), or from a JSON file with a
/// `masks` section or its content.
Result<MaskScheme> masksFromNameOrFile(const std::string& nameOrFile, const MaskShape& shape);

}  // namespace headlight
