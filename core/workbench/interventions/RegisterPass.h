// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A ViT run block by block, with or without registers behind its prefix tokens. Torch types: core
// only.

#include <ATen/core/Tensor.h>

#include <utility>
#include <vector>

#include "core/models/backbones/VisionTransformer.h"
#include "core/workbench/interventions/Registers.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/session/ModelPass.h"

namespace headlight {

/// The model as the ViT that it is; throws Failure where it has no place for extra tokens.
VisionTransformer& requireRegisterPlace(Model& model);

/// Edits of a model's MLPs, which it has no longer afterwards.
class HiddenEdits {
 public:
  explicit HiddenEdits(VisionTransformer& model) : m_model(model) {}
  HiddenEdits(const HiddenEdits&) = delete;
  HiddenEdits& operator=(const HiddenEdits&) = delete;
  ~HiddenEdits();
  void set(int layer, BlockMlp::HiddenEdit edit) {
    m_model.blockAt(layer).mlp().setHiddenEdit(std::move(edit));
  }

 private:
  VisionTransformer& m_model;
};

/// Of `model`, which is the caller's own: registers change where its attention believes tokens lie.
class RegisterPass {
 public:
  RegisterPass(LoadedModel& own, const RegisterRequest& request, const ProgressCallback& progress,
               const std::stop_token& stop);
  /// Of runs to come, with the activations of `neurons` moved to them.
  void addRegisters(int count, const std::vector<RegisterNeuron>& neurons);
  RegisterRun run();
  /// [layer][register] of the last run.
  const std::vector<std::vector<float>>& registerNorms() const { return m_registerNorms; }

 private:
  int firstPatch() const { return m_grid.prefix + m_registers; }
  at::Tensor withRegisters(const at::Tensor& tokens) const;
  at::Tensor withoutRegisters(const at::Tensor& tokens) const;
  /// [1, H, T, T] → [P].
  std::vector<float> seenPatches(const at::Tensor& map) const;
  void addLayer(RegisterRun& run, const at::Tensor& tokens);
  void classify(RegisterRun& run, const at::Tensor& tokens);

  const ModelInfo& m_info;
  VisionTransformer& m_model;
  double m_factor;
  at::Tensor m_input;
  Grid m_grid;  ///< of the model's own tokens
  int m_registers = 0;
  HiddenEdits m_edits;
  PassSteps m_steps;
  std::vector<std::vector<float>> m_registerNorms;
};

}  // namespace headlight
