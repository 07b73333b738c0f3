// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The key `task` of an Experiment. Each backbone has one task, so that the key chooses a backbone
// where a config names none and otherwise has to agree with it.

#include <string>

#include "core/config/Catalog.h"
#include "core/config/Tasks.h"

namespace headlight {

/// A backbone of detectors that ends in this is one of classifiers: the same network, whose weights
/// start the detector.
inline constexpr const char* kClassifierEnding = "_classifier";

/// "classification", "detection", "segmentation" or "mae".
const std::string& taskName(Task task);
/// What a backbone of that name learns; Classify for any that is not known.
Task backboneTask(const std::string& backbone);
/// What a task chooses in place of `vit`: "lcnet_vit", "vit_segmenter", "mae"; of Classify "vit".
const std::string& backboneForTask(Task task);

/// The key as an option: its flag, its help.
const ParameterTable& taskParameters();

/// `model`, a `model` section, with the backbone that the task of `experiment` chooses where it, or
/// the published model that it names, has `vit` or none, and with the one of detectors in place of
/// its classifier and the other way round. Without a task: as it is. Errors at
/// "task": no task of that name, a sequence model's, and one that the backbone contradicts.
Result<Json> modelForTask(const Json& experiment, Json model, const ModelCatalog& catalog);

/// Takes a task out of `experiment` that only said what the backbone `before` did: another one was
/// chosen since.
void forgetTaskOf(Json& experiment, const std::string& before);

}  // namespace headlight
