// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/SequenceSettings.h"

#include <algorithm>
#include <vector>

namespace headlight {
namespace {

constexpr double kGreatestSeed = 9007199254740991.0;  // a double holds it exactly
constexpr double kMostBytes = 20000;                  // a text field lays out no more at ease
constexpr const char* kTemperatureHelp =
    "Divides the logits: below 1 is more conservative, above 1 more random; 0 takes the most "
    "probable byte.";
constexpr const char* kSamplingSeedHelp = "The same seed draws the same samples.";

}  // namespace

const ParameterTable& completionParameters() {
  using C = CompletionSettings;
  static const ParameterTable table =
      TableBuilder<C>()
          .number(&C::keptFraction, "kept_fraction", 0, 1,
                  "Share of the rows, from the top, that are kept.")
          .integer(&C::samples, "samples", 1, 64, "Completions to draw.")
          .number(&C::temperature, "temperature", 0, 10, kTemperatureHelp)
          .integer(&C::seed, "seed", 0, kGreatestSeed, kSamplingSeedHelp)
          .build();
  return table;
}

const ParameterTable& continuationParameters() {
  using C = ContinuationSettings;
  static const ParameterTable table =
      TableBuilder<C>()
          .integer(&C::bytes, "bytes", 1, kMostBytes,
                   "Bytes to add; headlight-cli takes up to 1000000.")
          .number(&C::temperature, "temperature", 0, 10, kTemperatureHelp)
          .integer(&C::seed, "seed", 0, kGreatestSeed, kSamplingSeedHelp)
          .build();
  return table;
}

const ParameterTable& sequenceLookParameters() {
  using L = SequenceLookSettings;
  static const ParameterTable table =
      TableBuilder<L>()
          .integer(&L::layer, "layer", 0, 127, "The block whose maps are shown, counted from 0.")
          .build();
  return table;
}

const Section& sequenceSection(const std::string& key) {
  const std::vector<Section>& sections = sequenceSections();
  return *std::find_if(sections.begin(), sections.end(),
                       [&](const Section& section) { return section.key == key; });
}

SequenceExperiment smallSequenceExperiment() {
  SequenceExperiment experiment;
  experiment.data.imageSize = 16;
  experiment.model.width = 64;
  experiment.model.depth = 3;
  experiment.training.steps = 500;
  experiment.training.warmupSteps = 25;
  experiment.training.evaluateSteps = 50;
  experiment.training.evaluateSamples = 32;
  return experiment;
}

}  // namespace headlight
