// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Queries, keys and values that a file keeps in three layers, as timm's one. Internal to
// core/checkpoint/foreign.

#include <array>
#include <map>
#include <string>

#include "core/checkpoint/Checkpoint.h"

namespace headlight {

class FusedProjections {
 public:
  /// `name`: of the fused tensor ("blocks.3.attn.qkv.weight"); `part`: 0 queries, 1 keys, 2 values.
  void add(const std::string& name, int part, const at::Tensor& tensor);

  /// Appends the fused ones: rows of queries, keys, values. Biases that the file lacks are zeros;
  /// where keys alone lack them in the whole file, they stay apart as timm's BEiT has them
  /// (`q_bias`, `v_bias`). Throws Failure(InvalidFile) naming a tensor whose parts do not fit.
  void appendTo(NamedTensors& tensors) const;

 private:
  using Parts = std::array<at::Tensor, 3>;
  bool keysLackBias() const;
  void appendBias(const std::string& name, const Parts& parts, NamedTensors& tensors) const;

  std::map<std::string, Parts> m_parts;
};

}  // namespace headlight
