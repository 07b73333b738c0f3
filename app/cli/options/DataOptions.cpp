// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/DataOptions.h"

#include <algorithm>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/models/Registry.h"
#include "core/workbench/session/Datasets.h"

namespace headlight::cli {
namespace {

std::string choicesText(const std::vector<std::string>& choices) {
  std::string text;
  for (const std::string& choice : choices)
    addTo(text, choice, "|");
  return text;
}

}  // namespace

Error noDatasetError(const std::string& path) {
  return whyNoDataset(path, /*asked=*/true)
      .value_or(Error{ErrorCode::UnsupportedFile, tr("contains no known kind of dataset"), path});
}

void DataOptions::declare(CLI::App& command) {
  command
      .add_option("--data", folder,
                  tr("Dataset folder or pattern of tar shards; the kind is recognized by content. "
                     "Default: the data that the config or the checkpoint names"))
      ->type_name("FOLDER");
  for (const Parameter& parameter : classMatchParameters())
    declareMatching(command, parameter);
  flags.declare(command, {"data"});
}

/// --match, and --class-map as a flag is written.
void DataOptions::declareMatching(CLI::App& command, const Parameter& parameter) {
  std::string flag = "--" + parameter.name;
  std::replace(flag.begin(), flag.end(), '_', '-');
  const auto take = [this, &parameter, flag](const std::string& text) {
    const auto value = parameterFromText(parameter, text, flag);
    if (!value) throw CLI::ValidationError(flag, value.error().message);
    if (const auto fits = checkParameter(parameter, *value, flag); !fits)
      throw CLI::ValidationError(flag, fits.error().message);
    parameter.set(&matching, *value);
  };
  const bool isChoice = parameter.type == ParameterType::Choice;
  command.add_option_function<std::string>(flag, take, parameter.help)
      ->type_name(isChoice ? choicesText(parameter.choices) : "FILE");
}

Experiment DataOptions::describe(const ModelSource& source) const {
  Experiment experiment;
  if (!source.weights.empty()) {
    // Weights without an Experiment are fine here; unreadable ones are refused when they load.
    if (auto inside = loadExperiment(source.weights)) experiment = *inside;
  }
  if (!source.model.empty()) {
    // Masks belong to a model: those that the weights were trained with may not fit this one.
    const Experiment named = experimentByName(source.model);
    experiment.model = named.model;
    experiment.masks = named.masks;
    experiment.edits = named.edits;
    if (isThere(source.model)) experiment.data = named.data;
  }
  Json json = experimentToJson(experiment);
  if (!folder.empty()) {
    const std::string kind = detectDatasetKind(folder);
    if (kind.empty()) throw Failure(noDatasetError(folder));
    json["data"]["dataset"] = kind;
    json["data"]["path"] = folder;
  }
  flags.apply(json);
  return valueOrThrow(experimentFromJson(json, modelCatalog()));
}

}  // namespace headlight::cli
