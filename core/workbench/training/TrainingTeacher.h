// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Opening the teacher that a run is to learn from. Torch types: core only.

#include <memory>
#include <string>
#include <vector>

#include "core/config/Experiment.h"
#include "core/training/step/Teacher.h"

namespace headlight {

struct OpenedTeacher {
  std::shared_ptr<Teacher> teacher;  ///< null where training.distillation is none
  std::string fingerprint;           ///< of its files; empty: it has none
  std::vector<std::string> notes;    ///< for the person: sizes that differ, random weights
};

/// The teacher of `experiment` (whose model.classes is that of the data), on `device`. Throws
/// Failure naming training.teacher or training.teacher_weights: none given, not readable, another
/// number of classes than `classNames`, or other classes.
OpenedTeacher openTeacher(const Experiment& experiment, const std::vector<std::string>& classNames,
                          const std::string& device);

}  // namespace headlight
