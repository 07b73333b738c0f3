// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The families whose tensors have other names than timm's. Internal to core/checkpoint/foreign.

#include <string>
#include <vector>

#include "core/checkpoint/foreign/NameRows.h"

namespace headlight {

/// A family, known by two tensors of its tower.
struct NameTable {
  const char* title;                 ///< in notes: "transformers' ViT"
  std::string anchor;                ///< the tower's prefix is what stands before it
  std::vector<std::string> seconds;  ///< one of them is under the same prefix
  std::vector<NameRow> rows;         ///< the first that fits counts
  /// After all rows, under timm's names; may be null.
  void (*finish)(Checkpoint& checkpoint) = nullptr;
  /// timm's arguments (TimmArguments.h) that the tensors do not tell, as JSON; may be null.
  const char* arguments = nullptr;
  PositionFilter positions = PositionFilter::Bicubic;
};

/// Every family, the first that fits counts.
std::vector<NameTable> nameTables();
std::vector<NameTable> bertTables();
std::vector<NameTable> clipTables();
std::vector<NameTable> swinTables();
std::vector<NameTable> levitTables();
std::vector<NameTable> otherTables();

}  // namespace headlight
