// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pre-norm block of ViT, shared by every backbone that is built of it.

#include <memory>
#include <string>

#include "core/attention/Mechanisms.h"
#include "core/models/layers/Parts.h"

namespace headlight {

struct BlockOptions {
  std::string mechanism = "softmax";
  AttentionOptions attention;  ///< its width is the block's
  double mlpRatio = 4.0;
  std::string mlp = "plain";  ///< VitLayout::mlp
  std::string activation = "gelu";
  double layerScale = 0.0;  ///< initial value; 0: none
  bool bareScale = false;   ///< its names are gamma_1, gamma_2, not ls1.gamma, ls2.gamma
  bool postNorm = false;    ///< norms come after what they else come before
  bool rmsNorm = false;     ///< RMSNorm in place of LayerNorm
  bool mlpBias = true;      ///< of the layers of a SwiGLU in two layers
  double dropPath = 0.0;
  double normEpsilon = 1e-6;
  bool mlpDropPath = true;  ///< off: stochastic depth drops the attention branch alone
  int mlpConvolution = 0;   ///< side of a depthwise convolution in the MLP (ConvolvedMlp); 0: none
  bool mlpBatchNorm = false;  ///< behind that convolution

  int hiddenWidth() const { return static_cast<int>(attention.width * mlpRatio); }  ///< of the MLP
};

/// x + drop(scale(attention(norm(x)))), then the same with the MLP: norm1, attn, ls1 (or gamma_1),
/// norm2, mlp, ls2 (or gamma_2). With postNorm x + drop(scale(norm(attention(x)))).
class TransformerBlock : public torch::nn::Module {
 public:
  explicit TransformerBlock(const BlockOptions& options);
  static void count(CostCounter& counter, const std::string& prefix, const BlockOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap);
  /// Attention::setGrid, and the MLP's.
  void setGrid(const Grid& grid);
  void setKept(const at::Tensor& kept) { m_attention->setKept(kept); }  ///< Attention::setKept
  Attention& attention() { return *m_attention; }
  const Attention& attention() const { return *m_attention; }
  BlockMlp& mlp() { return *m_mlp; }

 private:
  at::Tensor makeScale(const std::string& number, const BlockOptions& options);
  struct BlockJoint {
    BlockBranch part;
    const at::Tensor& scale;
    double dropPath;
    AttentionHook* tap;
  };
  at::Tensor join(const at::Tensor& tokens, at::Tensor branch, const BlockJoint& joint);

  Grid m_grid;
  double m_dropPath, m_mlpDropPath;
  bool m_postNorm;
  std::shared_ptr<TokenNorm> m_norm1, m_norm2;
  std::shared_ptr<Attention> m_attention;
  std::shared_ptr<BlockMlp> m_mlp;
  at::Tensor m_scale1, m_scale2;  ///< [D]; undefined without LayerScale
};

}  // namespace headlight
