// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which tensors of a file of maps are layers, and where their tokens lie. Throws Failure. Internal.

#include <string>
#include <vector>

#include "core/checkpoint/SafetensorsFile.h"
#include "core/masks/Grid.h"

namespace headlight {

/// One `attention.L`.
struct MapTensor {
  int number = 0;  ///< L
  SafetensorsEntry entry;
  int heads = 0;
  Grid grid;

  bool isBatched() const { return entry.shape.size() == 4; }  ///< [B, H, T, T]
  std::int64_t tokens() const { return entry.shape.back(); }
};

/// The tensors named and shaped as maps, in the order of their numbers; heads and grids are not
/// known yet.
std::vector<MapTensor> layersNamedIn(const SafetensorsHeader& header);

/// All layers with their grids: as the file says (`grid.L`, `grid`, `prefix`), else square behind
/// as few prefix tokens as make it so, which `notes` say. Errors: InvalidFile, none or too many,
/// other shapes or dtypes, tokens that are no grid.
std::vector<MapTensor> readMapLayers(const SafetensorsFile& file, std::vector<std::string>& notes);

/// The same for all layers. Error: InvalidFile, some have more than others.
int imagesOf(const std::vector<MapTensor>& layers, const std::string& where);

}  // namespace headlight
