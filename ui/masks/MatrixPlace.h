// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A place in the matrix of layers × heads: a cell, the header of a row or a column, the corner that
// stands for all.

#include <vector>

#include "core/masks/HeadPlace.h"

namespace headlight {

struct MatrixPlace {
  enum class Part { Nothing, Cell, Row, Column, Corner };
  Part part = Part::Nothing;
  int layer = -1, head = -1;  ///< −1: every

  static MatrixPlace cell(const HeadPlace& at) { return {Part::Cell, at.layer, at.head}; }
  static MatrixPlace row(int layer) { return {Part::Row, layer, -1}; }
  static MatrixPlace column(int head) { return {Part::Column, -1, head}; }
  static MatrixPlace corner() { return {Part::Corner, -1, -1}; }

  bool operator==(const MatrixPlace&) const = default;
  bool covers(const HeadPlace& at) const;
};

/// Whether a model with so many heads in each layer has this one.
bool exists(const HeadPlace& cell, const std::vector<int>& heads);
/// The cells that it covers in a model with so many heads in each layer, layer by layer.
std::vector<HeadPlace> cellsOf(const MatrixPlace& place, const std::vector<int>& heads);

}  // namespace headlight
