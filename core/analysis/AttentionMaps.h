// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Attention maps as plain arrays, and what is read off them.

#include <memory>
#include <string>
#include <vector>

#include "core/attention/base/MapRows.h"
#include "core/masks/Grid.h"

namespace headlight {

/// Numbers of a map, one behind the other: where they are kept, or made for whoever holds this.
class MapNumbers {
 public:
  /// Kept by somebody else, for longer.
  MapNumbers(const float* kept, std::size_t size) : m_kept(kept), m_size(size) {}
  explicit MapNumbers(std::vector<float> made) : m_made(std::move(made)), m_size(m_made.size()) {}

  const float* begin() const { return m_kept ? m_kept : m_made.data(); }
  const float* end() const { return begin() + m_size; }
  float operator[](std::size_t index) const { return begin()[index]; }
  std::size_t size() const { return m_size; }

 private:
  const float* m_kept = nullptr;
  std::vector<float> m_made;
  std::size_t m_size;
};

/// Where the tokens of a layer lie within windows that attend among themselves. P: places in one.
struct WindowPlaces {
  Grid window;             ///< one window's places, without prefix tokens
  std::vector<int> place;  ///< [T]: each token's place in its window; −1: none (class token)
  std::vector<int> seen;   ///< [T, P]: the token in each place of its window; −1: it sees none
};

/// The maps of one layer for one image: `values` is [heads, T, T], row-major; row = query, column =
/// key. With `windows` (learned maps alone), [heads, P, P]; then only patchesSeenBy() knows rows.
/// Maps of very many tokens are not kept: `rows` makes them, and `values` is null.
struct LayerMaps {
  int heads = 0;
  Grid grid;
  std::shared_ptr<const std::vector<float>> values;
  std::shared_ptr<const WindowPlaces> windows = nullptr;
  std::shared_ptr<const MapRows> rows = nullptr;

  int tokens() const { return grid.tokens(); }
  bool empty() const { return !values && !rows; }
  MapNumbers row(int head, int query) const;  ///< [T]
  MapNumbers head(int head) const;            ///< [T, T]: for whoever reads all of its rows
  std::shared_ptr<const std::vector<float>> whole() const;  ///< [heads, T, T]: all at once
};

struct AttentionMaps {
  std::vector<LayerMaps> layers;  ///< one per layer; empty where it was not asked for
  std::string meaning;            ///< what a map is for this mechanism, in words
  bool isSigned = false;

  bool inWindows() const;  ///< in some layer
};

/// What a model's weights alone say of every pair of tokens (LSLA's biases, IBiT's mask), in the
/// form of maps: the same for every image.
struct LearnedMap {
  std::string name;    ///< as typed and stored: "inner_bias"
  std::string title;   ///< in words: "inner bias B_i"
  AttentionMaps maps;  ///< a layer that has none is empty
};

/// `query` of a model whose tokens lie on `model`, as a token of a layer whose tokens lie on
/// `layer` (stages of hierarchical models have coarser grids). −1: that layer does not have this
/// prefix token, which joins later.
int queryInLayer(int query, const Grid& model, const Grid& layer);

/// "place (2, 3) of its 7 by 7 window"; empty for a layer without windows.
std::string describeWindowPlace(const LayerMaps& maps, int query);

/// The patch columns of one row, [rows × cols]: what token `query` of `head` looks at; NaN for
/// patches that windows keep out of its sight.
std::vector<float> patchesSeenBy(const LayerMaps& maps, int head, int query);
/// The same, averaged over heads.
std::vector<float> patchesSeenBy(const LayerMaps& maps, int query);

/// A rectangle of a layer's patches.
struct PatchArea {
  int row = 0, col = 0, rows = 0, cols = 0;
};

/// The smallest rectangle with every patch that `query` sees within its window: all of the grid
/// where a layer has no windows, or the query sees none.
PatchArea areaInSight(const LayerMaps& maps, int query);

/// The part of values [rows × cols] of `grid` that lies in `area`.
std::vector<float> valuesIn(const PatchArea& area, const std::vector<float>& values,
                            const Grid& grid);

/// ALS of every head (MaiT Eq. 3): over patch rows, the mean weight that falls into their 3 × 3
/// neighborhood, prefix rows and columns left out. In [0, 1] where rows sum to 1 and nothing is
/// negative; signed maps may leave it, and class attention, whose patches keep to themselves,
/// has 1.
std::vector<float> localityScores(const LayerMaps& maps);
/// The same of one head's map [T, T].
float localityScore(const float* map, const Grid& grid);

}  // namespace headlight
