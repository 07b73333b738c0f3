// SPDX-License-Identifier: GPL-3.0-or-later

// Configs, as a person may have written them.

#include "core/config/ConfigText.h"
#include "core/config/MasksJson.h"
#include "core/config/SequenceExperiment.h"
#include "core/models/Registry.h"
#include "core/workbench/figures/FigurePage.h"
#include "core/workbench/sweeps/Sweep.h"
#include "tests/fuzz/Bounds.h"
#include "tests/fuzz/readers/Target.h"

namespace headlight::fuzz {
namespace {

constexpr const char* kExperiment = R"({"schema": 1, "name": "tiny", "seed": 3, "device": "cpu",
  "threads": 1, "model": {"name": "tiny", "image_size": 16, "patch_size": 4, "width": 16,
  "depth": 2, "heads": 2, "classes": 9, "drop_path": 0.1, "mean": [0.5, 0.5, 0.5]},
  "masks": {"scheme": "own", "cells": [["soft:3@0.3", "hard:5"], ["none", "random:3#7"]]},
  "data": {"dataset": "texture-shape", "train_samples": 72, "color_jitter": 0.2},
  "training": {"epochs": 6, "batch_size": 8, "checkpoint_steps": 5, "ema_decay": 0.9},
  "telemetry": {"metrics_steps": 1, "als_steps": 10, "probe_images": 2},
  "edits": [{"step": 4, "label": "later",
             "changes": [{"layer": 0, "head": 0, "from": "none", "to": "strict:3"}]}]})";
constexpr const char* kStages = R"({"model": {"name": "custom", "backbone": "swin",
  "mechanism": "window", "image_size": 32, "patch_size": 4, "classes": 3, "depths": [1, 1],
  "stage_heads": [2, 4], "width": 16, "class_token": false, "positions": "none"}, "masks": {"scheme": "sch1", "window": 5}})";
constexpr const char* kSequence = R"({"schema": 1, "name": "tiny", "seed": 3,
  "data": {"kind": "text", "path": "book.txt"},
  "model": {"width": 16, "depth": 2, "length": 24, "rank": 4, "window": 8, "dropout": 0.1},
  "training": {"steps": 12, "batch_size": 4, "warmup_steps": 2, "evaluate_steps": 6,
               "ema_decay": 0.9}})";
constexpr const char* kEdit = R"({"step": 4, "label": "later", "name_before": "a",
  "changes": [{"layer": 1, "head": 2, "from": "none", "to": "hard:5"},
              {"layer": 0, "head": 0, "from": "soft:3@0.5", "to": "soft:3@0.25"}]})";

constexpr const char* kFigurePage = R"page({"kind": "headlight-figure-page", "schema": 1,
  "model": {"name": "deit_tiny", "partial": true},
  "images": ["a.jpg", {"path": "maps.safetensors[2]", "label": "a dog"}],
  "columns": ["picture", "head 3.1 (query 2,4)", "grad-cam (class a, b; layer 2)",
              {"shows": "features (foreground)", "label": "colors (3)"}],
  "options": {"scale": "column", "tile": 12.5, "dpi": 72, "bars": false}})page";

std::string sweepText() {
  return std::string(R"({"name": "tiny", "seeds": [1, 2], "variants": [{"name": "softmax"},
    {"name": "aft", "overrides": {"model.mechanism": "aft_simple", "training.epochs": 3}},
    {"name": "own", "overrides": {"masks": {"scheme": "sch2"}, "model.attention": {}}}],
    "base": )") +
         R"({"model": {"name": "deit_tiny_patch16_224"}, "training": {"epochs": 2}}})";
}

/// What the window and the command line do next with one that was accepted.
void lookAtExperiment(const Experiment& experiment) {
  const auto again =
      experimentFromText(experimentToText(experiment), "written again", modelCatalog());
  require(again.ok(),
          "an experiment that was written is refused: " + (again ? "" : again.error().text()));
  require(experimentToText(*again) == experimentToText(experiment), "an experiment changes");
  const auto masks = resolveMasks(experiment.masks, makeMaskShape(experiment.model));
  require(masks.ok(), "masks that were checked cannot be resolved");
  (void)guarded("", [&] { return modelCost(experiment.model, *masks).macs; });
}

Result<void> readExperimentText(const std::string& text) {
  return readThen(experimentFromText(text, "fuzz", modelCatalog()), lookAtExperiment);
}

Result<void> readPageText(const std::string& text) {
  return readThen(pageFromText(text, "fuzz"), [](const FigurePage& page) {
    const auto again = pageFromText(pageToText(page), "written again");
    require(again.ok(), "a page that was written is refused: " +
                            (again ? std::string() : again.error().text()));
    require(*again == page, "a page changes");
  });
}

Result<void> readSweepText(const std::string& text) {
  return readThen(sweepFromText(text, "fuzz", "/nonexistent"), [](const SweepPlan& plan) {
    require(sweepRuns(plan, "out").size() == plan.variants.size() * plan.seeds.size(),
            "a run is missing");
  });
}

std::string writtenSequence(const SequenceExperiment& experiment) {
  return sequenceToJson(experiment).dump(2, ' ', false, Json::error_handler_t::replace);
}

Result<void> readSequenceText(const std::string& text) {
  return readThen(sequenceFromText(text, "fuzz"), [](const SequenceExperiment& experiment) {
    const auto again = sequenceFromText(writtenSequence(experiment), "written again");
    require(again.ok() && writtenSequence(*again) == writtenSequence(experiment),
            "a sequence experiment changes");
  });
}

Result<void> readMaskText(const std::string& text) {
  return readThen(headMaskFromText(text), [](const HeadMask& mask) {
    const auto again = headMaskFromText(toText(mask));
    require(again.ok() && *again == mask, "a mask changes");
  });
}

/// A masks file for a model of three layers of two heads.
Result<void> readMasksText(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  return readThen(maskConfigFromJson(json, "fuzz"), [](const MaskConfig& masks) {
    const auto scheme = resolveMasks(masks, MaskShape({2, 2, 2}, 2));
    if (!scheme) return require(!scheme.error().message.empty(), "an error without a message");
    require(maskConfigFromJson(maskConfigToJson(describeMasks(*scheme)), "again").ok(),
            "masks that were described are refused");
  });
}

Result<void> readEditText(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  return readThen(maskEditFromJson(json, "fuzz"), [](const MaskEdit& edit) {
    MaskScheme scheme(MaskShape({3, 3}));
    if (applyMaskEdit(scheme, edit)) require(applyMaskEdit(scheme, edit.inverse()).ok(), "one way");
  });
}

/// The library's own parser, whose values may be nested as they like, says what is right.
Result<void> readJsonText(const std::string& text) {
  const Json json = jsonOrDiscarded(text);
  require(parseConfigJson(text, "fuzz").ok() != json.is_discarded(), "the two doors differ");
  if (json.is_discarded()) return Error{ErrorCode::InvalidConfig, "is no JSON", ""};
  require(json == Json::parse(text, nullptr, false), "a value is not the library's");
  return {};
}

}  // namespace

std::vector<Target> configTargets() {
  return {
      {"JSON",
       Kind::Text,
       {kExperiment, kFigurePage, "[[[[{\"a\": [1e5, \"\\u00e9\"]}]]]]"},
       readJsonText},
      {"experiment", Kind::Json, {kExperiment, kStages}, readExperimentText},
      {"sweep", Kind::Json, {sweepText()}, readSweepText},
      {"sequence experiment", Kind::Json, {kSequence, "{}"}, readSequenceText},
      {"figure page", Kind::Json, {kFigurePage}, readPageText},
      {"mask", Kind::Text, {"none", "soft:5@0.25", "random:3#7", "hard:3"}, readMaskText},
      {"masks",
       Kind::Json,
       {R"({"scheme": "own", "cells": [["soft:3@0.3", "hard:5"], ["none", "random:3#7"],
            ["none", "none"]]})",
        R"({"scheme": "sch2", "window": 5, "alpha": 0.25})"},
       readMasksText},
      {"mask edit", Kind::Json, {kEdit}, readEditText},
  };
}

}  // namespace headlight::fuzz
