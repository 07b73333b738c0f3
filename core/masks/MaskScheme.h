// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A mask for every head of every layer, and the presets of the paper.

#include <optional>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/masks/HeadMask.h"

namespace headlight {

/// The heads of every layer of a model. Layers from `maskableLayers` on have no logits on a grid
/// (class attention): their cells stay `none`.
struct MaskShape {
  /// All layers can be masked: said, never meant by leaving a number out.
  explicit MaskShape(std::vector<int> headsPerLayer)
      : heads(std::move(headsPerLayer)), maskableLayers(static_cast<int>(heads.size())) {}
  MaskShape(std::vector<int> headsPerLayer, int maskable)
      : heads(std::move(headsPerLayer)), maskableLayers(maskable) {}
  bool operator==(const MaskShape&) const = default;
  std::vector<int> heads;
  int maskableLayers;
};

class MaskScheme {
 public:
  MaskScheme() = default;
  /// All heads unmasked.
  explicit MaskScheme(MaskShape shape, std::string name = "none");
  MaskScheme(int layers, int heads, std::string name = "none");

  int layers() const { return static_cast<int>(m_cells.size()); }
  int heads(int layer) const { return static_cast<int>(m_cells[layer].size()); }
  bool contains(int layer, int head) const;
  int maskableLayers() const { return m_maskableLayers; }
  MaskShape shape() const;
  const HeadMask& at(int layer, int head) const { return m_cells[layer][head]; }
  void set(int layer, int head, const HeadMask& mask) { m_cells[layer][head] = mask; }
  const std::vector<HeadMask>& layer(int index) const { return m_cells[index]; }
  int maskedHeads() const;

  /// The preset it came from ("sch2"), with a star once it is not the published one any more:
  /// edited, or with another window or α ("sch2*").
  const std::string& name() const { return m_name; }
  void setName(std::string name) { m_name = std::move(name); }

  /// Equal cells; the name is not compared.
  bool operator==(const MaskScheme& other) const { return m_cells == other.m_cells; }
  /// The first layer whose cells differ, or that `other` does not have; layers() if there is none.
  int firstDifference(const MaskScheme& other) const;

 private:
  std::string m_name = "none";
  std::vector<std::vector<HeadMask>> m_cells;
  int m_maskableLayers = 0;
};

/// Why the layers that cannot be masked cannot, to stand after a colon: "class attention is never
/// masked". Empty where all can.
std::string whyNotMaskable(const MaskScheme& scheme);

/// With which MaiT publishes its presets: 3 × 3 neighborhoods, and α where soft masks start
/// (§4.3).
inline constexpr int kPublishedWindow = 3;
inline constexpr double kPublishedAlpha = 0.5;

/// Presets of MaiT for the maskable layers of `shape`: none, sch1, sch2, sch3, mixed36, hmait
/// (mixed36: its Fig. 3; hmait: its §5.4). `window` and `alpha` fill the cells they mask; where
/// they are not the published ones, the name gets a star. Depths other than the paper's: sch2 takes
/// the first third and all but the last sixth; sch3 the first 7/8; mixed36 the first third; hmait
/// all heads of every stage but the last two, a third of the heads (at least one) of the last but
/// one, and where there is only one stage, each quarter of it as a stage.
const std::vector<std::string>& maskPresetNames();
/// One sentence of what a preset does.
std::string maskPresetHelp(const std::string& name);
Result<MaskScheme> makeMaskPreset(const std::string& name, const MaskShape& shape,
                                  int window = kPublishedWindow, double alpha = kPublishedAlpha);

/// "sch2" of "sch2*"; any other name as it is.
std::string withoutStar(const std::string& name);

/// Window and α with which a scheme is a preset whose values were changed; nothing where it is a
/// published preset, or was edited head by head.
struct PresetValues {
  int window = kPublishedWindow;
  double alpha = kPublishedAlpha;
};
std::optional<PresetValues> changedPresetValues(const MaskScheme& scheme);

/// For titles, captions and tables: the name, and of a preset with other values these:
/// "sch2* (5×5)", "sch3* (α 0.3)", "sch3* (5×5, α 0.3)".
std::string schemeTitle(const MaskScheme& scheme);
/// The same of a name and what was changed; `values` as changedPresetValues.
std::string schemeTitle(const std::string& name, const std::optional<PresetValues>& values);

}  // namespace headlight
