// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/adapt/TaughtModel.h"

#include <ATen/ATen.h>

#include "core/base/Translation.h"
#include "core/workbench/adapt/HeadPlacement.h"
#include "core/workbench/loading/Weights.h"
#include "core/workbench/session/ModelAccess.h"
#include "core/workbench/session/ModelCopy.h"

namespace headlight {
namespace {

at::Tensor headNumbers(const std::vector<float>& values) {
  return at::tensor(at::ArrayRef<float>(values), at::kFloat);
}

HeadTensors tensorsOf(const LinearHead& head) {
  return {headNumbers(head.weight).view({head.classes(), head.width}), headNumbers(head.bias),
          headNumbers(head.mean), headNumbers(head.variance)};
}

void requirePlace(const LinearHead& head) {
  const std::string apart = whyHeadStaysApart(head);
  if (!apart.empty())
    throw Failure({ErrorCode::InvalidArgument, tr("the classifier ") + apart, "head"});
  const auto count = static_cast<std::size_t>(head.classes());
  const auto width = static_cast<std::size_t>(head.width);
  const bool whole = count > 0 && width > 0 && head.weight.size() == count * width &&
                     head.bias.size() == count && head.mean.size() == width &&
                     head.variance.size() == width;
  if (!whole)
    throw Failure({ErrorCode::InvalidArgument, tr("the classifier is incomplete"), "head"});
}

void requireWidth(const LinearHead& head, const ModelConfig& model) {
  const std::int64_t width = headInputWidth(model);
  if (head.width == width) return;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("the classifier reads ") + std::to_string(head.width) +
                     tr(" features, and the model gives ") + std::to_string(width) +
                     tr("; fit it to this model"),
                 "head"});
}

/// One that is taught again has one probe.
std::string probeName(const std::string& from) {
  constexpr const char* kProbe = " + probe";
  return from.empty() || from.ends_with(kProbe) ? from : from + kProbe;
}

/// Its weights are in no file yet (KeptTaught.h).
void describeTaught(const ModelInfo& from, const LinearHead& head,
                    const std::optional<DataConfig>& data, ModelInfo& info) {
  nameClasses(info, {head.classNames, {}});
  info.randomWeights = from.randomWeights;
  info.weightsName = probeName(from.weightsName);
  info.notes = from.notes;
  if (data) info.experiment.data = *data;
}

}  // namespace

Result<std::unique_ptr<InferenceSession>> withHead(InferenceSession& session,
                                                   const LinearHead& head, const MaskScheme& masks,
                                                   const std::optional<DataConfig>& data) {
  return guarded("classifier", [&] {
    requirePlace(head);
    const LoadedModel own = copyModel(session);
    resolvedChoice(own.info, {head.token, head.layers});
    LoadedModel taught = withNewHead(own, head.token, static_cast<int>(head.classes()), masks);
    requireWidth(head, taught.info.experiment.model);
    fillHead(*taught.model, tensorsOf(head));
    describeTaught(own.info, head, data, taught.info);
    return makeSession(std::move(taught));
  });
}

}  // namespace headlight
