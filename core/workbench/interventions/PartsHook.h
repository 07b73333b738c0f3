// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a block computes, kept or replaced while it runs. Torch types: core only.

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/attention/base/AttentionHook.h"
#include "core/models/backbones/Model.h"
#include "core/workbench/interventions/InterventionOptions.h"

namespace headlight {

/// Of B images. Undefined: not asked for, or the backbone does not say.
struct PartActivations {
  at::Tensor entering;   ///< [B, T, D]
  at::Tensor attention;  ///< [B, T', D]
  at::Tensor mlp;        ///< [B, T', D]
  at::Tensor heads;      ///< [B, T', H·e]
  at::Tensor pattern;    ///< [B, H, Tq, Tk]
  at::Tensor values;     ///< [B, H, Tk, e]: what the pattern weighs

  const at::Tensor& of(InterventionSite site) const;
  at::Tensor& of(InterventionSite site);
};

/// Of which image of a batch, which head, which token; −1: all of these.
struct PartPlace {
  std::int64_t image = 0;
  int head = -1;
  int token = -1;
};

/// In one block.
struct PartReplacement {
  InterventionSite site = InterventionSite::Heads;
  at::Tensor source;  ///< of one image, as PartActivations has it; undefined: 0
  std::vector<PartPlace> places;
};

/// How the tokens of a site are cut: [B, T', D] has one "head".
struct PartSize {
  int heads = 1, tokens = 0;
};

class PartsHook : public AttentionHook {
 public:
  enum class Keep { Nothing, Parts, PartsAndPattern };
  /// `heads`: of the layer that is to run.
  PartsHook(int heads, Keep keep) : m_heads(heads), m_keep(keep) {}
  void replace(PartReplacement replacement);

  /// Runs a block of `model`. What is kept is as it was before it was replaced. Throws Failure
  /// where the backbone or the mechanism does not let a part be replaced, and for places that there
  /// are not.
  at::Tensor run(Model& model, int layer, const at::Tensor& tokens);
  /// Also asks for `map`.
  void wantMap() { m_wantMap = true; }

  const PartActivations& kept() const { return m_kept; }
  const at::Tensor& map() const { return m_map; }  ///< [B, H, T, T]

  bool wants(int layer) const override;
  void take(int layer, const at::Tensor& map) override;
  void follow(int layer, FollowedMap map) override;
  at::Tensor heads(const at::Tensor& outputs) override;
  at::Tensor branch(BlockBranch part, const at::Tensor& added) override;

 private:
  bool replaces(InterventionSite site) const;
  void keep(InterventionSite site, const at::Tensor& value);
  /// `value` [B, T', H, …] with the replacements of a site.
  at::Tensor replaced(InterventionSite site, at::Tensor value);
  at::Tensor byNewPattern(const at::Tensor& outputs);
  void requireReplaced(int layer) const;

  int m_heads;
  Keep m_keep;
  bool m_wantMap = false;
  std::vector<PartReplacement> m_replacements;
  std::vector<bool> m_done;  ///< of each replacement
  PartActivations m_kept;
  std::vector<WeighedValues> m_products;
  at::Tensor m_map;
};

/// Heads and tokens of what a run kept of a site; throws Failure where the backbone does not say.
PartSize partSize(const PartActivations& kept, InterventionSite site, int heads, int layer);

}  // namespace headlight
