// SPDX-License-Identifier: GPL-3.0-or-later

// Results that are kept: files in a folder that anybody may have written.

#include "core/workbench/results/ResultCache.h"
#include "core/workbench/results/ResultsJson.h"
#include "tests/fuzz/Bounds.h"
#include "tests/fuzz/readers/Target.h"

namespace headlight::fuzz {
namespace {

/// Two layers of two heads, three classes.
ModelInfo smallModel() {
  ModelInfo info;
  info.heads = {2, 2};
  info.experiment.model.classes = 3;
  return info;
}

std::string keptText(const std::string& kind, const Json& result) {
  CachedResult kept;
  kept.key.kind = kind;
  kept.key.weights = kept.key.masks = kept.key.data = "0123456789abcdef";
  kept.measured = "2026-11-02T14:03:22Z";
  kept.result = result;
  return keptResultText(kept);
}

std::string headsText() {
  HeadValues values;
  values.measure = HeadMetric::Entropy;
  values.values = {{0.25, 0.5}, {0.75, 1}};
  values.chance = {1, 1};
  values.images = 9;
  return keptText("heads", toJson(values));
}

std::string accuracyText() {
  SchemeResult result;
  result.classNames = {"a", "b", "c"};
  result.loss = 0.5;
  result.top1 = result.top5 = 1;
  ImageVerdict image;
  image.name = "val/a/1.png";
  image.probability = image.ofLabel = 0.75f;
  image.loss = 0.28;
  result.images = {image, image};
  return keptText("accuracy", toJson(result));
}

std::string similarityText() {
  LayerSimilarity similarity;
  similarity.layers = 2;
  similarity.values = {{1, 0.5, 0.5, 1}, {1, 0.25, 0.25, 1}, {1, 0.75, 0.75, 1}};
  similarity.images = 9;
  return keptText("similarity", toJson(similarity));
}

std::string branchReportText() {
  BranchReport report;
  report.with.images = report.withoutBranch.images = 9;
  report.layers = {{0.25, 100}, {0, 0}};
  report.verdict = "not free";
  return keptText("castling", toJson(report));
}

/// As whichever kind it says it is: what was accepted is there to be drawn.
Result<void> readKept(const std::string& text) {
  const auto kept = keptResultFromText(text, "fuzz");
  if (!kept) return kept.error();
  const ModelInfo info = smallModel();
  if (kept->key.kind == "heads")
    return readThen(headValuesFrom(kept->result, HeadMetric::Entropy, info), [](const auto& it) {
      require(it.values.size() == 2 && it.values[1].size() == 2 && it.chance.size() == 2, "shape");
    });
  if (kept->key.kind == "accuracy")
    return readThen(schemeResultFrom(kept->result, info), [](const auto& it) {
      for (const ImageVerdict& one : it.images)
        require(one.label >= 0 && one.label < 3 && one.predicted >= 0 && one.predicted < 3,
                "class");
    });
  if (kept->key.kind == "similarity")
    return readThen(similarityFrom(kept->result, info), [](const auto& it) {
      require(it.layers == 2 && it.values.size() == 3 && it.values[2].size() == 4, "shape");
    });
  return readThen(branchReportFrom(kept->result, info),
                  [](const auto& it) { require(it.layers.size() == 2, "layers"); });
}

}  // namespace

std::vector<Target> resultTargets() {
  return {{"kept result",
           Kind::Json,
           {headsText(), accuracyText(), similarityText(), branchReportText()},
           readKept}};
}

}  // namespace headlight::fuzz
