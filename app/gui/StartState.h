// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The state in which the window starts: from the command line, from a state file, or
// both (the command line wins).
//
// A state file is a JSON object; every key may be left out:
//   "theme"    "light" | "dark" | "system"
//   "workspace"  "look" | "mask" | "train" | "compare"
//   "tab"      "canvas" | "heads" | "rollout" | "compare" | "explain"
//   "page"     of compare: "sides" | "layers"
//   "model"    a published name, a config or a checkpoint
//   "weights"  a checkpoint
//   "image"    an image, or "sample:NAME" for a built-in one
//   "masks"    a scheme's name ("sch2", "sch2:5") or file
//   "edits"    [{"layer": 2, "head": 1, "mask": "hard:3"}, …] applied one after the other, so that
//              there is a before and an after; head −1: every head
//   "view"     {"layer", "head", "query", "style", "dim", "opacity", "color_map", "smooth",
//              "shared_range", "overlay", "rollout_fusion", "rollout_discard", "learned"}
//   "gallery"  [files and folders]
//   "docks"    {"gallery": false, "heads": true, "prediction": true, "masks": true,
//              "training": true}
//   "palette"  text typed into the command palette, which is opened
//   "help"     a help page, which is opened (and is what a screenshot shows)
//   "dialog"   an action's id ("train.start", "model.choose"): triggered at the end, and what it
//              opens is what a screenshot shows
//   "actions"  [ids of commands], triggered after the view is set (and after training began)
//   "train"    {"config": FILE or an Experiment, "steps": N, "folder": FOLDER}: trained for N steps

#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

#include "core/base/Result.h"
#include "core/config/Experiment.h"
#include "core/masks/MaskEdit.h"

namespace headlight {

struct StartEdit {
  int layer = 0;
  int head = 0;
  HeadMask mask;
};

struct StartState {
  QString theme, workspace, tab, page, model, weights, image, masks, palette, help, dialog;
  QStringList gallery, actions;
  std::vector<StartEdit> edits;
  Json view = Json::object();
  Json docks = Json::object();
  struct Training {
    Experiment experiment;
    std::int64_t steps = 50;
    QString folder;
  };
  std::optional<Training> training;

  /// Whether it names a model; otherwise the session or the demo decides.
  bool choosesModel() const { return !model.isEmpty() || !weights.isEmpty(); }
};

/// Errors name the key. Unknown keys are errors: a misspelt one would show the wrong image.
Result<StartState> startStateFromText(const QByteArray& text, const QString& name);

}  // namespace headlight
