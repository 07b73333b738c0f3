// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What every mechanism with logits on a grid shares: the masks of its heads (MaiT §4), as tensors
// and with the parameters that some kinds bring.

#include "core/attention/base/Attention.h"
#include "core/attention/base/LearnedAlphaStore.h"
#include "core/attention/kernels/HeadAttention.h"
#include "core/attention/kernels/HeadKernel.h"

namespace headlight {

/// Brings soft_mask_logit [H] (a of α = sigmoid(a)) once a head is soft, and the buffer random_mask
/// [H, Tq, Tk] (bool) once a head is random.
class MaskedAttention : public Attention {
 public:
  void setMasks(const std::vector<HeadMask>& masks) override;
  std::vector<float> softAlphas() const override;
  std::vector<LearnedAlpha> learnedAlphas() const override { return m_alphas.entries(); }
  void setLearnedAlphas(const std::vector<LearnedAlpha>& learned) override;
  at::Tensor idleAlphas() const override;
  std::string kernelText() const override;

 protected:
  /// `grid` is where its logits [.., H, T, T] live: the model's, or one window's.
  MaskedAttention(int layer, int heads, const Grid& grid);
  /// Logits [.., H, Tq, Tk] of queries and keys on grids of their own (pooled keys).
  MaskedAttention(int layer, int heads, const Grid& queries, const Grid& keys);

  /// Logits of the passes to come live on `grid`, as queries and keys. Throws Failure where a head
  /// is random (which pairs it keeps is stored) or its mask does not fit there.
  void moveTo(const Grid& grid);

  enum class Kernel { Auto, Dense, Linear };
  /// Which kernel hard, strict and random heads run by; Auto goes by their size.
  void setKernel(Kernel kernel) { m_kernel = kernel; }

  /// For the kernels, in the dtype (of 16 bits: float32) and on the device of `heads`. With
  /// `linearAllowed`, heads that are to run in linear time have their selected sets and no matrix.
  HeadLogits logitMasks(const at::TensorOptions& heads, bool linearAllowed = false);
  /// headAttention(), which kernelText() then tells of.
  AttentionOutput runHeads(const HeadInputs& inputs, const HeadLogits& logits, bool wantMap);
  /// Logits [B, H, T, T] with the masks applied (MaiT Eq. 2); as they are where no head is masked.
  at::Tensor masked(const at::Tensor& logits);

 private:
  /// Throws Failure where a mask does not fit these grids, or the kernel that was asked for.
  void requireFit(const std::vector<HeadMask>& masks, const Grid& queries, const Grid& keys) const;
  void makeSoftLogits();
  void updateSoftLogits(const std::vector<HeadMask>& masks);
  void updateRandomMasks(const std::vector<HeadMask>& masks);
  bool runsLinear(std::size_t head, const at::Device& device) const;
  const at::Tensor& makeMatrix(std::size_t head, const at::TensorOptions& like);
  const std::shared_ptr<const SelectedSets>& setsOfHead(std::size_t head);

  int m_layer;
  Grid m_home;  ///< of the config's images
  Grid m_queries, m_keys;
  std::vector<HeadMask> m_masks;
  LearnedAlphaStore m_alphas;
  at::Tensor m_softLogit;   ///< [H]; undefined until a head is soft
  at::Tensor m_randomMask;  ///< [H, Tq, Tk] bool; undefined until a head is random
  Kernel m_kernel = Kernel::Auto;
  std::vector<HeadKernel> m_ran;  ///< of each head in the last forward pass; empty before one
  // For each head; created on first use.
  std::vector<at::Tensor> m_matrices;  ///< [Tq, Tk]
  std::vector<std::shared_ptr<const SelectedSets>> m_sets;
  std::uint32_t m_randomVersion = 0;  ///< of m_randomMask when its sets were made
};

}  // namespace headlight
