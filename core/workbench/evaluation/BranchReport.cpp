// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/BranchReport.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cmath>
#include <cstdio>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/models/backbones/Castling.h"
#include "core/training/run/ModelFile.h"
#include "core/workbench/evaluation/BranchPasses.h"
#include "core/workbench/loading/Weights.h"
#include "core/workbench/session/ModelCopy.h"

namespace headlight {
namespace {

void addCsv(std::string& csv, const std::string& what, double with, double withoutBranch) {
  csv += what + "," + numberText(with) + "," + numberText(withoutBranch) + "\n";
}

}  // namespace

Result<void> canDropBranch(const ModelConfig& model) {
  return guarded("model.mechanism", [&] { configWithoutBranch(model, true); });
}

Result<BranchReport> evaluateWithoutBranch(const EvaluationRequest& request,
                                           const ProgressCallback& progress, std::stop_token stop) {
  return guarded("drop-branch", [&] {
    // Refuse a model without a branch before data that do not fit it.
    EvaluationRequest asked = request;
    asked.opened = [&](const ModelInfo& info) {
      valueOrThrow(canDropBranch(info.experiment.model));
      if (request.opened) request.opened(info);
    };
    OpenedEvaluation opened = openEvaluation(asked);
    return branchReport(opened, progress, stop);
  });
}

Result<BranchReport> evaluateWithoutBranch(InferenceSession& session, const ImageSample& sample,
                                           const MaskScheme& masks,
                                           const ProgressCallback& progress, std::stop_token stop) {
  return guarded("drop-branch", [&] {
    valueOrThrow(canDropBranch(session.info().experiment.model));
    at::init_num_threads();  // counts are per thread
    OpenedEvaluation opened = openEvaluation(copyModel(session), sample);
    opened.loaded.model->setMasks(masks);
    return branchReport(opened, progress, stop);
  });
}

Result<void> requireFree(const BranchReport& report, const std::string& allTheSame) {
  if (report.free) return {};
  char cost[512];
  std::snprintf(cost, sizeof cost,
                tr("; without it %s goes from %.2f %% to %.2f %% and loss from %.4f to %.4f. "
                   "Train until it is empty, or drop it anyway with "),
                report.with.qualityName(), 100 * report.with.quality(),
                100 * report.withoutBranch.quality(), report.with.loss, report.withoutBranch.loss);
  return Error{ErrorCode::InvalidArgument,
               tr("dropping the branch is ") + report.verdict + cost + allTheSame, ""};
}

Result<void> saveWithoutBranch(InferenceSession& session, const std::filesystem::path& path,
                               const MaskScheme& masks) {
  return guarded(path.string(), [&] {
    const LoadedModel own = copyModel(session);
    Experiment experiment = own.info.experiment;
    experiment.model = configWithoutBranch(experiment.model, true);
    own.model->setMasks(masks);
    valueOrThrow(
        writeSafetensors(path, own.model->state(),
                         modelMetadata(experiment, masks, classesToKeep(own.info).names,
                                       own.model->progress(), own.model->learnedAlphas())));
  });
}

std::string nonzerosText(const BranchReport& report, std::size_t layer) {
  const auto& one = report.layers[layer];
  if (std::isnan(one.nonzeros))
    return tr("layer ") + std::to_string(layer) + tr(": no auxiliary branch");
  char line[256];
  std::snprintf(line, sizeof line, tr("layer %zu: %.3g %% nonzeros, %.6g per image"), layer,
                100 * one.nonzeros, one.perImage);
  return line;
}

std::string branchReportCsv(const BranchReport& report) {
  std::string csv = "what,with,castled\n";
  addCsv(csv, "images", static_cast<double>(report.with.images),
         static_cast<double>(report.withoutBranch.images));
  addCsv(csv, "loss", report.with.loss, report.withoutBranch.loss);
  const auto with = report.with.scores(), without = report.withoutBranch.scores();
  for (std::size_t i = 0; i < with.size(); ++i)
    addCsv(csv, with[i].key, with[i].value, without[i].value);
  for (std::size_t l = 0; l < report.layers.size(); ++l) {
    if (std::isnan(report.layers[l].nonzeros)) continue;
    const std::string layer = " of layer " + std::to_string(l);
    addCsv(csv, "nonzeros" + layer, report.layers[l].nonzeros, 0);
    addCsv(csv, "nonzeros an image" + layer, report.layers[l].perImage, 0);
  }
  return csv;
}

}  // namespace headlight
