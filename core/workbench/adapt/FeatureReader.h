// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The features that a classifier on a frozen backbone reads. Torch types: core only.

#include <ATen/core/Tensor.h>

#include <stop_token>
#include <string>

#include "core/workbench/adapt/FeatureKey.h"
#include "core/workbench/adapt/HeadPlacement.h"

namespace headlight {

class InferenceSession;

/// Works on a copy of the session's model, whose classifier passes features on as they are.
class FeatureReader {
 public:
  /// Throws Failure: those of resolvedChoice(), masks of another shape, no memory.
  FeatureReader(InferenceSession& session, const MaskScheme& masks, const HeadChoice& wanted);

  const ModelInfo& info() const { return m_loaded.info; }
  const HeadChoice& choice() const { return m_choice; }
  /// What records are of: another key's are other numbers.
  FeatureKey key() const;
  /// Numbers of a record.
  std::int64_t width() const { return m_layers * m_layerWidth; }
  /// [B, 3, H, W] → [B, width()], float32, on the host. Throws Failure(Canceled).
  at::Tensor read(const at::Tensor& images, const std::stop_token& stop);
  /// The features of the choice in records [N, width()].
  at::Tensor chosen(const at::Tensor& records) const;

 private:
  at::Tensor ofTokens(const at::Tensor& tokens);

  HeadChoice m_choice;
  std::string m_masks;
  bool m_both;  ///< records have the class token and the mean of the patches, whichever is chosen
  std::int64_t m_layers, m_layerWidth = 0;
  LoadedModel m_loaded;
};

}  // namespace headlight
