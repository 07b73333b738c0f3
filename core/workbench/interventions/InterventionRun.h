// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The run that is changed and what is put into it, block by block beside each other, so that never
// more than one block's activations are held. Torch types: core only.

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "core/workbench/interventions/InterventionMetric.h"
#include "core/workbench/interventions/Interventions.h"
#include "core/workbench/interventions/PartSource.h"
#include "core/workbench/session/ModelPass.h"

namespace headlight {

/// A copy of a session's model and what a request says of it.
class InterventionRun {
 public:
  /// Throws Failure. `withPattern`: attention weights are replaced.
  InterventionRun(InferenceSession& session, const MaskScheme& masks,
                  const InterventionRequest& request, bool withPattern,
                  const ProgressCallback& progress, const std::stop_token& stop);

  Model& model() { return *m_loaded.model; }
  const ModelInfo& info() const { return m_loaded.info; }
  const InterventionMetric& metric() const { return m_metric; }
  const InterventionFacts& facts() const { return m_facts; }
  PartsHook::Keep keep() const { return m_keep; }
  PartSource& source() { return *m_source; }
  /// [1, 3, H, W]: of the run that is changed.
  const at::Tensor& input() const { return m_input; }
  /// [B, classes] from what enters `layer`, or for layers() leaves the last.
  at::Tensor logitsFrom(int layer, at::Tensor tokens, const std::stop_token& stop);

 private:
  at::Tensor wholeLogits(const at::Tensor& image, const std::stop_token& stop);
  void choose(const InterventionRequest& request, const ProgressCallback& progress,
              const std::stop_token& stop);

  LoadedModel m_loaded;
  PartsHook::Keep m_keep;
  at::Tensor m_input;
  std::unique_ptr<PartSource> m_source;
  InterventionMetric m_metric;
  InterventionFacts m_facts;
};

}  // namespace headlight
