// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Trainers wrap a model's tensors into dictionaries and prefixes, each in its own way. Instead of a
// list of their ways there is one rule: among all dictionaries of tensors in a file and all prefixes
// of their names, the one under which the names are those of a known model. Internal.

#include <string>
#include <vector>

#include "core/checkpoint/KnownNames.h"
#include "core/checkpoint/LoadReport.h"

namespace headlight {

/// A dictionary of tensors inside a file.
struct TensorNest {
  std::string path;                ///< "teacher", "model_ema.module"; empty: the file itself
  std::vector<std::string> names;  ///< of its tensors, in the order of the file
};

/// What a person calls the tensors of the file itself, under no prefix.
inline constexpr const char* kTopOfFile = "top";

/// A model in a file: the tensors of a dictionary whose names begin with the prefix.
struct NestedModel {
  std::size_t nest = 0;
  std::string prefix;  ///< "module.base_encoder."; it is taken off the names
  bool known = false;  ///< else nothing in the file is known, and this is the likeliest dictionary

  /// What a person calls it: "teacher.backbone"; "top" for the file's own names.
  std::string nameIn(const std::vector<TensorNest>& nests) const;
};

/// All known models of a file, the best first: a moving average or teacher, then what is trained,
/// then a student or momentum encoder; of the same kind the order of the file. Where none is
/// known, every dictionary, the likeliest first.
std::vector<NestedModel> rankNests(const std::vector<TensorNest>& nests,
                                   const std::vector<KnownNames>& families = knownNames());

/// The best, or the best of those called `take`: by its whole name, or by parts of it that follow
/// each other ("student", "base_encoder"). Throws Failure(InvalidArgument) that lists the names
/// where none is. `ranked` is not empty.
const NestedModel& chooseNest(const std::vector<NestedModel>& ranked,
                              const std::vector<TensorNest>& nests, const std::string& take,
                              const std::string& where);

/// Whether a model of this name is a moving average or a teacher of the one in training.
bool isAverage(const std::string& name);

/// The name without what programs put inside it around modules (torch.compile's "_orig_mod.",
/// FSDP's, checkpointing's).
std::string withoutWrappers(std::string name);
/// The same, and without "module." and "_orig_mod." before it.
std::string withoutOuterWrappers(std::string name);

}  // namespace headlight
