// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A file of a teacher's logits or features (data.teacher_logits), as headlight_maps.save_teacher
// writes it: safetensors with `logits` [N, C] or `features` [N, D], and `keys` [N], int64. Metadata:
// format "headlight teacher", and of logits class_names (JSON list). Torch types: core only.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/Experiment.h"
#include "core/data/Dataset.h"
#include "core/models/backbones/Model.h"
#include "core/training/tuning/TeacherRows.h"

namespace headlight {

/// FNV-1a, 64 bits, of a sample's name: by it a row is found.
std::uint64_t teacherKey(std::string_view name);

/// How a dataset describes a sample, without the folder of the data: "train/cat/1.png".
std::string teacherName(const Dataset& dataset, std::int64_t sample, const std::string& folder);

/// Whether the config asks for one. Throws Failure(InvalidConfig) where its options contradict each
/// other.
bool usesTeacherFile(const Experiment& experiment);

struct OpenedTeacherFile {
  std::shared_ptr<const TeacherRows> rows;
  std::string fingerprint;
  std::vector<std::string> notes;  ///< to be said of it
};

/// Throws Failure that names data.teacher_logits: no such file, samples without a row, two rows of a
/// sample, other classes, numbers that are not finite.
OpenedTeacherFile openTeacherFile(const Experiment& experiment, const Dataset& train);

/// Throws Failure(InvalidConfig) where the features of model and file are not of one width.
void requireSameFeatures(Model& model, const TeacherRows& rows, const at::Device& device);

}  // namespace headlight
