// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/export/Convert.h"

#include "core/checkpoint/Checkpoint.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Castling.h"
#include "core/models/backbones/Model.h"
#include "core/training/run/ModelFile.h"
#include "core/workbench/evaluation/CastlingPasses.h"
#include "core/workbench/loading/Compute.h"
#include "core/workbench/loading/LearnedAlphas.h"

namespace headlight {
namespace {

std::optional<at::ScalarType> dtypeFromName(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (name == "f32") return at::kFloat;
  if (name == "f16") return at::kHalf;
  if (name == "bf16") return at::kBFloat16;
  throw Failure(Error{ErrorCode::InvalidArgument,
                      "is not a dtype to convert to; give f32, f16 or bf16", name});
}

std::int64_t infiniteCount(const at::Tensor& tensor) {
  return at::isfinite(tensor).logical_not().sum().item<std::int64_t>();
}

void convertTensors(NamedTensors& tensors, at::ScalarType dtype, ConvertOutcome& outcome) {
  for (auto& [name, tensor] : tensors) {
    if (!tensor.is_floating_point() || tensor.scalar_type() == dtype) continue;
    const at::Tensor converted = tensor.to(dtype);
    if (infiniteCount(converted) > infiniteCount(tensor)) outcome.overflowed.push_back(name);
    tensor = converted;
  }
}

/// An Experiment that the weights do not fit would make a file that opens as something else.
void requireFit(const Checkpoint& checkpoint, const Experiment& experiment,
                const std::filesystem::path& in) {
  const auto refuseModel = [&](const std::string& why) {
    throw Failure(Error{ErrorCode::InvalidConfig,
                        "the weights do not fit the model \"" + experiment.model.name +
                            "\": " + why + "; give the model they belong to",
                        in.string()});
  };
  const auto held = guarded(in.string(), [&] {
    requireHeld(experiment.model, weightsOf(checkpoint.tensors), in.string());
  });
  if (!held) refuseModel("the file " + held.error().message);
  const auto model = makeModel(experiment.model, 0);
  model->setMasks(valueOrThrow(resolveMasks(experiment.masks, model->masks().shape())));
  const Grid grid = model->grid(0);
  const LoadReport report = valueOrThrow(planLoad(model->state(), weightsOf(checkpoint),
                                                  {grid.prefix, grid.rows, grid.cols}))
                                .report;
  // Parameters of a mask (soft_mask_logit) may be missing: they have initial values.
  bool fits = report.mismatched.empty() && report.resized.empty() && !report.matched.empty();
  for (const auto& name : report.missing)
    fits =
        fits && name.find(".attn.") != std::string::npos && name.find("mask") != std::string::npos;
  if (!fits) refuseModel(report.summary());
}

std::map<std::string, std::string> metadataOf(const Checkpoint& checkpoint,
                                              const Experiment& experiment) {
  const MaskScheme masks =
      valueOrThrow(resolveMasks(experiment.masks, maskShapeOf(experiment.model)));
  auto metadata = checkpoint.metadata;
  for (const auto& [key, value] : modelMetadata(experiment, masks, {}))
    if (key != "class_names") metadata[key] = value;
  return metadata;
}

/// The Experiment in the metadata, with the model castled; the rest of it as it was.
void castle(std::map<std::string, std::string>& metadata, const std::string& where) {
  if (!metadata.contains("experiment"))
    throw Failure(Error{ErrorCode::InvalidArgument,
                        "carries no Experiment whose model could be castled; give the model it "
                        "belongs to",
                        where});
  Experiment experiment = valueOrThrow(runExperiment(metadata, where));
  experiment.model = castledConfig(experiment.model, true);
  const MaskScheme masks =
      valueOrThrow(resolveMasks(experiment.masks, maskShapeOf(experiment.model)));
  metadata["experiment"] = modelMetadata(experiment, masks, {}).at("experiment");
}

/// Of the weights as they are written, whatever dtype they were given. Throws Failure.
CastlingReport checkCastling(const CastlingCheck& check, const Checkpoint& checkpoint,
                             const ProgressCallback& progress, std::stop_token stop) {
  configureCompute(check.source.threads);
  LoadedModel loaded = loadModel(check.source);
  applyWeights(*loaded.model, planFor(*loaded.model, weightsOf(checkpoint)), std::nullopt);
  OpenedEvaluation opened = openEvaluation(std::move(loaded), check.sample);
  CastlingReport report = castlingReport(opened, progress, stop);
  if (!check.anyway) valueOrThrow(requireFree(report, "--anyway"));
  return report;
}

}  // namespace

Result<ConvertOutcome> convertCheckpoint(const std::filesystem::path& in,
                                         const std::filesystem::path& out,
                                         const ConvertOptions& options,
                                         const ProgressCallback& progress, std::stop_token stop) {
  return guarded(in.string(), [&] {
    const auto dtype = dtypeFromName(options.dtype);
    Checkpoint checkpoint = valueOrThrow(readCheckpoint(in));
    if (options.weightsOnly) checkpoint = weightsOf(std::move(checkpoint));
    ConvertOutcome outcome;
    outcome.notes = checkpoint.notes;
    if (dtype) convertTensors(checkpoint.tensors, *dtype, outcome);
    auto metadata = checkpoint.metadata;
    if (options.experiment) {
      requireFit(checkpoint, *options.experiment, in);
      metadata = metadataOf(checkpoint, *options.experiment);
    }
    if (options.castled) castle(metadata, in.string());
    if (options.castled && options.check)
      outcome.castling = checkCastling(*options.check, checkpoint, progress, stop);
    valueOrThrow(writeSafetensors(out, checkpoint.tensors, metadata));
    for (const auto& [name, tensor] : checkpoint.tensors) {
      ++outcome.tensors;
      outcome.bytes += static_cast<std::int64_t>(tensor.nbytes());
    }
    return outcome;
  });
}

}  // namespace headlight
