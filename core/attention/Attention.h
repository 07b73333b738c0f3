#pragma once
// The interface of an attention mechanism: what stands between the first norm of a block and its
// residual. A mechanism is one file; adding one is one line in makeAttention().

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <memory>
#include <string>
#include <vector>

#include "core/attention/AttentionTap.h"
#include "core/masks/Grid.h"
#include "core/masks/HeadMask.h"

namespace headlight {

struct AttentionOptions {
  int layer = 0;
  int width = 192;  ///< D
  int heads = 3;    ///< H; divides D
  bool qkvBias = true;
  Grid grid;
};

class Attention : public torch::nn::Module {
 public:
  /// [B, T, D] → [B, T, D]. Where the tap wants this layer it is given [B, H, T, T].
  virtual at::Tensor forward(const at::Tensor& tokens, AttentionTap* tap) = 0;

  /// Where each head may look; `masks` has one entry a head.
  virtual void setMasks(const std::vector<HeadMask>& masks) = 0;
  /// α of every head now; NaN where its mask is not soft.
  virtual std::vector<float> softAlphas() const = 0;

  /// What a map of this mechanism is, in words.
  virtual std::string mapMeaning() const = 0;
  virtual bool mapIsSigned() const { return false; }
};

/// The mechanism registered as `name`. Throws Failure for an unknown one.
std::shared_ptr<Attention> makeAttention(const std::string& name, const AttentionOptions& options);

}  // namespace headlight
