// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/export/Convert.h"

#include <algorithm>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/models/Registry.h"
#include "core/models/backbones/Castling.h"
#include "core/models/backbones/Model.h"
#include "core/training/run/ModelFile.h"
#include "core/training/tuning/Adapters.h"
#include "core/workbench/evaluation/BranchPasses.h"
#include "core/workbench/loading/LearnedAlphas.h"
#include "core/workbench/loading/TorchRuntime.h"
#include "core/workbench/loading/WeightsPlace.h"

namespace headlight {
namespace {

constexpr std::pair<const char*, at::ScalarType> kConvertDtypes[] = {
    {"f32", at::kFloat},
    {"f16", at::kHalf},
    {"bf16", at::kBFloat16},
};

std::optional<at::ScalarType> dtypeFromName(const std::string& name) {
  if (name.empty()) return std::nullopt;
  for (const auto& [known, dtype] : kConvertDtypes)
    if (name == known) return dtype;
  throw Failure(Error{ErrorCode::InvalidArgument,
                      tr("is not a supported dtype; choose one of ") + convertDtypeNames(), name});
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
                        tr("the weights do not fit the model \"") + experiment.model.name +
                            "\": " + why + tr("; give the model that they belong to"),
                        in.string()});
  };
  const auto held = guarded(in.string(), [&] {
    requireHeld(experiment.model, weightsOf(checkpoint.tensors), in.string());
  });
  if (!held) refuseModel(tr("the file ") + held.error().message);
  const auto model = makeModel(experiment.model, 0);
  model->setMasks(valueOrThrow(resolveMasks(experiment.masks, model->masks().shape())));
  const Grid grid = model->positionGrid();
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
      valueOrThrow(resolveMasks(experiment.masks, makeMaskShape(experiment.model)));
  auto metadata = checkpoint.metadata;
  for (const auto& [key, value] : modelMetadata(experiment, masks, {}))
    if (key != "class_names") metadata[key] = value;
  return metadata;
}

/// The Experiment in the metadata, with the model without its branch; the rest is unchanged.
void dropBranch(std::map<std::string, std::string>& metadata, const std::string& where) {
  if (!metadata.contains("experiment"))
    throw Failure(Error{ErrorCode::InvalidArgument,
                        tr("contains no Experiment with a model whose auxiliary branch can be "
                           "dropped; give the model it belongs to"),
                        where});
  Experiment experiment = valueOrThrow(runExperiment(metadata, where));
  experiment.model = configWithoutBranch(experiment.model, true);
  const MaskScheme masks =
      valueOrThrow(resolveMasks(experiment.masks, makeMaskShape(experiment.model)));
  metadata["experiment"] = modelMetadata(experiment, masks, {}).at("experiment");
}

/// For the weights as written, whatever dtype they were given in. Throws Failure.
BranchReport checkWithoutBranch(const BranchCheck& check, const Checkpoint& checkpoint,
                                const ProgressCallback& progress, std::stop_token stop) {
  configureCompute(check.source.threads);
  LoadedModel loaded = loadModel(check.source);
  applyWeights(*loaded.model, planFor(*loaded.model, weightsOf(checkpoint)), std::nullopt);
  OpenedEvaluation opened = openEvaluation(std::move(loaded), check.sample);
  BranchReport report = branchReport(opened, progress, stop);
  if (!check.anyway) valueOrThrow(requireFree(report, "--anyway"));
  return report;
}

/// Whether a run can be resumed from it.
bool goesOn(const NamedTensors& tensors) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const auto& item) { return item.first.starts_with(kOptimizerPrefix); });
}

}  // namespace

std::string convertDtypeNames() {
  std::string names;
  for (const auto& [name, dtype] : kConvertDtypes)
    addTo(names, name);
  return names;
}

Result<ConvertOutcome> convertCheckpoint(const std::filesystem::path& in,
                                         const std::filesystem::path& out,
                                         const ConvertOptions& options,
                                         const ProgressCallback& progress, std::stop_token stop) {
  return guarded(in.string(), [&] {
    const auto dtype = dtypeFromName(options.dtype);
    const WeightsPlace place = parseWeightsPlace(in);
    Checkpoint checkpoint = valueOrThrow(readCheckpoint(place.file, place.take));
    if (options.weightsOnly) checkpoint = weightsOf(std::move(checkpoint));
    if (!goesOn(checkpoint.tensors))  // a run would not go on from it with LoRA in its layers
      checkpoint.tensors = mergedLowRank(std::move(checkpoint.tensors));
    ConvertOutcome outcome;
    outcome.notes = checkpoint.notes;
    if (const std::string note = bottleneckNote(checkpoint.tensors); !note.empty())
      outcome.notes.push_back(note);
    if (dtype) convertTensors(checkpoint.tensors, *dtype, outcome);
    auto metadata = checkpoint.metadata;
    if (options.experiment) {
      requireFit(checkpoint, *options.experiment, in);
      metadata = metadataOf(checkpoint, *options.experiment);
    }
    if (options.withoutBranch) dropBranch(metadata, in.string());
    if (options.withoutBranch && options.check)
      outcome.castling = checkWithoutBranch(*options.check, checkpoint, progress, stop);
    valueOrThrow(writeSafetensors(out, checkpoint.tensors, metadata));
    for (const auto& [name, tensor] : checkpoint.tensors) {
      ++outcome.tensors;
      outcome.bytes += static_cast<std::int64_t>(tensor.nbytes());
    }
    return outcome;
  });
}

}  // namespace headlight
