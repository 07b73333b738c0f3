// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/interventions/InterventionRun.h"

#include <ATen/ATen.h>

#include <limits>
#include <utility>

#include "core/attention/base/MixedPrecision.h"
#include "core/base/Translation.h"
#include "core/workbench/session/ModelCopy.h"

namespace headlight {
namespace {

void requireWatchedClasses(const ModelInfo& info) {
  if (info.experiment.model.classes > 0) return;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("interventions watch a class, but this model has no classifier; teach it "
                    "classes, or open another model"),
                 "interventions"});
}

void requireSource(const InterventionRequest& request) {
  const std::string& replace = request.options.replace;
  if (replace == "image" && request.other.count == 0)
    throw Failure(
        {ErrorCode::InvalidArgument, tr("give the other image to take parts from"), "replace"});
  if (replace == "mean" && request.images.count == 0)
    throw Failure({ErrorCode::InvalidArgument, tr("give images to average over"), "replace"});
}

}  // namespace

InterventionRun::InterventionRun(InferenceSession& session, const MaskScheme& masks,
                                 const InterventionRequest& request, bool withPattern,
                                 const ProgressCallback& progress, const std::stop_token& stop)
    : m_keep(withPattern ? PartsHook::Keep::PartsAndPattern : PartsHook::Keep::Parts) {
  requireWatchedClasses(session.info());
  requireSource(request);
  m_loaded = copyModel(session);
  model().setMasks(masks);
  choose(request, progress, stop);
}

void InterventionRun::choose(const InterventionRequest& request, const ProgressCallback& progress,
                             const std::stop_token& stop) {
  const bool patched = request.options.replace == "image";
  m_facts.runsOther = patched && request.options.direction == "denoise";
  at::Tensor image = modelInput(info(), request.image), other;
  const at::Tensor logits = wholeLogits(image, stop);
  at::Tensor otherLogits;
  if (patched) {
    other = modelInput(info(), request.other);
    otherLogits = wholeLogits(other, stop);
  }
  m_metric = chooseMetric(info(), request.options.metric, request.classIndex, request.against,
                          logits, otherLogits);
  m_facts.metric = metricTitle(m_metric, info());
  m_facts.classIndex = m_metric.classIndex;
  m_facts.against = m_metric.against;
  const double own = m_metric.of(logits)[0];
  const double others =
      patched ? m_metric.of(otherLogits)[0] : std::numeric_limits<double>::quiet_NaN();
  m_facts.base = m_facts.runsOther ? others : own;
  m_facts.target = m_facts.runsOther ? own : others;
  m_input = m_facts.runsOther ? other : image;
  m_source = patched ? imageParts(model(), m_facts.runsOther ? image : other, m_keep)
             : request.options.replace == "mean"
                 ? meanParts(m_loaded, request.images, m_keep, progress, stop)
                 : zeroParts();
}

at::Tensor InterventionRun::wholeLogits(const at::Tensor& image, const std::stop_token& stop) {
  return logitsFrom(0, model().embed(image), stop);
}

at::Tensor InterventionRun::logitsFrom(int layer, at::Tensor tokens, const std::stop_token& stop) {
  for (int l = layer; l < model().layers(); ++l) {
    throwIfPassStopped(stop);
    tokens = model().block(l, tokens, nullptr);
  }
  return inFloat32(model().classify(tokens));
}

}  // namespace headlight
