// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Windows (Swin, Liu et al. 2021, §3.2): a grid cut into M × M patches that attend among
// themselves, moved by half a window in every second block. Shared by the mechanisms within them.

#include <ATen/core/Tensor.h>

#include <string>

#include "core/masks/Grid.h"

namespace headlight {

/// When a grid that windows do not divide is padded, below and to the right.
enum class WindowPadding {
  /// As timm: the shift rolls the grid itself, so that patches of opposite edges can share a window
  /// and a region; padding is looked at, as tokens of zeros.
  AfterShift,
  /// As Swin's Fig. 4: the shift rolls the padded grid; nothing looks at padding, or across the
  /// seam, so that opposite edges never see each other.
  BeforeShift,
};

/// How a grid of patches is cut: plain numbers, nothing is allocated.
struct WindowShape {
  Grid grid;    ///< the stage's
  Grid window;  ///< one window; without prefix tokens
  Grid padded;  ///< the grid rounded up to whole windows
  int shiftRows = 0, shiftCols = 0;
  WindowPadding padding = WindowPadding::AfterShift;

  int count() const { return padded.patches() / window.patches(); }  ///< windows per image
  bool isShifted() const { return shiftRows > 0 || shiftCols > 0; }
  bool isPadded() const { return padded.rows != grid.rows || padded.cols != grid.cols; }
  bool padsFirst() const { return padding == WindowPadding::BeforeShift; }
  /// Whether a window can hold regions that must not see each other.
  bool hasRegions() const { return isShifted() || (padsFirst() && isPadded()); }
  /// Whether the shift can bring opposite edges of the grid together, side by side.
  bool mayJoinEdges() const;
  /// Rows of a table of relative positions: (2·rows − 1)(2·cols − 1).
  int offsets() const { return (2 * window.rows - 1) * (2 * window.cols - 1); }
};

/// Windows of side `size`, `shifted` by half of it. As timm does: along a side of the grid that is
/// no longer than `size` the window shrinks to the grid and is not shifted; where it does not
/// divide the grid, zeros are added below and to the right. Throws Failure(InvalidConfig) for a
/// grid with prefix tokens, which belong to no window, and for windows with more pairs of patches
/// than can be held.
WindowShape windowShape(const Grid& grid, int size, bool shifted,
                        WindowPadding padding = WindowPadding::AfterShift);

/// What to know of maps and numbers of a layer whose windows may join opposite edges, in a
/// sentence; empty for all others.
std::string edgeNotice(const WindowShape& shape);

/// The windows of a layer on tensors. B images, N patches, W windows an image, M patches a window.
class Windows {
 public:
  explicit Windows(const WindowShape& shape);
  const WindowShape& shape() const { return m_shape; }

  /// [B, N, C] → [B·W, M, C], shifted and padded.
  at::Tensor partition(const at::Tensor& tokens) const;
  /// Back again: [B·W, M, C] → [B, N, C], without what stands on the padding.
  at::Tensor reverse(const at::Tensor& windows) const;

  /// Table [offsets, H] → [H, M, M]: of query i and key j the entry of their relative position.
  at::Tensor relativeBias(const at::Tensor& table);

  /// [W, M, M] bool, true where the shift brought two regions of the image into one window (Swin,
  /// Fig. 4; regions of the padded grid, as timm counts them), and between patches and padding that
  /// was there before the shift; undefined where there are no regions.
  at::Tensor apart(const at::Device& device);

  /// Maps [B·W, H, M, M] → [B, H, N, N] over the whole grid: zeros outside the windows, columns of
  /// the padding left out.
  at::Tensor wholeMap(const at::Tensor& maps);

  /// [W, M] int64: the patch in each place of each window; −1 on the padding.
  at::Tensor patches() const;
  /// [N] int64: the place of each patch in its window.
  at::Tensor places() const;
  /// [N, M] int64: of each patch the patches in the places of its window; −1 on the padding and
  /// where apart() parts them.
  at::Tensor patchesInSight();

 private:
  at::Tensor shiftedAndPadded(const at::Tensor& tokens) const;
  at::Tensor rolled(const at::Tensor& grid, int direction) const;
  at::Tensor cut(const at::Tensor& padded) const;
  /// [N]: where each patch stands among the W·M places.
  at::Tensor standing() const;

  WindowShape m_shape;
  at::Tensor m_relative;  ///< [M·M] int64: rows of a table
  at::Tensor m_apart;     ///< [W, M, M] bool; undefined without regions
  at::Tensor m_patches;   ///< [W·M] int64: the patch in each place of a window; N on the padding
};

}  // namespace headlight
