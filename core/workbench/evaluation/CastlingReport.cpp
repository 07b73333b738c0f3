// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/evaluation/CastlingReport.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cmath>
#include <cstdio>

#include "core/base/Text.h"
#include "core/models/backbones/Castling.h"
#include "core/training/run/ModelFile.h"
#include "core/workbench/evaluation/CastlingPasses.h"
#include "core/workbench/loading/Weights.h"
#include "core/workbench/session/ModelCopy.h"

namespace headlight {
namespace {

void addCsv(std::string& csv, const std::string& what, double with, double castled) {
  csv += what + "," + numberText(with) + "," + numberText(castled) + "\n";
}

}  // namespace

Result<void> canCastle(const ModelConfig& model) {
  return guarded("model.mechanism", [&] { castledConfig(model, true); });
}

Result<CastlingReport> evaluateCastling(const EvaluationRequest& request,
                                        const ProgressCallback& progress, std::stop_token stop) {
  return guarded("castling", [&] {
    // A model without a branch is told before data that do not fit it.
    EvaluationRequest asked = request;
    asked.opened = [&](const ModelInfo& info) {
      valueOrThrow(canCastle(info.experiment.model));
      if (request.opened) request.opened(info);
    };
    OpenedEvaluation opened = openEvaluation(asked);
    return castlingReport(opened, progress, stop);
  });
}

Result<CastlingReport> evaluateCastling(InferenceSession& session, const PictureSample& sample,
                                        const MaskScheme& masks, const ProgressCallback& progress,
                                        std::stop_token stop) {
  return guarded("castling", [&] {
    valueOrThrow(canCastle(session.info().experiment.model));
    at::init_num_threads();  // counts are per thread
    OpenedEvaluation opened = openEvaluation(copyOf(session), sample);
    opened.loaded.model->setMasks(masks);
    return castlingReport(opened, progress, stop);
  });
}

Result<void> requireFree(const CastlingReport& report, const std::string& allTheSame) {
  if (report.free) return {};
  char cost[160];
  std::snprintf(cost, sizeof cost,
                "; without it top-1 goes from %.2f %% to %.2f %% and loss from %.4f to %.4f. Train "
                "until it is empty, or castle all the same with ",
                100 * report.with.top1, 100 * report.castled.top1, report.with.loss,
                report.castled.loss);
  return Error{ErrorCode::InvalidArgument, "castling is " + report.verdict + cost + allTheSame, ""};
}

Result<void> saveCastled(InferenceSession& session, const std::filesystem::path& path,
                         const MaskScheme& masks) {
  return guarded(path.string(), [&] {
    const LoadedModel own = copyOf(session);
    Experiment experiment = own.info.experiment;
    experiment.model = castledConfig(experiment.model, true);
    own.model->setMasks(masks);
    valueOrThrow(
        writeSafetensors(path, own.model->state(),
                         modelMetadata(experiment, masks, classesToKeep(own.info).names,
                                       own.model->progress(), own.model->learnedAlphas())));
  });
}

std::string nonzerosText(const CastlingReport& report, std::size_t layer) {
  const auto& one = report.layers[layer];
  if (std::isnan(one.nonzeros)) return "layer " + std::to_string(layer) + ": no auxiliary branch";
  char line[120];
  std::snprintf(line, sizeof line, "layer %zu: %.3g %% nonzeros, %.6g an image", layer,
                100 * one.nonzeros, one.perImage);
  return line;
}

std::string castlingCsv(const CastlingReport& report) {
  std::string csv = "what,with,castled\n";
  addCsv(csv, "images", static_cast<double>(report.with.images),
         static_cast<double>(report.castled.images));
  addCsv(csv, "loss", report.with.loss, report.castled.loss);
  addCsv(csv, "top1", report.with.top1, report.castled.top1);
  addCsv(csv, "top5", report.with.top5, report.castled.top5);
  for (std::size_t l = 0; l < report.layers.size(); ++l) {
    if (std::isnan(report.layers[l].nonzeros)) continue;
    const std::string layer = " of layer " + std::to_string(l);
    addCsv(csv, "nonzeros" + layer, report.layers[l].nonzeros, 0);
    addCsv(csv, "nonzeros an image" + layer, report.layers[l].perImage, 0);
  }
  return csv;
}

}  // namespace headlight
