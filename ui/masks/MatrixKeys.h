// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The keys of the mask matrix.

#include <QKeyEvent>

#include <optional>

#include "core/masks/HeadMask.h"

namespace headlight {

/// An edit of the selection.
struct MaskKey {
  enum class What { Kind, Toggle, Window, WindowBy, PaintMode };
  What what = What::Toggle;
  MaskKind kind = MaskKind::None;  ///< Kind: H, S, X, R, N or Delete
  int number = 0;  ///< Window: a digit, also an even one; WindowBy: steps, + and −
};
std::optional<MaskKey> findMaskKey(const QKeyEvent& event);
/// Whether the matrix takes it before the window's shortcuts.
bool isClaimed(const QKeyEvent& event);

/// A way of the current cell; far beyond the edge for Home and End.
struct MatrixMove {
  int layers = 0, heads = 0;
};
/// `page`: the layers that are in view.
std::optional<MatrixMove> findMove(const QKeyEvent& event, int page);

}  // namespace headlight
