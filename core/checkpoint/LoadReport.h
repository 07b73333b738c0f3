// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What of a file fits a model, in plain types: shown before anything is replaced.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace headlight {

/// What a checkpoint would do to a model, said before anything is replaced.
struct LoadReport {
  struct Resized {
    std::string name;
    std::vector<std::int64_t> from, to;
    std::string how;     ///< "bicubic", and what became of prefix tokens where they differ
    std::string change;  ///< in words: "14×14 → 12×12"
  };
  std::vector<std::string> matched;
  std::vector<std::string> missing;     ///< in the model, not in the file: they keep their values
  std::vector<std::string> unexpected;  ///< in the file, not in the model: ignored
  std::vector<Resized> resized;         ///< position embeddings and tables
  struct Mismatch {
    std::string name;
    std::vector<std::int64_t> file, model;
  };
  std::vector<Mismatch> mismatched;  ///< the shape differs and cannot be resized: not loaded
  struct Taken {
    std::string name;  ///< in the model
    std::string from;  ///< in the file
    std::string part;  ///< in words: "rows 384 to 575 of 576"
  };
  std::vector<Taken> taken;  ///< from a part of another tensor of the file

  /// A model in the file. Trainers keep several: the one in training, its moving average, a teacher.
  struct Choice {
    std::string name;  ///< what `--take` calls it: "teacher.backbone"
    std::size_t tensors = 0;
    bool taken = false;
  };
  std::vector<Choice> choices;  ///< the likeliest first; empty where the file holds one model alone
  std::vector<std::string> leftAside;  ///< what else the file holds, in words

  /// Tensors of the model's body and how many of them the file fills. The body is what a training
  /// from the file's weights goes on with: all but the head, whose classes may differ, tables of
  /// positions, which depend on the image's size, and what masks start from themselves.
  struct Share {
    std::size_t filled = 0, all = 0;
    double value() const { return all == 0 ? 1 : static_cast<double>(filled) / all; }
  };
  Share bodyShare() const;

  bool complete() const { return missing.empty() && unexpected.empty() && mismatched.empty(); }
  /// What would keep the values it has, random ones in a model just made: missing names and those
  /// of another shape. Masks start from what their scheme says, so theirs may be missing.
  std::vector<std::string> unfilled() const;
  /// One line: "152 matched, 1 resized (pos_embed 14×14 → 12×12), 2 missing: …".
  std::string summary() const;
};

}  // namespace headlight
