// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step/ClassStep.h"

namespace headlight {

StepLosses ClassStep::losses(const BatchPart& part) {
  const MixedBatch& batch = m_inputs.batch;
  const bool whole = part.count == batch.size();
  return stepLosses(m_inputs.model, whole ? batch : batch.part(part.first, part.count),
                    m_inputs.config, m_inputs.teacher);
}

}  // namespace headlight
