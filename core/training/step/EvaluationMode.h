// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A pass of a model outside training.

#include <torch/nn/module.h>

namespace headlight {

/// Puts a model into evaluation mode and back into its mode when it goes.
class EvaluationMode {
 public:
  explicit EvaluationMode(torch::nn::Module& model)
      : m_model(model), m_wasTraining(model.is_training()) {
    m_model.eval();
  }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;
  ~EvaluationMode() { m_model.train(m_wasTraining); }

 private:
  torch::nn::Module& m_model;
  bool m_wasTraining;
};

}  // namespace headlight
