// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The classifier of weights that a training starts from, for the classes of its data. Torch types:
// core only.

#include <filesystem>
#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/config/ModelConfig.h"

namespace headlight {

/// Fits the head of `checkpoint`, which has as many classes as `classes`, to their names: its rows
/// are put in their order; where it is of other classes it is left out, so that a new one is
/// trained. A head of another number of classes, and one of the same, stay as they are. Returns
/// what is to be said of it, or nothing. Throws Failure: metadata that are wrong.
std::string fitHead(Checkpoint& checkpoint, const std::filesystem::path& path,
                    const std::vector<std::string>& classes);

/// For training.keep_classes: where the names of some classes are among those of the checkpoint's
/// head, whose classes differ otherwise, its rows of those take the place of the model's own in a
/// head for `classes`; `model` is Model::state(). Returns what is to be said of it; nothing where no
/// class has a row, or all are the checkpoint's (then fitHead() is to be asked).
std::string keepClasses(Checkpoint& checkpoint, const std::filesystem::path& path,
                        const std::vector<std::string>& classes, const NamedTensors& model);

}  // namespace headlight
