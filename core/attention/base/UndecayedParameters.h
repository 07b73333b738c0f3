// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What becomes in training of parameters that are a mechanism's own: only it can say.

#include <string>

namespace headlight {

/// A module that registers parameters in itself, beside those of the layers within it. Names are as
/// they were registered ("rel_pos_h").
class UndecayedParameters {
 public:
  virtual ~UndecayedParameters() = default;

  /// Whether weight decay acts on it where training.decay_masks asks for that: learned masks and
  /// scales. Tables of positions, the usual ones, never shrink.
  virtual bool mayDecay(const std::string& /*parameter*/) const { return false; }
  /// Whether it starts from a fit, whose place weights that bring it take.
  virtual bool isFitted(const std::string& /*parameter*/) const { return false; }
};

}  // namespace headlight
