// SPDX-License-Identifier: GPL-3.0-or-later

// Identify.h: tensors of mechanisms that only a config tells apart.

#include "core/base/Translation.h"
#include "core/workbench/identify/Identify.h"

namespace headlight {

void refuseOtherMechanisms(const TensorShapes& shapes) {
  refuseTensor(shapes, ".attn.an_bias", tr("agent attention"));
  refuseTensor(shapes, ".attn.dwc.", tr("focused linear or agent attention"));
  refuseTensor(shapes, ".attn.lepe.", tr("rank-augmented or magnitude-aware linear attention"));
  refuseTensor(shapes, ".attn.taylor_temperature", "TaylorShift");
  refuseTensor(shapes, ".attn.lambda_q1", tr("differential attention"));
  refuseTensor(shapes, ".attn.output_gate.", tr("gated attention"));
}

void requireSoftmaxBackbone(const TensorShapes& shapes) {
  refuseTensor(shapes, ".attn.dconv.", tr("linear-angular attention"));
  refuseTensor(shapes, ".attn.learned_mask_", tr("learned masks"));
  refuseOtherMechanisms(shapes);
  const std::string products = "backbone.blocks.0.attn.qkv.weight";
  if (!shapes.has(products))
    throw Failure(
        {ErrorCode::UnsupportedFile, tr("its attention is not softmax attention"), products});
}

}  // namespace headlight
