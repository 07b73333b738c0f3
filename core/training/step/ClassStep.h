// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A step of a classifier: stepLosses() of each part.

#include "core/training/step/TaskStep.h"

namespace headlight {

class ClassStep : public TaskStep {
 public:
  explicit ClassStep(const StepInputs& inputs) : m_inputs(inputs) {}

  StepLosses losses(const BatchPart& part) override;

 private:
  StepInputs m_inputs;
};

}  // namespace headlight
