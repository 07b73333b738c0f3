// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How one family's tensors are called elsewhere, row by row, and what becomes of them in timm's
// names. Internal to core/checkpoint/foreign.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/Checkpoint.h"

namespace headlight {

/// What a tensor needs besides another name.
enum class TensorRule {
  Keep,
  Query,      ///< rows of the fused projection `ours`, with those of Key and Value
  Key,        ///< likewise
  Value,      ///< likewise
  Tokens,     ///< [D] or [T, D] → [1, T, D]
  Patches,    ///< a Linear over (row, column, channel) [D, p·p·3] → a convolution [D, 3, p, p]
  Transpose,  ///< [a, b] → [b, a]
  Drop        ///< left aside; `ours` says what it is
};

/// `theirs`: a name, or a name without ".weight" and ".bias", which then stand for both. In both
/// names "#" is a number, the same in both; a last "*" is any rest. With a first "^" it is the name
/// of what stands beside the tower: a head.
struct NameRow {
  std::string theirs;
  std::string ours;
  TensorRule rule = TensorRule::Keep;
};

/// The name in timm's words of `name`, which has no prefix any more; nothing where `row` is of
/// another tensor.
std::optional<std::string> applyRow(const NameRow& row, std::string_view name);

at::Tensor* findNamed(Checkpoint& checkpoint, const std::string& name);
void eraseNamed(Checkpoint& checkpoint, const std::string& beginning);
void renameNamed(Checkpoint& checkpoint, const std::string& from, const std::string& to);
/// A head without a bias has one of zeros in timm's names.
void completeHead(Checkpoint& checkpoint);

}  // namespace headlight
