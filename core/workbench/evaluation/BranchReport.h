// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a model loses where inference goes without its auxiliary softmax branch (Castling-ViT,
// §3.2.2), and whether that is free. No torch type here. The doors block their caller's thread.

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/workbench/evaluation/Evaluate.h"
#include "core/workbench/evaluation/ImageSample.h"

namespace headlight {

/// A model with its auxiliary softmax branch, and without.
struct BranchReport {
  struct Layer {
    /// Share of nonzeros in the auxiliary mask over all images, in [0, 1]; NaN in a layer without a
    /// branch.
    double nonzeros = 0;
    double perImage = 0;  ///< as many entries of an image's H × T × T on average; NaN likewise
  };
  EvaluationResult with, withoutBranch;
  std::vector<Layer> layers;
  /// No entry was left in any layer for any image: leaving the branch out changes nothing.
  bool free = false;
  std::string classMatch = {};  ///< ClassMatch::text
  std::string verdict;          ///< in words: "free: …" or "not free: …"
  std::string measured = {};    ///< when (utcNow()), of a report that is kept; else empty
};

/// Ok for a model with a branch that inference could drop. Error: InvalidConfig, saying why not.
Result<void> canDropBranch(const ModelConfig& model);

/// As evaluate(), twice. Errors besides: canDropBranch's.
Result<BranchReport> evaluateWithoutBranch(const EvaluationRequest& request,
                                           const ProgressCallback& progress, std::stop_token stop);

/// The same of an open model under `masks`, with the weights that the session has when this begins:
/// on a copy, so that the session stays free.
Result<BranchReport> evaluateWithoutBranch(InferenceSession& session, const ImageSample& sample,
                                           const MaskScheme& masks,
                                           const ProgressCallback& progress = {},
                                           std::stop_token stop = {});

/// Ok where dropping the branch is free by this report. Error: InvalidArgument, saying what is
/// left, what that costs, and how to drop it anyway (`allTheSame`: "--anyway").
Result<void> requireFree(const BranchReport& report, const std::string& allTheSame);

/// Saves the session's model with `masks` so that inference goes without its branch from then on:
/// as InferenceSession::save, the weights as they are. Errors: canDropBranch's, Io.
Result<void> saveWithoutBranch(InferenceSession& session, const std::filesystem::path& path,
                               const MaskScheme& masks);

/// "layer 3: 0.12 % nonzeros, 56.4 an image"; "layer 3: no auxiliary branch".
std::string nonzerosText(const BranchReport& report, std::size_t layer);

/// what,with,castled: images, loss, top1, top5, and of each layer with a branch its nonzeros, as a
/// share and per image; without the branch there are none.
std::string branchReportCsv(const BranchReport& report);

}  // namespace headlight
