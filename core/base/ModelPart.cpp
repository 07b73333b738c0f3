// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/ModelPart.h"

#include "core/base/Translation.h"

namespace headlight {
namespace {

thread_local PartListener* t_listener = nullptr;

struct PartWords {
  const char *name, *title, *help;
};

PartWords wordsOf(ModelPart part) {
  switch (part) {
    case ModelPart::Embedding:
      return {"embedding", tr("embedding"),
              tr("Patches or the stem, position embeddings, prefix tokens, and the merging of "
                 "patches between stages.")};
    case ModelPart::Norms:
      return {"norms", tr("norms"), tr("Layer, RMS and batch norms, wherever they are.")};
    case ModelPart::Projections:
      return {"attention_projections", tr("attention: projections"),
              tr("Linear layers of the attention: queries, keys, values and output.")};
    case ModelPart::Attention:
      return {"attention", tr("attention: scores and values"),
              tr("Everything else in the attention: scores, masks, softmax or linear kernel, and "
                 "the weighted values, which fused kernels compute together.")};
    case ModelPart::Mlp:
      return {"mlp", tr("MLP"), tr("Linear layers and activations of the MLPs.")};
    case ModelPart::Convolution:
      return {"convolution", tr("convolutions"),
              tr("Convolutions in blocks: depthwise ones beside the attention or in the MLP, "
                 "pooling of queries, keys and values, the stages of a detector.")};
    case ModelPart::Head:
      return {"head", tr("head"),
              tr("Pooling and classifier; in detectors, segmenters and autoencoders, what follows "
                 "the blocks.")};
    case ModelPart::Loss:
      return {"loss", tr("loss"), tr("The loss, auxiliary losses, and the mixing of images.")};
    case ModelPart::Optimizer:
      return {"optimizer", tr("optimizer"),
              tr("The gradient norm, the optimizer's update, and the moving average.")};
    case ModelPart::Other:
      break;
  }
  return {"other", tr("other"),
          tr("Residual sums, layer scale, stochastic depth, shortcuts, and the bookkeeping of the "
             "backward pass.")};
}

}  // namespace

std::string modelPartName(ModelPart part) {
  return wordsOf(part).name;
}

std::string modelPartTitle(ModelPart part) {
  return wordsOf(part).title;
}

std::string modelPartHelp(ModelPart part) {
  return wordsOf(part).help;
}

PartListener* PartListener::current() {
  return t_listener;
}

void PartListener::setCurrent(PartListener* listener) {
  t_listener = listener;
}

}  // namespace headlight
