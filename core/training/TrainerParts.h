// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a trainer is put together from, and what its own parts work on.

#include <c10/core/Device.h>

#include <memory>
#include <string>

#include "core/config/Experiment.h"
#include "core/data/Dataset.h"
#include "core/imaging/Preprocess.h"
#include "core/models/backbones/Model.h"
#include "core/processes/Processes.h"
#include "core/training/RunControl.h"
#include "core/training/run/MaskEditQueue.h"
#include "core/training/run/RunRecorder.h"
#include "core/training/run/TrainingCheckpoint.h"
#include "core/training/step/StepRunner.h"

namespace headlight {

struct TrainerParts {
  Experiment experiment;         ///< resolved: model.classes as the data has
  std::shared_ptr<Model> model;  ///< on `device`, with the masks of the experiment, before any edit
  at::Device device = at::kCPU;
  std::shared_ptr<const Dataset> train, validation;
  Preprocessing preprocessing;
  std::shared_ptr<Teacher> teacher;                ///< on `device`; null: no distillation
  std::shared_ptr<const TeacherRows> teacherRows;  ///< data.teacher_logits; null: none
  std::string teacherFingerprint;                  ///< of its files; empty: it has none
  std::string trainStamp, validationStamp;         ///< Dataset::stamp
  std::string run;                                 ///< its id; empty: of before runs had one
  /// That train together: each with these parts, in the same state (Trainer::share). Process 0
  /// alone writes and measures heads. Null: this one alone.
  std::shared_ptr<Processes> processes;
};

/// A training that goes on, for TrainerCheckpoints and TrainerTelemetry. All of it must outlive
/// them.
struct TrainerContext {
  const TrainerParts& parts;
  RunControl& control;
  MaskEditQueue& ledger;
  RunRecorder& recorder;
  StepRunner& steps;
  TrainingPosition& at;
};

}  // namespace headlight
