// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Linear-angular attention and its auxiliary branch: Castling-ViT (You et al. 2023), Eq. 4 to 10,
// with the kernels that its Table 5 compares.

#include "core/attention/base/AdaptableLinear.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/base/Attention.h"
#include "core/attention/linear/LinearKernels.h"

namespace headlight {

struct LinearAngularOptions {
  std::string kernel = "linear_angular";
  int terms = 1;  ///< of angular_series
  std::string residual = "tokens";
  int residualKernel = 9;
  bool auxiliary = true;
  double epsilon = 0.02;
  std::string epsilonSchedule = "fixed";
  double epsilonEnd = 0.02;
  bool withoutBranch = false;
};

/// The options of a layer. Throws Failure for an even residual kernel.
LinearAngularOptions linearAngularOptions(const Json& json);

/// Eq. 10, X = (Z ⊙ [Z > ε])V with Z = softmax(S): helps training, costs T × T, and is dropped
/// for inference.
class AuxiliaryBranch {
 public:
  explicit AuxiliaryBranch(const LinearAngularOptions& options);

  /// Whether X is formed in this pass at all: always in training, in inference
  /// until the branch is dropped.
  bool active(bool training) const { return m_present && (training || !m_withoutBranch); }
  /// X [B, H, Tq, e] and, where wanted, the map Z ⊙ [Z > ε] [B, H, Tq, Tk], detached; keeps the
  /// fraction of nonzeros.
  std::pair<at::Tensor, at::Tensor> attend(const at::Tensor& q, const at::Tensor& k,
                                           const at::Tensor& v, bool wantMap);
  /// To be called in a pass without Z: it has no nonzeros to tell of.
  void skip() { m_nonzeros = at::Tensor(); }

  bool present() const { return m_present; }
  bool withoutBranch() const { return m_withoutBranch; }
  void setBranchDropped(bool withoutBranch) { m_withoutBranch = withoutBranch; }
  /// `fraction` of the training steps is done. Until told, training counts as finished.
  void setProgress(double fraction);
  double epsilon() const;
  /// "nonzeros": the fraction of the mask in the last pass, where that formed Z; "epsilon".
  std::vector<std::pair<std::string, double>> readings() const;

 private:
  bool m_present, m_withoutBranch;
  double m_epsilon, m_epsilonEnd, m_progress = 1.0;
  std::string m_schedule;
  at::Tensor m_nonzeros;  ///< scalar, left on its device until asked for
};

/// What an attention with an auxiliary branch also is, whatever its backbone.
class Castling {
 public:
  virtual ~Castling() = default;
  virtual AuxiliaryBranch& auxiliary() = 0;
};

/// DW(V) of Eq. 9: one filter a head, no bias. `weight`: [H, 1, K, 1] along the token axis, or
/// [H, 1, K, K] over the patches of a grid, prefix tokens getting nothing. Where patches were dropped
/// (MAE) the token axis is that of the kept ones, and on the grid the dropped ones are 0.
class DepthwiseResidual : public torch::nn::Module {
 public:
  DepthwiseResidual(const LinearAngularOptions& options, int heads, const Grid& grid);
  static void count(CostCounter& counter, const LinearAngularOptions& options, int heads,
                    std::int64_t valueWidth, const Grid& grid);
  /// [B, H, T, e] → [B, H, T, e].
  at::Tensor forward(const at::Tensor& values) const;
  void setGrid(const Grid& grid) { m_grid = grid; }
  void setKept(const at::Tensor& kept) { m_kept = kept; }

 private:
  at::Tensor convolved(const at::Tensor& values, std::int64_t rows, std::int64_t cols) const;
  at::Tensor overGrid(const at::Tensor& patches) const;
  at::Tensor overKept(const at::Tensor& patches) const;

  bool m_overGrid;
  Grid m_grid;
  at::Tensor m_kept;  ///< Attention::setKept
  at::Tensor m_weight;
};

/// Everything between q, k, v and the projection: the kernel of Table 5, or what the paper's
/// approximates (LinearKernels.h), X, and DW(V). That of the paper is, with unit rows q̂ and k̂ as the authors released it (Eq. 9 and 10),
///   Y = ½V + (1/π)·q̂(k̂ᵀV) + X,  each row of Y divided by its ℓ2 norm,  then + DW(V).
class LinearAngularHeads {
 public:
  LinearAngularHeads(const LinearAngularOptions& options, int heads, const Grid& grid);
  /// Attention products and DW; `keyWidth` and `valueWidth` of one head.
  static void count(CostCounter& counter, const LinearAngularOptions& options, int heads,
                    std::int64_t keyWidth, std::int64_t valueWidth, const Grid& grid);

  /// To be registered as "dconv"; null where there is no residual.
  const std::shared_ptr<DepthwiseResidual>& residual() const { return m_residual; }
  AuxiliaryBranch& auxiliary() { return m_auxiliary; }
  const AuxiliaryBranch& auxiliary() const { return m_auxiliary; }

  /// q, k [B, H, T, d], v [B, H, T, e] → [B, H, T, e]. `product`, where given, gets the map
  /// [B, H, T, T] and what it makes of v before rows are normalized and DW(V) is added.
  at::Tensor forward(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool training,
                     WeighedValues* product);
  std::string mapMeaning() const;
  std::string kernelText(bool training) const;
  bool mapIsSigned() const;
  bool mapRowsSumToOne() const;

 private:
  LinearKernel m_kernel;
  AuxiliaryBranch m_auxiliary;
  std::shared_ptr<DepthwiseResidual> m_residual;
};

/// An attention made of LinearAngularHeads and of whatever a backbone projects with.
class LinearAngularAttention : public Attention, public Castling {
 public:
  std::string mapMeaning() const override { return m_linear.mapMeaning(); }
  std::string kernelText() const override { return m_linear.kernelText(is_training()); }
  bool mapIsSigned() const override { return m_linear.mapIsSigned(); }
  bool mapRowsSumToOne() const override { return m_linear.mapRowsSumToOne(); }
  void setProgress(double fraction) override { auxiliary().setProgress(fraction); }
  std::vector<std::pair<std::string, double>> readings() const override {
    return m_linear.auxiliary().readings();
  }
  AuxiliaryBranch& auxiliary() override { return m_linear.auxiliary(); }

 protected:
  /// `grid`: of the queries.
  LinearAngularAttention(const AttentionOptions& options, const Grid& grid)
      : Attention(options.heads),
        m_linear(linearAngularOptions(options.options), options.heads, grid) {}

  LinearAngularHeads m_linear;
};

/// The mechanism `linear_angular`: qkv, dconv, proj.
class LinearAngular : public LinearAngularAttention {
 public:
  static const ParameterTable& optionTable();
  explicit LinearAngular(const AttentionOptions& options);
  static void count(CostCounter& counter, const AttentionOptions& options);

  at::Tensor forward(const at::Tensor& tokens, AttentionHook* tap) override;
  void setGrid(const Grid& grid) override;
  void setKept(const at::Tensor& kept) override;
  HeadProjection headProjection() const override { return {m_proj->weight}; }

 private:
  AttentionOptions m_options;
  AdaptableLinear m_qkv{nullptr}, m_proj{nullptr};
};

}  // namespace headlight
